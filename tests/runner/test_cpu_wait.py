"""Waiting for a processor is measured, and nothing else."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

from arena.runner.sandbox.cpu_wait import CpuWait


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
