"""The search of the sample Marshal."""

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any, cast

import pytest
from pennant.local_bots import LocalBot

from bots.training.styles import EXHAUSTIVE_BUDGET
from engine.games.battleline import value
from engine.games.battleline.cards import FIRST_TACTIC
from engine.games.battleline.endgame import solve
from engine.games.battleline.moves import PLACE
from engine.games.battleline.position import PLAY
from engine.games.battleline.state import BattleLineState
from engine.registry import GAMES
from tests.bots.modules import import_modules
from tests.engine.battleline.staging import begin as stage
from tests.engine.plays import begin, run
from tests.full import default_and_full, is_full_run

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


def test_on_a_ladder_it_looks_at_less_than_half_of_the_positions(
    search: ModuleType, count_positions: Callable[[BattleLineState, Any], int]
) -> None:
    full = ladder = 0
    for state in decisions("standard", 15, range(3 if is_full_run() else 1)):
        full += count_positions(state, search.LEVELS[""])
        ladder += count_positions(state, search.LEVELS["ladder"])
    assert list(search.LEVELS) == list(LEVELS) and 2 * ladder < full


def test_it_looks_at_less_than_half_of_the_positions_of_an_exhaustive_search(
    search: ModuleType, count_positions: Callable[[BattleLineState, Any], int]
) -> None:
    full = exhaustive = 0
    for state in decisions("standard", 15, range(3 if is_full_run() else 1)):
        full += count_positions(state, search.LEVELS[""])
        exhaustive += count_positions(state, search.Level(**EXHAUSTIVE_BUDGET))
    assert 2 * full < exhaustive


def test_likely_replies_are_tried_and_those_at_the_flags_of_the_moves(search: ModuleType) -> None:
    state = next(state for state in decisions("standard", 15) if state.decision == PLAY)
    seat = 1 - (state.to_act or 0)
    lowest, replies = search.find_lowest_chance(state.copy(), seat, None, ())
    assert set(replies) == {move for move in state.moves() if move >> 16 == PLACE}
    assert search.find_lowest_chance(state.copy(), seat, set(replies[:1]), ()) == (lowest, replies[:1])
    some = search.find_lowest_chance(state.copy(), seat, set(replies[-1:]), (3,))[1]
    assert set(some) == {replies[-1], *(move for move in replies if search.get_flag(move) == 3)}


def test_even_deals_give_the_opponent_each_hidden_card_once(search: ModuleType) -> None:
    for state in islice(decisions("standard", 7), 6):
        seat = state.to_act or 0
        series = list(search.turn_hidden_cards(state.redeal(seat, Random(1)), 1 - seat))
        held = Counter(card for dealt in series for card in dealt.hands[1 - seat] if card < FIRST_TACTIC)
        assert all(count == 1 for count in held.values())
        for dealt in series:
            assert dealt.view(seat) == state.view(seat) and dealt.moves() == state.moves()
            for deck in (0, 1):
                assert len(dealt.decks[deck]) == len(state.decks[deck])
            all_hidden = [sorted(one.hands[1 - seat] + one.decks[0] + one.decks[1]) for one in (dealt, state)]
            assert all_hidden[0] == all_hidden[1]


def test_what_the_seat_knows_of_cards_stays_where_it_is(search: ModuleType) -> None:
    state = next(state for state in decisions("standard", 1) if state.tracks_knowledge)
    seat = state.to_act or 0
    deals = search.deal_on(state, seat, Random(1), True)
    expected = Random(1)
    for _ in range(6):
        assert next(deals).hands == state.redeal(seat, expected).hands


def test_only_moves_that_are_clearly_beaten_are_dropped(search: ModuleType) -> None:
    means = {1: 0.5, 2: 0.5, 3: 0.5}
    after = {1: [0.2, 0.6, 0.4], 2: [0.1, 0.5, 0.3], 3: [0.6, 0.2, 0.38]}
    assert search.drop_beaten([1, 2, 3], means, after, 2.0) == [1, 3]
    assert search.drop_beaten([1, 2, 3], means, after, 20.0) == [1, 2, 3]


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


@pytest.mark.parametrize("edition", default_and_full(["terrain"], ["highlands"]))
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
