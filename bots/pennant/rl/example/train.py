"""Train the policy of this folder in the Gymnasium environment, and write a bot that can be uploaded.

    python -m pennant.rl.example.train my-bot

The policy chooses among the legal actions by a softmax of their weighted features. After each play the weights move
towards what was chosen if it was won, and away from it if it was lost (REINFORCE, Williams 1992), with Adam's steps.
"""

import json
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click
import numpy as np
import numpy.typing as npt
from rich.progress import track

from pennant.rl.example.policy import FEATURES, choose, list_features
from pennant.rl.single_agent import BattleLineEnv
from pennant.selfplay import play_games

Floats = npt.NDArray[np.float64]
FILES = ("bot.py", "policy.py")
BASELINE_LEARNING_RATE = 0.05
"""How fast the expected reward follows the rewards."""
STEP = 0.05
MOMENTUM, SQUARES_MOMENTUM = 0.9, 0.99
TINY = 1e-8


@dataclass
class Learner:
    """The weights, and what the next step of Adam needs to know."""

    weights: Floats = field(default_factory=lambda: np.zeros(len(FEATURES)))
    mean: Floats = field(default_factory=lambda: np.zeros(len(FEATURES)))
    squares: Floats = field(default_factory=lambda: np.zeros(len(FEATURES)))
    baseline: float = 0.0
    steps: int = 0

    def learn(self, gradient: Floats, reward: float) -> None:
        """Move the weights after a play with this reward; `gradient` is that of the log likelihood of its choices."""
        direction = gradient * (reward - self.baseline)
        self.baseline += BASELINE_LEARNING_RATE * (reward - self.baseline)
        self.steps += 1
        self.mean = MOMENTUM * self.mean + (1 - MOMENTUM) * direction
        self.squares = SQUARES_MOMENTUM * self.squares + (1 - SQUARES_MOMENTUM) * direction**2
        mean = self.mean / (1 - MOMENTUM**self.steps)
        squares = self.squares / (1 - SQUARES_MOMENTUM**self.steps)
        self.weights = self.weights + STEP * mean / (np.sqrt(squares) + TINY)

    @property
    def named_weights(self) -> dict[str, float]:
        """Return the weights by the names of their features."""
        return dict(zip(FEATURES, self.weights.round(4).tolist(), strict=True))


def build_table(names: list[str], view: dict[str, Any], seat: int) -> Floats:
    """Return the features of these actions, a row each."""
    table = np.zeros((len(names), len(FEATURES)))
    for row, name in enumerate(names):
        for feature, worth in list_features(name, view, seat).items():
            table[row, FEATURES.index(feature)] = worth
    return table


def play_one(env: BattleLineEnv, learner: Learner, rng: np.random.Generator) -> None:
    """Play once by the present weights, and learn from it."""
    _, info = env.reset()
    gradient, reward, is_over = np.zeros(len(FEATURES)), 0.0, False
    names = env.table.encoding.names
    while not is_over:
        table = build_table([names[number] for number in info["legal"]], info["view"], env.seat)
        ratings = table @ learner.weights
        chances = np.exp(ratings - ratings.max())
        chances /= chances.sum()
        chosen = rng.choice(len(chances), p=chances)
        gradient += table[chosen] - chances @ table
        _, reward, is_over, _, info = env.step(info["legal"][chosen])
    learner.learn(gradient, reward)


def train(plays: int, edition: str, opponent: str, seed: int) -> Learner:
    """Return what was learnt in so many plays."""
    env, learner, rng = BattleLineEnv(edition, opponent), Learner(), np.random.default_rng(seed)
    env.reset(seed=seed)
    for _ in track(range(plays), "training"):
        play_one(env, learner, rng)
    return learner


def measure_share(weights: dict[str, float], edition: str, deals: int) -> tuple[float, float, float]:
    """Return the share of points against a random player over mirrored deals, with its 95 % interval."""
    rng = np.random.default_rng(0)

    def play_learnt(view: dict[str, Any], legal: list[str]) -> str:
        return str(choose(legal, view, view["to_move"], weights))

    def play_at_random(view: dict[str, Any], legal: list[str]) -> str:
        return legal[int(rng.integers(len(legal)))]

    results = play_games([play_learnt, play_at_random], deals, edition=edition, seed="measured", progress=False)
    share = results.share(0)
    return share.value, share.low, share.high


def export(folder: Path, weights: dict[str, float]) -> None:
    """Write a bot that plays by these weights."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in FILES:
        shutil.copy(Path(__file__).with_name(name), folder / name)
    (folder / "weights.json").write_text(json.dumps(weights, indent=2) + "\n")


@click.command()
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.option("--plays", default=1500, show_default=True, help="Number of plays to learn from.")
@click.option("--edition", default="standard", show_default=True, help="Edition of Battle Line.")
@click.option("--opponent", default="random", show_default=True, help="The sample to learn against.")
@click.option("--seed", default=1, show_default=True, help="Seed of deals and choices.")
def main(folder: Path, plays: int, edition: str, opponent: str, seed: int) -> None:
    """Train a policy, and write it as a bot to FOLDER."""
    weights = train(plays, edition, opponent, seed).named_weights
    export(folder, weights)
    for name, weight in weights.items():
        click.echo(f"{weight:8.2f}  {name}")
    share, low, high = measure_share(weights, edition, 100)
    click.echo(f"{share:.1%} of the points against random ({low:.1%} to {high:.1%})")


if __name__ == "__main__":
    main()
