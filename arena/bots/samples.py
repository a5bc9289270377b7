"""The sample bots of the house by game, the simplest first. One folder may serve several games.

They anchor the scale of the ladders: each plays as well on a slow machine as on a fast one, and costs little.
"""

from pathlib import Path

SAMPLES_FOLDER = Path(__file__).resolve().parents[2] / "bots" / "samples"
SAMPLE_NAMES_BY_GAME = {
    "battleline": ("random", "brute", "greedy", "careful"),
    "battalion": ("random", "brute", "greedy", "general"),
}
SAMPLES_OF_OTHER_GAMES = ("random",)
"""It plays any game."""


def list_samples(game: str) -> tuple[str, ...]:
    """Return the names of the samples that play a game, the simplest first."""
    return SAMPLE_NAMES_BY_GAME.get(game, SAMPLES_OF_OTHER_GAMES)
