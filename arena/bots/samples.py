"""The sample bots that the house enters, by game, the simplest first. One folder may serve several games.

They are what a ladder's scale hangs on: each plays as well on a slow machine as on a fast one, and costs little."""

from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "bots" / "samples"
SAMPLES = {
    "battleline": ("random", "brute", "greedy", "careful"),
    "battalion": ("random", "brute", "greedy", "general"),
}
