"""An analysis tells who wins once nothing is hidden, and which decision gave a win or a draw away."""

from functools import cache
from random import Random

import pytest

from engine.analysis.evaluators import Evaluator, find_evaluator
from engine.analysis.grading import COARSE_EFFORT
from engine.analysis.leg import LegAnalyser, analyse_coarsely, run_pass
from engine.core import Json
from engine.games.battleline.endgame import EXPECTING_LINE_BUDGET, MAX_CASES, expect, expect_line, solve
from engine.games.battleline.state import BattleLineState
from engine.replay import states
from tests.engine.analysis.plays import play_leg, random_chooser

EDITION = "highlands"
SEEDS = ("19", "35")


def find() -> Evaluator:
    evaluator = find_evaluator("battleline", EDITION)
    assert evaluator is not None
    return evaluator


@cache
def analyse(seed: str) -> tuple[Json, Json]:
    """Return the record of a random leg and its analysis."""
    record = play_leg(seed, (random_chooser(f"a {seed}"), random_chooser(f"b {seed}")), EDITION)
    return record, analyse_coarsely(record, find())


@pytest.mark.parametrize("seed", SEEDS)
def test_solved_positions_are_the_last_ones_and_their_winners_are_right(seed: str) -> None:
    record, analysis = analyse(seed)
    numbers = [one["number"] for one in analysis["solved"]]
    assert numbers == list(range(len(record["actions"]) - len(numbers), len(record["actions"])))
    winners = {one["number"]: one["winner"] for one in analysis["solved"]}
    for number, state in enumerate(states(record)):
        assert isinstance(state, BattleLineState)
        solution = solve(state, budget=500) if number in winners else None
        if solution is not None and state.to_act is not None:
            value = {None: 0, state.to_act: 1, 1 - state.to_act: -1}[winners[number]]
            assert value == solution.value


@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_given_up_is_what_changes_the_winner(seed: str) -> None:
    record, analysis = analyse(seed)
    winners = [one["winner"] for one in analysis["solved"]]
    places = record["result"]["places"]
    winners.append(None if places[0] == places[1] else places.index(1))
    first = len(record["actions"]) - len(winners) + 1
    changes = {first + at for at in range(len(winners) - 1) if winners[at] != winners[at + 1]}
    given_up = {one["number"]: one for one in analysis["decisions"] if "given_up" in one}
    assert set(given_up) == changes
    for one in given_up.values():
        assert one["judgement"] == "blunder" and one["standard_error"] == 0
        assert one["choices"][one["better"]] == one["best_chance"] == (1 if one["given_up"] == "win" else 0.5)
        assert one["choices"][one["action"]] == one["chance"] == one["best_chance"] - one["loss"]


def test_some_of_these_legs_have_a_win_that_is_given_up() -> None:
    assert any("given_up" in one for seed in SEEDS for one in analyse(seed)[1]["decisions"])


def test_nothing_else_of_an_analysis_hangs_on_what_is_solved(monkeypatch: pytest.MonkeyPatch) -> None:
    record, analysis = analyse("19")
    evaluator = find()
    monkeypatch.setattr(evaluator, "solve_ending", lambda states, played: [None] * len(states))
    plain = run_pass(LegAnalyser(record, evaluator, effort=COARSE_EFFORT))
    assert plain["solved"] == []
    assert {key: value for key, value in plain.items() if key not in ("decisions", "solved")} == {
        key: value for key, value in analysis.items() if key not in ("decisions", "solved")
    }
    first = analysis["solved"][0]["number"]
    assert [one for one in plain["decisions"] if one["number"] < first] == [
        one for one in analysis["decisions"] if one["number"] < first
    ]


EXPECTED_EDITION, EXPECTED_SEED = "short", "22"


@cache
def analyse_with_means() -> tuple[Json, Json]:
    """Return the record of a random leg and its full analysis, with the grades of a coarse one, as that's faster."""
    seed, evaluator = EXPECTED_SEED, find_evaluator("battleline", EXPECTED_EDITION)
    record = play_leg(seed, (random_chooser(f"a {seed}"), random_chooser(f"b {seed}")), EXPECTED_EDITION)
    assert evaluator is not None
    coarse = LegAnalyser(record, evaluator, effort=COARSE_EFFORT)
    assert "expected" not in run_pass(coarse)
    return record, LegAnalyser(record, evaluator, coarse.parts).finish()


def test_a_full_analysis_tells_the_mean_over_what_is_hidden_from_the_seat_to_act() -> None:
    record, analysis = analyse_with_means()
    played = [state.copy() for state in states(record)]
    assert any(0 < one["chance"] < 1 for one in analysis["expected"])
    assert not {one["number"] for one in analysis["expected"]} & {one["number"] for one in analysis["solved"]}
    for one in analysis["expected"]:
        state = played[one["number"]]
        assert isinstance(state, BattleLineState) and state.to_act == one["seat"] != played[one["number"] - 1].to_act
        # Whatever the seat can't know makes no difference.
        for redeal in (state, state.redeal(one["seat"], Random("other cards"))):
            found = expect(redeal)
            assert found is not None and found.cases == one["cases"] <= MAX_CASES
            assert max(found.chances.values()) == pytest.approx(one["chance"], abs=1e-6)


def test_means_are_told_from_the_last_turn_back_within_one_budget() -> None:
    played = [state.copy() for state in states(analyse_with_means()[0])]
    line = [state for state in played if isinstance(state, BattleLineState) and state.to_act is not None]
    found = expect_line(line)
    spent = sum(one.positions for one in found.values())
    assert 0 < spent <= EXPECTING_LINE_BUDGET
    assert expect_line(line, spent) == found
    fewer = expect_line(line, spent - 1)
    assert set(fewer) == set(sorted(found)[1:])


def test_editions_in_which_means_are_rare_have_none() -> None:
    line = [state.copy() for state in states(analyse("19")[0])]
    assert find().expect_ending(line[:-1]) == {}
