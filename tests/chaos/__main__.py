"""Kill, freeze and starve a whole arena at random, and check that nothing was lost, counted twice or blamed on a bot.

    uv run python -m tests.chaos --minutes 60 --seed 7
    uv run python -m tests.chaos --minutes 10 --embedded
    uv run python -m tests.chaos --only "freeze Redis" --only "clock jump"

The first starts web, scheduler and two workers with PostgreSQL and Redis, the second with SQLite and messages in files.
The seed decides which events happen in which order; what they meet depends on the moment. Clock jumps need a C
compiler, a full disk needs root.
"""

import argparse
import signal
import sys
from collections.abc import Iterable
from secrets import randbelow

from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

from tests.chaos.events import EVENTS
from tests.chaos.run import Report, run_chaos
from tests.servers import NoServer

NO_SERVER_EXIT_CODE = 3


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--seed", type=int, default=None, help="another one every time unless given")
    parser.add_argument("--embedded", action="store_true", help="without PostgreSQL and Redis")
    kinds = [event.kind for event in EVENTS]
    parser.add_argument("--only", action="append", default=[], choices=kinds, metavar="KIND", help=", ".join(kinds))
    chosen = parser.parse_args()
    seed = randbelow(1_000_000) if chosen.seed is None else chosen.seed
    print(f"seed {seed}", flush=True)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended"))
    try:
        report = run_chaos(seconds=chosen.minutes * 60, seed=seed, only=chosen.only, embedded=chosen.embedded, say=True)
    except NoServer as missing:
        print(missing, file=sys.stderr)
        sys.exit(NO_SERVER_EXIT_CODE)
    print_report(report)
    sys.exit(0 if report.is_fine else 1)


def print_report(report: Report) -> None:
    events = [(kind, str(count)) for kind, count in sorted(report.events.items())]
    events += [(kind, f"not tried: {why}") for kind, why in report.skipped.items()]
    _print_table("event", "times", events)
    _print_table("figure", "value", [(name, str(value)) for name, value in report.figures.items()])
    found = [(name, "\n".join(problems) or "holds") for name, problems in report.problems.items()]
    _print_table("invariant", "found", found)


def _print_table(first: str, second: str, rows: Iterable[tuple[str, str]]) -> None:
    table = Table(first, second, box=SIMPLE)
    for row in rows:
        table.add_row(*row)
    Console(highlight=False, markup=False, width=160).print(table)


if __name__ == "__main__":
    main()
