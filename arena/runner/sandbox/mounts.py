"""A program of a language as a sandbox starts it: its words, its environment, and what it may read."""

import re
from collections.abc import Mapping, Sequence

from arena.runner.languages.base import Run, Tree
from arena.runner.limits import Limits
from arena.runner.sandbox.base import SandboxError

ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}
"""What every program finds in its environment, before what its language adds."""
SYSTEM_FOLDERS = tuple(top + folder for top in ("/usr/", "/") for folder in ("bin", "lib", "lib64", "lib32"))
"""What every program may read, as far as it is there."""
MEMORY = "{memory_mb}"


def command(run: Run, limits: Limits) -> list[str]:
    """Return the command of a program, with the memory limit where its runtime needs it."""
    return [word.replace(MEMORY, str(limits.memory_mb)) for word in run.argv]


def known(languages: Mapping[str, object], key: str) -> None:
    """Check that a language runs here. Raises SandboxError."""
    if key not in languages:
        raise SandboxError(f"programs in {key} can't be run on this machine")


def here(text: str, places: Mapping[str, str]) -> str:
    """Return a text with the folders a bot sees replaced by those of this machine: `places` is host by inside."""
    if not places:
        return text
    names = "|".join(re.escape(inside) for inside in sorted(places, key=len, reverse=True))
    return re.sub(rf"(?<![\w./-])({names})(?![\w.-])", lambda found: places[found[0]], text)


def tree_places(trees: Sequence[Tree]) -> dict[str, str]:
    """Return where trees lie on this machine, by where a bot sees them."""
    return {tree.inside: tree.host for tree in trees}
