"""Looking for a language's tools on this machine."""

import os
import shutil
import subprocess

SYSTEM_PATH = "/usr/bin:/bin"
SHOWN = ("/usr/bin/", "/usr/lib")
"""What every sandbox shows of this machine."""
ANSWER_S = 20.0


def system_tool(name: str) -> str | None:
    """Return the real path of an installed program: never a shim, never one that sandboxes don't show."""
    found = shutil.which(name, path=SYSTEM_PATH)
    real = os.path.realpath(found) if found else ""
    return real if real.startswith(SHOWN) else None


def answer_of(*argv: str) -> str | None:
    """Return what a tool prints about itself; None where it doesn't work."""
    try:
        done = subprocess.run(argv, env={"PATH": SYSTEM_PATH}, capture_output=True, timeout=ANSWER_S, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.decode(errors="replace").strip()
