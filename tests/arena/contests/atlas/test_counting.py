"""The atlas counts each rated leg once, as a recount by other means finds, and none that doesn't count."""

from collections import Counter
from typing import Any

import pytest
from django.db import connection

from arena.contests.atlas.models import AtlasProgress, Cell, EntryCell, LegCounts
from arena.contests.atlas.services import (
    count_legs,
    count_missed_legs,
    fetch_bot_cells,
    fetch_cells,
    find_matches,
    find_progress,
    list_ladders_behind,
    recheck,
)
from arena.contests.comparisons.models import Comparison, ComparisonMatch
from arena.contests.ladders.models import Entry, Ladder
from arena.contests.ladders.services.ledger import revoke_matches
from arena.matches.models import Leg, Match
from arena.matches.services import queue_match
from arena.operations import tasks
from engine.message import literal
from engine.registry import GAMES
from tests.arena.contests.atlas.conftest import OpenLadder
from tests.arena.contests.atlas.oracle import count_places, list_counting_matches, recount_battle_line
from tests.arena.contests.atlas.world import play_rated

Recount = Any
"""Numbers by chart, row and column."""
TABLES = (AtlasProgress, Cell, EntryCell, LegCounts)


def everything() -> list[Any]:
    return [list(table.objects.order_by("pk").values()) for table in TABLES]


def sums(ladder: Ladder) -> dict[tuple[str, str, str], tuple[int, float]]:
    return {(one.chart, one.row, one.column): (one.count, round(one.points, 6)) for one in fetch_cells(ladder)}


def rows(sql: str) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return cursor.fetchall()


def recount(ladder: Ladder) -> tuple[Recount, Recount]:
    """How often each thing happened in the legs that count, and the points of their seats."""
    found, points = Counter(), Counter()
    for leg in Leg.objects.filter(match__in=list_counting_matches(ladder.pk)):
        record = leg.record_data
        for key, seat in recount_battle_line(record):
            found[key] += 1
            places = record["result"]["places"]
            points[key] += (places[seat] == 1) / places.count(1)
    return found, points


def sum_column(found: Recount, chart: str, column: str) -> int:
    return sum(times for key, times in found.items() if (key[0], key[2]) == (chart, column))


@pytest.mark.parametrize("edition", ["standard", "long", "hundred-years"])
def test_sums_are_what_a_recount_from_views_and_actions_finds(open_ladder: OpenLadder, edition: str) -> None:
    ladder, entries = open_ladder(edition=edition)
    for seed in range(4):
        play_rated(ladder, entries, seed)
    assert count_legs(ladder=ladder) == 4
    counted, (found, points) = sums(ladder), recount(ladder)
    for chart in ("claims", "tactics"):
        expected = {key: (times, points[key]) for key, times in found.items() if key[0] == chart}
        assert {key: one for key, one in counted.items() if key[0] == chart} == expected
    named = {key: times for key, times in found.items() if key[0] == "formations" and key[1] is not None}
    assert all(counted[key][0] >= times for key, times in named.items())
    for flag in map(str, range(1, 10)):
        totals = Counter({key: count for key, (count, _points) in counted.items()})
        assert sum_column(found, "formations", flag) == sum_column(totals, "formations", flag)
    assert sum(named.values()) > 20 or edition == "hundred-years", "tiles make formations hard to tell"


def test_endings_seats_and_lengths_are_what_sql_finds(open_ladder: OpenLadder) -> None:
    ladder, entries = open_ladder()
    for seed in range(5):
        play_rated(ladder, entries, seed)
    play_rated(ladder, entries, 5, crash_after=20)
    count_legs(ladder=ladder)
    counted = sums(ladder)
    reasons = dict(rows("select reason, count(*) from matches_leg where reason <> 'crash' group by reason"))
    assert {
        row: count for (chart, row, how), (count, _) in counted.items() if (chart, how) == ("endings", "first")
    } == {
        **reasons,
        "fault": 2,
    }
    assert sum(count for (chart, _, how), (count, _) in counted.items() if (chart, how) == ("endings", "behind")) == 12
    clean = [match for match in list_counting_matches(ladder.pk) if not Leg.objects.filter(match=match, reason="crash")]
    places = count_places(clean)
    for seat in (0, 1):
        assert counted["seats", str(seat), "2"] == (10, places[seat])
    lengths = {int(row): count for (chart, row, _), (count, _) in counted.items() if chart == "length"}
    assert sum(lengths.values()) == 10 and all(10 < length < 80 for length in lengths)
    assert find_progress(ladder).legs == LegCounts.objects.count() == 12


def test_a_bot_has_its_own_part_of_each_sum(open_ladder: OpenLadder) -> None:
    ladder, entries = open_ladder(bots=3)
    for seed, pair in enumerate([(0, 1), (1, 2), (0, 2), (0, 1)]):
        play_rated(ladder, [entries[one] for one in pair], seed)
    count_legs(ladder=ladder)
    field = sums(ladder)
    own = [
        {(one.chart, one.row, one.column): one for one in fetch_bot_cells(ladder, entry.version.bot)}
        for entry in entries
    ]
    for key, (count, points) in field.items():
        parts = [cells[key] for cells in own if key in cells]
        assert sum(one.count for one in parts) == (2 * count if key[0] == "length" else count), key
        assert sum(one.points for one in parts) == pytest.approx(points)
    assert sum(one.count for key, one in own[0].items() if key[0] == "endings") == 6


def test_counting_again_changes_nothing(open_ladder: OpenLadder) -> None:
    ladder, entries = open_ladder()
    play_rated(ladder, entries, 1)
    tasks.count_atlas()
    before = everything()
    tasks.count_atlas()
    assert count_legs(ladder=ladder) == 0 and list_ladders_behind() == []
    assert recheck(ladder=ladder) == 0
    assert everything() == before


def test_counting_in_parts_comes_to_the_same(open_ladder: OpenLadder) -> None:
    ladder, entries = open_ladder()
    for seed in range(3):
        play_rated(ladder, entries, seed)
    assert count_missed_legs(budget_s=0) == 0
    assert count_missed_legs(budget_s=60) == 3
    at_once = sums(ladder)
    for table in (Cell, LegCounts, AtlasProgress):
        table.objects.all().delete()
    while count_legs(ladder=ladder, max_lines=1):
        pass
    assert sums(ladder) == at_once


def test_a_cancelled_match_is_taken_back(open_ladder: OpenLadder) -> None:
    ladder, entries = open_ladder()
    play_rated(ladder, entries, 1)
    count_legs(ladder=ladder)
    before = sums(ladder)
    second, third = play_rated(ladder, entries, 2), play_rated(ladder, entries, 3)
    count_legs(ladder=ladder, max_lines=1)
    assert sums(ladder) != before
    revoke_matches(ladder_matches=[second, third], reason=literal("Staff says so."))
    assert list_ladders_behind() == [ladder]
    tasks.count_atlas()
    assert sums(ladder) == before and find_progress(ladder).legs == 2


def test_a_match_that_is_erased_goes_out_of_the_sums(open_ladder: OpenLadder) -> None:
    ladder, entries = open_ladder()
    play_rated(ladder, entries, 1)
    count_legs(ladder=ladder)
    before = sums(ladder)
    match = play_rated(ladder, entries, 2).match
    count_legs(ladder=ladder)
    match.participants.all().delete()
    match.delete()
    assert sums(ladder) != before
    tasks.recheck_atlas()
    assert sums(ladder) == before and find_progress(ladder).legs == 2


def test_unrated_matches_are_not_counted(open_ladder: OpenLadder) -> None:
    ladder, entries = open_ladder()
    match = play_rated(ladder, entries, 1).match
    Match.objects.filter(pk=match.pk).update(state=Match.State.VOID)
    assert count_legs(ladder=ladder) == 1
    assert sums(ladder) == {} and find_progress(ladder).legs == 0


def test_a_deal_that_is_in_play_elsewhere_is_waited_for(open_ladder: OpenLadder) -> None:
    ladder, entries = open_ladder()
    play_rated(ladder, entries, 1)
    shared = play_rated(ladder, entries, 2).match
    other = queue_match(versions=[one.version for one in entries], game="battleline", edition="standard")
    version, baseline = (entry.version for entry in entries)
    comparison = Comparison.objects.create(
        owner=version.bot.owner, version=version, baseline=baseline, edition="standard", mode=Comparison.Mode.FIELD
    )
    for match in (shared, other):
        ComparisonMatch.objects.create(comparison=comparison, match=match, number=1, of_baseline=match is other)
    assert count_legs(ladder=ladder) == 1 and count_legs(ladder=ladder) == 0
    assert LegCounts.objects.count() == 2
    Match.objects.filter(pk=other.pk).update(state=Match.State.VOID)
    assert count_legs(ladder=ladder) == 1
    assert LegCounts.objects.count() == 4


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_battalion_counts_seats_by_their_number(open_ladder: OpenLadder, seats: int) -> None:
    ladder, entries = open_ladder("battalion", bots=seats)
    play_rated(ladder, entries, 1)
    count_legs(ladder=ladder)
    counted = sums(ladder)
    assert sum(counted["seats", str(seat), str(seats)][1] for seat in range(seats)) == pytest.approx(seats * seats / 2)
    deployed = sum(count for (chart, *_), (count, _) in counted.items() if chart == "sizes")
    attacks = sum(
        entry["action"].startswith("attack ") for leg in Leg.objects.all() for entry in leg.record_data["actions"]
    )
    assert deployed == seats * seats
    assert attacks == sum(count for (chart, *_), (count, _) in counted.items() if chart == "attacks")


def test_a_game_that_fails_to_count_still_has_seats_and_lengths(
    open_ladder: OpenLadder, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(self: Any, state: Any, event: Any) -> Any:
        raise KeyError("formation")

    ladder, entries = open_ladder()
    play_rated(ladder, entries, 1)
    monkeypatch.setattr(type(GAMES["battleline"]), "count_event", fail)
    assert count_legs(ladder=ladder) == 1
    assert {key[0] for key in sums(ladder)} == {"seats", "length", "endings"}
    assert "failed to count leg" in caplog.text


def test_a_new_way_of_counting_begins_anew(open_ladder: OpenLadder, monkeypatch: pytest.MonkeyPatch) -> None:
    ladder, entries = open_ladder()
    for seed in range(2):
        play_rated(ladder, entries, seed)
    count_legs(ladder=ladder)
    before = sums(ladder)
    monkeypatch.setattr(type(GAMES["battleline"]), "counting_version", 2)
    assert list_ladders_behind() == [ladder]
    assert count_legs(ladder=ladder, max_lines=1) == 1
    assert find_progress(ladder).legs == 2
    count_legs(ladder=ladder)
    assert sums(ladder) == before and list_ladders_behind() == []


def find(ladder: Ladder, entry: Entry | None = None, size: int = 20, before: int | None = None) -> Any:
    cells = [one.key for one in fetch_cells(ladder) if (one.chart, one.row) == ("formations", "battalion")]
    return find_matches(ladder, cells, bot=entry and entry.version.bot, size=size, before=before)


def test_matches_of_a_cell_are_those_in_which_it_happened(open_ladder: OpenLadder) -> None:
    ladder, entries = open_ladder()
    played = [play_rated(ladder, entries, seed).match for seed in range(5)]
    count_legs(ladder=ladder)
    having: list[set[int]] = [set(), set()]
    for leg in Leg.objects.filter(match__in=played):
        for event_seat in [
            leg.seating[entry["seat"]] for entry, words in claims(leg.record_data) if words == "battalion"
        ]:
            having[event_seat].add(leg.match_id)
    both = sorted(having[0] | having[1], reverse=True)
    assert both and find(ladder).matches == both and find(ladder).older is None
    for entry, expected in zip(entries, having, strict=True):
        assert find(ladder, entry).matches == sorted(expected, reverse=True)
    pages, before = [], None
    while True:
        page = find(ladder, size=2, before=before)
        pages += page.matches
        before = page.older
        if before is None:
            break
    assert pages == both


def claims(record: dict[str, Any]) -> list[tuple[dict[str, Any], str]]:
    """Each claim of a record with its formation, by the events of an onlooker."""
    game = GAMES[record["game"]]
    state = game.start(record["options"], 2, record["deal"])
    for entry in record["actions"]:
        state.play(state.parse(entry["action"]))
    return [(one, one["formation"]) for one in state.events(-1) if one.get("action", "").startswith("claim")]
