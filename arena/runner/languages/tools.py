"""Find the tools of languages on this machine."""

import os
import shutil
import subprocess

SYSTEM_PATH = "/usr/bin:/bin"
VISIBLE_FOLDERS = ("/usr/bin/", "/usr/lib")
"""Folders of this machine that all sandboxes show."""
OUTPUT_TIMEOUT_S = 20.0


def find_system_tool(name: str) -> str | None:
    """Return the real path of an installed program that sandboxes show; None for a shim."""
    found = shutil.which(name, path=SYSTEM_PATH)
    real = os.path.realpath(found) if found else ""
    return real if real.startswith(VISIBLE_FOLDERS) else None


def read_output(*argv: str) -> str | None:
    """Return what a tool prints about itself; None if it fails."""
    try:
        done = subprocess.run(
            argv, env={"PATH": SYSTEM_PATH}, capture_output=True, timeout=OUTPUT_TIMEOUT_S, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.decode(errors="replace").strip()
