"""Run bubblewrap with changed arguments, to take a protection away."""

import os
import shutil
import struct
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from arena.runner.sandbox.bwrap import BwrapSandbox
from arena.runner.sandbox.seccomp import build_filter

Change = Callable[[str], BwrapSandbox]
ALLOW_ALL_FILTER = struct.pack("=HBBI", 6, 0, 0, 0x7FFF0000)
"""A filter that allows every call."""
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


@contextmanager
def modify_bwrap(box: BwrapSandbox) -> Iterator[Change]:
    """Yield a function that returns the sandbox with a wrapper that edits bubblewrap's arguments."""
    folder = Path(tempfile.mkdtemp(prefix="pennant-changed-", dir="/var/tmp"))
    folder.chmod(0o755)
    (folder / "build").write_bytes(build_filter("build", os.uname().machine))
    (folder / "all").write_bytes(ALLOW_ALL_FILTER)
    for name in ("build", "all"):
        (folder / name).chmod(0o644)

    def change(edit: str) -> BwrapSandbox:
        program = folder / "bwrap"
        program.write_text(WRAPPER.replace("BWRAP", repr(box.bwrap)).replace("EDIT", edit))
        program.chmod(0o755)
        return replace(box, bwrap=str(program))

    try:
        yield change
    finally:
        shutil.rmtree(folder)
