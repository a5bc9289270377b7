"""The sample bots that the house enters, by game, the simplest first. One folder may serve several games."""

from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "bots" / "samples"
SAMPLES = {
    "battleline": ("random", "greedy", "careful"),
    "battalion": ("random", "greedy", "general"),
}
