"""Load games from outside the tree: the packages that the environment variable PENNANT_GAMES names.

A package has a module or package `rules` whose GAME is the game. Beside it there may be `pages.py`, `templates/`,
`samples/` and `locale/` for the site (see `docs/adding-a-game.md`).
"""

import importlib
import importlib.util
import os
import sys
import traceback
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from engine.core import Game

VARIABLE = "PENNANT_GAMES"
"""Names of packages, separated by commas: of a module, as `goofspiel`, or of its folder, as `games/goofspiel`."""


class BadGamePackage(ImportError):
    """There is no such package, or it has no game. The message says which, and what to do."""


@dataclass(frozen=True, slots=True)
class GamePackage:
    """A package with a game."""

    name: str
    """The name under which it is imported."""
    folder: Path
    game: Game

    @property
    def rule_files(self) -> dict[str, Path]:
        """Return the files of the rules by their paths below the package's parent: all of it that bots see."""
        rules = sorted((self.folder / "rules").rglob("*.py")) or [self.folder / "rules.py"]
        files = (self.folder / "__init__.py", *rules)
        return {path.relative_to(self.folder.parent).as_posix(): path for path in files}


def list_packages(names: str) -> tuple[GamePackage, ...]:
    """Return the packages that a value of PENNANT_GAMES names. Raises BadGamePackage."""
    try:
        packages = tuple(load_package(name.strip()) for name in names.split(",") if name.strip())
    except BadGamePackage as error:
        raise BadGamePackage(f"{VARIABLE}: {error}") from error
    keys = [package.game.key for package in packages]
    for key in keys:
        if keys.count(key) > 1:
            raise BadGamePackage(f"{VARIABLE}: the game {key} is there twice")
    return packages


def load_package(name: str) -> GamePackage:
    """Return the package of this module name or folder, which may begin with `~`. Raises BadGamePackage."""
    folder = Path(os.path.expanduser(name))
    module = add_to_path(folder.resolve()) if os.sep in name or (folder / "__init__.py").is_file() else name
    try:
        rules = importlib.import_module(f"{module}.rules")
    except Exception as error:
        raise BadGamePackage(f"{name} can't be imported: {describe_error(error)}") from error
    game = getattr(rules, "GAME", None)
    if not isinstance(game, Game):
        raise BadGamePackage(f"{name} has no GAME in its rules; it should be a Game of engine.core")
    package = importlib.import_module(module)
    assert package.__file__ is not None
    return GamePackage(module, Path(package.__file__).resolve().parent, game)


def add_to_path(folder: Path) -> str:
    """Let the package in this folder be imported, and return its name. Raises BadGamePackage."""
    if not (folder / "__init__.py").is_file():
        raise BadGamePackage(f"{folder} is no package: there is no __init__.py")
    if str(folder.parent) not in sys.path:
        sys.path.append(str(folder.parent))
    found = importlib.util.find_spec(folder.name)
    if found is None or found.origin is None or Path(found.origin).resolve().parent != folder:
        raise BadGamePackage(f"another package is called {folder.name}, too: rename the folder {folder}")
    return folder.name


def describe_error(error: Exception) -> str:
    """Return an exception of a package in one line, with the file and line where it was raised."""
    if isinstance(error, SyntaxError):
        return f"{type(error).__name__}: {error.msg} ({error.filename}, line {error.lineno})"
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if is_own_code(frame.filename)]
    where = f" ({frames[-1].filename}, line {frames[-1].lineno})" if frames else ""
    return f"{type(error).__name__}: {error}{where}"


def is_own_code(filename: str) -> bool:
    """Return whether a file of a traceback is neither this one nor a part of Python's import system."""
    return filename not in (__file__, importlib.__file__) and not filename.startswith("<frozen")


def write_variable(packages: Mapping[str, GamePackage]) -> str:
    """Return the value of PENNANT_GAMES with which a process in another folder loads the same packages."""
    return ",".join(str(package.folder) for package in packages.values())
