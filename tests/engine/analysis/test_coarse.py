"""The coarse pass: the same analysis by less work, which finds what gives away most."""

import json

import pytest

from engine.analysis.evaluators import find_evaluator
from engine.analysis.grading import COARSE_EFFORT, COARSE_REDEALS, REDEALS
from engine.analysis.leg import LegAnalyser, analyse, analyse_coarsely
from engine.core import Json, State
from tests.engine.analysis.plays import PointsEvaluator, play_leg, random_chooser

ENTRIES = 40
MIN_SAVING = 6


class CountingEvaluator(PointsEvaluator):
    """An evaluator that counts what it is asked."""

    def __init__(self) -> None:
        self.asked = 0

    def win_chance(self, state: State, seat: int) -> float:
        self.asked += 1
        return super().win_chance(state, seat)


@pytest.fixture(scope="module")
def record() -> Json:
    return play_leg("coarse", (random_chooser("a"), random_chooser("b")), "short")


@pytest.fixture(scope="module")
def passes(record: Json) -> tuple[Json, Json]:
    return analyse(record, PointsEvaluator()), analyse_coarsely(record, PointsEvaluator())


def test_it_has_the_form_of_a_full_one_and_says_what_it_is(passes: tuple[Json, Json]) -> None:
    full, coarse = passes
    assert coarse.keys() - full.keys() == {"pass"} and coarse["pass"] == "coarse"
    assert (full["redeals"], coarse["redeals"]) == (REDEALS, COARSE_REDEALS)
    for name in ("decisions", "draws", "known"):
        assert [one["number"] for one in coarse[name]] == [one["number"] for one in full[name]]
    assert coarse["seats"][0].keys() == full["seats"][0].keys()


def test_the_line_with_open_cards_is_that_of_the_full_one(passes: tuple[Json, Json]) -> None:
    full, coarse = passes
    assert coarse["chances"] == full["chances"]
    for seat in coarse["seats"]:
        assert seat["luck"] + seat["skill"] == pytest.approx(seat["result"] - seat["start"], abs=1e-9)


def test_a_judgement_comes_with_the_choices_that_were_compared(passes: tuple[Json, Json]) -> None:
    judged = [one for one in passes[1]["decisions"] if one["judgement"]]
    assert judged
    for one in judged:
        assert {one["better"], one["action"]} <= one["choices"].keys()
        assert one["choices"][one["better"]] == max(one["choices"].values()) == one["best_chance"]
        assert one["best_chance"] - one["chance"] > 2 * one["standard_error"]


def test_it_asks_the_value_function_much_less_often(record: Json) -> None:
    full, coarse = CountingEvaluator(), CountingEvaluator()
    analyse(record, full)
    analyse_coarsely(record, coarse)
    assert coarse.asked * MIN_SAVING < full.asked


def test_it_is_the_same_to_the_digit_in_parts(record: Json, passes: tuple[Json, Json]) -> None:
    parts: list[Json] = []
    while len(parts) < len(record["actions"]):
        analyser = LegAnalyser(record, PointsEvaluator(), json.loads(json.dumps(parts)), COARSE_EFFORT)
        for _ in range(min(50, analyser.total - len(parts))):
            analyser.advance()
        parts = analyser.parts
    assert LegAnalyser(record, PointsEvaluator(), parts, COARSE_EFFORT).finish() == passes[1]


def test_it_finds_the_blunders_by_the_learnt_function() -> None:
    evaluator = find_evaluator("battleline", "standard")
    assert evaluator is not None
    record = play_leg("coarse", (random_chooser("a"), random_chooser("b")), max_actions=ENTRIES)
    found = [
        {one["number"]: one["judgement"] for one in make(record, evaluator)["decisions"]}
        for make in (analyse, analyse_coarsely)
    ]
    full, coarse = found
    blunders = {number for number, judgement in full.items() if judgement == "blunder"}
    assert blunders and all(coarse[number] for number in blunders)
    assert all(full[number] for number, judgement in coarse.items() if judgement in ("mistake", "blunder"))
