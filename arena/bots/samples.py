"""The sample bots of the house by game, the simplest first. One folder may serve several games.

They anchor the scale of the ladders: each plays as well on a slow machine as on a fast one, and costs little.
"""

from pathlib import Path

from arena.runner.data_files import SAMPLES_FOLDER
from engine.registry import PACKAGES

SAMPLE_NAMES_BY_GAME = {
    "battleline": ("random", "brute", "greedy", "careful"),
    "battalion": ("random", "brute", "greedy", "general"),
}
SAMPLES_OF_OTHER_GAMES = ("random",)
"""It plays any game."""


def list_samples(game: str) -> tuple[str, ...]:
    """Return the names of the samples that play a game, the simplest first."""
    own = tuple(SAMPLE_NAMES_BY_GAME.get(game, SAMPLES_OF_OTHER_GAMES))
    return own + tuple(sorted(folder.parent.name for folder in list_package_samples(game)))


def list_package_samples(game: str) -> list[Path]:
    """Return the bots in the package of a game from outside the tree."""
    return list(PACKAGES[game].folder.glob("samples/*/bot.py")) if game in PACKAGES else []


def find_sample_folder(game: str, name: str) -> Path:
    """Return the folder of a sample that plays a game."""
    own = (path.parent for path in list_package_samples(game) if path.parent.name == name)
    return next(own, SAMPLES_FOLDER / name)
