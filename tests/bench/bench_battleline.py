"""How fast and how large Battle Line is, in one process: `uv run python -m tests.bench.bench_battleline`."""

import gc
import tracemalloc
from collections.abc import Callable, Iterator
from itertools import cycle
from random import Random
from statistics import mean, median
from time import perf_counter, process_time
from typing import TypeVar, cast

from engine.core import Game, State
from engine.games.battleline.formations import Side, find_best_reach
from engine.games.battleline.legal import find_refutation, is_claim_provable
from engine.games.battleline.position import PLAY
from engine.games.battleline.state import BattleLineState
from engine.games.battleline.value import compute_outlook, find_weights, win_chance
from engine.registry import GAMES
from tests.engine.plays import begin, play_out, run

GAME = GAMES["battleline"]
COPIES = 200
WARM_ROUNDS = 10
T = TypeVar("T")
ROUNDS = 5
"""Each figure is the best of so many: other work on the machine only ever adds."""


def first_states(game: Game, edition: str, seats: int, seeds: range) -> list[State]:
    options = game.options(edition)
    return [game.start(options, seats, game.deal(options, seats, Random(seed))) for seed in seeds]


def plays_per_second(game: Game, edition: str, seats: int = 2, plays: int = 1_000) -> float:
    """Whole plays by random moves, first states made beforehand."""
    best = float("inf")
    for number in range(ROUNDS):
        states = first_states(game, edition, seats, range(number * plays, (number + 1) * plays))
        rng = Random(number)
        gc.collect()
        start = perf_counter()
        for state in states:
            play_out(state, rng)
        best = min(best, perf_counter() - start)
    return plays / best


def positions(game: Game, edition: str, seats: int = 2) -> list[State]:
    """Every ply of thirty plays, as they were asked for."""
    found = []
    for seed, first in enumerate(first_states(game, edition, seats, range(30))):
        for state in run(first, Random(seed)):
            if state.to_act is not None:
                found.append(state.copy())
    return found


def microseconds(call: Callable[[T], object], states: list[T]) -> float:
    """The median over the states, each at its best of some rounds."""
    times = [float("inf")] * len(states)
    for _ in range(ROUNDS):
        for number, state in enumerate(states):
            start = perf_counter()
            call(state)
            times[number] = min(times[number], perf_counter() - start)
    return median(times) * 1e6


def claims(states: list[BattleLineState]) -> list[tuple[BattleLineState, int, int]]:
    """Complete sides at open flags whose other side is not complete: those that need a proof."""
    return [
        (state, seat, flag)
        for state in states
        for seat in (0, 1)
        for flag in state.unclaimed
        if len(state.sides[seat][flag]) == state.slots[seat][flag] > len(state.sides[1 - seat][flag])
    ]


def forget(state: BattleLineState) -> BattleLineState:
    """Nothing is remembered of earlier questions."""
    state.found = None
    for flag in range(state.rules.flags):
        state.forget_proofs(flag)
    return state


def copy_kilobytes(edition: str) -> tuple[float, float]:
    """What a copy adds, on average and at most, over the plies of ten plays."""
    sizes = []
    tracemalloc.start()
    for seed in range(10):
        for state in run(begin(GAME, edition, seed), Random(seed)):
            if state.ply % 20 == 10:
                before = tracemalloc.get_traced_memory()[0]
                copies = [state.copy() for _ in range(COPIES)]
                sizes.append((tracemalloc.get_traced_memory()[0] - before) / len(copies) / 1024)
                del copies
    tracemalloc.stop()
    return mean(sizes), max(sizes)


def prove_warm(questions: list[tuple[BattleLineState, int, int]]) -> float:
    """A proof whose position and tables are in the processor's cache: each at its best, right after the same one."""
    best = []
    for table, seat, flag in questions:
        times = []
        for _ in range(WARM_ROUNDS):
            start = perf_counter()
            find_refutation(table, seat, flag)
            times.append(perf_counter() - start)
        best.append(min(times))
    return mean(best) * 1e6


def judge_anew(state: BattleLineState) -> None:
    """Nothing is remembered of flags and sides."""
    weights = find_weights(state.rules)
    assert weights is not None
    weights.known.clear()
    compute_outlook.cache_clear()
    win_chance(state, 0)


def judge_moves(states: list[BattleLineState], rng: Random) -> tuple[float, float]:
    """The processor time of a move where all moves of a position are judged on the same redeals, as searches do.

    Also without the judgement, which is the least that a search takes.
    """
    asked = [state for state in states if state.decision == PLAY][::20]
    judging = playing = 0.0
    count = 0
    for state in asked:
        seat = state.to_act or 0
        for _ in range(4):
            dealt = state.redeal(seat, rng)
            for is_judged in (False, True):
                start = process_time()
                for move in state.moves():
                    after = dealt.copy()
                    after.play(move)
                    if is_judged:
                        win_chance(after, seat)
                        count += 1
                if is_judged:
                    judging += process_time() - start
                else:
                    playing += process_time() - start
    return judging / count * 1e6, playing / count * 1e6


def measure() -> Iterator[tuple[str, str]]:
    for edition in GAME.editions:
        yield f"{edition}, random plays a second", f"{plays_per_second(GAME, edition):,.0f}"
    states = cast(list[BattleLineState], positions(GAME, "standard"))
    sides = cycle([cards for state in states for side in state.sets for cards in side if cards.bit_count() == 3])
    rng = Random(0)
    seats = cycle((0, 1))

    def strength_anew(state: BattleLineState) -> None:
        find_best_reach(next(sides), 0, 0)

    def fresh_side(state: BattleLineState) -> None:
        Side(next(sides))

    questions = cycle(claims(states))

    def prove(state: BattleLineState) -> None:
        table, seat, flag = next(questions)
        find_refutation(table, seat, flag)

    def ask_again(state: BattleLineState) -> None:
        is_claim_provable(*next(questions))

    def list_again(state: BattleLineState) -> None:
        state.found = None
        state.moves()

    yield from (
        (f"{name}, µs", f"{microseconds(call, states):.2f}")
        for name, call in (
            ("nothing at all", lambda state: None),
            ("strength of a side", strength_anew),
            ("reading a side's cards", fresh_side),
            ("proof of a claim", prove),
            ("proof of a claim, remembered", ask_again),
            ("legal list in the course of a play", list_again),
            ("legal list, nothing remembered", lambda state: forget(state).moves()),
            ("legal list as texts", lambda state: [state.text(move) for move in state.moves()]),
            ("view", lambda state: state.view(next(seats))),
            ("copy", lambda state: state.copy()),
            ("redeal", lambda state: state.redeal(next(seats), rng)),
            ("chance to win, nothing remembered", judge_anew),
            ("chance to win, remembered", lambda state: win_chance(state, 0)),
        )
    )
    yield "proof of a claim, warm, µs", f"{prove_warm(claims(states)):.2f}"
    judging, playing = judge_moves(states, rng)
    yield "chance to win after each move on a redeal, µs", f"{judging:.2f}"
    yield "the same, times copying and playing alone", f"{judging / playing:.1f}"
    # Last, because what follows a trace of memory is slower.
    for edition in GAME.editions:
        usual, most = copy_kilobytes(edition)
        yield f"{edition}, a copy, KiB (at most)", f"{usual:.1f} ({most:.1f})"


if __name__ == "__main__":
    for name, figure in measure():
        print(f"{name:<44}{figure:>12}")
