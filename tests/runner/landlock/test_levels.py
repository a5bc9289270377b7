"""What a fence holds back at both of its levels, on this kernel and on the oldest that has Landlock."""

import json
import os
from typing import Any

import pytest

from arena.runner.sandbox import find_unsandboxed
from arena.runner.sandbox.landlock import kernel_abi
from arena.runner.sandbox.slots import FIRST_SLOT_USER_ID, MAX_SLOTS
from tests.runner.landlock import asking, ordinary

OLDEST = 1


@pytest.fixture(scope="module", params=[f"{level}{abi}" for level in "CD" for abi in (OLDEST, kernel_abi())])
def found(request: pytest.FixtureRequest) -> dict[str, Any]:
    level, abi = request.param[0], int(request.param[1:])
    if level == "D":
        return dict(json.loads(ordinary.output_of("tests.runner.landlock.asking", str(abi), "filtered")), level=level)
    if os.geteuid() != 0:
        pytest.skip("only root can give bots users of their own")
    return asking.attempted(asking.fence(abi)) | {"level": level}


def test_nothing_that_a_bot_may_not_do_succeeds(found: dict[str, Any]) -> None:
    assert {name: came for name, came in found["told"].items() if came == "done"} == {}


def test_what_it_needs_is_there(found: dict[str, Any]) -> None:
    assert found["thread"] == found["kit"] == "done"


def test_its_process_has_neither_rights_nor_a_way_to_get_any(found: dict[str, Any]) -> None:
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


def test_where_nothing_holds_it_back_every_attempt_succeeds() -> None:
    told = asking.attempted(find_unsandboxed())["told"]
    assert {name: came for name, came in told.items() if came != "done"} == {}


def test_landlock_alone_keeps_files_out_of_reach_and_what_newer_ones_can() -> None:
    told = json.loads(ordinary.output_of("tests.runner.landlock.asking", str(kernel_abi()), "unfiltered"))["told"]
    walls = {1: ("read ", "make a ", "write", "rename", "remove"), 3: ("truncate",), 4: ("connect",), 6: ("signal",)}
    mine = tuple(name for since, names in walls.items() if since <= kernel_abi() for name in names)
    apart = {"make a file in memory"} | ({"connect by name"} if kernel_abi() < 6 else set())
    through = {name for name, came in told.items() if came == "done"}
    assert {name for name in through if name.startswith(mine)} <= apart
    assert {"start a process", "share memory", "spy on a clock"} <= through, "the filter was there after all"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a capability away")
def test_a_capability_that_would_be_handed_on_is_not() -> None:
    given = json.loads(ordinary.output_of("tests.runner.landlock.asking", str(OLDEST), "filtered", holding="kill"))
    assert {int(given["status"][name], 16) for name in ("CapInh", "CapPrm", "CapEff", "CapAmb")} == {0}


def test_a_level_without_a_user_for_each_bot_proves_itself() -> None:
    layers = json.loads(ordinary.output_of("tests.runner.landlock.proving"))
    assert [layer for layer in layers if not layer["holds"]] == []
    assert len(layers) > 5
