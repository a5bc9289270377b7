from datetime import timedelta

import pytest
from django.utils.timezone import now
from pytest_django.fixtures import Settings

from arena.accounts.models import User
from arena.bots.models import BotVersion
from arena.ladders.models import Entry, Ladder, LadderMatch, RatingChange
from arena.ladders.services import enter, enter_accepted, pair_ladder, rate_match, recompute_ratings
from arena.matches.models import Match
from arena.matches.services import queue_trial
from tests.conftest import EXITS_AT_ONCE, FIRST_LEGAL, MakeVersion, Play
from tests.runner.conftest import toy as toy


@pytest.fixture
def entries(ladder: Ladder, ana: User, ben: User, make_version: MakeVersion) -> list[Entry]:
    """Ana's plays, Ben's loses every leg."""
    return [
        enter(ladder=ladder, version=make_version(ana, "good")),
        enter(ladder=ladder, version=make_version(ben, "bad", EXITS_AT_ONCE)),
    ]


def rated(ladder: Ladder, play: Play) -> list[Match]:
    matches = pair_ladder(ladder=ladder)
    for match in matches:
        play(match)
        rate_match(match=match)
    return matches


def test_a_new_version_takes_over(ladder: Ladder, ana: User, make_version: MakeVersion) -> None:
    old = enter(ladder=ladder, version=make_version(ana, "k"))
    Entry.objects.update(rating=1620)
    new = enter(ladder=ladder, version=make_version(ana, "k"))
    old.refresh_from_db()
    assert not old.active
    assert (new.active, new.parent, new.rating, new.first_rating, new.matches) == (True, old, 1620, 1620, 0)


def test_entering_twice_changes_nothing(ladder: Ladder, ana: User, make_version: MakeVersion) -> None:
    version = make_version(ana, "k")
    assert enter(ladder=ladder, version=version) == enter(ladder=ladder, version=version)
    assert Entry.objects.count() == 1


def test_an_older_version_that_comes_late_stays_out(ladder: Ladder, ana: User, make_version: MakeVersion) -> None:
    old, new = make_version(ana, "k"), make_version(ana, "k")
    enter(ladder=ladder, version=new)
    assert enter(ladder=ladder, version=old) is None
    assert Entry.objects.active().get().version == new


@pytest.mark.parametrize(("state", "entered"), [("accepted", 1), ("rejected", 0), ("checking", 0)])
def test_only_an_accepted_version_enters(
    ladder: Ladder, ana: User, make_version: MakeVersion, state: str, entered: int
) -> None:
    version = make_version(ana, "k", state=BotVersion.State.CHECKING)
    match = queue_trial(version=version)
    BotVersion.objects.update(state=state)
    enter_accepted(match=match)
    assert Entry.objects.count() == entered


def test_pairing_stops_when_enough_are_waiting(ladder: Ladder, entries: list[Entry], settings: Settings) -> None:
    settings.LADDER_WAITING = 3
    assert len(pair_ladder(ladder=ladder)) == 3
    assert pair_ladder(ladder=ladder) == []


def test_a_ladder_of_old_hands_plays_at_its_hourly_pace(
    ladder: Ladder, entries: list[Entry], settings: Settings
) -> None:
    Entry.objects.update(matches=settings.LADDER_NEWCOMER_MATCHES)
    settings.LADDER_MATCHES_PER_HOUR = 60
    assert len(pair_ladder(ladder=ladder)) == 1
    Match.objects.update(state=Match.State.VOID)
    assert pair_ladder(ladder=ladder) == []
    LadderMatch.objects.update(created_at=now() - timedelta(seconds=61))
    assert len(pair_ladder(ladder=ladder)) == 1


def test_a_rush_ends_at_its_number(ladder: Ladder, entries: list[Entry], settings: Settings) -> None:
    settings.LADDER_NEWCOMER_MATCHES = settings.LADDER_MATCHES_PER_HOUR = 0
    settings.LADDER_RUSH_UNTIL = 3
    settings.LADDER_WAITING = 2
    assert len(pair_ladder(ladder=ladder)) == 2
    Match.objects.update(state=Match.State.FINISHED)
    assert len(pair_ladder(ladder=ladder)) == 1
    Match.objects.update(state=Match.State.FINISHED)
    assert pair_ladder(ladder=ladder) == []


def test_a_rush_is_shared_by_the_ladders(ladder: Ladder, entries: list[Entry], settings: Settings) -> None:
    settings.LADDER_NEWCOMER_MATCHES = settings.LADDER_MATCHES_PER_HOUR = 0
    settings.LADDER_RUSH_UNTIL, settings.LADDER_WAITING = 5, 8
    other = Ladder.objects.create(game="battleline", edition="short", title="Battle Line, short")
    for entry in entries:
        enter(ladder=other, version=entry.version)
    assert [len(pair_ladder(ladder=one)) for one in (ladder, other, ladder, other)] == [3, 1, 1, 0]


def test_a_ladder_may_rest(ladder: Ladder, entries: list[Entry], settings: Settings) -> None:
    Entry.objects.update(matches=settings.LADDER_NEWCOMER_MATCHES)
    settings.LADDER_MATCHES_PER_HOUR = 0
    assert pair_ladder(ladder=ladder) == []


def test_a_newcomer_brings_back_the_full_pace(
    ladder: Ladder, entries: list[Entry], house: User, make_version: MakeVersion, settings: Settings
) -> None:
    Entry.objects.update(matches=1000)
    settings.LADDER_MATCHES_PER_HOUR = 0
    newcomer = make_version(house, "random")
    enter(ladder=ladder, version=newcomer)
    matches = pair_ladder(ladder=ladder)
    assert len(matches) == settings.LADDER_WAITING
    assert all(match.participants.filter(version=newcomer).exists() for match in matches)


def test_a_retired_version_is_not_paired(
    ladder: Ladder, entries: list[Entry], ana: User, make_version: MakeVersion
) -> None:
    new = make_version(ana, "good")
    enter(ladder=ladder, version=new)
    assert all(match.participants.filter(version=new).exists() for match in pair_ladder(ladder=ladder))


def test_a_match_is_rated_as_one_unit(ladder: Ladder, entries: list[Entry], play: Play, settings: Settings) -> None:
    settings.LADDER_WAITING = 1
    rated(ladder, play)
    good, bad = Entry.objects.order_by("pk")
    assert (good.rating, bad.rating, good.matches, bad.matches) == (1516, 1484, 1, 1)
    assert [(change.before, change.after) for change in RatingChange.objects.all()] == [(1500, 1516), (1500, 1484)]
    assert LadderMatch.objects.get().sequence == 1


def test_rating_twice_changes_nothing(ladder: Ladder, entries: list[Entry], play: Play, settings: Settings) -> None:
    settings.LADDER_WAITING = 1
    match = rated(ladder, play)[0]
    rate_match(match=match)
    assert Entry.objects.get(pk=entries[0].pk).matches == 1
    assert RatingChange.objects.count() == 2


def test_a_match_without_a_result_is_not_rated(ladder: Ladder, entries: list[Entry]) -> None:
    match = pair_ladder(ladder=ladder)[0]
    rate_match(match=match)
    Match.objects.filter(pk=match.pk).update(state=Match.State.VOID)
    rate_match(match=match)
    assert not RatingChange.objects.exists()


@pytest.fixture
def eight_waiting(settings: Settings) -> None:
    settings.LADDER_WAITING = 8


@pytest.mark.usefixtures("eight_waiting")
def test_rating_again_from_the_start_gives_the_same_numbers(
    ladder: Ladder, entries: list[Entry], ana: User, house: User, make_version: MakeVersion, play: Play
) -> None:
    enter(ladder=ladder, version=make_version(house, "random"))
    rated(ladder, play)
    enter(ladder=ladder, version=make_version(ana, "good", EXITS_AT_ONCE))
    rated(ladder, play)
    stands = list(Entry.objects.order_by("pk").values("rating", "matches"))
    changes = list(RatingChange.objects.order_by("pk").values())
    assert len(changes) == 32
    Entry.objects.update(rating=0, matches=0)
    RatingChange.objects.update(before=0, after=0)
    recompute_ratings(ladder=ladder)
    assert list(Entry.objects.order_by("pk").values("rating", "matches")) == stands
    assert list(RatingChange.objects.order_by("pk").values()) == changes


class TestLargerTables:
    """A ladder of a game for two to four."""

    @pytest.fixture
    def toys(self, toy: None, ana: User, ben: User, house: User, make_version: MakeVersion) -> Ladder:
        ladder = Ladder.objects.create(game="toy", edition="plain", title="Toy")
        for owner, name in ((ana, "one"), (ana, "two"), (ben, "bad"), (house, "random"), (house, "greedy")):
            source = EXITS_AT_ONCE if name == "bad" else FIRST_LEGAL
            enter(ladder=ladder, version=make_version(owner, name, source, game="toy"))
        return ladder

    @pytest.fixture(autouse=True)
    def six_waiting(self, settings: Settings) -> None:
        settings.LADDER_WAITING = 6

    def test_matches_of_every_size_are_made_in_turn(self, toys: Ladder) -> None:
        matches = pair_ladder(ladder=toys)
        assert [match.participants.count() for match in matches] == [2, 3, 4, 2, 3, 4]
        assert [match.legs.count() for match in matches] == [2, 3, 4, 2, 3, 4]
        for match in matches:
            owners = [participant.version.bot.owner for participant in match.participants.all()]
            assert sum(owner.username == "ana" for owner in owners) <= 1

    def test_the_turns_go_on_with_the_next_call(self, toys: Ladder, settings: Settings) -> None:
        settings.LADDER_WAITING = 1
        sizes = []
        for _ in range(4):
            (match,) = pair_ladder(ladder=toys)
            sizes.append(match.participants.count())
            Match.objects.update(state=Match.State.FINISHED)
        assert sizes == [2, 3, 4, 2]

    def test_a_match_of_many_is_rated_once_for_each_and_the_faulty_one_is_last(self, toys: Ladder, play: Play) -> None:
        matches = rated(toys, play)
        changes = RatingChange.objects.all()
        assert changes.count() == sum(match.participants.count() for match in matches) == 18
        for match in matches:
            before, after = zip(*match.ladder_match.changes.values_list("before", "after"), strict=True)
            assert sum(after) == pytest.approx(sum(before))
        assert Entry.objects.order_by("rating").first().version.bot.name == "bad"

    def test_rating_again_gives_the_same_numbers(self, toys: Ladder, play: Play) -> None:
        rated(toys, play)
        stands = list(Entry.objects.order_by("pk").values("rating", "matches"))
        changes = list(RatingChange.objects.order_by("pk").values())
        Entry.objects.update(rating=0, matches=0)
        RatingChange.objects.update(before=0, after=0)
        recompute_ratings(ladder=toys)
        assert list(Entry.objects.order_by("pk").values("rating", "matches")) == stands
        assert list(RatingChange.objects.order_by("pk").values()) == changes
