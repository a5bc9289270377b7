"""`uv run python -m tests.bench.bench_packages [--starts 20] [LEVEL…]`: what the installed packages cost a bot.

A bot that imports no package and one that imports all of the current set are started one after the other. Printed are
the times from the start to the first answer, in a new process (cold) and in one that waits in the warm pool: the
fastest, which a busy machine changes least, and the median. The memory is what the bot holds then, without the files
that all bots share.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from time import perf_counter, sleep

from arena.runner.bot_packages import list_lines, list_modules
from arena.runner.program import Limits, Program
from arena.runner.sandbox.base import Sandbox
from arena.runner.sandbox.detection import SecureSandbox, try_packages
from tests.runner.sandboxes import find_bwrap, find_landlock

LEVELS = {"A": find_bwrap, "C": find_landlock}
HELLO = b'{"type":"hello"}\n'
ANSWER = "import sys\nsys.stdin.readline()\nprint('{}', flush=True)\nsys.stdin.read()\n"
REST_S = 2.0
"""Time for which a process of the warm pool imports what it can."""
MIB = 1024


def find_box(level: str) -> SecureSandbox:
    """Return the sandbox of a level with the current set. Raises NoSandboxError, and SystemExit without a set."""
    box, layer, told = try_packages(LEVELS[level]())
    if told is None or not told["works"]:
        raise SystemExit(str(layer.what) if layer else "No packages are installed: see docs/operating.md.")
    if box.level != level:
        raise SystemExit(f"level {level} can't be had by this user: this would be {box.level}")
    return box


def measure(box: Sandbox, program: Program, *, is_warm: bool) -> tuple[float, float]:
    """Return the milliseconds until the first answer of a bot, and the MiB that it holds then."""
    if is_warm:
        box.fill_warm_pool("python", Limits(), 1, tuple(program.packages))
        sleep(REST_S)
    started = perf_counter()
    process = box.start(program, Limits())
    try:
        process.ask(HELLO, Limits().start_ms / 1000)
        took_ms = 1000 * (perf_counter() - started)
        return took_ms, read_held(process.pid) / MIB
    finally:
        process.close()


def read_held(pid: int) -> int:
    """Return the memory that only this process has, in KiB."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("RssAnon:"))


def list_programs(box: SecureSandbox) -> Iterator[tuple[str, Program]]:
    """Yield a bot without packages, and one that imports all of the current set."""
    python = box.languages["python"]
    found = python.packages
    assert found is not None
    yield "none", Program("plain", 1, {"bot.py": ANSWER.encode()})
    modules = list_modules(python, found.versions)
    source = "".join(f"import {name}\n" for name in modules) + ANSWER
    yield "all", Program("packed", 1, {"bot.py": source.encode()}, packages=found.versions, package_set=found.hash)


def describe_times(times: list[float]) -> str:
    """Return the fastest and the median of some milliseconds."""
    return f"{min(times):6.0f} {median(times):6.0f} ms"


def main() -> None:
    """Print a line for each level and bot."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--starts", type=int, default=20)
    parser.add_argument("levels", nargs="*", default=["A"])
    arguments = parser.parse_args()
    for level in arguments.levels:
        box = find_box(level)
        found = box.languages["python"].packages
        assert found is not None
        print(*list_lines(found), f"{'packages':10} {'cold':>16} {'warm':>16} {'memory':>12}", sep="\n")
        for name, program in list_programs(box):
            cold = [measure(box, program, is_warm=False) for _ in range(arguments.starts)]
            warm = [measure(box, program, is_warm=True) for _ in range(arguments.starts)]
            held = median(mib for _, mib in cold)
            cells = (describe_times([ms for ms, _ in times]) for times in (cold, warm))
            print(f"{level} {name:8}", *cells, f"{held:8.0f} MiB", flush=True)
        box.close()


if __name__ == "__main__":
    main()
