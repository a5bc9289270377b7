"""Learn the weights of Battle Line's value function by self-play: `uv run python -m bots.training --edition standard`.

Each round plays legs by the weights of the round before and fits new ones to their results; a tenth of the legs is held
out, and the losses that are written beside the weights are theirs. The same seed and options give the same weights on
any machine. A compiled engine halves the time (engine/README.md).

`uv run python -m bots.training ratings` measures how strong the samples are (bots/training/ratings.py).
`uv run python -m bots.training styles found.json` plays a round robin of different styles (bots/training/styles.py).
"""

import argparse
import json
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from time import process_time

import numpy as np

from bots.training import ratings, styles
from bots.training.fit import fit_weights, measure_losses, predict, stack
from bots.training.self_play import Positions, play_legs
from engine.core import Json
from engine.games.battleline.options import Rules, edition_options
from engine.games.battleline.value import VALUE_VERSION, find_weights_path

LEGS_PER_TASK = 50
HELD_OUT_SHARE = 0.1


def play_batch_of_legs(task: tuple[str, list[str], float | None]) -> tuple[Positions, float]:
    """Play the legs of a task, and return their positions and the seconds of CPU they took."""
    start = process_time()
    positions = play_legs(*task)
    return positions, process_time() - start


def play_round(
    edition: str, seed: str, legs: int, temperature: float | None, processes: int
) -> tuple[Positions, float]:
    """Play the legs of a round, and return their positions and the seconds of CPU they took."""
    tasks = [
        (edition, [f"{seed}-{number}" for number in range(first, min(legs, first + LEGS_PER_TASK))], temperature)
        for first in range(0, legs, LEGS_PER_TASK)
    ]
    collected, cpu_s = Positions(), 0.0
    # Processes of a round read the weights that the round before has written.
    with ProcessPoolExecutor(processes) as pool:
        for positions, seconds in pool.map(play_batch_of_legs, tasks):
            collected.flags += positions.flags
            collected.line += positions.line
            cpu_s += seconds
    return collected, cpu_s


def train(edition: str, collected: Positions) -> tuple[Json, Json]:
    """Return the weights that fit these positions, and the facts of the fit."""
    rules = Rules.read(edition_options(edition, {}))
    flags, line = stack(collected)
    held_out = int(len(flags) * HELD_OUT_SHARE)
    weights = fit_weights(flags[held_out:], line[held_out:], rules)
    chances = predict(flags[:held_out], line[:held_out], weights, rules)
    log_loss, brier = measure_losses(chances, line[:held_out, -1])
    facts = {"positions": len(flags), "held_out": held_out, "log_loss": round(log_loss, 4), "brier": round(brier, 4)}
    return weights, facts


def write_weights(editions: list[str], weights: Json, facts: Json) -> None:
    """Write the weights of some editions and the facts of their training to their files."""
    for edition in editions:
        path = find_weights_path(edition)
        content = json.loads(path.read_text()) if path.exists() else {"version": "", "editions": {}, "training": {}}
        content["version"] = VALUE_VERSION
        content["editions"][edition] = weights
        content["training"][edition] = facts
        path.write_text(json.dumps(content, indent=1) + "\n")


def main() -> None:
    """Train the weights of an edition, measure ratings, or play styles against each other."""
    if sys.argv[1:2] == ["ratings"]:
        return ratings.main(sys.argv[2:])
    if sys.argv[1:2] == ["styles"]:
        return styles.main(sys.argv[2:])
    parser = argparse.ArgumentParser(prog="python -m bots.training", description=__doc__)
    parser.add_argument("--edition", default="standard")
    parser.add_argument("--used-for", nargs="*", default=[], help="other editions that get the same weights")
    parser.add_argument("--legs", type=int, default=2000, help="legs of each round")
    parser.add_argument("--first-round", type=int, default=1, help="a later one goes on from the weights there are")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--temperature", type=float, default=0.1)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--keep", type=Path, help="also write the positions of the last round to this file")
    chosen = parser.parse_args()
    for number in range(chosen.first_round, chosen.rounds + 1):
        seed = f"{chosen.edition}-{chosen.seed}-{number}"
        temperature = None if number == 1 else chosen.temperature
        collected, cpu_s = play_round(chosen.edition, seed, chosen.legs, temperature, chosen.processes)
        if chosen.keep:
            np.savez(chosen.keep, flags=np.stack(collected.flags), line=np.stack(collected.line))
        weights, facts = train(chosen.edition, collected)
        facts = {"seed": seed, "legs": chosen.legs, "round": number, "cpu_s": round(cpu_s)} | facts
        write_weights([chosen.edition, *chosen.used_for], weights, facts)
        print(json.dumps(facts), flush=True)


if __name__ == "__main__":
    main()
