"""Play legs of Battle Line by the value function against itself, and collect positions with their results."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from math import exp, log
from random import Random

import numpy as np
import numpy.typing as npt
from pennant.local_bots import LocalBot

from engine.games.battleline.moves import CLAIM, PASS
from engine.games.battleline.position import FINISH, PLAY
from engine.games.battleline.state import BattleLineState
from engine.games.battleline.value import Terms, read_terms, win_chance
from engine.registry import find_game

Floats = npt.NDArray[np.float32]

POSITION_SHARE = 0.6
"""Share of the positions of a leg that are collected."""
MAX_FINALISTS = 6
"""Actions that are compared on more than the first redeal."""
MORE_REDEALS = 3
DRAW_REDEALS = 8
FIRST_ROUND_SAMPLE = "careful"
"""The sample that plays the legs of the first round, before there are weights."""
FIRST_ROUND_RANDOM_SHARE = 0.1
"""Share of its decisions that are made at random instead, so that it plays many different legs."""
NOT_DECIDED = -1.0


@dataclass
class Positions:
    """Positions by row: terms of their flags and of the whole line, and the results of seat 0."""

    flags: list[Floats] = field(default_factory=list)
    """Free slots, advantage, worth, decided chance (NOT_DECIDED where it isn't), and the result, by flag."""
    line: list[Floats] = field(default_factory=list)
    """Whose turn it is, fill, the formation and the other terms of the hands, and the result of the leg."""


def play_legs(edition: str, seeds: Sequence[str], temperature: float | None) -> Positions:
    """Play a leg for each seed, and return the positions that were collected."""
    positions = Positions()
    for seed in seeds:
        play_leg(edition, Random(seed), temperature, positions)
    return positions


def play_leg(edition: str, rng: Random, temperature: float | None, positions: Positions) -> None:
    """Play a leg and add some of its positions.

    `temperature` is that of a softmax over the log odds of the actions; with None the teacher plays.
    """
    game = find_game("battleline")
    options = game.options(edition)
    state = game.start(options, 2, game.deal(options, 2, rng))
    assert isinstance(state, BattleLineState)
    teacher = load_teacher(edition) if temperature is None else None
    found: list[Terms] = []
    while (seat := state.to_act) is not None:
        if state.decision in (PLAY, FINISH) and rng.random() < POSITION_SHARE:
            found.append(read_terms(state))
        if temperature is not None:
            state.play(choose_move(state, seat, rng, temperature))
        elif teacher is None or rng.random() < FIRST_ROUND_RANDOM_SHARE:
            state.play(rng.choice(state.moves()))
        else:
            state.play(state.parse(teacher.decide(state, seat)[0]))
    add_positions(positions, found, state)


@cache
def load_teacher(edition: str) -> LocalBot:
    """Return the sample that plays the legs of the first round."""
    teacher = LocalBot(FIRST_ROUND_SAMPLE)
    teacher.begin(find_game("battleline").options(edition), edition, 0, 0)
    return teacher


def choose_move(state: BattleLineState, seat: int, rng: Random, temperature: float) -> int:
    """Return a move that is among the best on a few redeals; claims come first."""
    moves = state.moves()
    if len(moves) == 1 or moves[0] >> 16 == CLAIM:
        return moves[0]
    if state.decision != PLAY:
        return pick(state, seat, moves, DRAW_REDEALS if len(moves) < 4 else MORE_REDEALS, rng, temperature)
    candidates = [move for move in moves if move >> 16 != PASS]
    totals = sum_chances(state, seat, candidates, 1, rng)
    ranked = sorted(candidates, key=lambda move: -totals[move])
    return pick(state, seat, ranked[:MAX_FINALISTS], MORE_REDEALS, rng, temperature)


def pick(state: BattleLineState, seat: int, moves: Sequence[int], redeals: int, rng: Random, temperature: float) -> int:
    """Return one of the moves, by a softmax over the log odds of their mean chances."""
    totals = sum_chances(state, seat, moves, redeals, rng)
    noisy = {}
    for move in moves:
        chance = min(0.999, max(0.001, totals[move] / redeals))
        noisy[move] = log(chance / (1 - chance)) - temperature * log(-log(rng.random() or 0.5))
    return max(moves, key=lambda move: noisy[move])


def sum_chances(state: BattleLineState, seat: int, moves: Sequence[int], redeals: int, rng: Random) -> dict[int, float]:
    """Return by move the sum of its chances over the same redeals."""
    totals = dict.fromkeys(moves, 0.0)
    for _ in range(redeals):
        dealt = state.redeal(seat, rng)
        for move in moves:
            after = dealt.copy()
            after.play(move)
            totals[move] += win_chance(after, seat)
    return totals


def add_positions(positions: Positions, found: list[Terms], ended: BattleLineState) -> None:
    """Add these positions with the results of the play that has ended."""
    result = win_chance(ended, 0)
    ends = [
        1 / (1 + exp(-flag.advantage)) if flag.decided is None else flag.decided for flag in read_terms(ended).flags
    ]
    for terms in found:
        rows = [
            (flag.slots, flag.advantage, flag.worth, NOT_DECIDED if flag.decided is None else flag.decided, end)
            for flag, end in zip(terms.flags, ends, strict=True)
        ]
        positions.flags.append(np.array(rows, dtype=np.float32))
        positions.line.append(
            np.array([terms.mover, terms.fill, terms.formation, *terms.hands, result], dtype=np.float32)
        )
