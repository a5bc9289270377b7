"""Run the tests that a change concerns: `uv run python -m tests.tools.concerned [COMMIT] [-- PYTEST OPTIONS]`.

These are the tests of each folder or module that differs from a commit (by default the newest one), and those that look
at all of the code. The gate runs the rest.
"""

import subprocess
import sys
from pathlib import Path, PurePosixPath

import pytest

ROOT = Path(__file__).parents[2]
ALWAYS = ("tests/test_house.py", "tests/arena/test_layers.py", "tests/arena/test_reference.py")
ELSEWHERE = {
    "arena/settings.py": "tests/arena/core",
    "arena/core/locale": "tests/arena/pages/test_language.py",
    "arena/pages/static": "tests/arena/pages/test_weight.py",
    "bots": "tests/bots",
    "docs": "tests/arena/pages/test_manual.py",
    "docs/example-game": "docs/example-game",
    "docs/game-skeleton": "docs/game-skeleton",
    "engine": "tests/engine",
    "pyproject.toml": "tests/test_dependencies.py",
    "templates": "tests/arena/pages",
}
"""Tests that don't stand at the same place below `tests`."""


def list_changed(commit: str) -> list[str]:
    """Return the files that differ from the commit, new ones included."""
    commands = (["diff", "--name-only", commit], ["ls-files", "--others", "--exclude-standard"])
    listed = [subprocess.run(["git", *command], cwd=ROOT, capture_output=True, text=True) for command in commands]
    if any(one.returncode for one in listed):
        sys.exit(listed[0].stderr or listed[1].stderr)
    return [name for one in listed for name in one.stdout.splitlines()]


def find_tests(name: str) -> str | None:
    """Return where the tests of a file are: the nearest folder or module of tests that mirrors its path."""
    path = PurePosixPath(name)
    if path.parts[0] == "tests":
        is_test = path.name.startswith("test_") or path.name == "conftest.py"
        return str(path.parent if path.name == "conftest.py" else path) if is_test and (ROOT / path).exists() else None
    for place in (path, *path.parents):
        if str(place) in ELSEWHERE:
            return ELSEWHERE[str(place)]
        mirrored = PurePosixPath("tests", place)
        module = mirrored.with_name(f"test_{place.stem}.py")
        for found in (module, mirrored) if len(place.parts) > 1 else ():
            if (ROOT / found).exists():
                return str(found)
    return None


if __name__ == "__main__":
    arguments = sys.argv[1:]
    options = arguments[arguments.index("--") + 1 :] if "--" in arguments else []
    commit = next((one for one in arguments[:1] if one != "--"), "HEAD")
    paths = sorted({*ALWAYS, *filter(None, map(find_tests, list_changed(commit)))})
    print("Tests of:", *paths, flush=True)
    sys.exit(pytest.main([*paths, *options]))
