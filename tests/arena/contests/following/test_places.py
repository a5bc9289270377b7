"""Who took and lost first place and the top three, by ratings as a fit would have left them."""

from datetime import timedelta

import pytest
from django.utils.timezone import now

from arena.contests.following.models import BotPlace, LadderTop, News
from arena.contests.following.services import follow, gather_news, tell_followers
from arena.contests.ladders.models import Entry, Ladder
from arena.contests.ladders.services.entering import enter_version, pause_bot
from arena.people.accounts.models import User
from arena.people.notices.models import Notice
from tests.conftest import FIRST_LEGAL, MakeVersion

LADDER = "on the Battle Line ladder"


@pytest.fixture
def entries(ladder: Ladder, make_version: MakeVersion) -> list[Entry]:
    """Five ranked bots, best first, at which the ladder was looked at once."""
    owners = [User.objects.create_user(f"author{number}") for number in range(5)]
    made = [enter_version(ladder=ladder, version=make_version(one, f"bot{i}")) for i, one in enumerate(owners)]
    rate(made)
    assert gather_news() == 0, "the first look is no news"
    return made


@pytest.fixture
def eva(db: None) -> User:
    return User.objects.create_user("eva")


def rate(order: list[Entry]) -> None:
    """As a fit leaves them: all with a rank, in this order."""
    for number, entry in enumerate(order):
        Entry.objects.filter(pk=entry.pk).update(is_ranked=True, rating=2000 - number, deviation=20, rated_at=now())


def tell(user: User) -> list[str]:
    gather_news()
    tell_followers()
    return [str(notice.text) for notice in Notice.objects.filter(user=user).order_by("pk")]


def pass_a_day() -> None:
    earlier = now() - timedelta(hours=25)
    LadderTop.objects.exclude(told_at=None).update(told_at=earlier)
    BotPlace.objects.exclude(told_at=None).update(told_at=earlier)
    News.objects.all().delete()
    Notice.objects.all().delete()


def follow_bots(user: User, *entries: Entry) -> None:
    for entry in entries:
        follow(user=user, subject=entry.version.bot)


@pytest.mark.parametrize(
    ("order", "followed", "sentence"),
    [
        ([1, 0, 2, 3, 4], 1, f"bot1 took first place {LADDER}."),
        ([1, 0, 2, 3, 4], 0, f"bot0 lost first place {LADDER} but is still in the top three."),
        ([1, 2, 3, 0, 4], 0, f"bot0 lost first place {LADDER} and dropped out of the top three."),
        ([0, 1, 3, 2, 4], 3, "bot3 entered the top three on the Battle Line ladder."),
        ([0, 1, 3, 2, 4], 2, "bot2 dropped out of the top three on the Battle Line ladder."),
        ([3, 0, 1, 2, 4], 3, f"bot3 took first place {LADDER}."),
        ([0, 2, 1, 4, 3], 1, None),
        ([0, 2, 1, 4, 3], 4, None),
    ],
)
def test_followers_of_a_bot_hear_of_its_place(
    entries: list[Entry], eva: User, order: list[int], followed: int, sentence: str | None
):
    follow_bots(eva, entries[followed])
    rate([entries[number] for number in order])
    assert tell(eva) == ([sentence] if sentence else [])
    assert len(tell(eva)) == len([sentence] if sentence else [])


def test_a_place_that_changes_hands_all_day_is_told_once_and_the_truth_the_next_day(
    entries: list[Entry], eva: User, ladder: Ladder
):
    follow(user=eva, subject=ladder)
    follow_bots(eva, entries[0], entries[1])
    swapped = [entries[1], entries[0], *entries[2:]]
    for order in (swapped, entries, swapped, entries):
        rate(order)
        texts = tell(eva)
    assert texts == [
        f"bot1 took first place {LADDER}.",
        f"bot0 lost first place {LADDER} but is still in the top three.",
    ]
    pass_a_day()
    assert tell(eva) == [
        f"bot0 took first place {LADDER}.",
        f"bot1 lost first place {LADDER} but is still in the top three.",
    ]
    pass_a_day()
    assert tell(eva) == []


def test_followers_of_a_ladder_hear_of_its_leader_alone(entries: list[Entry], eva: User, ladder: Ladder):
    follow(user=eva, subject=ladder)
    rate([entries[0], entries[3], entries[2], entries[1], entries[4]])
    assert tell(eva) == []
    rate([entries[4], *entries[:4]])
    assert tell(eva) == [f"bot4 took first place {LADDER}."]


def test_news_of_an_open_ladder_is_for_those_who_follow_it(entries: list[Entry], ben: User, eva: User, ladder: Ladder):
    Ladder.objects.update(clock="slow", title="Battle Line, Standard: slow open ladder")
    ladder.refresh_from_db()
    follow(user=eva, subject=ladder)
    follow(user=ben, subject=Ladder(game=ladder.game, edition=ladder.edition))
    rate([entries[1], entries[0], *entries[2:]])
    assert tell(eva) == ["bot1 took first place on the Battle Line, Standard, slow open ladder."]
    assert tell(ben) == []


def test_a_new_version_that_is_settling_in_has_not_left(
    entries: list[Entry], eva: User, ladder: Ladder, make_version: MakeVersion
):
    follow_bots(eva, entries[0])
    newer = make_version(entries[0].version.bot.owner, "bot0", FIRST_LEGAL + b"# 2")
    entry = enter_version(ladder=ladder, version=newer)
    assert tell(eva) == []
    rate([entry, *entries[1:]])
    assert tell(eva) == []
    pause_bot(bot=newer.bot, owner=newer.bot.owner)
    assert tell(eva) == [f"bot0 lost first place {LADDER} and dropped out of the top three."]
