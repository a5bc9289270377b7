"""The command, run in a process of its own where that is what is tested, else in this one: a start takes its time."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner

from arena.cli import main
from arena.runner.languages import LANGUAGES

PENNANT = [sys.executable, "-c", "from arena.cli import main; main()"]
PROJECT_ROOT = Path(__file__).parents[2]
SAMPLES = PROJECT_ROOT / "bots" / "samples"
has_c = pytest.mark.skipif(LANGUAGES["c"].find() is None, reason=str(LANGUAGES["c"].advice))

Done = subprocess.CompletedProcess[str]


@pytest.fixture
def hears_interrupts() -> Iterator[None]:
    """Tests in a shell's background are deaf to SIGINT, and what they start would be, too."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@contextmanager
def one_core() -> Iterator[None]:
    """Have this thread one core only, on which `pennant` plays its matches itself instead of starting processes."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def pennant(*arguments: str | Path, typed: str = "", folder: Path = PROJECT_ROOT, **environment: str) -> Done:
    """Run the command in this process; an error that it doesn't catch is raised."""
    words = [*map(str, arguments)]
    with one_core(), chdir(folder):
        done = CliRunner().invoke(main, words, input=typed, env=environment, catch_exceptions=False)
    return Done([*PENNANT, *words], done.exit_code, done.stdout, done.stderr)


def pennant_process(*arguments: str | Path, **environment: str) -> Done:
    """Run the command as a process."""
    return subprocess.run(
        [*PENNANT, *map(str, arguments)],
        cwd=PROJECT_ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
