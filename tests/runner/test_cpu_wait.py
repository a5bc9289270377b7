"""What a bot is forgiven for: that it waited for a processor, and not that it seemed to."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

from arena.runner.sandbox.cpu_wait import CpuWait


@pytest.fixture
def busy() -> Iterator[int]:
    """A process that is always ready to run."""
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


def test_who_is_ready_to_run_may_have_waited(lateness: CpuWait) -> None:
    assert lateness.has_waiting_thread()


def test_who_is_not_ready_waits_for_nothing(lateness: CpuWait, busy: int) -> None:
    stop(busy)
    assert not lateness.has_waiting_thread()


def test_to_be_ready_at_each_look_is_not_to_wait_since_the_one_before(lateness: CpuWait, busy: int) -> None:
    assert lateness.has_waiting_thread()
    for _ in range(3):
        stop(busy)
        os.kill(busy, signal.SIGCONT)
        before = runs(busy)
        while runs(busy) == before:
            pass
        assert not lateness.has_waiting_thread()


def test_with_each_question_it_is_asked_anew(lateness: CpuWait, busy: int) -> None:
    stop(busy)
    assert not lateness.has_waiting_thread()
    os.kill(busy, signal.SIGCONT)
    assert not lateness.has_waiting_thread()
    lateness.start_measuring()
    assert lateness.has_waiting_thread()


def runs(pid: int) -> int:
    with open(f"/proc/{pid}/schedstat") as counts:
        return int(counts.read().split()[2])
