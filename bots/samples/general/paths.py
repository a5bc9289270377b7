"""Find paths through formations: which cards stand in the way of an attack."""

from functools import lru_cache

from engine.games.battalion.geometry import build_shape


class Side:
    """One seat's part of the table. Cells are numbered front to back, left to right, as in the view."""

    def __init__(self, player):
        self.seat = player["seat"]
        self.out = player["out"]
        cells = [cell for row in player["rows"] for cell in row]
        self.rows = tuple(tuple(cell["x"] for cell in row) for row in player["rows"])
        self.names = [cell["cell"] for cell in cells]
        self.cards = [cell["card"] for cell in cells]
        self.guard = player["guard"] and player["guard"]["card"]
        self.hand = player.get("hand", [])
        self.wounded, self.dead = player["wounded"], player["dead"]
        self.modification = player["modification"]
        self.passed, self.cover = count_cards_passed(self.rows, occupied_mask(self.cards))

    @property
    def bonus(self):
        return self.modification or 0


def occupied_mask(cards):
    mask = 0
    for number, card in enumerate(cards):
        if card is not None:
            mask |= 1 << number
    return mask


@lru_cache(maxsize=100_000)
def count_cards_passed(rows, mask):
    """Return the number of cards to pass over from the front to each cell, and to the guard."""
    if not rows or not rows[0]:
        return (), 0
    shape = build_shape(rows)
    passed = [None] * len(shape.cells)
    reached, beyond, count = list(shape.front), [], 0
    while reached or beyond:
        if not reached:
            reached, beyond, count = beyond, [], count + 1
            continue
        cell = reached.pop()
        if passed[cell] is not None:
            continue
        passed[cell] = count
        (beyond if mask >> cell & 1 else reached).extend(shape.neighbours[cell])
    return tuple(passed), min(passed[cell] + (mask >> cell & 1) for cell in shape.back)


@lru_cache(maxsize=100_000)
def list_entrances(rows, mask):
    """Return the empty cells that a card from the hand can reach."""
    shape = build_shape(rows)
    reached, found = list(shape.back), set()
    while reached:
        cell = reached.pop()
        if cell not in found and not mask >> cell & 1:
            found.add(cell)
            reached.extend(shape.neighbours[cell])
    return tuple(sorted(found))
