"""Run a module of the tests as an ordinary user."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT_ROOT = Path(__file__).parents[3]
USER = 65000 + os.getpid() % 500
"""A user for each process that runs tests, whose files are removed."""


def run_as_ordinary_user(
    module: str, *arguments: str, holding: str = "", within_s: float = 60, more: dict[str, str] | None = None
) -> str:
    """Return the output of a module, run by an ordinary user: another one, if this is root.

    `holding` is a capability that the process gets from root, `more` are environment variables.
    """
    become: list[str] = []
    if os.geteuid() == 0:
        become = ["/usr/bin/setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups"]
        become += [f"--inh-caps=+{holding}", f"--ambient-caps=+{holding}", "--"] if holding else ["--"]
    packages = next(path for path in sys.path if path.endswith("site-packages"))
    env = {"PYTHONPATH": f"{PROJECT_ROOT}:{packages}", "PATH": "/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(
            [*become, find_python(), "-m", module, *arguments],
            cwd=PROJECT_ROOT,
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


def find_python() -> str:
    """Return an interpreter of this version that all users may run."""
    own = Path(os.path.realpath(sys.executable))
    for python in (own, Path(f"/usr/bin/{own.name}")):
        if os.geteuid() or python.exists() and all(folder.stat().st_mode & 1 for folder in (python, *python.parents)):
            return str(python)
    pytest.skip("no Python of this version that an ordinary user may run")
