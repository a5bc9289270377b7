"""Landlock's restrictions at both of its levels, on this kernel and on the oldest that has Landlock."""

import json
import os
from typing import Any

import pytest

from arena.runner.sandbox.detection import find_unsandboxed
from arena.runner.sandbox.landlock import FIRST_SLOT_USER_ID, MAX_SLOTS, kernel_abi
from tests.runner.landlock import attempt_runner, ordinary_user

OLDEST = 1


@pytest.fixture(scope="module", params=[f"{level}{abi}" for level in "CD" for abi in (OLDEST, kernel_abi())])
def found(request: pytest.FixtureRequest) -> dict[str, Any]:
    level, abi = request.param[0], int(request.param[1:])
    if level == "D":
        return dict(
            json.loads(
                ordinary_user.run_as_ordinary_user("tests.runner.landlock.attempt_runner", str(abi), "filtered")
            ),
            level=level,
        )
    if os.geteuid() != 0:
        pytest.skip("only root can give bots users of their own")
    return attempt_runner.run_attempts(attempt_runner.landlock_sandbox(abi)) | {"level": level}


def test_nothing_that_a_bot_may_not_do_succeeds(found: dict[str, Any]) -> None:
    assert {name: came for name, came in found["told"].items() if came == "done"} == {}


def test_what_it_needs_is_there(found: dict[str, Any]) -> None:
    assert found["thread"] == found["kit"] == "done"


def test_its_process_has_no_privileges_and_can_gain_none(found: dict[str, Any]) -> None:
    status = found["status"]
    assert [status[name] for name in ("NoNewPrivs", "Seccomp", "Seccomp_filters")] == ["1", "2", "1"]
    assert {int(status[name], 16) for name in ("CapInh", "CapPrm", "CapEff", "CapAmb")} == {0}
    assert int(status["SigBlk"], 16) == 0


def test_its_user_is_its_own_where_that_can_be(found: dict[str, Any]) -> None:
    users, groups = set(found["status"]["Uid"].split()), set(found["status"]["Gid"].split())
    (user,) = users
    if found["level"] == "C":
        assert groups == users and FIRST_SLOT_USER_ID <= int(user) < FIRST_SLOT_USER_ID + MAX_SLOTS
        assert found["status"]["Groups"].strip() == ""
    else:
        assert user != "0"


def test_without_a_sandbox_every_attempt_succeeds() -> None:
    told = attempt_runner.run_attempts(find_unsandboxed())["told"]
    assert {name: came for name, came in told.items() if came != "done"} == {}


def test_landlock_alone_keeps_files_out_of_reach_and_what_newer_ones_can() -> None:
    told = json.loads(
        ordinary_user.run_as_ordinary_user("tests.runner.landlock.attempt_runner", str(kernel_abi()), "unfiltered")
    )["told"]
    restricted = {
        1: ("read ", "make a ", "write", "rename", "remove"),
        3: ("truncate",),
        4: ("connect",),
        6: ("signal",),
    }
    mine = tuple(name for since, names in restricted.items() if since <= kernel_abi() for name in names)
    apart = {"make a file in memory"} | ({"connect by name"} if kernel_abi() < 6 else set())
    through = {name for name, came in told.items() if came == "done"}
    assert {name for name in through if name.startswith(mine)} <= apart
    assert {"start a process", "share memory", "spy on a clock"} <= through, "the filter was installed"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a capability away")
def test_capabilities_are_not_inherited() -> None:
    given = json.loads(
        ordinary_user.run_as_ordinary_user(
            "tests.runner.landlock.attempt_runner", str(OLDEST), "filtered", holding="kill"
        )
    )
    assert {int(given["status"][name], 16) for name in ("CapInh", "CapPrm", "CapEff", "CapAmb")} == {0}


def test_level_d_passes_its_self_test() -> None:
    layers = json.loads(ordinary_user.run_as_ordinary_user("tests.runner.landlock.print_self_test"))
    assert [layer for layer in layers if layer["is_needed"] and not layer["holds"]] == []
    assert len(layers) > 5
