"""What each language costs: `uv run python -m tests.bench.bench_languages [rounds]`.

Every canary is built once, and started once a round, the languages in turn. A first answer is counted from before
`start`.
"""

import sys
from statistics import median
from time import perf_counter

from arena.runner.languages import LANGUAGES
from arena.runner.program import Limits, Program
from arena.runner.sandbox.base import Sandbox
from arena.runner.sandbox.detection import find_sandbox

ROUNDS = 15
LIMITS = Limits()


def main(rounds: int) -> None:
    sandbox = find_sandbox()
    programs = {key: build(sandbox, key) for key in sandbox.languages}
    answers: dict[str, list[tuple[float, float]]] = {key: [] for key in programs}
    for _ in range(rounds):
        for key, (program, _) in programs.items():
            answers[key].append(start(sandbox, program))
    print(f"level {sandbox.level}, medians of {rounds} rounds")
    print(f"{'':12}{'version':>10}{'build, s':>10}{'KiB':>8}{'first, ms':>11}{'next, us':>10}")
    for key, (program, build_s) in programs.items():
        first, after = (median(times) for times in zip(*answers[key], strict=True))
        size = sum(map(len, program.files.values())) / 1024
        version = sandbox.languages[key].version
        print(f"{key:12}{version:>10}{build_s:>10.2f}{size:>8.0f}{first * 1e3:>11.1f}{after * 1e6:>10.0f}")


def build(sandbox: Sandbox, key: str) -> tuple[Program, float]:
    """The canary as it is run, and the seconds that took."""
    started = perf_counter()
    program, _ = sandbox.build(Program("canary", 1, LANGUAGES[key].canary, key))
    return program, perf_counter() - started


def start(sandbox: Sandbox, program: Program) -> tuple[float, float]:
    """Seconds to the first answer, and from there to the second."""
    started = perf_counter()
    process = sandbox.start(program, LIMITS)
    try:
        process.ask(b"first\n", LIMITS.start_ms / 1000)
        first = perf_counter()
        process.ask(b"second\n", LIMITS.start_ms / 1000)
        return first - started, perf_counter() - first
    finally:
        process.close()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS)
