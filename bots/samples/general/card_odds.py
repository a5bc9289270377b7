"""Estimate which cards an opponent may have in hidden places, and how likely each of them is."""

CARDS = ("A", "K", "Q", "J", "10", "9", "8", "7", "6", "5", "4", "3", "2")
GUARDS = CARDS[4:]
UNSEEN = "?"
GUARD_POWER = 2.0
"""Exponent by which high cards are more likely guards than low ones."""


class CardOdds:
    """The odds of one opponent's cards, as lists of pairs of card and probability."""

    def __init__(self, side, lots):
        seen = {*side.dead, *side.wounded, *side.cards, side.guard}
        self.side = side
        self.pool = [card for card in CARDS if card not in seen]
        self.lots = lots
        self.guard = self._guard()
        self.cells = [self._cell(name, card) for name, card in zip(side.names, side.cards, strict=True)]
        """The odds of each formation cell; None where it is empty."""

    def _guard(self):
        """Return the odds of the guard: high cards are guards more often than low ones."""
        if self.side.guard is None:
            return []
        if self.side.guard != UNSEEN:
            return [(self.side.guard, 1.0)]
        return normalize({card: int(card) ** GUARD_POWER for card in self._among("g") if card in GUARDS})

    def _cell(self, name, card):
        if card is None:
            return None
        if card != UNSEEN:
            return [(card, 1.0)]
        in_guard = dict(self.guard) if self.side.guard == UNSEEN else {}
        return normalize({card: 1 - in_guard.get(card, 0) for card in self._among(name)})

    def _among(self, place):
        lot = self.lots.cards(place)
        return [card for card in self.pool if card in lot] or self.pool


def normalize(weights):
    total = sum(weights.values()) or 1
    return [(card, weight / total) for card, weight in weights.items() if weight]
