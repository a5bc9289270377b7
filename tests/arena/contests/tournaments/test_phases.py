"""Tournaments of one and of two phases, whatever happens to them."""

from collections import Counter
from dataclasses import replace
from itertools import combinations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.contests.tournaments.document import Course, ScheduledMatch, StatedMatch, list_problems
from arena.contests.tournaments.formats import FORMATS
from arena.contests.tournaments.formats.base import Entrant
from arena.contests.tournaments.formats.brackets import THIRD_PLACE_BOUT, is_bout_name
from arena.contests.tournaments.phases import find_round_reached, list_phases
from arena.contests.tournaments.settings import GAME_POINTS, Settings
from arena.contests.tournaments.simulation import simulate
from arena.contests.tournaments.standings import MatchResult, Standing, rank
from tests.arena.contests.tournaments.formats.field import better_seed_wins, entrants, play, worse_seed_wins
from tests.arena.contests.tournaments.organised import Organised, organise
from tests.full import examples

MEETING_ONCE = ("swiss", "round-robin", "swiss-knockout", "groups")
"""Formats in which nobody meets the same opponent twice, before a knockout at least."""
CUP = Settings(format="swiss-knockout", rounds=3, knockout_size=4, third_place_match=True)


@st.composite
def plans(draw: st.DrawFn) -> tuple[Settings, int]:
    """Settings of any format, with a number of entrants by which it can be played."""
    plan = Settings(
        format=draw(st.sampled_from(sorted(FORMATS))),
        rounds=draw(st.sampled_from([None, 1, 3])),
        matches_per_pairing=draw(st.sampled_from([1, 3])),
        max_tiebreak_matches=1,
        scoring=draw(st.sampled_from(["wins", GAME_POINTS])),
        groups=draw(st.integers(2, 3)),
        advance_per_group=draw(st.integers(1, 3)),
        knockout_size=draw(st.integers(2, 8)),
        third_place_match=draw(st.booleans()),
        count_byes=draw(st.booleans()),
        separate_phases=draw(st.booleans()),
        seed="heron",
    )
    plan = replace(plan, seats=draw(st.integers(2, 4))) if plan.format == "tables" else plan
    return plan, draw(st.integers(plan.min_entrants, max(plan.min_entrants, 13)))


def check_places(own: Organised, standings: list[Standing]) -> None:
    """Check that everybody has a place of its own or shares one, and who was disqualified has none."""
    assert sorted(line.number for line in standings) == sorted(own.entrants)
    placed = [line for line in standings if line.place]
    assert {line.number for line in standings if not line.place} == {
        one.number for one in own.field if one.is_disqualified
    }
    assert standings[: len(placed)] == placed, "who has no place comes last"
    for index, line in enumerate(placed, 1):
        sharing = [other for other in placed if other.place == line.place]
        assert line.place == index or placed[line.place - 1] in sharing
        assert own.format.is_bracket or len(sharing) == 1
        assert len({other.reached_round for other in sharing}) == 1, "who shares a place came equally far"


def check_pairings(own: Organised) -> None:
    """Check that nobody is in a round twice, nor meets the same opponent twice where the format forbids it."""
    met: Counter[frozenset[int]] = Counter()
    met_in_knockout: Counter[frozenset[int]] = Counter()
    for results in own.rounds:
        numbers = [number for result in results for number in result.pairing.entrants]
        assert len(numbers) == len(set(numbers))
        for result in results:
            counted = met_in_knockout if is_bout_name(result.pairing.name) else met
            if result.played:
                counted.update(map(frozenset, combinations(result.pairing.entrants, 2)))
    if own.settings.format in MEETING_ONCE:
        assert max(met.values(), default=0) <= 1
    if own.settings.format == "double-round-robin":
        assert max(met.values(), default=0) <= 2
    most = 3 if own.settings.format == "double-elimination" else 1  # the losers' bracket, and a final that is repeated
    assert max(met_in_knockout.values(), default=0) <= most


def check_phases(own: Organised, standings: list[Standing]) -> None:
    """Check that the knockout comes first, and that all others keep the order of the phase before it."""
    if own.format.first_phase is None or not own.settings.separate_phases:
        return
    stage, knockout = own.format.split_phases(own.rounds)
    earlier = [line.number for line in rank(own.format.first_phase, own.field, stage, own.settings)]
    stayed = [line.number for line in standings if not line.reached_round]
    assert stayed == [number for number in earlier if number in stayed]
    there = [line for line in standings if line.place]
    assert [bool(line.reached_round) for line in there] == sorted(bool(line.reached_round) for line in there)[::-1]
    if knockout:
        going_on = {number for results in knockout for result in results for number in result.pairing.entrants}
        assert {line.number for line in standings if line.reached_round} <= going_on
        assert len(going_on) <= (own.settings.knockout_entrants or 0)


@given(plans(), st.integers(0, 2**32 - 1))
@examples(12, 400)
def test_whatever_happens_places_are_whole_and_follow_from_the_record(plan: tuple[Settings, int], seed: int) -> None:
    """Withdrawals, disqualifications and replays come at random; after each round all is computed again."""
    chosen, count = plan
    for own in organise(chosen, count, Random(seed)):
        standings = own.standings
        check_places(own, standings)
        check_pairings(own)
        check_phases(own, standings)
        assert list(list_problems(own.build_document())) == []
    assert own.format.pair(own.field, own.rounds, chosen) is None
    assert len(own.rounds) <= own.format.count_rounds(count, chosen)


@given(plans(), st.integers(0, 2**32 - 1))
@examples(6, 200)
def test_a_match_for_third_place_leaves_no_place_of_the_first_four_shared(
    plan: tuple[Settings, int], seed: int
) -> None:
    chosen, count = plan
    *_, own = organise(chosen, count, Random(seed), disturbance=0)
    knockout = [result.pairing for results in own.rounds for result in results if is_bout_name(result.pairing.name)]
    first_four = [line.place for line in own.standings][: min(4, count)]
    if own.format.key == "double-elimination" or any(one.name == THIRD_PLACE_BOUT for one in knockout):
        assert first_four == [1, 2, 3, 4][: len(first_four)]
    elif knockout:
        assert first_four[:2] == [1, 2]


@given(plans(), st.integers(0, 2**32 - 1))
@examples(5, 100)
def test_an_interrupted_tournament_goes_on_where_it_was(plan: tuple[Settings, int], seed: int) -> None:
    """Matches end in any order, and the course is built again from what had ended."""
    chosen, count = plan
    field, rng = [Entrant(number) for number in range(1, count + 1)], Random(seed)
    *_, own = organise(chosen, count, rng, disturbance=0)
    course = Course(own.format, field, chosen)
    ended: list[ScheduledMatch] = []
    results = {
        ScheduledMatch(one.number, stated.board, match.number): match
        for one in own.counted
        for stated in one.pairings
        for match in stated.matches
    }
    while due := list(course.list_due()):
        scheduled = rng.choice(due)
        ended.append(scheduled)
        course.add_result(scheduled, _result_of(results[scheduled]))
        if rng.random() < 0.1:
            course = Course(own.format, field, chosen)
            for earlier in ended:
                course.add_result(earlier, _result_of(results[earlier]))
    assert course.boards is None
    assert rank(course.format, field, course.rounds, chosen) == own.standings


def _result_of(match: StatedMatch) -> MatchResult:
    return MatchResult(match.points, match.scores)


def test_of_a_swiss_the_best_four_play_a_knockout_seeded_by_their_places() -> None:
    rounds = play(FORMATS["swiss-knockout"], entrants(9), CUP, worse_seed_wins)
    stage, knockout = FORMATS["swiss-knockout"].split_phases(rounds)
    best = [line.number for line in rank(FORMATS["swiss"], entrants(9), stage, CUP)][:4]
    assert len(stage) == 3 and [[one.pairing.name for one in results] for results in knockout] == [
        ["W1.1", "W1.2"],
        ["W2.1", "T1.1"],
    ]
    assert [one.pairing.entrants for one in knockout[0]] == [(best[0], best[3]), (best[1], best[2])]


def test_with_a_match_for_third_place_nobody_on_the_podium_shares_a_place() -> None:
    for key in ("single-elimination", "groups", "swiss-knockout"):
        plan, field = replace(CUP, format=key), entrants(8)
        for wanted, places in ((True, [1, 2, 3, 4]), (False, [1, 2, 3, 3])):
            plan = replace(plan, third_place_match=wanted)
            found = rank(FORMATS[key], field, play(FORMATS[key], field, plan, better_seed_wins), plan)
            assert [line.place for line in found][:4] == places, key


def test_of_three_the_only_loser_of_a_semi_final_is_third_without_a_match() -> None:
    plan, field = Settings(format="single-elimination", third_place_match=True), entrants(3)
    rounds = play(FORMATS[plan.format], field, plan, better_seed_wins)
    assert [[one.pairing.name for one in results] for results in rounds] == [["W1.1", "W1.2"], ["W2.1"]]
    assert [line.place for line in rank(FORMATS[plan.format], field, rounds, plan)] == [1, 2, 3]


def test_if_too_many_leave_the_knockout_is_smaller_and_who_is_left_alone_has_won() -> None:
    format = FORMATS["swiss-knockout"]
    for leaving, sizes in ((2, [2, 2]), (3, [2, 1]), (5, [])):
        field = entrants(6, left=dict.fromkeys(range(1, leaving + 1), 3))
        rounds = play(format, field, CUP, better_seed_wins)
        stage, knockout = format.split_phases(rounds)
        assert [len(results) for results in knockout] == sizes
        winner = rank(format, field, rounds, CUP)[0]
        assert winner.number == leaving + 1 and winner.place == 1


def test_points_of_the_knockout_change_nothing_of_the_phase_before_it() -> None:
    format, field = FORMATS["swiss-knockout"], entrants(12)
    rounds = play(format, field, CUP, better_seed_wins)
    before, after = (rank(format, field, played, CUP) for played in (rounds[:3], rounds))
    values = [{line.number: (line.score, line.buchholz) for line in found} for found in (before, after)]
    assert values[0] == values[1]
    assert [line.number for line in before][4:] == [line.number for line in after][4:]


def test_each_phase_has_rounds_and_standings_of_its_own() -> None:
    format, field = FORMATS["groups"], entrants(8)
    plan = Settings(format="groups")
    rounds = play(format, field, plan, better_seed_wins)
    first, knockout = list_phases(format, field, rounds, plan)
    assert (first.key, first.first_round, first.rounds_over, first.rounds_planned) == ("groups", 1, 3, 3)
    assert [[line.number for line in one.standings] for one in first.tables] == [[1, 4, 5, 8], [2, 3, 6, 7]]
    assert (knockout.key, knockout.first_round, knockout.rounds_over) == ("knockout", 4, 2)
    assert [(line.number, line.place) for line in knockout.tables[0].standings] == [(1, 1), (2, 2), (3, 3), (4, 3)]
    _, waiting = list_phases(format, field, rounds[:2], plan)
    assert (waiting.first_round, waiting.rounds_over, waiting.tables) == (4, 0, [])


def test_how_far_each_came_is_told_by_the_number_still_in() -> None:
    format, field = FORMATS["swiss-knockout"], entrants(12)
    for third, sizes in ((True, [1, 2, 3, 4, 8, 8, 8, 8, None]), (False, [1, 2, 4, 4, 8, 8, 8, 8, None])):
        plan = replace(CUP, knockout_size=8, third_place_match=third)
        rounds = play(format, field, plan, better_seed_wins)
        phases, standings = list_phases(format, field, rounds, plan), rank(format, field, rounds, plan)
        assert [find_round_reached(line, phases, plan) for line in standings][:9] == sizes
        before = rounds[:4]
        phases, standings = list_phases(format, field, before, plan), rank(format, field, before, plan)
        assert [find_round_reached(line, phases, plan) for line in standings][:9] == [4] * 4 + [8] * 4 + [None]


@pytest.mark.parametrize("key", ["swiss-knockout", "groups"])
def test_a_forecast_plays_both_phases(key: str) -> None:
    field, plan = entrants(8), replace(CUP, format=key)
    ratings = {number: 2000.0 - 300 * number for number in range(1, 9)}
    found = simulate(FORMATS[key], field, [], plan, ratings, runs=20, seed="a")
    assert found[1].win > 0.5 and sum(chance.win for chance in found.values()) == pytest.approx(1)
    assert sum(chance.podium for chance in found.values()) == pytest.approx(3)
