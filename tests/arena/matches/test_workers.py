import os
import subprocess
import sys
from pathlib import Path

from arena.matches.workers import is_gone, this_worker

SAY_NAME = "import django; django.setup(); from arena.matches.workers import this_worker; print(this_worker())"


def test_this_process_is_not_gone() -> None:
    assert not is_gone(this_worker())


def test_a_process_that_ended_is_gone() -> None:
    ended = subprocess.run([sys.executable, "-c", SAY_NAME], capture_output=True, text=True, check=True).stdout.strip()
    assert ended.split("/")[:2] == this_worker().split("/")[:2]
    assert is_gone(ended)


def test_a_dead_process_that_nobody_has_buried_is_gone() -> None:
    host, namespace, *_ = this_worker().rsplit("/", 3)
    with subprocess.Popen(["sleep", "60"]) as process:
        start = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[19]
        name = f"{host}/{namespace}/{process.pid}/{start}"
        assert not is_gone(name)
        process.kill()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        assert is_gone(name)


def test_another_process_under_the_same_id_does_not_count() -> None:
    host, namespace, pid, start = this_worker().rsplit("/", 3)
    assert is_gone(f"{host}/{namespace}/{pid}/{int(start) + 1}")


def test_nothing_is_said_of_other_machines() -> None:
    host, namespace, pid, start = this_worker().rsplit("/", 3)
    assert not is_gone(f"elsewhere/{namespace}/{pid}/1")
    assert not is_gone(f"{host}/1/{pid}/1")
    assert not is_gone("celery@somewhere")
