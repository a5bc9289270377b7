"""The training of the value function: what is fitted is what the engine computes."""

from itertools import product
from math import prod
from random import Random
from typing import cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bots.training.fit import (
    compute_count_chances,
    compute_row_chances,
    fit_logistic,
    fit_weights,
    measure_losses,
    predict,
    sigmoid,
    stack,
)
from bots.training.self_play import POSITION_SHARE, Positions, add_positions, play_legs
from engine.games.battleline.options import Rules, edition_options
from engine.games.battleline.state import BattleLineState
from engine.games.battleline.value import count_chance, read_terms, read_weights_file, row_chance, win_chance
from engine.registry import GAMES
from tests.engine.plays import begin, run

GAME = GAMES["battleline"]
CHANCES = st.lists(st.floats(0, 1), min_size=5, max_size=9)


def sum_over_lines(chances: list[float], wanted: int | None) -> float:
    """The chance of enough flags, or of three adjacent ones, by going through all lines."""
    total = 0.0
    for line in product((False, True), repeat=len(chances)):
        adjacent = any(all(line[first : first + 3]) for first in range(len(line) - 2))
        if adjacent if wanted is None else sum(line) >= wanted:
            total += prod(chance if won else 1 - chance for chance, won in zip(chances, line, strict=True))
    return total


@settings(max_examples=20, deadline=None)
@given(CHANCES, st.sampled_from([3, 5]))
def test_chances_of_the_line_are_those_of_all_lines(chances: list[float], wanted: int) -> None:
    enough, adjacent = sum_over_lines(chances, wanted), sum_over_lines(chances, None)
    assert count_chance(chances, wanted) == pytest.approx(enough, abs=1e-9)
    assert row_chance(chances) == pytest.approx(adjacent, abs=1e-9)
    assert compute_count_chances(np.array([chances]), wanted)[0] == pytest.approx(enough, abs=1e-9)
    assert compute_row_chances(np.array([chances]))[0] == pytest.approx(adjacent, abs=1e-9)


@pytest.mark.parametrize("edition", ["standard", "short"])
def test_the_fit_predicts_what_the_engine_computes(edition: str) -> None:
    positions, expected, terms = Positions(), [], []
    state = None
    for state in run(begin(GAME, edition, 1), Random(1)):
        if state.to_act is not None:
            terms.append(read_terms(cast(BattleLineState, state)))
            expected.append(win_chance(cast(BattleLineState, state), 0))
    add_positions(positions, terms, cast(BattleLineState, state))
    weights = read_weights_file()["editions"][edition]
    predicted = predict(*stack(positions), weights, Rules.read(edition_options(edition, {})))
    assert predicted == pytest.approx(np.array(expected), abs=1e-4)


def test_a_regression_finds_the_coefficients_that_made_the_results() -> None:
    rng = np.random.default_rng(5)
    inputs = rng.normal(size=(20_000, 3)) * [1.0, 5.0, 0.2]
    made_of = np.array([0.8, -0.3, 2.0])
    results = (rng.random(20_000) < sigmoid(inputs @ made_of)).astype(np.float64)
    assert fit_logistic(inputs, results) == pytest.approx(made_of, abs=0.15)


@pytest.mark.parametrize("temperature", [None, 0.1])
def test_the_same_seed_plays_the_same_legs(temperature: float | None) -> None:
    first, second = (stack(play_legs("short", ["a seed"], temperature)) for _ in range(2))
    assert all(np.array_equal(one, other) for one, other in zip(first, second, strict=True))
    assert len(first[0]) > 20 * POSITION_SHARE


@pytest.mark.full
def test_weights_learnt_from_few_legs_beat_a_guess() -> None:
    rules = Rules.read(edition_options("short", {}))
    flags, line = stack(play_legs("short", [f"learn {number}" for number in range(120)], None))
    held_out = len(flags) // 4
    weights = fit_weights(flags[held_out:], line[held_out:], rules)
    _, brier = measure_losses(predict(flags[:held_out], line[:held_out], weights, rules), line[:held_out, -1])
    assert brier < 0.22


@pytest.mark.full
@pytest.mark.parametrize("edition", ["standard", "short"])
def test_chances_come_true(edition: str) -> None:
    flags, line = stack(play_legs(edition, [f"calibration {number}" for number in range(150)], 0.1))
    weights = read_weights_file()["editions"][edition]
    stated = predict(flags, line, weights, Rules.read(edition_options(edition, {})))
    stated, won = np.concatenate([stated, 1 - stated]), np.concatenate([line[:, -1], 1 - line[:, -1]])
    for low in (0.0, 0.2, 0.4, 0.6, 0.8):
        chosen = (stated >= low) & (stated < low + 0.2)
        assert stated[chosen].mean() == pytest.approx(won[chosen].mean(), abs=0.1)
