"""One's own cards in their cells, and what becomes of them."""

from typing import NamedTuple

from ground import crossings, entrances, mask_of


class Arrangement(NamedTuple):
    """`cards` by cell, None where there is none."""

    rows: tuple
    cards: tuple
    guard: str | None

    @property
    def passed(self):
        """By cell: how many cards stand between it and the front."""
        return crossings(self.rows, mask_of(self.cards))[0]

    @property
    def cover(self):
        """How many cards stand between the front and the guard."""
        return crossings(self.rows, mask_of(self.cards))[1]

    @property
    def entrances(self):
        return entrances(self.rows, mask_of(self.cards))

    def without(self, cell):
        return self._replace(cards=(*self.cards[:cell], None, *self.cards[cell + 1 :]))

    def placed(self, cell, card):
        return self._replace(cards=(*self.cards[:cell], card, *self.cards[cell + 1 :]))

    def moved(self, source, target):
        """Cells by number; None is the guard cell."""
        card = self.guard if source is None else self.cards[source]
        left = self._replace(guard=None) if source is None else self.without(source)
        return left._replace(guard=card) if target is None else left.placed(target, card)

    @classmethod
    def laid_out(cls, layout, guard):
        """From the words of a layout, `0=A,2=10/1=7`."""
        rows = [
            sorted((int(x), card) for x, _, card in (cell.partition("=") for cell in row.split(",")))
            for row in layout.split("/")
        ]
        left = min(row[0][0] for row in rows)
        xs = tuple(tuple(x - left for x, _ in row) for row in rows)
        return cls(xs, tuple(card for row in rows for _, card in row), guard)
