"""The sample bots of the house by game, the simplest first. One folder may serve several games.

Most of them anchor the scale of the ladders: each of these plays as well on a slow machine as on a fast one, and costs
little.
"""

from collections.abc import Mapping
from pathlib import Path

from django.conf import settings

from arena.runner.data_files import SAMPLES_FOLDER
from arena.runner.program import read_program
from engine.registry import PACKAGES

STRONGEST_SAMPLE = "marshal"
SAMPLE_NAMES_BY_GAME = {
    "battleline": ("random", "brute", "greedy", "careful", STRONGEST_SAMPLE),
    "battalion": ("random", "brute", "greedy", "general"),
}
SAMPLES_OF_OTHER_GAMES = ("random",)
"""It plays any game."""
EDITIONS_OF_STRONGEST_SAMPLE = frozenset({"standard", "advanced", "medieval"})
"""Editions on whose ladders it plays: those in which it was measured to be the strongest sample (`bots/README.md`)."""
LEVEL_NUMBERS_BY_NAME = {f"{STRONGEST_SAMPLE}-{number}": number for number in range(1, 5)}
"""Weaker levels of the strongest sample, to be played against by people; the sample itself is the fifth."""
LEVEL_ELO_BELOW_STRONGEST = dict(zip(LEVEL_NUMBERS_BY_NAME, (1035.0, 670.0, 185.0, 75.0), strict=True))
"""How much weaker the levels are in `standard`: the sum of each one's difference to the next (`bots/README.md`).

The intervals of the differences are some 60 Elo to each side at the upper levels, and twice as wide at the lower ones.
"""
LEVEL_FILE = "level"
"""File that tells the sample its level."""


def list_samples(game: str) -> tuple[str, ...]:
    """Return the names of the samples that play a game, the simplest first."""
    own = tuple(SAMPLE_NAMES_BY_GAME.get(game, SAMPLES_OF_OTHER_GAMES))
    return own + tuple(sorted(folder.parent.name for folder in list_package_samples(game)))


def list_anchors(game: str) -> tuple[str, ...]:
    """Return the names of the samples that fix the scale of the ladders, the simplest first.

    The strongest one is left out: it becomes another bot with every training of the value function.
    """
    return tuple(name for name in list_samples(game) if name != STRONGEST_SAMPLE)


def list_levels(game: str) -> tuple[str, ...]:
    """Return the names of the bots that play a game with people alone, and on no ladder."""
    return tuple(LEVEL_NUMBERS_BY_NAME) if STRONGEST_SAMPLE in list_samples(game) else ()


def is_on_ladder(name: str, edition: str) -> bool:
    """Return whether a sample plays on the ladders of an edition, as this arena is set up."""
    return name != STRONGEST_SAMPLE or (settings.MARSHAL_ON_LADDERS and edition in EDITIONS_OF_STRONGEST_SAMPLE)


def list_package_samples(game: str) -> list[Path]:
    """Return the bots in the package of a game from outside the tree."""
    return list(PACKAGES[game].folder.glob("samples/*/bot.py")) if game in PACKAGES else []


def find_sample_folder(game: str, name: str) -> Path:
    """Return the folder of a sample that plays a game."""
    own = (path.parent for path in list_package_samples(game) if path.parent.name == name)
    return next(own, SAMPLES_FOLDER / name)


def read_sample_files(game: str, name: str) -> Mapping[str, bytes]:
    """Return the files of a sample or of a level by path. Raises BadProgramError and OSError."""
    level = LEVEL_NUMBERS_BY_NAME.get(name)
    if level is None:
        return read_program(find_sample_folder(game, name)).files
    return {**read_program(find_sample_folder(game, STRONGEST_SAMPLE)).files, LEVEL_FILE: str(level).encode()}
