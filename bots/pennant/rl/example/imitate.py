"""Train a network to play as a sample does, and write a bot that can be uploaded.

    python -m pennant.rl.example.imitate my-network

The network is told what the teacher would choose in each position of many plays, and learns to give that action the
highest output among the legal ones (cross-entropy, by Adam).
"""

import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import click
import numpy as np
import numpy.typing as npt
from rich.progress import track

from engine.games.battleline.encoding import Encoding
from engine.games.battleline.game import BattleLine
from engine.games.battleline.numbered import NumberedPlay
from pennant.local_bots import LocalBot
from pennant.rl.export import export_network

Floats = npt.NDArray[np.float32]
FILES = {"network_bot.py": "bot.py", "network.py": "network.py"}
"""By the name here, the name in the bot."""
FILES_WITH_NUMPY = {"network_bot.py": "bot.py", "numpy_network.py": "network.py"}
"""The same of a bot that uses numpy, which its requirements.txt names."""
SHARE_TO_TEST = 0.1
BATCH = 256
STEP = 0.002
MOMENTUM, SQUARES_MOMENTUM, TINY = 0.9, 0.999, 1e-8


@dataclass
class Lessons:
    """The positions of many plays, and the action that the teacher would choose in each."""

    seen: list[npt.NDArray[np.int8]] = field(default_factory=list)
    legal: list[list[int]] = field(default_factory=list)
    chosen: list[int] = field(default_factory=list)

    @property
    def actions(self) -> list[int]:
        """Return the numbers of all actions that were ever chosen: the network has an output for each."""
        return sorted(set(self.chosen))


def collect(
    lessons: Lessons,
    encoding: Encoding,
    edition: str,
    teacher: str,
    deals: range,
    choose: Callable[[NumberedPlay], int],
) -> None:
    """Add what a teacher would choose in plays of these deals, in which `choose` plays both sides."""
    game, samples = BattleLine(), (LocalBot(teacher), LocalBot(teacher))
    for number in track(deals, f"{teacher} teaches"):
        deal = game.deal(encoding.options, 2, Random(number))
        play = encoding.begin_play(game.start(encoding.options, 2, deal))
        for own_seat, sample in enumerate(samples):
            sample.begin(encoding.options, edition, own_seat, number)
        while (seat := play.state.to_act) is not None:
            action, _ = samples[seat].decide(play.state, seat)
            lessons.seen.append(np.frombuffer(play.encode(seat), np.int8))
            lessons.legal.append(play.legal)
            lessons.chosen.append(encoding.numbers[action])
            play.take(choose(play))


class Student:
    """A network with one hidden layer, and the state of Adam."""

    def __init__(self, inputs: int, hidden: int, actions: list[int], rng: np.random.Generator) -> None:
        """Begin with random weights."""
        self.columns = {action: column for column, action in enumerate(actions)}
        shapes = [(inputs, hidden), (hidden, len(actions))]
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

    def mark(self, legal: list[list[int]]) -> npt.NDArray[np.bool_]:
        """Return which outputs stand for legal actions, a row for each decision."""
        marked = np.zeros((len(legal), len(self.columns)), bool)
        for row, numbers in enumerate(legal):
            marked[row, [self.columns[number] for number in numbers if number in self.columns]] = True
        return marked

    def choose(self, play: NumberedPlay) -> int:
        """Return the number of the action that is rated highest, or the first legal one if it knows none."""
        marked = self.mark([play.legal])
        if play.state.to_act is None or not marked.any():
            return play.legal[0]
        seen = np.frombuffer(play.encode(play.state.to_act), np.int8).astype(np.float32)[None]
        return list(self.columns)[int(self.rate(seen, marked)[1].argmax())]

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
    seen, actions = np.array(lessons.seen), lessons.actions
    student = Student(seen.shape[1], hidden, actions, rng)
    legal = student.mark(lessons.legal)
    chosen = np.array([student.columns[action] for action in lessons.chosen])
    order = rng.permutation(len(chosen))
    tested, learnt = np.split(order, [int(len(order) * SHARE_TO_TEST)])
    for _ in track(range(epochs), "the network learns"):
        rng.shuffle(learnt)
        for rows in np.array_split(learnt, max(1, len(learnt) // BATCH)):
            student.learn(seen[rows].astype(np.float32), legal[rows], chosen[rows])
    _, chances = student.rate(seen[tested].astype(np.float32), legal[tested])
    return student, float((chances.argmax(axis=1) == chosen[tested]).mean())


def train(edition: str, teacher: str, plays: int, hidden: int, epochs: int, seed: int) -> tuple[Student, float]:
    """Return a network that was trained, and how often it chooses as the teacher where it was not trained.

    In the first half of the plays the teacher's actions are played, in the second half those of a network that learnt
    from the first: so it is told what to do in the positions into which it gets itself (DAgger, Ross et al. 2011).
    """
    rng, lessons, encoding = np.random.default_rng(seed), Lessons(), Encoding(BattleLine().options(edition))
    collect(lessons, encoding, edition, teacher, range(plays // 2), lambda play: lessons.chosen[-1])
    beginner, _ = teach(lessons, hidden, epochs, rng)
    collect(lessons, encoding, edition, teacher, range(plays // 2, plays), beginner.choose)
    return teach(lessons, hidden, epochs, rng)


def export(folder: Path, edition: str, student: Student, *, with_numpy: bool = False) -> None:
    """Write a bot that plays by this network, in pure Python or with numpy; both read the same file of weights."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, copy in (FILES_WITH_NUMPY if with_numpy else FILES).items():
        shutil.copy(Path(__file__).with_name(name), folder / copy)
    if with_numpy:
        (folder / "requirements.txt").write_text("numpy\n")
    first, first_bias, second, second_bias = student.weights
    layers = [(first, first_bias), (second, second_bias)]
    export_network(folder / "weights.bin", Encoding(BattleLine().options(edition)), layers, list(student.columns))


@click.command()
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.option("--teacher", default="greedy", show_default=True, help="The sample to learn from.")
@click.option("--edition", default="standard", show_default=True, help="Edition of Battle Line.")
@click.option("--plays", default=1000, show_default=True, help="Number of the teacher's plays.")
@click.option("--hidden", default=64, show_default=True, help="Size of the hidden layer.")
@click.option("--epochs", default=6, show_default=True, help="How often the network sees each decision.")
@click.option("--seed", default=1, show_default=True, help="Seed of the weights and of what is drawn at random.")
@click.option("--numpy", "with_numpy", is_flag=True, help="Write a bot that uses numpy, where an arena has it.")
def main(  # noqa: PLR0913
    folder: Path, teacher: str, edition: str, plays: int, hidden: int, epochs: int, seed: int, with_numpy: bool
) -> None:
    """Train a network to play as a sample does, and write it as a bot to FOLDER."""
    student, share = train(edition, teacher, plays, hidden, epochs, seed)
    export(folder, edition, student, with_numpy=with_numpy)
    weights = sum(part.size for part in student.weights)
    click.echo(f"{weights} weights; {share:.1%} of its choices are those of {teacher} where it wasn't trained")
    click.echo(f"{folder} is a bot: pennant play {folder} random --edition {edition}")


if __name__ == "__main__":
    main()
