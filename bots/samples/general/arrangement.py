"""The bot's own cards in their cells."""

from paths import count_cards_passed, list_entrances, occupied_mask


class Arrangement:
    """An arrangement of cards, immutable. `cards` are by cell, None where the cell is empty."""

    __slots__ = ("cards", "cover", "guard", "passed", "rows")

    def __init__(self, rows, cards, guard):
        self.rows, self.cards, self.guard = rows, cards, guard
        self.passed, self.cover = count_cards_passed(rows, occupied_mask(cards))
        """Number of cards between the front and each cell, and between the front and the guard."""

    @property
    def entrances(self):
        return list_entrances(self.rows, occupied_mask(self.cards))

    def without(self, cell):
        return self.placed(cell, None)

    def placed(self, cell, card):
        return Arrangement(self.rows, [*self.cards[:cell], card, *self.cards[cell + 1 :]], self.guard)

    def guarded(self, card):
        return Arrangement(self.rows, self.cards, card)

    def moved(self, source, target):
        """Return the arrangement after a move. Cells are numbers; None is the guard cell."""
        card = self.guard if source is None else self.cards[source]
        left = self.guarded(None) if source is None else self.without(source)
        return left.guarded(card) if target is None else left.placed(target, card)

    @classmethod
    def from_layout(cls, layout, guard):
        """Return the arrangement of a layout such as `0=A,2=10/1=7`."""
        rows = [
            sorted((int(x), card) for x, _, card in (cell.partition("=") for cell in row.split(",")))
            for row in layout.split("/")
        ]
        left = min(row[0][0] for row in rows)
        xs = tuple(tuple(x - left for x, _ in row) for row in rows)
        return cls(xs, [card for row in rows for _, card in row], guard)
