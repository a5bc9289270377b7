"""The search of the sample Marshal."""

from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any, cast

import pytest
from pennant.local_bots import LocalBot

from engine.games.battleline import value
from engine.games.battleline.endgame import solve
from engine.games.battleline.state import BattleLineState
from engine.registry import GAMES
from tests.bots.modules import import_modules
from tests.engine.battleline.staging import begin as stage
from tests.engine.plays import begin, run
from tests.full import is_full_run

SAMPLES = Path(__file__).parents[2] / "bots" / "samples"
GAME = GAMES["battleline"]
LEVELS = ("1", "2", "3", "4", "ladder", "")
MAX_POSITIONS = 4_000
"""Positions that a decision may look at: some 0.2 s of a slow core, without the compiled engine."""


@pytest.fixture
def search(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    for modules in import_modules(SAMPLES / "marshal", monkeypatch):
        yield modules["search"]


def decisions(edition: str, step: int, seeds: range = range(2)) -> Iterator[BattleLineState]:
    """Some decisions of random plays."""
    for seed in seeds:
        for state in run(begin(GAME, edition, seed), Random(seed)):
            if state.to_act is not None and state.ply % step == 1 % step and len(state.moves()) > 1:
                yield cast(BattleLineState, state)


@pytest.mark.parametrize("level", LEVELS)
def test_every_level_chooses_a_legal_move_and_a_chance(search: ModuleType, level: str) -> None:
    for state in decisions("standard", 25, range(2 if is_full_run() else 1)):
        assert state.to_act is not None
        move, chance = search.choose_move(state, state.to_act, Random(1), search.LEVELS[level])
        assert move in state.moves() and 0 <= chance <= 1


@pytest.fixture
def count_positions(search: ModuleType, monkeypatch: pytest.MonkeyPatch) -> Callable[[BattleLineState, Any], int]:
    """Return a function that returns how many positions a level looks at for a decision."""
    seen = 0

    def count(state: Any, seat: int) -> float:
        nonlocal seen
        seen += 1
        return value.win_chance(state, seat)

    def choose(state: BattleLineState, level: Any) -> int:
        nonlocal seen
        seen = 0
        assert state.to_act is not None
        search.choose_move(state, state.to_act, Random(1), level)
        return seen

    monkeypatch.setattr(search, "win_chance", count)
    return choose


def test_a_decision_looks_at_a_bounded_number_of_positions(
    search: ModuleType, count_positions: Callable[[BattleLineState, Any], int]
) -> None:
    states = decisions("standard", 15, range(3 if is_full_run() else 1))
    assert 500 < max(count_positions(state, search.LEVELS[""]) for state in states) < MAX_POSITIONS


def test_on_a_ladder_it_looks_at_a_quarter_of_the_positions(
    search: ModuleType, count_positions: Callable[[BattleLineState, Any], int]
) -> None:
    full = ladder = 0
    for state in decisions("standard", 15, range(3 if is_full_run() else 1)):
        full += count_positions(state, search.LEVELS[""])
        ladder += count_positions(state, search.LEVELS["ladder"])
    assert list(search.LEVELS) == list(LEVELS) and 4 * ladder < full


@pytest.mark.parametrize("level", LEVELS)
def test_in_a_hurry_it_looks_at_every_move_once(
    search: ModuleType, count_positions: Callable[[BattleLineState, Any], int], level: str
) -> None:
    state = next(decisions("standard", 15))
    assert count_positions(state, search.hurry(search.LEVELS[level])) == len(state.moves())


def test_the_same_request_gets_the_same_answer() -> None:
    options = GAME.options("standard")
    state = next(decisions("standard", 31))
    answers = set()
    for _ in range(2):
        bot = LocalBot("marshal")
        assert state.to_act is not None
        bot.begin(options, "standard", state.to_act, 7)
        answers.add(bot.decide(state, state.to_act))
    assert len(answers) == 1


@pytest.mark.parametrize("level", LEVELS)
def test_what_can_be_claimed_is_claimed(level: str) -> None:
    bot = LocalBot("marshal", level)
    for state in decisions("short", 1, range(4)):
        assert state.to_act is not None
        claims = [action for action in state.actions() if action.startswith("claim")]
        if claims:
            bot.begin(GAME.options("short"), "short", state.to_act, 7)
            assert bot.decide(state, state.to_act)[0] in claims
            return
    raise AssertionError("no flag could be claimed")


@pytest.mark.parametrize("edition", ["highlands", "terrain"])
def test_endgames_are_played_perfectly(edition: str) -> None:
    """Also where there is no value function, and where a claim isn't the best move."""
    bot, found = LocalBot("marshal"), 0
    for seed in range(40):
        for state in run(begin(GAME, edition, seed), Random(seed)):
            solution = None if len(state.moves()) < 2 else solve(cast(BattleLineState, state), budget=400)
            if solution is None or len(solution.best_moves) == len(solution.moves):
                continue
            assert state.to_act is not None
            bot.begin(GAME.options(edition), edition, state.to_act, 7)
            action, told = bot.decide(state, state.to_act)
            assert state.parse(action) in solution.best_moves and told == solution.value
            found += 1
        if found >= 3:
            return
    raise AssertionError(f"moves made a difference in {found} positions only")


def test_marshal_completes_a_wedge() -> None:
    state = stage("R10 R9 R8 B2 G1 Y5 P3", "B3 B9 O1 O2 Y1 Y2 P1", "G2 G3 G5 O5 O7 B5 Y7 P5")
    for action in ("play R10 4", "draw troop", "play B3 4", "draw troop", "play R9 4", "draw troop", "play B9 4"):
        state.play(state.parse(action))
    state.play(state.parse("draw troop"))
    bot = LocalBot("marshal")
    bot.begin(GAME.options("standard"), "standard", 0, 7)
    assert bot.decide(state, 0)[0] == "play R8 4"
