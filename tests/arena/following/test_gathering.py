"""Each kind of news, from the services that cause it to what followers are told."""

from datetime import datetime, timedelta

import pytest
from django.utils import timezone
from django.utils.timezone import localdate, now

from arena import periodic_tasks, tasks
from arena.accounts.models import User
from arena.bots.models import Bot, BotVersion
from arena.following.models import News
from arena.following.services import gathering
from arena.following.services.following import follow
from arena.following.services.gathering import gather_news
from arena.following.services.telling import tell_followers
from arena.ladders.models import Entry, Ladder, LadderMatch
from arena.ladders.services.entering import enter_version
from arena.ladders.services.ledger import append_finished_matches
from arena.ladders.services.refitting import refit_ladder
from arena.ladders.services.seasons import close_season
from arena.matches.models import Match
from arena.matches.services import queue_match, queue_trial
from arena.notices.models import Event, Notice
from arena.stories.services import tell_stories
from arena.tournaments.models import Tournament
from tests.arena.ladders.conftest import store_match
from tests.arena.tournaments.world import begin, make_bots, play_out
from tests.conftest import EXITS_AT_ONCE, FIRST_LEGAL, MakeVersion, Play, make_deal_and_salts

ON_TRIAL = BotVersion.State.ON_TRIAL


@pytest.fixture
def eva(db: None) -> User:
    """A reader who has no bots."""
    return User.objects.create_user("eva")


def told(user: User) -> list[tuple[str, str]]:
    """What a user is told after one more round of the task, oldest first: texts and pages."""
    periodic_tasks.tell_news()
    notices = Notice.objects.filter(user=user, event=Event.FOLLOWED_NEWS).order_by("pk")
    return [(str(notice.text), notice.url) for notice in notices]


def pass_trial(version: BotVersion, play: Play) -> None:
    match = queue_trial(version=version)
    assert match and play(match)
    tasks.settle_match(match.pk)


def test_followers_hear_of_new_versions_once_a_day(
    ana: User, ben: User, eva: User, ladder: Ladder, make_version: MakeVersion, play: Play
):
    bot = make_version(ana, "Kingfisher").bot
    follow(user=eva, subject=bot)
    follow(user=ana, subject=bot)
    assert told(eva) == [], "it was accepted before, and without a trial"
    for number, source in ((2, FIRST_LEGAL + b"# 2"), (3, EXITS_AT_ONCE), (4, FIRST_LEGAL + b"# 4")):
        version = make_version(ana, "Kingfisher", source, ON_TRIAL)
        assert version.number == number
        pass_trial(version, play)
        assert told(eva) == [("A new version of Kingfisher was accepted: version 2.", "/bots/kingfisher/v/2/")], (
            "one that is rejected is none, and the next is the same news"
        )
    assert told(ana) == [] and told(ben) == [], "its owner had the notice of the trial"
    News.objects.update(happened_at=now() - timedelta(hours=25))
    assert told(eva)[1:] == [("A new version of Kingfisher was accepted: version 4.", "/bots/kingfisher/v/4/")]
    assert len(told(eva)) == 2


def test_followers_of_an_author_hear_of_a_new_bot(
    ana: User, eva: User, ladder: Ladder, make_version: MakeVersion, play: Play
):
    follow(user=eva, subject=ana)
    make_version(ana, "Old")
    pass_trial(make_version(ana, "Old", FIRST_LEGAL + b"# 2", ON_TRIAL), play)
    version = make_version(ana, "Kingfisher", FIRST_LEGAL, ON_TRIAL)
    assert told(eva) == [], "nobody knows yet whether it plays"
    follow(user=eva, subject=version.bot)
    pass_trial(version, play)
    assert told(eva) == [("ana has a new bot: Kingfisher (Battle Line).", "/bots/kingfisher/")], "and it is told once"
    pass_trial(make_version(ana, "Kingfisher", FIRST_LEGAL + b"# 2", ON_TRIAL), play)
    News.objects.update(happened_at=now() - timedelta(hours=25))
    Notice.objects.all().delete()
    assert [text for text, _url in told(eva)] == ["A new version of Kingfisher was accepted: version 2."]


def play_ranked(ladder: Ladder, entries: list[Entry], *, rounds: int) -> None:
    """So many matches of each pair, of which the earlier bot wins two of three legs, until all have a rank."""
    legs = ([1, 2], [1, 2]), ([1, 2], [2, 1])
    pairs = [(one, other) for index, one in enumerate(entries) for other in entries[index + 1 :]]
    for number in range(rounds):
        for one, other in pairs:
            store_match(ladder, [one, other], legs[number % 2], minute=number)
    append_finished_matches(ladder=ladder)
    Ladder.objects.update(is_stale=True)
    assert refit_ladder(ladder=ladder)


def test_followers_of_bot_and_ladder_hear_once_of_the_leader_that_ratings_make(
    ana: User, ben: User, eva: User, ladder: Ladder, make_version: MakeVersion
):
    entries = [
        enter_version(ladder=ladder, version=make_version(owner, name))
        for owner, name in ((ana, "Kingfisher"), (ben, "Heron"))
    ]
    follow(user=eva, subject=ladder)
    follow(user=eva, subject=entries[0].version.bot)
    follow(user=ana, subject=ladder)
    follow(user=ben, subject=entries[1].version.bot)
    assert told(eva) == []
    play_ranked(ladder, entries, rounds=20)
    page = "/ladders/battleline/standard/"
    leads = ("Kingfisher has taken first place on the ladder Battle Line.", page)
    assert told(eva) == [leads] and told(ana) == [leads]
    assert told(ben) == [("Heron has entered the top three of the ladder Battle Line.", page)]


def test_followers_hear_of_titles(eva: User, house: User):
    bots = make_bots(4)
    follow(user=eva, subject=bots[1])
    follow(user=eva, subject=bots[0].owner)
    follow(user=eva, subject=bots[3])
    tournament = begin(bots)
    assert told(eva) == []
    assert play_out(tournament).state == Tournament.State.FINISHED
    assert told(eva) == [
        ("Bot 1 has won Autumn Cup.", "/tournaments/autumn-cup/"),
        ("Autumn Cup is over: Bot 2 finished 2nd.", "/tournaments/autumn-cup/"),
    ]
    assert len(told(eva)) == 2


@pytest.mark.parametrize("hidden", [{"state": "draft"}, {"visibility": "link"}])
def test_titles_of_a_tournament_that_was_hidden_are_not_told(eva: User, house: User, hidden: dict[str, str]):
    bots = make_bots(2)
    follow(user=eva, subject=bots[0])
    tournament = play_out(begin(bots))
    follow(user=tournament.organiser, subject=bots[0])
    gather_news()
    News.objects.update(happened_at=now())
    Tournament.objects.update(**hidden)
    assert told(eva) == []
    assert told(tournament.organiser) == [("Bot 1 has won Autumn Cup.", "/tournaments/autumn-cup/")]


def test_followers_of_a_ladder_hear_of_its_seasons(eva: User, ana: User, ladder: Ladder, make_version: MakeVersion):
    enter_version(ladder=ladder, version=make_version(ana, "Kingfisher"))
    follow(user=eva, subject=ladder)
    assert told(eva) == []
    close_season(ladder=ladder)
    text = "Season 1 of the ladder Battle Line has ended, and season 2 has begun."
    assert told(eva) == [(text, "/ladders/battleline/standard/seasons/1/")]
    assert len(told(eva)) == 1


@pytest.fixture
def day(ana: User, ben: User, ladder: Ladder, make_version: MakeVersion, play: Play) -> Match:
    """A rated match of yesterday, which Ben's bot won against the odds."""
    entries = [
        enter_version(ladder=ladder, version=make_version(*who)) for who in ((ana, "Kingfisher"), (ben, "Heron"))
    ]
    versions = [one.version for one in entries]
    match = queue_match(versions=versions, game="battleline", edition="standard", **make_deal_and_salts())
    rated = LadderMatch.objects.create(ladder=ladder, match=match)
    assert play(match)
    append_finished_matches(ladder=ladder)
    for entry, points, before in ((entries[0], 0.0, 1800), (entries[1], 1.0, 1500)):
        match.participants.filter(version=entry.version).update(points=points)
        rated.changes.filter(entry=entry).update(before=before)
    Match.objects.filter(pk=match.pk).update(finished_at=now() - timedelta(days=1))
    return match


def set_clock(monkeypatch: pytest.MonkeyPatch, hour: int) -> None:
    moment = timezone.localtime().replace(hour=hour, minute=30)
    monkeypatch.setattr(gathering, "localtime", lambda: moment)


def test_followers_hear_of_the_stories_of_a_day_once_it_is_over(
    day: Match, ana: User, ben: User, eva: User, ladder: Ladder, monkeypatch: pytest.MonkeyPatch
):
    follow(user=eva, subject=Bot.objects.get(slug="kingfisher"))
    follow(user=ben, subject=ladder)
    follow(user=ana, subject=ben)
    assert tell_stories(day=localdate() - timedelta(days=1)) == 3
    set_clock(monkeypatch, 2)
    assert told(eva) == [], "they may still be chosen anew"
    set_clock(monkeypatch, 3)
    page = f"/matches/{day.pk}/?leg="
    ((text, url),) = told(eva)
    assert text == "Heron won the match of the day against Kingfisher." and url.startswith(page)
    assert told(ben) == [(text, url)] and told(ana) == []
    upset = News.objects.get(kind=News.Kind.UPSET)
    assert upset.facts["chance"] == pytest.approx(0.151, abs=0.001)
    assert len(told(eva)) == 1, "the upset was the same match"


def test_an_upset_says_how_unlikely_it_was(day: Match, eva: User, monkeypatch: pytest.MonkeyPatch):
    follow(user=eva, subject=Bot.objects.get(slug="heron"))
    tell_stories(day=localdate() - timedelta(days=1))
    set_clock(monkeypatch, 12)
    gather_news()
    News.objects.filter(kind=News.Kind.MATCH_OF_THE_DAY).delete()
    tell_followers()
    sentence = "The biggest upset of the day: Heron beat Kingfisher, though the ratings gave it a chance of 15%."
    assert str(Notice.objects.get().text) == sentence


def test_gathering_twice_finds_nothing_new(day: Match, ladder: Ladder, monkeypatch: pytest.MonkeyPatch):
    tell_stories(day=localdate() - timedelta(days=1))
    close_season(ladder=ladder)
    set_clock(monkeypatch, 12)
    assert gather_news() == 3
    before = list(News.objects.values())
    assert gather_news() == 0 and list(News.objects.values()) == before


def test_what_happened_before_somebody_followed_is_not_told(eva: User, ladder: Ladder):
    close_season(ladder=ladder)
    gather_news()
    follow(user=eva, subject=ladder)
    assert told(eva) == []


def test_what_is_long_ago_is_no_news(eva: User, ladder: Ladder):
    follow(user=eva, subject=ladder)
    close_season(ladder=ladder)
    Ladder.objects.filter(pk=ladder.pk).update(closed_at=datetime(2020, 1, 1, tzinfo=timezone.get_default_timezone()))
    assert told(eva) == []
