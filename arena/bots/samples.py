"""The sample bots of the house by game, the simplest first. One folder may serve several games.

They anchor the scale of the ladders: each plays as well on a slow machine as on a fast one, and costs little.
"""

from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "bots" / "samples"
SAMPLES = {
    "battleline": ("random", "brute", "greedy", "careful"),
    "battalion": ("random", "brute", "greedy", "general"),
}
