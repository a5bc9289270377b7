"""The search for a bot that beats Marshal."""

import json
from itertools import islice
from pathlib import Path
from random import Random
from typing import cast

import pytest

from bots.training import best_response
from bots.training.best_response import CHEAP_BUDGET, NAMES, Responder, Search, change_weights
from engine.games.battleline.state import BattleLineState
from engine.games.battleline.value import read_weights_file, win_chance
from engine.registry import GAMES
from tests.engine.plays import begin, run

GAME = GAMES["battleline"]
WEIGHTS = read_weights_file()["editions"]["short"]
OTHER_WEIGHTS = change_weights(WEIGHTS, [1.0 if name == "odds" else 0.0 for name in NAMES])


@pytest.fixture
def state() -> BattleLineState:
    return cast(BattleLineState, next(islice(run(begin(GAME, "short", 3), Random(3)), 21, None)))


@pytest.mark.parametrize("name", NAMES)
def test_every_change_changes_some_weights_and_no_change_none(name: str) -> None:
    weights = read_weights_file()["editions"]["standard"]
    same, changed = (change_weights(weights, [by if one == name else 0.0 for one in NAMES]) for by in (0.0, 0.5))
    assert same == weights != changed
    assert {key: len(value) for key, value in changed.items()} == {key: len(value) for key, value in weights.items()}


def test_a_candidate_judges_by_its_own_weights(state: BattleLineState) -> None:
    same, other = Responder(WEIGHTS, CHEAP_BUDGET), Responder(OTHER_WEIGHTS, CHEAP_BUDGET)
    known = win_chance(state, 0)
    assert same.search.win_chance(state, 0) == pytest.approx(known)
    assert other.search.win_chance(state, 0) != pytest.approx(known)
    assert other.search.win_chance(state, 0) + other.search.win_chance(state, 1) == pytest.approx(1.0)


def test_a_candidate_knows_no_more_than_its_seat(state: BattleLineState) -> None:
    bot = Responder(WEIGHTS, CHEAP_BUDGET)
    assert state.to_act is not None
    bot.begin(GAME.options("short"), "short", state.to_act, 7)
    answer, chance = bot.decide(state, state.to_act)
    assert state.parse(answer) in state.moves() and chance is not None and -1 <= chance <= 1


@pytest.mark.full
def test_a_search_that_was_stopped_goes_on_as_if_it_had_not_been(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(best_response, "POPULATION", 4)
    monkeypatch.setattr(best_response, "PAIRS_BY_STAGE", (1, 1))
    monkeypatch.setattr(best_response, "FINAL_PAIRS", 1)
    best_response.run(Search(tmp_path / "whole", "short", "a"), 2, 2)
    for generations, pairs in ((1, 0), (2, 1), (2, 2)):
        best_response.run(Search(tmp_path / "parts", "short", "a"), generations, pairs)
    whole, parts = (json.loads((tmp_path / name).read_text()) | {"cpu_s": 0} for name in ("whole", "parts"))
    assert whole == parts
    assert whole["generations"] == 2 and sum(whole["pairs"]) == 2
