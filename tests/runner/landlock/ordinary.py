"""Running a module of the tests as an ordinary user."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOM = Path(__file__).parents[3]
USER = 65000 + os.getpid() % 500
"""Its own for each process that runs tests: what that user leaves is removed."""


def output_of(
    module: str, *arguments: str, holding: str = "", within_s: float = 60, more: dict[str, str] | None = None
) -> str:
    """What it prints, run by an ordinary user: by another, where this one is root.

    `holding`: a capability that a root gives it, and all that it starts. `more`: of its environment.
    """
    become: list[str] = []
    if os.geteuid() == 0:
        become = ["/usr/bin/setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups"]
        become += [f"--inh-caps=+{holding}", f"--ambient-caps=+{holding}", "--"] if holding else ["--"]
    packages = next(path for path in sys.path if path.endswith("site-packages"))
    env = {"PYTHONPATH": f"{ROOM}:{packages}", "PATH": "/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(
            [*become, _find_python(), "-m", module, *arguments],
            cwd=ROOM,
            env=env | (more or {}),
            capture_output=True,
            text=True,
            check=False,
            timeout=within_s,
        )
    finally:
        for left in Path("/var/tmp").glob(f"pennant*-{USER}*"):
            shutil.rmtree(left)
    assert done.returncode == 0, done.stderr
    return done.stdout


def _find_python() -> str:
    """An interpreter of this version that everybody may run."""
    own = Path(os.path.realpath(sys.executable))
    for python in (own, Path(f"/usr/bin/{own.name}")):
        if os.geteuid() or python.exists() and all(folder.stat().st_mode & 1 for folder in (python, *python.parents)):
            return str(python)
    pytest.skip("no Python of this version that an ordinary user may run")
