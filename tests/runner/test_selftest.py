"""Remove each protection on purpose; the self-test must notice."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from arena.runner.sandbox import detection
from arena.runner.sandbox.base import NoSandboxError, Sandbox
from arena.runner.sandbox.bwrap import BwrapProcess, BwrapSandbox
from arena.runner.sandbox.detection import CHECKS, SHARED_FILES, Facts, find_unsandboxed, self_test
from arena.runner.sandbox.exec_bot import Job
from arena.runner.sandbox.landlock import READ_RIGHTS, LandlockSandbox
from engine.message import Message
from tests.runner.landlock import ordinary_user
from tests.runner.modified_bwrap import ALLOW_ALL_FILTER, Change, modify_bwrap
from tests.runner.sandboxes import find_bwrap, find_landlock

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give up being root")
MISSING_PROTECTIONS: dict[str, tuple[str, str]] = {
    "filter": ("drop('--seccomp', 1)", "system calls"),
    "filter of a compiler instead": ("seccomp('build')", "only threads"),
    "filter that allows all": ("seccomp('all')", "no network"),
    "network namespace": ("drop('--unshare-net')", "namespaces"),
    "IPC namespace": ("drop('--unshare-ipc')", "namespaces"),
    "name of its own": ("drop('--unshare-uts'); drop('--hostname', 1)", "namespaces"),
    "read-only root": ("drop('--remount-ro', 1)", "nothing to write to"),
    "read-only bind": ("add('--bind', '/tmp', '/tmp')", "nothing to write to"),
    "empty root": ("add('--ro-bind', '/etc', '/etc')", "empty root"),
    "root without /proc": ("add('--proc', '/proc')", "empty root"),
    "root without /dev": ("add('--dev', '/dev')", "empty root"),
    "root without folders of ours": ("add('--ro-bind', '/var/tmp', '/ours')", "empty root"),
    "process namespace": ("drop('--unshare-pid')", "start"),
    "capabilities given up": ("drop('--cap-drop', 1); add('--cap-add', 'CAP_NET_RAW')", "no capabilities"),
    "bound on memory": ("drop(start='--data=')", "memory and other limits"),
    "bound on files": ("drop(start='--fsize=')", "memory and other limits"),
    "bound on processor time": ("drop(start='--cpu=')", "memory and other limits"),
    "clean environment": ("drop('--clearenv'); os.environ['SECRET_KEY'] = 'x'", "nothing inherited"),
    "closed descriptors": ("os.set_inheritable(os.open('/', os.O_RDONLY), True)", "nothing inherited"),
}
"""By missing protection: the change of arguments, and a layer that must fail then."""


@pytest.fixture(scope="module")
def box() -> BwrapSandbox:
    try:
        return find_bwrap()
    except NoSandboxError as missing:
        pytest.skip(f"bwrap: {missing}")


@pytest.fixture
def changed(box: BwrapSandbox) -> Iterator[Change]:
    with modify_bwrap(box) as change:
        yield change


def failed(box: Sandbox) -> list[str]:
    return [layer.name for layer in self_test(box) if layer.is_needed and not layer.holds]


def test_all_layers_hold_where_nothing_is_taken_away(changed: Change) -> None:
    layers = self_test(changed("pass"))
    assert [layer for layer in layers if not layer.holds] == []
    assert [layer.name for layer in layers] == ["start", *CHECKS["A"], SHARED_FILES, "end"]


@pytest.mark.parametrize("protection", MISSING_PROTECTIONS)
def test_a_missing_protection_is_noticed(changed: Change, protection: str) -> None:
    edit, layer = MISSING_PROTECTIONS[protection]
    assert layer in failed(changed(edit))


@as_root
def test_a_bot_that_is_root_outside_is_noticed(box: BwrapSandbox) -> None:
    assert "not root" in failed(replace(box, setpriv=None))


@as_root
def test_a_bot_among_the_users_of_this_machine_is_noticed(changed: Change) -> None:
    edit = "drop('--unshare-user'); drop('--uid', 1); drop('--gid', 1)"
    assert {"namespaces", "not root"} <= set(failed(replace(changed(edit), setpriv=None)))


def test_a_bot_that_runs_on_after_its_answer_is_noticed(box: BwrapSandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(BwrapProcess, "stops_between_answers", False)
    assert failed(box) == ["frozen between requests"]


def test_a_bot_that_lives_on_after_its_match_is_noticed() -> None:
    assert not detection._check_end(os.getpid()).holds


def test_nothing_holds_without_a_sandbox() -> None:
    open_ = set(failed(replace(find_unsandboxed(), level="A")))
    assert open_ >= {"namespaces", "empty root", "nothing to write to", "system calls", "only threads", "no network"}
    assert open_ >= {"no capabilities", "memory and other limits", "frozen between requests"}
    assert "start" not in open_


def examined(*words: str) -> dict[str, Any]:
    """Return the report of another process, which is started by this command."""
    done = subprocess.run(
        [*words[:-1], sys.executable, "-m", "tests.runner.examine_sandboxes", "bwrap", words[-1]],
        cwd=ordinary_user.PROJECT_ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    report = json.loads(done.stdout)
    assert report["level"] == "A", report["hint"]
    return report | {layer["name"]: str(Message.from_json(layer["what"])) for layer in report["layers"]}


@as_root
def test_the_capability_to_trace_is_not_needed(box: BwrapSandbox) -> None:
    found = examined("/usr/bin/setpriv", "--bounding-set=-sys_ptrace", "--", "alone")
    assert "can't be checked from here: ipc" in found["namespaces"]


def test_a_control_group_of_all_bots_is_reported(box: BwrapSandbox) -> None:
    found = examined("grouped")
    if not found["grouped"]:
        pytest.skip("no control group can be made here")
    assert "a control group limits" in found["memory and other limits"]


@pytest.fixture
def landlock() -> LandlockSandbox:
    try:
        found = find_landlock()
    except NoSandboxError as missing:
        pytest.skip(f"landlock: {missing}")
    if found.level != "C":
        pytest.skip("only root can give bots users of their own")
    return found


def without_filter(job: Job) -> None:
    job.filter = ALLOW_ALL_FILTER


def without_user(job: Job) -> None:
    job.user = None


def without_landlock(job: Job) -> None:
    job.rules = [*job.rules, ("/etc", READ_RIGHTS)]


def without_bound(job: Job) -> None:
    del job.limits["data"]


def with_a_secret(job: Job) -> None:
    job.environment |= {"SECRET_KEY": "x"}


MISSING_RESTRICTIONS: dict[Callable[[Job], None], str] = {
    without_filter: "system calls",
    without_user: "start",
    without_landlock: "Landlock",
    without_bound: "memory and other limits",
    with_a_secret: "nothing inherited",
}


@pytest.mark.parametrize("edit", MISSING_RESTRICTIONS)
def test_a_missing_restriction_of_landlock_is_noticed(
    landlock: LandlockSandbox, monkeypatch: pytest.MonkeyPatch, edit: Callable[[Job], None]
) -> None:
    whole = LandlockSandbox._build_job

    def partial(*words: object) -> Job:
        job = whole(*words)
        edit(job)
        return job

    assert failed(landlock) == []
    monkeypatch.setattr(LandlockSandbox, "_build_job", partial)
    assert MISSING_RESTRICTIONS[edit] in failed(landlock)


@pytest.mark.parametrize(
    ("users", "groups", "own"),
    [
        ("60100\t60100\t60100\t60100", "60100", True),
        (f"{os.geteuid()}\t" * 4, "60100", False),
        ("60100\t60100\t0\t60100", "60100", False),
        ("60100\t60100\t60100\t60100", "60100 0", False),
    ],
)
def test_a_user_is_a_bots_own_in_all_its_names(users: str, groups: str, own: bool) -> None:
    facts = Facts({}, {"Uid": users, "Groups": groups}, [], [], [], [], frozenset(), frozenset(), {}, False)
    holds, what = CHECKS["C"]["own user"](facts)
    assert holds is own, what
