"""How to begin: a strong guard, something to be lost in front, what is to strike behind it. Never twice the same."""

import random

SHAPES = (
    ((0, 2), (0, 2), (0, 2)),
    ((0, 2), (1,), (0, 2)),
    ((1, 3), (0, 2, 4), (0, 2, 4)),
    ((2,), (1, 3), (0, 2, 4)),
    ((0, 2, 4), (0, 2, 4), (0, 2, 4)),
)
GUARDS = ("10", "10", "9")
LIKED = (("8", "6", "4", "5"), ("A", "Q", "K"), ("9", "10", "7", "2"))
"""By row, front to back, the cards that do well there, best first."""


def deploy():
    rows, guard = random.choice(SHAPES), random.choice(GUARDS)
    taken = {guard}
    layout = "/".join(",".join(fill(row, liked, taken)) for row, liked in zip(rows, LIKED, strict=True))
    return f"deploy {layout} guard={guard}"


def fill(row, liked, taken):
    """The cells of a row with the first cards that are still there, in any order."""
    cards = [card for card in liked if card not in taken][: len(row)]
    taken.update(cards)
    return [f"{x}={card}" for x, card in zip(row, random.sample(cards, len(cards)), strict=True)]
