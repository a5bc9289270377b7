"""Choose the game of a command: the one asked for, or the one that the named samples play."""

import tomllib
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import click

from arena.cli.bot_paths import list_samples
from arena.runner.data_files import SAMPLES_FOLDER
from arena.runner.program import BadProgramError
from engine.registry import GAMES, PACKAGES, find_game

DEFAULT_GAME = "battleline"
GAMES_FILE = "games.toml"

game_option = click.option(
    "--game", help=f"The game to play. [default: the one that the named samples play, else {DEFAULT_GAME}]"
)
"""The option of commands that play."""


def choose_game(bots: Iterable[str], wanted: str | None) -> str:
    """Return the key of the game to play. Raise UnknownGame, or BadProgramError if a sample doesn't play it."""
    played = {bot: games for bot in dict.fromkeys(bots) if (games := list_sample_games(bot)) is not None}
    if wanted is None:
        shared = [key for key in GAMES if all(key in games for games in played.values())]
        if not shared:
            listed = "; ".join(f"{bot} plays {' and '.join(games)}" for bot, games in played.items())
            raise BadProgramError(f"These samples have no game in common: {listed}")
        return DEFAULT_GAME if DEFAULT_GAME in shared else shared[0]
    game = find_game(wanted).key
    for bot, games in played.items():
        if game not in games:
            raise BadProgramError(f"The sample {bot} plays {' and '.join(games)}, not {game}")
    return game


def list_sample_games(bot: str) -> tuple[str, ...] | None:
    """Return the keys of the games that a bot plays if it names such a sample; None if it may play any."""
    if Path(bot).exists() or (folder := list_samples().get(bot)) is None:
        return None
    package = next((key for key, package in PACKAGES.items() if folder.is_relative_to(package.folder)), None)
    return (package,) if package else _read_games_by_sample().get(bot)


@cache
def _read_games_by_sample() -> dict[str, tuple[str, ...]]:
    stored = tomllib.loads((SAMPLES_FOLDER / GAMES_FILE).read_text())
    return {name: tuple(games) for name, games in stored.items()}
