import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from arena.operations.management.supervisor import MATCH_SHUTDOWN_GRACE_S, KeepsFailingError, ManagedProcess, Supervisor
from tests.story.installation import ROOT

SLEEPS = ["timeit", "-n1", "-r1", "import time; time.sleep(60)"]
STUBBORN = ["timeit", "-n1", "-r1", "import signal, time; signal.signal(15, signal.SIG_IGN); print(1); time.sleep(60)"]
FAILS = ["no_such_module_anywhere"]
TELLS = ["timeit", "-n1", "-r1", "import os, sys, time; print(os.environ, sys.argv, 'django' in sys.modules)"]

either_way = pytest.mark.parametrize("is_forked", [False, True], ids=["executed", "forked"])


def family(tmp_path: Path, command: list[str], is_forked: bool = False) -> tuple[Supervisor, ManagedProcess, list[str]]:
    said: list[str] = []
    child = ManagedProcess("worker", command, tmp_path / "logs" / "worker.log", is_forked)
    return Supervisor([child], os.environ | {"FOR_CHILDREN": "1"}, said.append), child, said


@either_way
def test_a_child_has_its_own_arguments_environment_and_output(tmp_path: Path, is_forked: bool) -> None:
    house, child, _ = family(tmp_path, TELLS, is_forked)
    house.start()
    assert child.process.wait() == 0
    said = child.log.read_text()
    assert "'FOR_CHILDREN': '1'" in said and "'-n1', '-r1'" in said
    assert f"{is_forked}\n" in said, "a copy of this process has its modules"
    assert "FOR_CHILDREN" not in os.environ


@either_way
def test_who_dies_is_started_again(tmp_path: Path, is_forked: bool) -> None:
    house, child, said = family(tmp_path, SLEEPS, is_forked)
    house.start()
    first = child.process
    first.kill()
    first.wait()
    house.watch()
    assert child.is_alive and child.process.pid != first.pid
    assert said == [f"The worker stopped (by SIGKILL) and is being restarted. See {child.log}."]
    house.stop(is_busy=lambda: False)
    assert not child.is_alive


@either_way
def test_who_keeps_failing_is_given_up_with_its_last_words(tmp_path: Path, is_forked: bool) -> None:
    house, child, said = family(tmp_path, FAILS, is_forked)
    house.start()
    with pytest.raises(KeepsFailingError, match="(?s)exit code 1.*No module named no_such_module_anywhere"):
        for _ in range(5):
            child.process.wait()
            house.watch()
    assert len(said) == 2


@pytest.mark.parametrize(
    ("is_forked", "busy", "least"), [(False, False, 0.4), (True, False, 0.4), (True, True, MATCH_SHUTDOWN_GRACE_S)]
)
def test_a_match_is_given_time_and_not_much(tmp_path: Path, is_forked: bool, busy: bool, least: float) -> None:
    house, child, _ = family(tmp_path, STUBBORN, is_forked)
    house.start()
    while not child.log.read_text():
        time.sleep(0.02)
    began = time.monotonic()
    house.stop(is_busy=lambda: busy)
    assert least <= time.monotonic() - began < least + 2
    assert child.process.returncode == -signal.SIGKILL


def test_a_fork_ends_at_its_first_signal_and_whatever_becomes_of_its_parent(tmp_path: Path) -> None:
    house, child, _ = family(tmp_path, SLEEPS, is_forked=True)
    house.start()
    child.process.terminate()
    assert child.process.wait() == -signal.SIGTERM
    parent = os.fork()
    if parent == 0:
        house.start()
        (tmp_path / "pid").write_text(str(child.process.pid))
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(parent, 0)
    orphan = Path("/proc", (tmp_path / "pid").read_text(), "stat")
    deadline = time.monotonic() + 5
    while orphan.exists() and orphan.read_text().rpartition(")")[2].split()[0] not in "ZX":
        assert time.monotonic() < deadline
        time.sleep(0.02)


# `up` ends by a signal, however many come at once.

WAITS = """
import django
django.setup()
from arena.operations.management.supervisor import StopSignals
signals = StopSignals()
print("ready", flush=True)
while not signals.wait(0.01):
    pass
"""
SIGNALS_AT_ONCE = 300


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_many_signals_at_once_are_one_wish(number: signal.Signals) -> None:
    with subprocess.Popen([sys.executable, "-c", WAITS], cwd=ROOT, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stdout.readline() == b"ready\n"
        for _ in range(SIGNALS_AT_ONCE):
            process.send_signal(number)
        try:
            assert process.wait(10) in (0, -number), "it ends, by itself or when its handlers are gone"
        finally:
            process.kill()


def test_without_a_signal_it_waits() -> None:
    code = "import django; django.setup(); "
    code += "from arena.operations.management.supervisor import StopSignals as S; raise SystemExit(S().wait(0.01))"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False, timeout=30).returncode == 0
