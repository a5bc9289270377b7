"""Run programs in Python with the system's interpreter, or a copy of the one that runs the arena."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

from arena.runner.languages.base import BOT, KIT, Language, Run, Toolchain, Tree
from arena.runner.languages.tools import find_system_tool, read_output
from engine.message import gettext_noop, message
from engine.packages import VARIABLE
from engine.registry import PACKAGES

ENTRY = "bot.py"
MIN_VERSION = (3, 11)
INSIDE_FOLDER = "/python"
"""Folder in which a bot sees an interpreter from outside /usr/bin."""
INTERPRETER_OPTIONS = ("-s", "-S", "-B", "-X", "utf8")
ENVIRONMENT = {
    "PYTHONPATH": KIT,
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONHASHSEED": "0",
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
}
if PACKAGES:
    ENVIRONMENT[VARIABLE] = ",".join(package.name for package in PACKAGES.values())
CANARY_SOURCE = b"""\
import sys

for line in sys.stdin:
    print('{"type":"ready"}', flush=True)
"""


def list_interpreters() -> Iterator[Toolchain]:
    """Yield the usable interpreters, the best first. Shims and virtual environments are left out."""
    system = find_system_tool("python3")
    version = system and read_output(system, "-I", "-S", "-c", "import platform; print(platform.python_version())")
    if system and version and _new_enough(version):
        library = f"lib/python{'.'.join(version.split('.')[:2])}"
        parts = Tree("/usr", "/usr", (os.path.relpath(system, "/usr"), library))
        yield Toolchain(version, Run((system, *INTERPRETER_OPTIONS, f"{BOT}/{ENTRY}"), ENVIRONMENT, system=(parts,)))
    own = Path(os.path.realpath(sys.base_prefix))
    name = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    if own != Path("/usr") and (own / "bin" / name).is_file():
        tree = Tree(str(own), INSIDE_FOLDER, (f"bin/{name}", f"lib/{name}", "lib/libpython*.so*"))
        environment = ENVIRONMENT | {"LD_LIBRARY_PATH": f"{INSIDE_FOLDER}/lib"}
        run = Run((f"{INSIDE_FOLDER}/bin/{name}", *INTERPRETER_OPTIONS, f"{BOT}/{ENTRY}"), environment, (tree,))
        yield Toolchain(".".join(map(str, sys.version_info[:3])), run)


def find() -> Toolchain | None:
    """Return the best interpreter of this machine."""
    return next(list_interpreters(), None)


def _new_enough(version: str) -> bool:
    return tuple(int(part) for part in version.split(".")[:2]) >= MIN_VERSION


PYTHON = Language(
    key="python",
    title="Python",
    entry=ENTRY,
    canary={ENTRY: CANARY_SOURCE},
    find=find,
    advice=message(
        gettext_noop("Python %(version)s or later: apt install python3"), version=".".join(map(str, MIN_VERSION))
    ),
)
