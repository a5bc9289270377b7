"""The process that plays matches reaches neither the network nor the memory of the worker that started it."""

import json
import os
import subprocess
import sys
from typing import Any

import pytest

from arena.matches.runner_process import PACKAGE_ROOT, RunnerProcess
from arena.runner.separation import MEMORY_LAYER, NETWORK_LAYER
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
