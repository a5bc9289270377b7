"""The process that plays matches reaches neither the network nor the worker's memory that started it."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arena.matches.runner_process import PACKAGE_ROOT, RunnerProcess
from arena.runner.sandbox.own_process import MEMORY_LAYER, NETWORK_LAYER, claim_core, pin_to_free_core
from tests.runner.landlock.ordinary_user import run_as_ordinary_user

MODULE = "tests.runner.attack_separation"
REFUSED = "PermissionError"
NOT_ALLOWED = "program.separate = lambda: 'Operation not permitted'"


def attack_as_user(*preparation: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run_as_ordinary_user(MODULE, *preparation))
    return found


def test_network_sockets_and_memory_of_the_worker_are_out_of_reach() -> None:
    found = attack_as_user()
    if not found["layers"][NETWORK_LAYER]:
        pytest.skip("an ordinary user may not create user namespaces here")
    assert found["port"] == "ConnectionRefusedError"
    for what in ("abstract socket", "socket in a file", "environment", "memory", "namespace"):
        assert found[what] == REFUSED, what
    assert found["layers"] == {NETWORK_LAYER: True, MEMORY_LAYER: True}


def test_where_it_is_not_allowed_all_that_is_in_reach_and_the_report_says_so() -> None:
    found = attack_as_user(NOT_ALLOWED)
    assert found.pop("layers") == {NETWORK_LAYER: False, MEMORY_LAYER: found["environment"] == REFUSED}
    assert [found[what] for what in ("port", "abstract socket", "socket in a file")] == ["reached"] * 3


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can start a worker as root")
def test_a_worker_that_runs_as_root_shares_no_network_and_says_what_it_shares() -> None:
    done = subprocess.run([sys.executable, "-m", MODULE], cwd=PACKAGE_ROOT, capture_output=True, check=True, timeout=60)
    found = json.loads(done.stdout)
    if not found["layers"][NETWORK_LAYER]:
        pytest.skip("root may not create network namespaces here")
    assert (found["port"], found["socket in a file"]) == ("ConnectionRefusedError", REFUSED)
    assert found["layers"] == {NETWORK_LAYER: True, MEMORY_LAYER: False}


def test_the_report_of_a_worker_has_both_layers_and_the_level_is_as_good_as_without(runner: RunnerProcess) -> None:
    layers = {layer["name"]: layer for layer in runner.report()["layers"]}
    assert layers[NETWORK_LAYER]["holds"] and layers[MEMORY_LAYER]["holds"] == (os.geteuid() != 0)
    assert not layers[NETWORK_LAYER]["is_needed"] and runner.report()["level"] == "A"


# Processes of one machine that play matches don't share a core while another one is free.

ROOT = Path(__file__).resolve().parents[2]
CLAIM = """
import sys
from pathlib import Path
from arena.runner.sandbox.own_process import claim_core
print(claim_core([3, 5], Path(sys.argv[1])), flush=True)
input()
"""


def start_other(folder: Path) -> tuple[subprocess.Popen[str], int]:
    """Start another process that claims core 3 or 5, and return it with its core."""
    command = [sys.executable, "-c", CLAIM, str(folder)]
    process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    return process, int(process.stdout.readline())


def test_processes_that_begin_at_the_same_core_get_different_ones_until_none_is_left(tmp_path: Path) -> None:
    assert [claim_core([3, 5], tmp_path) for _ in range(5)] == [3, 5, 3, 5, 3]
    assert claim_core([5, 3], tmp_path) == 5


def test_the_core_of_a_killed_process_is_free(tmp_path: Path) -> None:
    first, its_core = start_other(tmp_path)
    with first:
        second, core_beside = start_other(tmp_path)
        with second:
            assert (its_core, core_beside) == (3, 5)
            first.kill()
            first.wait()
            assert claim_core([5, 3], tmp_path) == 3
            second.kill()


def test_programs_that_it_starts_do_not_hold_its_claim(tmp_path: Path) -> None:
    claim_core([3], tmp_path)
    held = subprocess.run(["ls", "-l", "/proc/self/fd"], capture_output=True, text=True, close_fds=False).stdout
    assert "/proc/" in held and "core-3-0" not in held


@pytest.mark.parametrize("make_unusable", [Path.touch, lambda folder: folder.symlink_to("/")], ids=["file", "link"])
def test_without_a_folder_of_ones_own_the_first_core_is_taken(
    tmp_path: Path, make_unusable: Callable[[Path], None]
) -> None:
    make_unusable(tmp_path / f"pennant-cores-{os.geteuid()}")
    assert [claim_core([3, 5], tmp_path) for _ in range(2)] == [3, 3]


def test_a_process_is_kept_on_the_core_it_claims(tmp_path: Path) -> None:
    usable = os.sched_getaffinity(0)
    try:
        core = pin_to_free_core(len(usable), tmp_path)
        assert core == min(usable) and os.sched_getaffinity(0) == {core}
    finally:
        os.sched_setaffinity(0, usable)
