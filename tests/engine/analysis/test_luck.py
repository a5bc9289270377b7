"""The luck of a leg: what is measured without analysing it, and that it is 0 on average whatever is drawn."""

import math
from random import Random
from statistics import fmean

import pytest

from engine.analysis.evaluators import find_evaluator
from engine.analysis.leg import CARDS_PER_DRAW, SeatLuck, describe_value_function, measure_luck
from engine.games.battleline.value import value_hash
from engine.replay import states
from tests.engine.analysis.plays import PointsEvaluator, play_leg, random_chooser
from tests.full import default_and_full, is_full_run

LEGS, FULL_LEGS = 6, 200


def play_random(number: int, edition: str = "standard", max_actions: int | None = None):
    choosers = (random_chooser(f"a{number}"), random_chooser(f"b{number}"))
    return play_leg(f"luck {number}", choosers, edition, max_actions=max_actions)


def test_some_cards_tell_on_average_what_all_cards_tell() -> None:
    evaluator, record = find_evaluator("battleline", "standard"), play_random(0)
    assert evaluator is not None
    number, state = next(
        (number, state)
        for number, state in enumerate(states(record))
        if record["actions"][number]["action"].startswith("draw")
    )
    move = state.parse(record["actions"][number]["action"])
    seat = record["actions"][number]["seat"]
    exact = evaluator.expected_chance(state, move, seat, Random(0))
    some = [
        evaluator.expected_chance(state, move, seat, Random(seed), max_cards=CARDS_PER_DRAW) or 0.0
        for seed in range(100)
    ]
    spread = math.sqrt(fmean((one - fmean(some)) ** 2 for one in some) / len(some))
    assert exact is not None and spread > 0
    assert abs(fmean(some) - exact) < 4 * spread


@pytest.mark.parametrize("edition", default_and_full(["standard"], ["medieval"]))
def test_luck_has_a_mean_of_zero_for_bots_that_don_t_know_the_deck(edition) -> None:
    evaluator, legs = PointsEvaluator(), FULL_LEGS if is_full_run() else LEGS
    seats = [luck for leg in range(legs) for luck in measure_luck(play_random(leg, edition), evaluator)]
    total = sum(seats, SeatLuck())
    mean = total.luck / total.draws
    error = math.sqrt((total.squares / total.draws - mean**2) / total.draws)
    assert total.draws > 10 * legs and error > 0
    assert abs(mean) < 4 * error


def test_the_same_record_has_the_same_luck_and_a_leg_that_is_given_up_has_some_too() -> None:
    evaluator = find_evaluator("battleline", "standard")
    assert evaluator is not None
    record = play_random(1, max_actions=12)
    first, second = measure_luck(record, evaluator)
    assert (first, second) == measure_luck(record, evaluator)
    assert record["actions"][-1]["action"] == "forfeit"
    assert first.draws + second.draws == sum(entry["action"].startswith("draw") for entry in record["actions"])
    assert first.luck != 0 and first.squares > 0


def test_what_fixes_the_adjustment_names_the_weights() -> None:
    evaluator = find_evaluator("battleline", "standard")
    assert evaluator is not None
    assert describe_value_function(evaluator)["hash"] == value_hash()
