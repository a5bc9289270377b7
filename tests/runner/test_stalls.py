"""Time in which the arena's own process stands still is charged to nobody."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from time import sleep

ROOT = Path(__file__).parents[2]
STALL_S = 1.5
ASK = """
from arena.runner.sandbox import find_unsandboxed
from tests.runner.conftest import QUICK, written

SLEEP = "import sys, time\\nfor line in sys.stdin:\\n    time.sleep(float(line))\\n    print('done', flush=True)"
bot = find_unsandboxed().start(written(SLEEP), QUICK)
bot.ask(b"0\\n", 5)
print("now", flush=True)
assert bot.ask(b"0.3\\n", 0.5) == b"done"
bot.close()
print(bot.wall_s, bot.late_s)
"""
BUILD = """
from dataclasses import replace
from arena.runner.sandbox import build, find_unsandboxed
from tests.runner.test_build import SHELL, built

build.MAX_BUILD_WALL_S = 1.2
print("now", flush=True)
built(find_unsandboxed(), 'sleep 0.4; echo built > "$TMPDIR/artefact"')
print("built")
"""


def stall(code: str) -> list[str]:
    """Run code, stop its process for a while after its first line, and return the words of the second."""
    with subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "now\n"
        sleep(0.1)
        os.kill(process.pid, signal.SIGSTOP)
        sleep(STALL_S)
        os.kill(process.pid, signal.SIGCONT)
        words = process.stdout.read().split()
    assert process.returncode == 0
    return words


def test_a_bot_does_not_pay_for_a_stopped_runner() -> None:
    wall_s, late_s = map(float, stall(ASK))
    assert wall_s >= STALL_S
    assert (wall_s - late_s) / 2 < 0.5


def test_a_build_is_not_refused_for_a_stopped_runner() -> None:
    assert stall(BUILD) == ["built"]
