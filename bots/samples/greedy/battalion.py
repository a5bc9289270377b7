"""Choose the attack with the best expected result, with unknown cards counted as average; else reinforce.

It ignores which cards an attack exposes, and what its opponents may do next.
"""

import random

STRENGTH = {"A": 11, "K": 8, "Q": 10, "J": 1}
UNKNOWN_CARD_VALUE = 6.5
"""Assumed value of a hidden card."""
EMPEROR_WORTH = 100


def choose(message):
    view, legal = message["view"], message["legal"]
    if view["decision"] == "deploy":
        return deploy(legal)
    if "pickup" in legal:
        return "pickup"
    fill = [action for action in legal if action.startswith("move") and action.endswith(" g")]
    if fill:
        return fill[0]
    cells = Cells(view, message["seat"])
    return max((action for action in legal if action.split()[0] in WORTH), key=lambda one: worth(one, cells))


def deploy(legal):
    """Return one of the examples with the strongest guard."""
    guards = [int(action.rpartition("=")[2]) for action in legal]
    return random.choice([action for action, guard in zip(legal, guards, strict=True) if guard == max(guards)])


class Cells:
    """The cards and modifications of all cells, which are named as in an attack, `SEAT:CELL`."""

    def __init__(self, view, seat):
        self.seat, self.quiet = seat, view["quiet"]
        self.cards, self.bonus = {}, {}
        for player in view["seats"]:
            name = player["seat"]
            self.bonus[name] = player["modification"] or 0
            for cell in (cell for row in player["rows"] for cell in row):
                self.cards[f"{name}:{cell['cell']}"] = cell["card"]
            if player["guard"]:
                self.cards[f"{name}:g"] = player["guard"]["card"]

    def value(self, cell):
        card = self.cards[cell]
        printed = UNKNOWN_CARD_VALUE if card == "?" else strength(card)
        return printed + self.bonus[int(cell[0])]


def strength(card):
    return STRENGTH.get(card) or int(card)


def worth(action, cells):
    word, *rest = action.split()
    return WORTH[word](rest, cells)


def attack(rest, cells):
    """Return the worth of an attack. Losses count less with each round without a death."""
    source, target = f"{cells.seat}:{rest[0]}", rest[1]
    if cells.cards[target] is None:
        return EMPEROR_WORTH
    card, mine, theirs = cells.cards[source], cells.value(source), cells.value(target)
    if card == "J":
        return 0
    if card == "K":
        return theirs - 9 + cells.quiet
    if mine > theirs:
        return EMPEROR_WORTH if target.endswith(":g") else theirs
    return mine - theirs - 1 + cells.quiet


def reinforce(rest, cells):
    return strength(rest[0]) / 4


WORTH = {"attack": attack, "reinforce": reinforce, "modify": lambda rest, cells: 0.5, "pass": lambda rest, cells: 0}
