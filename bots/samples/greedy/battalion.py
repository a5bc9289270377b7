"""Makes the attack that promises most, counting a card it doesn't know as an average one; else builds its strength.

It looks at values only: not at what an attack lays open, nor at what the others may do next.
"""

import random

STRENGTH = {"A": 11, "K": 8, "Q": 10, "J": 1}
UNKNOWN = 6.5
"""What a card that one doesn't see is taken for."""
EMPEROR = 100


def choose(message):
    view, legal = message["view"], message["legal"]
    if view["decision"] == "deploy":
        return deploy(legal)
    if "pickup" in legal:
        return "pickup"
    fill = [action for action in legal if action.startswith("move") and action.endswith(" g")]
    if fill:
        return fill[0]
    table = Table(view, message["seat"])
    return max((action for action in legal if action.split()[0] in WORTH), key=lambda one: worth(one, table))


def deploy(legal):
    """Any of the examples with the strongest guard."""
    guards = [int(action.rpartition("=")[2]) for action in legal]
    return random.choice([action for action, guard in zip(legal, guards, strict=True) if guard == max(guards)])


class Table:
    """Where each card lies, and what is added to it. Cells are written as in an attack, `SEAT:CELL`."""

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
        printed = UNKNOWN if card == "?" else strength(card)
        return printed + self.bonus[int(cell[0])]


def strength(card):
    return STRENGTH.get(card) or int(card)


def worth(action, table):
    word, *rest = action.split()
    return WORTH[word](rest, table)


def attack(rest, table):
    """What falls by it, or what it loses, which is feared less from round to round without a death."""
    source, target = f"{table.seat}:{rest[0]}", rest[1]
    if table.cards[target] is None:
        return EMPEROR
    card, mine, theirs = table.cards[source], table.value(source), table.value(target)
    if card == "J":
        return 0
    if card == "K":
        return theirs - 9 + table.quiet
    if mine > theirs:
        return EMPEROR if target.endswith(":g") else theirs
    return mine - theirs - 1 + table.quiet


def reinforce(rest, table):
    return strength(rest[0]) / 4


WORTH = {"attack": attack, "reinforce": reinforce, "modify": lambda rest, table: 0.5, "pass": lambda rest, table: 0}
