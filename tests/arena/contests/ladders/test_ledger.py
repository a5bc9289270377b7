import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from arena.contests.ladders.models import Entry, Ladder, LadderMatch, PairStat, RatingChange
from arena.contests.ladders.services.ledger import append_finished_matches, revoke_matches
from arena.contests.ladders.services.refitting import recompute_ladder, refit_ladder
from arena.matches.models import Match
from engine.message import literal
from tests.arena.contests.ladders.conftest import Finish

WON, LOST, SHARED = [1, 2], [2, 1], [1, 1]


def test_a_match_is_rated_as_one_unit(ladder: Ladder, entries: list[Entry], finish: Finish) -> None:
    row = finish(entries[:2], WON, WON)
    assert append_finished_matches(ladder=ladder) == 1
    row.refresh_from_db()
    assert (row.sequence, row.in_flight, row.void_sequence) == (1, False, None)
    one, two, *others = Entry.objects.order_by("pk")
    assert one.rating > 1600 and two.rating == pytest.approx(3000 - one.rating)
    assert one.deviation == pytest.approx(two.deviation) and one.deviation < 300
    assert [(entry.matches, entry.points, entry.opponents) for entry in (one, two)] == [(1, 1.0, 1), (1, 0.0, 1)]
    assert [entry.last_match_id for entry in (one, two)] == [row.match_id] * 2
    assert {entry.rating for entry in others} == {1500}
    changes = [(change.before, change.after, change.deviation) for change in RatingChange.objects.all()]
    assert changes == [(1500, one.rating, one.deviation), (1500, two.rating, two.deviation)]
    stat = PairStat.objects.get()
    assert (stat.low, stat.high, stat.seats, stat.matches, stat.halves, stat.squares) == (one, two, 2, 1, 4, 16)


def test_a_second_delivery_changes_nothing(ladder: Ladder, entries: list[Entry], finish: Finish) -> None:
    finish(entries[:2], WON, LOST)
    append_finished_matches(ladder=ladder)
    before = list(Entry.objects.values())
    assert append_finished_matches(ladder=ladder) == 0
    assert list(Entry.objects.values()) == before and RatingChange.objects.count() == 2


def test_matches_count_in_the_order_in_which_they_ended(ladder: Ladder, entries: list[Entry], finish: Finish) -> None:
    later, sooner = finish(entries[:2], WON, WON), finish(entries[2:], WON, WON)
    Match.objects.filter(pk=sooner.match_id).update(finished_at="2020-01-01T00:00Z")
    append_finished_matches(ladder=ladder)
    assert list(LadderMatch.objects.rated()) == [sooner, later]


def test_what_is_not_over_waits_and_what_is_void_is_given_up(
    ladder: Ladder, entries: list[Entry], finish: Finish
) -> None:
    waiting = finish(entries[:2], WON, WON, state=Match.State.RUNNING)
    void = finish(entries[2:], WON, WON, state=Match.State.VOID)
    append_finished_matches(ladder=ladder)
    assert list(LadderMatch.objects.in_flight()) == [waiting]
    void.refresh_from_db()
    assert void.sequence is None and not RatingChange.objects.exists()
    ladder.refresh_from_db()
    assert ladder.last_sequence == 0


def test_a_match_without_a_result_has_a_line_that_counts_nothing(
    ladder: Ladder, entries: list[Entry], finish: Finish
) -> None:
    row = finish(entries[:2], WON, WON)
    row.match.legs.all().delete()
    append_finished_matches(ladder=ladder)
    row.refresh_from_db()
    assert (row.sequence, row.void_sequence, str(row.void_reason)) == (1, 1, "No result.")
    assert not RatingChange.objects.exists()


def test_whoever_sits_where_pairs_are_summed_from_the_side_of_the_lower_id(
    ladder: Ladder, entries: list[Entry], finish: Finish
) -> None:
    one, two = entries[:2]
    finish([one, two], WON, SHARED)
    finish([two, one], WON, WON)
    finish([two, one], LOST, WON)
    append_finished_matches(ladder=ladder)
    stat = PairStat.objects.get()
    assert (stat.matches, stat.halves, stat.squares) == (3, 3 + 0 + 2, 9 + 0 + 4)


def test_a_table_of_four_counts_each_of_its_pairs_once(ladder: Ladder, entries: list[Entry], finish: Finish) -> None:
    finish(entries, *[[1, 2, 3, 4]] * 4)
    finish(entries[:2], LOST, LOST)
    append_finished_matches(ladder=ladder)
    assert PairStat.objects.count() == 7
    assert list(Entry.objects.order_by("pk").values_list("matches", "opponents")) == [(2, 3), (2, 3), (1, 3), (1, 3)]
    assert Entry.objects.get(pk=entries[0].pk).points == 1.0


def test_results_of_a_version_that_gave_way_still_count(ladder: Ladder, entries: list[Entry], finish: Finish) -> None:
    finish(entries[:2], WON, WON)
    Entry.objects.filter(pk=entries[0].pk).update(state=Entry.State.RETIRED)
    append_finished_matches(ladder=ladder)
    assert Entry.objects.get(pk=entries[0].pk).matches == 1


def test_many_results_cost_no_more_queries_than_one(
    ladder: Ladder, entries: list[Entry], finish: Finish, django_assert_num_queries
) -> None:
    finish(entries[:2], WON, WON)
    with CaptureQueriesContext(connection) as one:
        append_finished_matches(ladder=ladder)
    for _ in range(7):
        finish(entries[:2], WON, LOST)
    with django_assert_num_queries(len(one)):
        assert append_finished_matches(ladder=ladder) == 7


class TestAVoid:
    def test_takes_back_what_was_counted_by_a_line_of_its_own(
        self, ladder: Ladder, entries: list[Entry], finish: Finish
    ) -> None:
        row, _ = finish(entries[:2], WON, WON), finish(entries[1:3], WON, WON)
        append_finished_matches(ladder=ladder)
        assert revoke_matches(ladder_matches=[row], reason=literal("Thrown.")) == 1
        row.refresh_from_db()
        assert (row.sequence, row.void_sequence, str(row.void_reason)) == (1, 3, "Thrown.")
        one, two, three, _ = Entry.objects.order_by("pk")
        assert [(entry.matches, entry.opponents) for entry in (one, two, three)] == [(0, 0), (1, 1), (1, 1)]
        stat = PairStat.objects.get(low=one)
        assert (stat.matches, stat.halves, stat.squares) == (0, 0, 0)
        ladder.refresh_from_db()
        assert ladder.last_sequence == 3

    def test_is_left_out_by_the_next_fit(self, ladder: Ladder, entries: list[Entry], finish: Finish) -> None:
        row = finish(entries[:2], WON, WON)
        append_finished_matches(ladder=ladder)
        refit_ladder(ladder=ladder)
        revoke_matches(ladder_matches=[row], reason=literal("Thrown."))
        refit_ladder(ladder=ladder)
        assert set(Entry.objects.values_list("rating", flat=True)) == {1500}

    def test_comes_once_and_only_for_what_counts(self, ladder: Ladder, entries: list[Entry], finish: Finish) -> None:
        row = finish(entries[:2], WON, WON)
        assert revoke_matches(ladder_matches=[row], reason=literal("Too early.")) == 0
        append_finished_matches(ladder=ladder)
        assert [revoke_matches(ladder_matches=[row], reason=literal("Thrown.")) for _ in range(2)] == [1, 0]


def facts() -> list[object]:
    """What stands, to be found again from the ledger."""
    fields = ("pk", "matches", "opponents", "last_match", "rated_at", "is_ranked", "state")
    stats = PairStat.objects.filter(matches__gt=0).order_by("low", "high", "seats")
    return [
        list(Entry.objects.order_by("pk").values_list(*fields)),
        list(stats.values_list("low", "high", "seats", "matches", "halves", "squares")),
        list(RatingChange.objects.order_by("pk").values()),
        list(LadderMatch.objects.order_by("pk").values()),
    ]


def numbers() -> list[float]:
    rows = Entry.objects.order_by("pk").values_list("rating", "deviation", "points")
    return [*(number for row in rows for number in row), *Ladder.objects.values_list("dispersion", flat=True)]


def check_recomputed(ladder: Ladder) -> None:
    """Fold the ledger from nothing: it comes to what stands."""
    stands, known = numbers(), facts()
    Entry.objects.update(rating=0, deviation=1, matches=7, opponents=7, points=7, last_match=None, rated_at=None)
    PairStat.objects.update(halves=0)
    recompute_ladder(ladder=ladder)
    assert facts() == known
    assert numbers() == pytest.approx(stands, abs=1e-6)


class TestRecomputing:
    def test_without_a_fit(self, ladder: Ladder, entries: list[Entry], finish: Finish) -> None:
        finish(entries, *[[1, 2, 3, 4]] * 4)
        finish(entries[1:3], WON, SHARED)
        append_finished_matches(ladder=ladder)
        check_recomputed(ladder)

    def test_with_a_fit_later_lines_later_entries_and_voids_of_all_kinds(
        self, ladder: Ladder, entries: list[Entry], finish: Finish
    ) -> None:
        rows = [finish(entries[:2], WON, LOST), finish(entries, *[[2, 1, 3, 3]] * 4), finish(entries[1:3], WON, WON)]
        rows += [finish([entries[3], entries[0]], SHARED, WON), finish(entries[2:], LOST, WON)]
        append_finished_matches(ladder=ladder)
        revoke_matches(ladder_matches=rows[:1], reason=literal("Before the fit."))
        refit_ladder(ladder=ladder)
        Entry.objects.filter(pk=entries[3].pk).update(state=Entry.State.RETIRED)
        late = Entry.objects.get(pk=entries[3].pk)
        late.pk, late.parent_id, late.in_fit = None, entries[3].pk, None
        late.first_rating, late.first_deviation, late.state = 1480.0, 200.0, Entry.State.ACTIVE
        late.version_id = _another(late).pk
        late.rating, late.deviation, late.matches, late.opponents, late.points = 1480.0, 200.0, 0, 0, 0.0
        late.last_match = late.rated_at = None
        late.save()
        rows += [finish(entries[1:3], WON, WON), finish([late, entries[0]], WON, SHARED)]
        append_finished_matches(ladder=ladder)
        revoke_matches(ladder_matches=[rows[2], rows[5]], reason=literal("After the fit."))
        check_recomputed(ladder)
        refit_ladder(ladder=ladder)
        check_recomputed(ladder)


def _another(entry: Entry):
    version = entry.version
    version.pk, version.number = None, 2
    version.save()
    return version
