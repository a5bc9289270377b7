"""Throws whatever comes to its mind at a reader of what strangers send, led by what it makes the reader do.

    uv run --with atheris python -m tests.fuzz lines --seconds 60
    uv run --with atheris python -m tests.fuzz archives --seconds 60

Ends with 0 when the time is over. Ends with another code at the first input that raises what it should not, hangs, or
costs more CPU time than its reader may; the input is left in the working directory then.
"""

import argparse
import shutil
import sys
import tempfile
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from time import thread_time
from types import ModuleType

import atheris

READERS = ("lines", "archives")
WATCHED = ["arena", "engine", "json", "zipfile", "tests.fuzz"]
"""What is instrumented: a new branch taken there makes an input worth keeping."""
LONGEST = 100_000


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__.partition("\n")[0])
    parser.add_argument("reader", choices=READERS)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0, help="0: another one every time")
    parser.add_argument("--keep", type=Path, help="a folder for the inputs that led somewhere new")
    chosen = parser.parse_args()
    with atheris.instrument_imports(include=WATCHED):
        reader = import_module(f"tests.fuzz.{chosen.reader}")
    with tempfile.TemporaryDirectory(prefix="pennant-fuzz-") as scratch:
        found = chosen.keep or Path(scratch)
        found.mkdir(parents=True, exist_ok=True)
        for known in reader.CORPUS.iterdir():
            shutil.copy(known, found)
        options = [
            f"-max_total_time={chosen.seconds}",
            f"-seed={chosen.seed}",
            f"-max_len={LONGEST}",
            "-timeout=20",
            "-rss_limit_mb=2048",
            "-print_final_stats=1",
        ]
        atheris.Setup([sys.argv[0], *options, str(found)], timed(reader))
        atheris.Fuzz()


def timed(reader: ModuleType) -> Callable[[bytes], None]:
    worst = 0.0

    def one(data: bytes) -> None:
        nonlocal worst
        prepared = reader.prepare(data)
        started = thread_time()
        reader.check(prepared)
        took = thread_time() - started
        if took > worst:
            worst = took
            print(f"the slowest so far: {took * 1000:.1f} ms, {len(data)} bytes", file=sys.stderr)
        assert took < reader.DEADLINE_S, f"{took * 1000:.0f} ms"

    return one


if __name__ == "__main__":
    main()
