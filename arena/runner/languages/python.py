"""Python: the system's, or a copy of the one that runs the arena. Bots import the kit and the engine."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

from arena.runner.languages.base import BOT, KIT, Language, Run, Toolchain, Tree
from arena.runner.languages.tools import answer_of, system_tool

ENTRY = "bot.py"
OLDEST = (3, 11)
INSIDE = "/python"
"""Where a bot sees an interpreter that doesn't lie in /usr/bin."""
OPTIONS = ("-s", "-S", "-B", "-X", "utf8")
ENVIRONMENT = {
    "PYTHONPATH": KIT,
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONHASHSEED": "0",
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
}
CANARY = b"""\
import sys

for line in sys.stdin:
    print('{"type":"ready"}', flush=True)
"""


def interpreters() -> Iterator[Toolchain]:
    """Those that may serve, the best first: never a shim, never one of a virtual environment."""
    system = system_tool("python3")
    version = system and answer_of(system, "-I", "-S", "-c", "import platform; print(platform.python_version())")
    if system and version and _new_enough(version):
        yield Toolchain(version, Run((system, *OPTIONS, f"{BOT}/{ENTRY}"), ENVIRONMENT))
    own = Path(os.path.realpath(sys.base_prefix))
    name = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    if own != Path("/usr") and (own / "bin" / name).is_file():
        tree = Tree(str(own), INSIDE, (f"bin/{name}", f"lib/{name}", "lib/libpython*.so*"))
        environment = ENVIRONMENT | {"LD_LIBRARY_PATH": f"{INSIDE}/lib"}
        run = Run((f"{INSIDE}/bin/{name}", *OPTIONS, f"{BOT}/{ENTRY}"), environment, (tree,))
        yield Toolchain(".".join(map(str, sys.version_info[:3])), run)


def find() -> Toolchain | None:
    """Return the best interpreter of this machine."""
    return next(interpreters(), None)


def _new_enough(version: str) -> bool:
    return tuple(int(part) for part in version.split(".")[:2]) >= OLDEST


PYTHON = Language(
    key="python",
    title="Python",
    entry=ENTRY,
    canary={ENTRY: CANARY},
    find=find,
    advice=f"Python {'.'.join(map(str, OLDEST))} or later: apt install python3",
)
