"""Load games from outside the tree: the packages that the environment variable PENNANT_GAMES names.

A package has a module or package `rules` whose GAME is the game. Beside it there may be `pages.py`, `templates/`,
`samples/` and `locale/` for the site (see `docs/adding-a-game.md`).
"""

import importlib
import importlib.util
import os
import sys
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
    packages = tuple(load_package(name.strip()) for name in names.split(",") if name.strip())
    keys = [package.game.key for package in packages]
    for key in keys:
        if keys.count(key) > 1:
            raise BadGamePackage(f"{VARIABLE}: the game {key} is there twice")
    return packages


def load_package(name: str) -> GamePackage:
    """Return the package of this module name or folder. Raises BadGamePackage."""
    module = add_to_path(Path(name).resolve()) if os.sep in name or Path(name, "__init__.py").is_file() else name
    try:
        rules = importlib.import_module(f"{module}.rules")
    except ImportError as error:
        raise BadGamePackage(f"{VARIABLE}: {name} can't be imported: {error}") from error
    game = getattr(rules, "GAME", None)
    if not isinstance(game, Game):
        raise BadGamePackage(f"{VARIABLE}: {name} has no GAME in its rules; it should be a Game of engine.core")
    package = importlib.import_module(module)
    assert package.__file__ is not None
    return GamePackage(module, Path(package.__file__).resolve().parent, game)


def add_to_path(folder: Path) -> str:
    """Let the package in this folder be imported, and return its name. Raises BadGamePackage."""
    if not (folder / "__init__.py").is_file():
        raise BadGamePackage(f"{VARIABLE}: {folder} is no package: there is no __init__.py")
    if str(folder.parent) not in sys.path:
        sys.path.append(str(folder.parent))
    found = importlib.util.find_spec(folder.name)
    if found is None or found.origin is None or Path(found.origin).resolve().parent != folder:
        raise BadGamePackage(f"{VARIABLE}: another package is called {folder.name}, too: rename the folder {folder}")
    return folder.name


def write_variable(packages: Mapping[str, GamePackage]) -> str:
    """Return the value of PENNANT_GAMES with which a process in another folder loads the same packages."""
    return ",".join(str(package.folder) for package in packages.values())
