"""How fast the environments of `pennant.rl` are: `uv run python -m tests.bench.bench_rl`.

Random plays in the same process, in decisions a second of processor time: of the engine alone, of the engine with what
a bot is told (view and legal actions), of the PettingZoo environment, and of the same with its wrappers.
"""

import time
from collections.abc import Callable
from functools import partial
from random import Random

from pennant.rl import BattleLineAEC, env

from engine.registry import find_game

GAME = find_game("battleline")
PLAYS = 60
RUNS = 3
EDITIONS = ("standard", "short", "terrain")


def play_engine(edition: str, is_told: bool) -> int:
    """Play at random, and return the number of decisions with a choice."""
    rng, options, count = Random(1), GAME.options(edition), 0
    for number in range(PLAYS):
        state = GAME.start(options, 2, GAME.deal(options, 2, Random(number)))
        while state.to_act is not None:
            forced = state.forced()
            if forced is not None:
                state.play(forced)
                continue
            count += 1
            if is_told:
                state.view(state.to_act)
                actions = state.actions()
                state.play(actions[rng.choice(list(actions))])
            else:
                state.play(rng.choice(state.moves()))
    return count


def play_environment(table: BattleLineAEC) -> int:
    """Play at random through the interface, and return the number of steps."""
    rng, count = Random(1), 0
    for number in range(PLAYS):
        table.reset(seed=number)
        for _ in table.agent_iter():
            _, _, is_over, is_cut, info = table.last()
            if is_over or is_cut:
                table.step(None)
                continue
            count += 1
            table.step(rng.choice(info["legal"]))
    return count


def measure(play: Callable[[], int]) -> float:
    """Return decisions a second of processor time, once the engine's caches are filled: the best of some runs."""
    play()
    rates = []
    for _ in range(RUNS):
        start = time.process_time()
        rates.append(play() / (time.process_time() - start))
    return max(rates)


def main() -> None:
    """Print the table."""
    print("edition      engine  and told    PettingZoo   with wrappers   ÷ told   ÷ engine")
    for edition in EDITIONS:
        bare = measure(partial(play_engine, edition, is_told=False))
        told = measure(partial(play_engine, edition, is_told=True))
        raw = measure(partial(play_environment, BattleLineAEC(edition)))
        wrapped = measure(partial(play_environment, env(edition)))
        print(
            f"{edition:10} {bare:8,.0f}  {told:8,.0f}      {raw:8,.0f}        {wrapped:8,.0f}     "
            f"{raw / told:4.2f}       {raw / bare:4.2f}"
        )


if __name__ == "__main__":
    main()
