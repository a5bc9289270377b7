import pytest

from arena.contests.ladders.models import Entry, Ladder, LadderMatch
from arena.contests.ladders.services.entering import enter_version, resume_entry
from arena.contests.ladders.services.ledger import (
    append_finished_matches,
    append_recent_legs,
    describe_failures,
    is_failing,
    suspend_entry,
)
from arena.contests.ladders.services.seasons import open_season
from arena.people.accounts.models import User
from arena.people.notices.models import Delivery, Notice, Webhook
from arena.people.notices.services import mark_notices_read
from tests.arena.contests.ladders.conftest import Finish

WON, LOST = [1, 2], [2, 1]
BOTH = [(0, 0), (1, 0)]
"""The first participant fails in both legs."""


@pytest.mark.parametrize(
    ("legs", "failing"),
    [
        ("", False),
        ("xx", False),
        ("xxx", True),
        ("xx.x", False),
        ("xxx.", False),
        ("x.x.x.", False),
        ("x.x.x.x", True),
        ("." * 57 + "x.x", False),
        ("xx" + "." * 56 + "xx", True),
    ],
)
def test_three_faults_in_a_row_or_more_than_three_of_sixty_are_too_many(legs: str, failing: bool) -> None:
    assert is_failing(legs) is failing


def test_only_the_last_sixty_legs_are_remembered() -> None:
    assert append_recent_legs("xx" + "." * 57, "xx") == "x" + "." * 57 + "xx"


def test_the_reason_tells_which_rule_it_was() -> None:
    assert str(describe_failures("..xxx")) == "It had faults in 3 legs in a row."
    assert str(describe_failures("x.x.x.x...")) == "It had faults in 4 of its last 10 legs."


def count(ladder: Ladder, *rows: LadderMatch) -> list[LadderMatch]:
    while append_finished_matches(ladder=ladder):
        pass
    for row in rows:
        row.refresh_from_db()
    return list(rows)


class TestABotThatKeepsFailing:
    @pytest.fixture
    def failed(self, ladder: Ladder, entries: list[Entry], finish: Finish) -> Entry:
        """Its fourth fault in a row was in the second match."""
        bad = entries[0]
        Webhook.objects.create(owner=bad.version.bot.owner, url="https://example.org/", events=["bot.suspended"])
        for other in entries[1:3]:
            finish([bad, other], LOST, LOST, faults=BOTH)
        count(ladder)
        bad.refresh_from_db()
        return bad

    def test_is_suspended_and_its_owner_told_once(self, ladder: Ladder, failed: Entry) -> None:
        assert (failed.state, str(failed.state_reason)) == ("suspended", "It had faults in 3 legs in a row.")
        count(ladder)
        notice = Notice.objects.get()
        assert notice.user == failed.version.bot.owner and notice.url == failed.version.bot.get_absolute_url()
        assert str(notice.text).startswith("one's v1 is suspended on Battle Line")
        assert Delivery.objects.get().payload["reason"] == str(failed.state_reason)

    def test_has_lost_what_it_failed_in_until_then(self, failed: Entry) -> None:
        assert (failed.matches, failed.points) == (2, 0.0) and failed.rating < 1400

    def test_loses_nothing_to_anybody_by_what_comes_later(
        self, ladder: Ladder, entries: list[Entry], failed: Entry, finish: Finish
    ) -> None:
        (row,) = count(ladder, finish([entries[3], failed], WON, WON, faults=[(0, 1)]))
        assert (row.sequence, row.void_sequence) == (3, 3) and "suspended for its faults" in str(row.void_reason)
        other = Entry.objects.get(pk=entries[3].pk)
        assert (other.matches, other.rating, other.last_match) == (0, 1500, None)
        assert Entry.objects.get(pk=failed.pk).matches == 2

    def test_is_rated_for_what_it_played_to_the_end(
        self, ladder: Ladder, entries: list[Entry], failed: Entry, finish: Finish
    ) -> None:
        (row,) = count(ladder, finish([failed, entries[3]], WON, WON))
        assert row.void_sequence is None and Entry.objects.get(pk=failed.pk).matches == 3

    def test_has_a_clean_slate_when_it_is_resumed(
        self, ladder: Ladder, entries: list[Entry], failed: Entry, finish: Finish
    ) -> None:
        resume_entry(entry=failed, owner=failed.version.bot.owner)
        (row,) = count(ladder, finish([failed, entries[3]], LOST, WON, faults=[(0, 0)]))
        failed.refresh_from_db()
        assert (failed.state, failed.recent_legs, failed.matches) == ("active", "x.", 3)
        assert row.void_sequence is None


def test_a_version_suspended_on_several_ladders_is_one_notice_until_that_is_seen(
    ladder: Ladder, entries: list[Entry], ana: User
) -> None:
    version, reason = entries[0].version, describe_failures("xxx")
    others = [open_season(game="battleline", edition=edition, title=edition) for edition in ("short", "long")]
    owner = version.bot.owner
    found = [entries[0], *(enter_version(ladder=other, version=version) for other in others)]
    first, second, third = (entry for entry in found if entry is not None)
    assert suspend_entry(entry=first, reason=reason) and suspend_entry(entry=second, reason=reason)
    (notice,) = Notice.objects.filter(user=owner)
    assert str(notice.text).startswith(f"{version} is suspended on Battle Line, short. It had faults")
    mark_notices_read(user=owner)
    assert suspend_entry(entry=third, reason=reason)
    assert [one.seen_at is None for one in Notice.objects.filter(user=owner)] == [True, False]
    assert Notice.objects.unseen().count() == 1 and not suspend_entry(entry=third, reason=reason)


def test_a_version_that_gave_way_is_not_suspended_any_more(
    ladder: Ladder, entries: list[Entry], finish: Finish, ana: User
) -> None:
    Entry.objects.filter(pk=entries[0].pk).update(state=Entry.State.RETIRED)
    for _ in range(2):
        finish(entries[:2], LOST, LOST, faults=BOTH)
    count(ladder)
    assert Entry.objects.get(pk=entries[0].pk).state == "retired" and not Notice.objects.exists()


def test_who_fails_now_and_then_plays_on(ladder: Ladder, entries: list[Entry], finish: Finish) -> None:
    for number in range(8):
        finish(entries[:2], LOST, WON, faults=[(0, 0)] if number % 3 == 0 else [])
    count(ladder)
    entry = Entry.objects.get(pk=entries[0].pk)
    assert (entry.state, entry.recent_legs) == ("active", "x.....x.....x...")
