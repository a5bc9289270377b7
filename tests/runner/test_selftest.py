"""Each wall is taken away on purpose, and the self-test must notice: by the real bubblewrap, the real kernel."""

import os
import shutil
import stat
import struct
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from arena.runner.sandbox import NoSandbox, fence, find_bare, find_bwrap, find_fence
from arena.runner.sandbox.bwrap import BwrapSandbox
from arena.runner.sandbox.fence import FenceSandbox
from arena.runner.sandbox.inside import BwrapProcess
from arena.runner.sandbox.launch import Job
from arena.runner.sandbox.layers import CHECKS, Facts
from arena.runner.sandbox.seccomp import filter_bytes
from arena.runner.sandbox.selftest import self_test
from tests.runner.processes import descendants, survivors

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give up being root")
EVERYTHING = struct.pack("=HBBI", 6, 0, 0, 0x7FFF0000)
"""A filter that lets every call through."""
WITHOUT: dict[str, tuple[str, str]] = {
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
    "capabilities given up": ("drop('--cap-drop', 1); add('--cap-add', 'CAP_NET_RAW')", "no capability"),
    "bound on memory": ("drop(start='--data=')", "memory and other bounds"),
    "bound on files": ("drop(start='--fsize=')", "memory and other bounds"),
    "bound on processor time": ("drop(start='--cpu=')", "memory and other bounds"),
    "clean environment": ("drop('--clearenv'); os.environ['SECRET_KEY'] = 'x'", "nothing inherited"),
    "closed descriptors": ("os.set_inheritable(os.open('/', os.O_RDONLY), True)", "nothing inherited"),
}
"""By what is taken away, how, and a layer that must not hold then."""
WRAPPER = """\
#!/usr/bin/python3 -IS
import os, sys

def drop(word=None, values=0, start=None):
    found = [i for i, other in enumerate(argv) if other == word or start and other.startswith(start)]
    for i in found[:1]:
        del argv[i : i + 1 + values]

def add(*words):
    here = argv.index("--chdir")  # after all else is in place
    argv[here:here] = words

def seccomp(name):
    fd = os.open(os.path.join(os.path.dirname(sys.argv[0]), name), os.O_RDONLY)
    os.set_inheritable(fd, True)
    argv[argv.index("--seccomp") + 1] = str(fd)

argv = [BWRAP, *sys.argv[1:]]
EDIT
os.execv(argv[0], argv)
"""


@pytest.fixture(scope="module")
def box() -> BwrapSandbox:
    try:
        return find_bwrap()
    except NoSandbox as missing:
        pytest.skip(f"bwrap: {missing}")


@pytest.fixture
def changed(box: BwrapSandbox) -> Iterator[Callable[[str], BwrapSandbox]]:
    """The same sandbox with a program before bubblewrap that changes what bubblewrap is told."""
    folder = Path(tempfile.mkdtemp(prefix="pennant-changed-", dir="/var/tmp"))
    folder.chmod(0o755)
    (folder / "build").write_bytes(filter_bytes("build", os.uname().machine))
    (folder / "all").write_bytes(EVERYTHING)

    def change(edit: str) -> BwrapSandbox:
        program = folder / "bwrap"
        program.write_text(WRAPPER.replace("BWRAP", repr(box.bwrap)).replace("EDIT", edit))
        program.chmod(0o755)
        return replace(box, bwrap=str(program))

    yield change
    shutil.rmtree(folder)


def failed(box: Any) -> list[str]:
    return [layer.name for layer in self_test(box) if not layer.holds]


def test_all_layers_hold_where_nothing_is_taken_away(box: BwrapSandbox, changed: Callable[[str], BwrapSandbox]) -> None:
    layers = self_test(changed("pass"))
    assert [layer for layer in layers if not layer.holds] == []
    assert [layer.name for layer in layers] == ["start", *CHECKS["A"], "end"]


@pytest.mark.parametrize("wall", WITHOUT)
def test_a_wall_that_is_missing_is_noticed(changed: Callable[[str], BwrapSandbox], wall: str) -> None:
    edit, layer = WITHOUT[wall]
    assert layer in failed(changed(edit))
