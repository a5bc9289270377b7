"""Build the command and the paths of a program as a sandbox runs it."""

import re
from collections.abc import Mapping, Sequence

from arena.runner.languages.base import Run, Tree
from arena.runner.limits import Limits
from arena.runner.sandbox.base import SandboxError

ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}
"""Environment of all programs, without what the language adds."""
SYSTEM_FOLDERS = tuple(top + folder for top in ("/usr/", "/") for folder in ("bin", "lib", "lib64", "lib32"))
"""Folders that all programs may read, if they exist."""
MEMORY_PLACEHOLDER = "{memory_mb}"


def build_run_command(run: Run, limits: Limits) -> list[str]:
    """Return the command of a program, with the memory limit where its runtime needs it."""
    return [word.replace(MEMORY_PLACEHOLDER, str(limits.memory_mb)) for word in run.argv]


def check_language(languages: Mapping[str, object], key: str) -> None:
    """Check that a language runs here. Raises SandboxError."""
    if key not in languages:
        raise SandboxError(f"programs in {key} can't be run on this machine")


def translate_paths(text: str, places: Mapping[str, str]) -> str:
    """Return a text with the folders that a bot sees replaced by those of this machine.

    `places` are the folders of this machine by those that a bot of level A sees.
    """
    if not places:
        return text
    names = "|".join(re.escape(inside) for inside in sorted(places, key=len, reverse=True))
    return re.sub(rf"(?<![\w./-])({names})(?![\w.-])", lambda found: places[found[0]], text)


def map_trees(trees: Sequence[Tree]) -> dict[str, str]:
    """Return the folders of trees on this machine, by the paths that a bot sees."""
    return {tree.inside: tree.host for tree in trees}
