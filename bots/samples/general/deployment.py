"""Choose a random deployment: a strong guard, weak cards in front and strong attackers behind them."""

import random

SHAPES = (
    ((0, 2), (0, 2), (0, 2)),
    ((0, 2), (1,), (0, 2)),
    ((1, 3), (0, 2, 4), (0, 2, 4)),
    ((2,), (1, 3), (0, 2, 4)),
    ((0, 2, 4), (0, 2, 4), (0, 2, 4)),
)
GUARDS = ("10", "10", "9")
PREFERRED_CARDS = (("8", "6", "4", "5"), ("A", "Q", "K"), ("9", "10", "7", "2"))
"""Preferred cards of each row, front to back, the best first."""


def choose_deployment():
    rows, guard = random.choice(SHAPES), random.choice(GUARDS)
    taken = {guard}
    layout = "/".join(
        ",".join(fill_row(row, preferred, taken)) for row, preferred in zip(rows, PREFERRED_CARDS, strict=True)
    )
    return f"deploy {layout} guard={guard}"


def fill_row(row, preferred, taken):
    """Return the cells of a row with the best cards left, in random order."""
    cards = [card for card in preferred if card not in taken][: len(row)]
    taken.update(cards)
    return [f"{x}={card}" for x, card in zip(row, random.sample(cards, len(cards)), strict=True)]
