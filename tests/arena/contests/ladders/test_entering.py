from math import hypot

import pytest
from pytest_django.fixtures import Settings

from arena.bots.models import BotVersion
from arena.contests.ladders.models import Entry, Ladder
from arena.contests.ladders.services.entering import (
    LadderFull,
    NotPassed,
    SeasonOver,
    enter_accepted_version,
    enter_version,
    list_versions_without_edition_trial,
    pause_entry,
    promote_to_ladders,
    resume_entry,
)
from arena.contests.ladders.services.seasons import open_season
from arena.core.errors import Conflict, NotYours
from arena.matches.models import Match, Trial
from arena.matches.services import cancel_matches, list_versions_without_trial, queue_trial
from arena.operations.tasks import settle_match
from arena.people.accounts.models import User
from arena.people.notices.models import Notice
from arena.runner.match import play_match
from arena.runner.sandbox.base import Sandbox
from engine.message import literal
from engine.registry import GAMES
from tests.conftest import FIRST_LEGAL, MakeVersion, play_queued

States = Entry.State


def states() -> list[tuple[int, str]]:
    """Number of the version and state of all entries."""
    return list(Entry.objects.order_by("version__number").values_list("version__number", "state"))


def test_the_first_version_of_a_bot_starts_in_the_middle(ladder: Ladder, ana: User, make_version: MakeVersion) -> None:
    entry = enter_version(ladder=ladder, version=make_version(ana, "k"))
    assert (entry.parent, entry.rating, entry.deviation, entry.first_deviation) == (None, 1500, 300, 300)
    ladder.refresh_from_db()
    assert ladder.is_stale


def test_a_new_version_takes_over_and_starts_at_the_rating_of_the_old_one(
    ladder: Ladder, ana: User, make_version: MakeVersion
) -> None:
    old = enter_version(ladder=ladder, version=make_version(ana, "k"))
    Entry.objects.update(rating=1620, deviation=45, matches=7)
    new = enter_version(ladder=ladder, version=make_version(ana, "k"))
    old.refresh_from_db()
    assert (old.state, old.rating, old.matches) == ("retired", 1620, 7)
    assert (new.state, new.parent, new.matches, new.in_fit) == ("active", old, 0, None)
    assert (new.rating, new.first_rating) == (1620, 1620)
    assert new.deviation == new.first_deviation == pytest.approx(hypot(45, 80))


def test_entering_twice_changes_nothing(ladder: Ladder, ana: User, make_version: MakeVersion) -> None:
    version = make_version(ana, "k")
    assert enter_version(ladder=ladder, version=version) == enter_version(ladder=ladder, version=version)
    assert Entry.objects.count() == 1


def test_an_older_version_that_comes_late_stays_out(ladder: Ladder, ana: User, make_version: MakeVersion) -> None:
    old, new = make_version(ana, "k"), make_version(ana, "k")
    enter_version(ladder=ladder, version=new)
    assert enter_version(ladder=ladder, version=old) is None
    assert Entry.objects.active().get().version == new


@pytest.mark.parametrize(("state", "entered"), [("accepted", 1), ("rejected", 0), ("on_trial", 0)])
def test_only_an_accepted_version_enters_by_itself(
    ladder: Ladder, ana: User, make_version: MakeVersion, state: str, entered: int
) -> None:
    match = queue_trial(version=make_version(ana, "k", state=BotVersion.State.ON_TRIAL))
    BotVersion.objects.update(state=state)
    enter_accepted_version(match=match)
    assert Entry.objects.count() == entered


def test_a_held_version_waits_until_it_is_promoted(ladder: Ladder, ana: User, make_version: MakeVersion) -> None:
    version = make_version(ana, "k", state=BotVersion.State.ON_TRIAL)
    match = queue_trial(version=version)
    BotVersion.objects.update(state="accepted", is_on_hold=True)
    enter_accepted_version(match=match)
    assert not Entry.objects.exists()
    assert [entry.version for entry in promote_to_ladders(version=version, owner=ana)] == [version]
    version.refresh_from_db()
    assert not version.is_on_hold


def test_nobody_enters_a_season_that_is_over(ladder: Ladder, ana: User, make_version: MakeVersion) -> None:
    entry = enter_version(ladder=ladder, version=make_version(ana, "k"))
    Ladder.objects.update(closed_at="2026-01-01T00:00Z")
    with pytest.raises(SeasonOver, match="Season 1 of Battle Line is finished"):
        enter_version(ladder=ladder, version=make_version(ana, "k"))
    with pytest.raises(SeasonOver):
        resume_entry(entry=entry, owner=ana)
    assert promote_to_ladders(version=make_version(ana, "k")) == []


class TestThereIsRoom:
    @pytest.fixture(autouse=True)
    def for_two(self, settings: Settings) -> None:
        settings.MAX_LADDER_BOTS_PER_OWNER = 2

    @pytest.fixture
    def two(self, ladder: Ladder, ana: User, make_version: MakeVersion) -> list[Entry]:
        return [enter_version(ladder=ladder, version=make_version(ana, name)) for name in ("k", "l")]

    def test_for_so_many_bots_of_an_owner(
        self, ladder: Ladder, ana: User, ben: User, make_version: MakeVersion, two: list[Entry]
    ) -> None:
        with pytest.raises(LadderFull, match="You already have 2 bots playing on Battle Line, the limit"):
            enter_version(ladder=ladder, version=make_version(ana, "m"))
        assert enter_version(ladder=ladder, version=make_version(ana, "k")).is_active
        assert enter_version(ladder=ladder, version=make_version(ben, "n")).is_active

    def test_without_end_for_the_house(self, ladder: Ladder, house: User, make_version: MakeVersion) -> None:
        for name in ("random", "greedy", "careful"):
            enter_version(ladder=ladder, version=make_version(house, name))
        assert Entry.objects.active().count() == 3

    def test_where_a_bot_is_paused(
        self, ladder: Ladder, ana: User, make_version: MakeVersion, two: list[Entry]
    ) -> None:
        pause_entry(entry=two[0], owner=ana)
        enter_version(ladder=ladder, version=make_version(ana, "m"))
        with pytest.raises(LadderFull):
            resume_entry(entry=two[0], owner=ana)
        with pytest.raises(LadderFull):
            promote_to_ladders(version=two[0].version, owner=ana)

    def test_or_the_accepted_version_is_held_and_its_owner_told_once(
        self, ladder: Ladder, ana: User, make_version: MakeVersion, two: list[Entry]
    ) -> None:
        version = make_version(ana, "m")
        version.state = BotVersion.State.ON_TRIAL
        version.save()
        match = queue_trial(version=version)
        BotVersion.objects.update(state="accepted")
        for _ in range(2):
            enter_accepted_version(match=match)
        version.refresh_from_db()
        assert version.is_on_hold and Entry.objects.count() == 2
        assert "m v1 was accepted but isn't playing. You already have 2 bots" in str(Notice.objects.get().text)


class TestPromoting:
    def test_an_old_version_brings_it_back_with_its_rating(
        self, ladder: Ladder, ana: User, make_version: MakeVersion
    ) -> None:
        old = enter_version(ladder=ladder, version=make_version(ana, "k"))
        Entry.objects.update(rating=1650, recent_legs="..xxx")
        enter_version(ladder=ladder, version=make_version(ana, "k"))
        assert promote_to_ladders(version=old.version, owner=ana) == [old]
        assert states() == [(1, "active"), (2, "retired")]
        old.refresh_from_db()
        assert (old.rating, old.recent_legs) == (1650, "")

    def test_the_next_version_descends_from_what_was_brought_back(
        self, ladder: Ladder, ana: User, make_version: MakeVersion
    ) -> None:
        old = enter_version(ladder=ladder, version=make_version(ana, "k"))
        enter_version(ladder=ladder, version=make_version(ana, "k"))
        promote_to_ladders(version=old.version)
        assert enter_version(ladder=ladder, version=make_version(ana, "k")).parent == old
        assert states() == [(1, "retired"), (2, "retired"), (3, "active")]

    def test_what_plays_already_changes_nothing(self, ladder: Ladder, ana: User, make_version: MakeVersion) -> None:
        entry = enter_version(ladder=ladder, version=make_version(ana, "k"))
        assert promote_to_ladders(version=entry.version, owner=ana) == [entry]
        assert states() == [(1, "active")]

    def test_puts_a_version_on_all_ladders_of_its_game_only(
        self, ladder: Ladder, ana: User, make_version: MakeVersion
    ) -> None:
        Ladder.objects.create(game="battleline", edition="short", title="Short")
        Ladder.objects.create(game="battalion", edition="base", title="Another game")
        assert len(promote_to_ladders(version=make_version(ana, "k"), owner=ana)) == 2

    def test_is_for_its_owner_and_accepted_versions(
        self, ladder: Ladder, ana: User, ben: User, make_version: MakeVersion
    ) -> None:
        with pytest.raises(NotYours):
            promote_to_ladders(version=make_version(ana, "k"), owner=ben)
        with pytest.raises(Conflict, match="k v2 hasn't been accepted, so it can't play on ladders"):
            promote_to_ladders(version=make_version(ana, "k", state=BotVersion.State.REJECTED), owner=ana)


class TestPausing:
    @pytest.fixture
    def entry(self, ladder: Ladder, ana: User, make_version: MakeVersion) -> Entry:
        return enter_version(ladder=ladder, version=make_version(ana, "k"))

    def test_takes_an_entry_out_of_play_until_it_is_resumed(self, entry: Entry, ana: User) -> None:
        pause_entry(entry=entry, owner=ana)
        entry.refresh_from_db()
        assert (entry.state, str(entry.state_reason)) == ("suspended", "Paused by its owner.")
        resume_entry(entry=entry, owner=ana)
        entry.refresh_from_db()
        assert (entry.state, entry.state_reason) == ("active", None)

    def test_is_for_its_owner_and_staff(self, entry: Entry, ana: User, ben: User) -> None:
        with pytest.raises(NotYours):
            pause_entry(entry=entry, owner=ben)
        ben.is_staff = True
        pause_entry(entry=entry, owner=ben)
        resume_entry(entry=entry, owner=ben)
        assert Entry.objects.active().get() == entry

    def test_what_gave_way_is_not_resumed(
        self, ladder: Ladder, entry: Entry, ana: User, make_version: MakeVersion
    ) -> None:
        pause_entry(entry=entry, owner=ana)
        enter_version(ladder=ladder, version=make_version(ana, "k"))
        assert states() == [(1, States.RETIRED), (2, States.ACTIVE)]
        with pytest.raises(Conflict, match="Another version plays instead of k v1"):
            resume_entry(entry=entry, owner=ana)


STANDARD_AND_SHORT_ONLY = FIRST_LEGAL.replace(
    b'"hello":', b'"hello":\n        assert message["edition"] in ("standard", "short"), "no value function"'
)


def test_a_version_joins_the_ladders_of_the_editions_in_which_it_has_no_fault(
    ana: User, house: User, make_version: MakeVersion, bare: Sandbox
) -> None:
    for edition in GAMES["battleline"].editions:
        open_season(game="battleline", edition=edition, title=edition)
    make_version(house, "random")
    before = make_version(ana, "k")
    for one in Ladder.objects.all():
        assert enter_version(ladder=one, version=before)
    version = make_version(ana, "k", STANDARD_AND_SHORT_ONLY, BotVersion.State.ON_TRIAL)
    trial = queue_trial(version=version)
    assert trial is not None
    play_and_settle(trial, bare)
    assert find_editions_of(version) == {"standard"}  # accepted, and the others wait
    waiting = Match.objects.queued().filter(trial__isnull=False)
    assert {match.legs.count() for match in waiting} == {1} and waiting.count() == len(GAMES["battleline"].editions) - 1
    promote_to_ladders(version=version, owner=ana)
    assert find_editions_of(version) == {"standard"}
    voided = waiting.get(edition="short")
    cancel_matches(matches=[voided.pk], reason=literal("A test."))
    for match in waiting.all():
        play_and_settle(match, bare)
    assert find_editions_of(version) == {"standard"}
    Match.objects.filter(pk=voided.pk).update(finished_at="2020-01-01T00:00Z")
    assert list_versions_without_trial() == [version.pk]
    again = queue_trial(version=version)
    assert again is not None and again.edition == "short" and list_versions_without_trial() == []
    play_and_settle(again, bare)
    assert find_editions_of(version) == {"standard", "short"}
    assert find_editions_of(before) == GAMES["battleline"].editions.keys() - {"standard", "short"}
    promote_to_ladders(version=version, owner=ana)
    assert find_editions_of(version) == {"standard", "short"}
    notices = [str(notice.text) for notice in Notice.objects.filter(user=ana, text__icontains="doesn't play on the")]
    assert len(notices) == len(GAMES["battleline"].editions) - 2 and all(
        "Failed to start in its trial leg" in text for text in notices
    )


def test_a_version_is_tried_in_an_edition_that_a_release_adds(
    ana: User, house: User, make_version: MakeVersion, bare: Sandbox
) -> None:
    """One from before there were such trials plays there at once, as it does everywhere."""
    for edition in GAMES["battleline"].editions:
        open_season(game="battleline", edition=edition, title=edition)
    make_version(house, "random")
    untried, version = make_version(ana, "u"), make_version(ana, "k", state=BotVersion.State.ON_TRIAL)
    trial = queue_trial(version=version)
    assert trial is not None
    play_and_settle(trial, bare)
    Match.objects.queued().filter(trial__edition="highlands").delete()
    Trial.objects.exclude(edition="").update(has_passed=True)
    for entered in (untried, version):
        promote_to_ladders(version=entered, owner=ana)
    assert find_editions_of(untried) == set(GAMES["battleline"].editions)
    assert find_editions_of(version) == GAMES["battleline"].editions.keys() - {"highlands"}
    with pytest.raises(NotPassed, match="once it passes its trial leg there"):
        enter_version(ladder=Ladder.objects.get(edition="highlands"), version=version)
    assert list_versions_without_edition_trial() == [version.pk]
    again = queue_trial(version=version)
    assert again is not None and again.edition == "highlands" and list_versions_without_edition_trial() == []
    play_and_settle(again, bare)
    assert find_editions_of(version) == set(GAMES["battleline"].editions)


def play_and_settle(match: Match, bare: Sandbox) -> None:
    play_queued(match, lambda spec, beat: play_match(spec, bare, beat))
    settle_match(match.pk)


def find_editions_of(version: BotVersion) -> set[str]:
    """Return the editions on whose ladders a version plays."""
    return set(Entry.objects.active().filter(version=version).values_list("ladder__edition", flat=True))
