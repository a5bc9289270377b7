"""Train a network to play as a sample does, and write a bot that can be uploaded.

    python -m pennant.rl.example.imitate my-network

The network is told what the teacher chose in each position of many plays, and learns to give that action the highest
output among the legal ones (cross-entropy, by Adam). Now and then a play goes on with any other action, so that it also
sees positions into which the teacher never gets.
"""

import shutil
from dataclasses import dataclass
from pathlib import Path
from random import Random

import click
import numpy as np
import numpy.typing as npt
from rich.progress import track

from engine.games.battleline.encoding import Encoding
from engine.games.battleline.game import BattleLine
from pennant.local_bots import LocalBot
from pennant.rl.export import export_network

Floats = npt.NDArray[np.float32]
FILES = {"network_bot.py": "bot.py", "network.py": "network.py"}
"""By the name here, the name in the bot."""
SHARE_AT_RANDOM = 0.1
SHARE_TO_TEST = 0.1
BATCH = 256
STEP = 0.002
MOMENTUM, SQUARES_MOMENTUM, TINY = 0.9, 0.999, 1e-8


@dataclass(frozen=True)
class Lessons:
    """What the teacher saw and chose, a row for each decision."""

    seen: Floats
    legal: npt.NDArray[np.bool_]
    """Which of `actions` were legal."""
    chosen: npt.NDArray[np.int64]
    """Which of `actions` was chosen."""
    actions: list[int]
    """The numbers of all actions that were ever chosen."""


def collect(encoding: Encoding, edition: str, teacher: str, plays: int, rng: np.random.Generator) -> Lessons:
    """Return the decisions of a teacher that plays against itself."""
    game, samples = BattleLine(), (LocalBot(teacher), LocalBot(teacher))
    seen, legal, chosen = [], [], []
    for number in track(range(plays), f"{teacher} plays"):
        deal = game.deal(encoding.options, 2, Random(number))
        play = encoding.begin_play(game.start(encoding.options, 2, deal))
        for own_seat, sample in enumerate(samples):
            sample.begin(encoding.options, edition, own_seat, number)
        while (seat := play.state.to_act) is not None:
            action, _ = samples[seat].decide(play.state, seat)
            seen.append(np.frombuffer(play.encode(seat), np.int8))
            legal.append(play.legal)
            chosen.append(encoding.numbers[action])
            play.take(chosen[-1] if rng.random() > SHARE_AT_RANDOM else int(rng.choice(play.legal)))
    actions = sorted(set(chosen))
    columns = {action: column for column, action in enumerate(actions)}
    allowed = np.zeros((len(legal), len(actions)), bool)
    for row, numbers in enumerate(legal):
        allowed[row, [columns[number] for number in numbers if number in columns]] = True
    return Lessons(np.array(seen, np.float32), allowed, np.array([columns[number] for number in chosen]), actions)


class Student:
    """A network with one hidden layer, and the state of Adam."""

    def __init__(self, inputs: int, hidden: int, actions: int, rng: np.random.Generator) -> None:
        """Begin with random weights."""
        shapes = [(inputs, hidden), (hidden, actions)]
        self.weights: list[Floats] = []
        for shape in shapes:
            first = rng.normal(0, np.sqrt(2 / shape[0]), shape)
            self.weights += [first.astype(np.float32), np.zeros(shape[1], np.float32)]
        self.means = [np.zeros_like(part) for part in self.weights]
        self.squares = [np.zeros_like(part) for part in self.weights]
        self.steps = 0

    def rate(self, seen: Floats, legal: npt.NDArray[np.bool_]) -> tuple[Floats, Floats]:
        """Return the hidden values and the chance of each action, for each row."""
        first, first_bias, second, second_bias = self.weights
        hidden = np.maximum(seen @ first + first_bias, 0)
        outputs = np.where(legal, hidden @ second + second_bias, -np.inf)
        chances = np.exp(outputs - outputs.max(axis=1, keepdims=True))
        return hidden, chances / chances.sum(axis=1, keepdims=True)

    def learn(self, seen: Floats, legal: npt.NDArray[np.bool_], chosen: npt.NDArray[np.int64]) -> None:
        """Move the weights towards what was chosen in these rows."""
        hidden, wrong = self.rate(seen, legal)
        wrong[np.arange(len(chosen)), chosen] -= 1
        wrong /= len(chosen)
        back = wrong @ self.weights[2].T * (hidden > 0)
        gradients = [seen.T @ back, back.sum(axis=0), hidden.T @ wrong, wrong.sum(axis=0)]
        self.steps += 1
        for part, gradient, mean, squares in zip(self.weights, gradients, self.means, self.squares, strict=True):
            mean += (1 - MOMENTUM) * (gradient - mean)
            squares += (1 - SQUARES_MOMENTUM) * (gradient**2 - squares)
            scale = np.sqrt(1 - SQUARES_MOMENTUM**self.steps) / (1 - MOMENTUM**self.steps)
            part -= (STEP * scale * mean / (np.sqrt(squares) + TINY)).astype(np.float32)


def teach(lessons: Lessons, hidden: int, epochs: int, rng: np.random.Generator) -> tuple[Student, float]:
    """Return a network that was trained, and how often it chooses as the teacher where it was not trained."""
    student = Student(lessons.seen.shape[1], hidden, len(lessons.actions), rng)
    order = rng.permutation(len(lessons.chosen))
    tested, learnt = np.split(order, [int(len(order) * SHARE_TO_TEST)])
    for _ in track(range(epochs), "the network learns"):
        rng.shuffle(learnt)
        for rows in np.array_split(learnt, max(1, len(learnt) // BATCH)):
            student.learn(lessons.seen[rows], lessons.legal[rows], lessons.chosen[rows])
    _, chances = student.rate(lessons.seen[tested], lessons.legal[tested])
    return student, float((chances.argmax(axis=1) == lessons.chosen[tested]).mean())


def export(folder: Path, encoding: Encoding, student: Student, actions: list[int]) -> None:
    """Write a bot that plays by this network."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, copy in FILES.items():
        shutil.copy(Path(__file__).with_name(name), folder / copy)
    first, first_bias, second, second_bias = student.weights
    export_network(folder / "weights.bin", encoding, [(first, first_bias), (second, second_bias)], actions)


@click.command()
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.option("--teacher", default="greedy", show_default=True, help="The sample to learn from.")
@click.option("--edition", default="standard", show_default=True, help="Edition of Battle Line.")
@click.option("--plays", default=2000, show_default=True, help="Number of the teacher's plays.")
@click.option("--hidden", default=64, show_default=True, help="Size of the hidden layer.")
@click.option("--epochs", default=12, show_default=True, help="How often the network sees each decision.")
@click.option("--seed", default=1, show_default=True, help="Seed of the weights and of what is drawn at random.")
def main(folder: Path, teacher: str, edition: str, plays: int, hidden: int, epochs: int, seed: int) -> None:  # noqa: PLR0913
    """Train a network to play as a sample does, and write it as a bot to FOLDER."""
    rng, encoding = np.random.default_rng(seed), Encoding(BattleLine().options(edition))
    lessons = collect(encoding, edition, teacher, plays, rng)
    student, share = teach(lessons, hidden, epochs, rng)
    export(folder, encoding, student, lessons.actions)
    weights = sum(part.size for part in student.weights)
    click.echo(f"{len(lessons.chosen)} decisions, {weights} weights, {share:.1%} as {teacher} where it wasn't trained")
    click.echo(f"{folder} is a bot: pennant play {folder} random --edition {edition}")


if __name__ == "__main__":
    main()
