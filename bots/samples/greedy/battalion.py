"""Makes the attack that promises most, counting a card it doesn't know as an average one; else builds its strength.

It looks at values only: not at what an attack lays open, nor at what the others may do next.
"""

DEPLOY = "deploy 0=A,2=10,4=9,6=8/1=Q,3=7,5=6/0=K,2=J,4=4,6=3 guard=5"
STRENGTH = {"A": 11, "K": 8, "Q": 10, "J": 1}
UNKNOWN = 6.5
"""What a card that one doesn't see is taken for."""
EMPEROR = 100


def choose(message):
    view, legal = message["view"], message["legal"]
    if view["decision"] == "deploy":
        return DEPLOY
    if "pickup" in legal:
        return "pickup"
    fill = [action for action in legal if action.startswith("move") and action.endswith(" g")]
    if fill:
        return fill[0]
    table = Table(view, message["seat"])
    return max((action for action in legal if action.split()[0] in WORTH), key=lambda one: worth(one, table))


class Table:
    """Where each card lies, and what is added to it. Cells are written as in an attack, `SEAT:CELL`."""

    def __init__(self, view, seat):
        self.seat = seat
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
    """What falls, less what is lost: half a card where the other one is higher, nothing much where it is lower."""
    source, target = f"{table.seat}:{rest[0]}", rest[1]
    card = table.cards[source]
    if table.cards[target] is None:
        return EMPEROR
    mine, theirs = table.value(source), table.value(target)
    if card == "J":
        return 0
    if card == "K":
        return theirs - 9
    if mine > theirs:
        return EMPEROR if target.endswith(":g") else theirs
    return mine - theirs - 1


def reinforce(rest, table):
    return strength(rest[0]) / 4


WORTH = {"attack": attack, "reinforce": reinforce, "modify": lambda rest, table: 0.5, "pass": lambda rest, table: 0}
