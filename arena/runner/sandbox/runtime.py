"""The Python that bots run on, as it is seen from inside a sandbox."""

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

OLDEST = (3, 11)
SYSTEM = "/usr/bin/python3"
MOUNT = "/python"


@dataclass(frozen=True, slots=True)
class Runtime:
    """An interpreter: where it is here, and where in the sandbox."""

    host: str
    """Path of the real interpreter on this machine: never a shim, never one of a virtual environment."""
    inside: str
    tree: str | None = None
    """Folder bound at `/python`; None where the interpreter lies in /usr/bin, which is always there."""


def runtimes() -> Iterator[Runtime]:
    """Interpreters that may serve, the best first."""
    real = os.path.realpath(SYSTEM)
    if real.startswith("/usr/bin/") and _new_enough(real):
        yield Runtime(real, real)
    tree = Path(os.path.realpath(sys.base_prefix))
    interpreter = tree / "bin" / f"python{sys.version_info[0]}.{sys.version_info[1]}"
    if tree != Path("/usr") and interpreter.is_file():
        yield Runtime(
            str(interpreter),
            f"{MOUNT}/bin/{interpreter.name}",
            str(tree),
        )


def _new_enough(python: str) -> bool:
    ask = "import sys; print(*sys.version_info[:2])"
    try:
        done = subprocess.run(
            [python, "-I", "-S", "-c", ask],
            capture_output=True,
            timeout=20,
            check=False,
        )
        return tuple(int(part) for part in done.stdout.split()) >= OLDEST
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return False
