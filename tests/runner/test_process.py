"""Waiting for a processor is measured, and nothing else."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from time import sleep

import pytest

from arena.runner.sandbox.process import CpuWait


@pytest.fixture
def busy() -> Iterator[int]:
    """Yield the id of a process that is always ready to run."""
    with subprocess.Popen(
        [sys.executable, "-c", "print(flush=True)\nwhile True: pass"], stdout=subprocess.PIPE
    ) as child:
        assert child.stdout is not None and child.stdout.readline()
        yield child.pid
        child.kill()


@pytest.fixture
def lateness(busy: int) -> Iterator[CpuWait]:
    found = CpuWait()
    found.follow(busy)
    found.start_measuring()
    yield found
    found.close()


def stop(pid: int) -> None:
    os.kill(pid, signal.SIGSTOP)
    os.waitid(os.P_PID, pid, os.WSTOPPED)


def test_a_thread_that_is_ready_to_run_may_have_waited(lateness: CpuWait) -> None:
    assert lateness.has_waiting_thread()


def test_a_thread_that_is_not_ready_has_not_waited(lateness: CpuWait, busy: int) -> None:
    stop(busy)
    assert not lateness.has_waiting_thread()


def test_a_thread_that_runs_between_two_checks_has_not_waited(lateness: CpuWait, busy: int) -> None:
    assert lateness.has_waiting_thread()
    for _ in range(3):
        stop(busy)
        os.kill(busy, signal.SIGCONT)
        before = runs(busy)
        while runs(busy) == before:
            pass
        assert not lateness.has_waiting_thread()


def test_each_request_starts_a_new_measurement(lateness: CpuWait, busy: int) -> None:
    stop(busy)
    assert not lateness.has_waiting_thread()
    os.kill(busy, signal.SIGCONT)
    assert not lateness.has_waiting_thread()
    lateness.start_measuring()
    assert lateness.has_waiting_thread()


def runs(pid: int) -> int:
    with open(f"/proc/{pid}/schedstat") as counts:
        return int(counts.read().split()[2])


# Time in which the arena's own process stands still is charged to nobody.

ROOT = Path(__file__).parents[2]
STALL_S = 1.5
ASK = """
from arena.runner.sandbox.detection import find_unsandboxed
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
from arena.runner.sandbox import build
from arena.runner.sandbox.detection import find_unsandboxed
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
