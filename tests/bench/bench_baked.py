"""What a query costs that is put together once, beside the same one put together each time, on a million matches.

    uv run python -m tests.bench.bench_baked [URL] [--times 300]

In turns, in one process, with new keys each time. The database is made by `tests.bench.million`.
"""

import argparse
import os
import sys
from collections.abc import Callable
from random import Random
from statistics import median
from time import perf_counter, process_time

from tests.bench.million import BOTS, MATCHES, run_on

if __name__ == "__main__" and "million" not in os.environ.get("DATABASE_URL", ""):
    url = next((word for word in sys.argv[1:2] if "://" in word), None)
    sys.exit(run_on(url, "tests.bench.bench_baked", sys.argv[1 + bool(url) :]))

from tests.bench.million_rows import ensure

# isort: split
from arena.bots.lookups import ask_bot
from arena.pages.bots import head_to_head, reading, strength
from arena.pages.matches import results

WARM_UP = 20


def list_exchanges(rng: Random) -> list[tuple[str, Callable, Callable[[], tuple]]]:
    """A name, the baked query, and arguments for it."""

    def bot() -> int:
        return rng.randint(1, BOTS)

    def matches() -> list[int]:
        return [rng.randint(1, MATCHES) for _ in range(25)]

    return [
        ("a bot by its address", ask_bot, lambda: (f"bot-{bot()}",)),
        ("its versions", reading.ask_versions, lambda: (bot(),)),
        ("how its rating went", strength.ask_days, lambda: (bot(), 1)),
        ("whom it met", strength.ask_rivals, lambda: (bot(),)),
        ("its rated matches", head_to_head.ask_counted, lambda: (bot(),)),
        ("who played in 25 matches", results.ask_participants, lambda: (matches(),)),
        ("what they did to ratings", results.ask_changes, lambda: (matches(),)),
    ]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--times", type=int, default=300)
    times = options.parse_args().times
    ensure()
    print(f"{'':28} {'each time':>16} {'baked':>16}  ratio of the wholes; ms, and of that in this process")
    for name, ask, arguments in list_exchanges(Random(1)):
        ways = [lambda *given, make=ask.__wrapped__: list(make(*given)), ask]
        taken: list[list[tuple[float, float]]] = [[], []]
        for number in range(WARM_UP + times):
            for way, found in zip(ways, taken, strict=True):
                given, begun, worked = arguments(), perf_counter(), process_time()
                way(*given)
                if number >= WARM_UP:
                    found.append((1000 * (perf_counter() - begun), 1000 * (process_time() - worked)))
        wholes, own = ([median(one[part] for one in found) for found in taken] for part in (0, 1))
        shown = "".join(f"{whole:9.2f} {of_that:6.2f}" for whole, of_that in zip(wholes, own, strict=True))
        print(f"{name:28} {shown}  {wholes[0] / wholes[1]:.1f}", flush=True)


if __name__ == "__main__":
    main()
