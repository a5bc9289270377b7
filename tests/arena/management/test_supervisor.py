import os
import signal
import time
from pathlib import Path

import pytest

from arena.management.supervisor import MATCH_SHUTDOWN_GRACE_S, KeepsFailingError, ManagedProcess, Supervisor

SLEEPS = ["timeit", "-n1", "-r1", "import time; time.sleep(60)"]
STUBBORN = ["timeit", "-n1", "-r1", "import signal, time; signal.signal(15, signal.SIG_IGN); print(1); time.sleep(60)"]
FAILS = ["no_such_module_anywhere"]


def family(tmp_path: Path, command: list[str]) -> tuple[Supervisor, ManagedProcess, list[str]]:
    said: list[str] = []
    child = ManagedProcess("worker", command, tmp_path / "logs" / "worker.log")
    return Supervisor([child], dict(os.environ), said.append), child, said


def test_who_dies_is_started_again(tmp_path: Path) -> None:
    house, child, said = family(tmp_path, SLEEPS)
    house.start()
    first = child.process
    first.kill()
    first.wait()
    house.watch()
    assert child.is_alive and child.process.pid != first.pid
    assert said == [f"The worker ended (by SIGKILL), and is started again. See {child.log}."]
    house.stop(is_busy=lambda: False)
    assert not child.is_alive


def test_who_keeps_failing_is_given_up_with_its_last_words(tmp_path: Path) -> None:
    house, child, said = family(tmp_path, FAILS)
    house.start()
    with pytest.raises(KeepsFailingError, match="(?s)exit code 1.*No module named no_such_module_anywhere"):
        for _ in range(5):
            child.process.wait()
            house.watch()
    assert len(said) == 2


@pytest.mark.parametrize(("busy", "least"), [(False, 0.4), (True, MATCH_SHUTDOWN_GRACE_S)])
def test_a_match_is_given_time_and_not_much(tmp_path: Path, busy: bool, least: float) -> None:
    house, child, _ = family(tmp_path, STUBBORN)
    house.start()
    while not child.log.read_text():
        time.sleep(0.02)
    began = time.monotonic()
    house.stop(is_busy=lambda: busy)
    assert least <= time.monotonic() - began < least + 2
    assert child.process.returncode == -signal.SIGKILL
