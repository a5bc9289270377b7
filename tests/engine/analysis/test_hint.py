"""Hints are the best choice that a seat can know of, and tell nothing of what it can't."""

from random import Random

import pytest

from engine.analysis.evaluators import Evaluator, find_evaluator
from engine.analysis.grading import Comparison, RatedChoice, find_hint
from engine.core import State
from engine.registry import find_game
from tests.engine.analysis.plays import random_chooser


def evaluator_of(edition: str) -> Evaluator:
    evaluator = find_evaluator("battleline", edition)
    assert evaluator is not None
    return evaluator


def play_on(edition: str, decisions: int, seed: str = "deal") -> State:
    """Return the state after so many decisions at random, when there is a choice."""
    game = find_game("battleline")
    options = game.options(edition)
    state = game.start(options, 2, game.deal(options, 2, Random(seed)))
    choose = random_chooser(seed)
    for _ in range(decisions):
        state.play(choose(state))
    while (forced := state.forced()) is not None:
        state.play(forced)
    return state


@pytest.mark.parametrize(("edition", "decisions"), [("short", 4), ("standard", 31), ("advanced", 40)])
def test_two_deals_with_the_same_view_give_the_same_hint(edition: str, decisions: int) -> None:
    state, evaluator = play_on(edition, decisions), evaluator_of(edition)
    seat = state.to_act
    assert seat is not None
    other = state.redeal(seat, Random("another deal"))
    assert other.view(1 - seat) != state.view(1 - seat) and other.view(seat) == state.view(seat)
    hint = find_hint(state, evaluator)
    assert hint is not None and hint == find_hint(other, evaluator) == find_hint(state, evaluator)


def test_the_best_choice_is_the_one_with_the_best_chance_of_all() -> None:
    state, evaluator = play_on("short", 6), evaluator_of("short")
    hint = find_hint(state, evaluator)
    assert hint is not None and hint.second is not None and hint.best.chance >= hint.second.chance
    assert hint.best.action in state.actions() and hint.best.action != hint.second.action
    assert state.to_act is not None
    comparison = Comparison(state, evaluator, Random("other redeals"))
    chances = {state.text(move): sum(comparison.chances(move, 32)) / 32 for move in state.moves()}
    assert chances[hint.best.action] > max(chances.values()) - 0.02


def test_a_claim_comes_first() -> None:
    state, choose = play_on("standard", 20), random_chooser("on")
    while not (claims := [action for action in state.actions() if action.startswith("claim ")]):
        state.play(choose(state))
    hint = find_hint(state, evaluator_of("standard"))
    assert hint is not None and hint.best.action in claims and isinstance(hint.second, RatedChoice)


def test_there_is_none_once_it_is_over() -> None:
    state = play_on("short", 3)
    state.forfeit(0, "resigned")
    assert find_hint(state, evaluator_of("short")) is None
