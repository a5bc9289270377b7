from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.contests.ladders.services.refitting import Meetings, measure_surplus
from tests.bench.worlds.strengths import mirrored


def test_results_as_expected_do_not_deviate() -> None:
    assert measure_surplus([Meetings(lead=0, seats=2, matches=50, halves=100)], 0.95).z == 0


def test_thirty_wins_of_equals_in_a_row_are_out_of_line() -> None:
    """Each of two legs: 30 matches of half a point above expectation, over the root of 30 eighths."""
    found = measure_surplus([Meetings(lead=0, seats=2, matches=30, halves=120)], 1.0)
    assert found.z == pytest.approx(15 / (30 / 8) ** 0.5)
    assert found.is_out_of_line


def test_a_giant_who_wins_all_is_not() -> None:
    assert not measure_surplus([Meetings(lead=1200, seats=2, matches=300, halves=1200)], 1.0).is_out_of_line


def test_few_matches_say_nothing() -> None:
    assert not measure_surplus([Meetings(lead=0, seats=2, matches=19, halves=76)], 1.0).is_out_of_line


def test_losses_out_of_line_are_too() -> None:
    assert measure_surplus([Meetings(lead=200, seats=2, matches=40, halves=20)], 1.0).is_out_of_line


def test_without_matches_there_is_nothing() -> None:
    found = measure_surplus([], 0.95)
    assert (found.z, found.matches) == (0, 0)


@given(st.lists(st.tuples(st.floats(-500, 500), st.integers(2, 4), st.integers(1, 50)), min_size=1), st.data())
def test_opponents_see_the_opposite(rows: list[tuple[float, int, int]], data: st.DataObject) -> None:
    own = [Meetings(lead, seats, games, data.draw(st.integers(0, 2 * seats * games))) for lead, seats, games in rows]
    theirs = [Meetings(-row.lead, row.seats, row.matches, 2 * row.seats * row.matches - row.halves) for row in own]
    assert measure_surplus(theirs, 0.95).z == pytest.approx(-measure_surplus(own, 0.95).z, abs=1e-6)


def test_honest_results_deviate_as_chance_does() -> None:
    rng = Random(3)
    found = []
    for _ in range(300):
        leads = [rng.gauss(0, 150) for _ in range(4)]
        rows = [Meetings(lead, 2, 10, sum(mirrored(lead, rng) for _ in range(10))) for lead in leads]
        found.append(measure_surplus(rows, 0.94).z)
    assert sum(z * z for z in found) / len(found) == pytest.approx(1, abs=0.25)
    assert all(abs(z) < 4 for z in found)
