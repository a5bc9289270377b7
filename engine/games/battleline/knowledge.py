"""Track what a seat knows of cards it doesn't see.

These are the cards it has put back itself, wherever they may have gone since, and the King dealt to the other seat.
Only what the rules let a seat know is kept, so that dealing the rest anew gives a table it can't distinguish from this
one.
"""

from dataclasses import dataclass, field
from typing import Self

Place = tuple[int, int]
"""A card in a deck: (deck, index), the bottom one having index 0."""


@dataclass(slots=True)
class Trace:
    """A card known to have come to the other: it is in the other's hand, or was put back at one of these places."""

    card: int
    deck: int
    places: set[Place] = field(default_factory=set)


@dataclass(slots=True)
class Knowledge:
    """The hidden cards one seat knows of."""

    own_places: set[Place] = field(default_factory=set)
    """Cards in the decks that this seat has put there, and nobody has drawn."""
    traces: list[Trace] = field(default_factory=list)

    def copy(self) -> Self:
        """Return an independent copy."""
        traces = [Trace(trace.card, trace.deck, set(trace.places)) for trace in self.traces]
        return type(self)(set(self.own_places), traces)

    def record_returned_card(self, place: Place) -> None:
        """Record that this seat put a card back at a place."""
        self.own_places.add(place)

    def record_hidden_return(self, place: Place) -> None:
        """Record that the other put a card back unseen: it may be any of those known to be held."""
        for trace in self.traces:
            if trace.deck == place[0]:
                trace.places.add(place)

    def record_own_draw(self, place: Place, card: int) -> None:
        """Record that this seat drew, and saw, the card at a place."""
        self.own_places.discard(place)
        self._forget([trace for trace in self.traces if trace.card == card and place in trace.places])
        for trace in self.traces:
            trace.places.discard(place)

    def record_hidden_draw(self, place: Place, card: int) -> None:
        """Record that the other drew the card at a place."""
        if place in self.own_places:
            self.own_places.remove(place)
            self.traces.append(Trace(card, place[0]))
        for trace in self.traces:
            trace.places.discard(place)

    def forget_revealed_card(self, card: int) -> None:
        """Forget a card that the other played."""
        self._forget([trace for trace in self.traces if trace.card == card])

    def _forget(self, equal: list[Trace]) -> None:
        """Forget one of these equal traces. Of two copies, what is left may still be wherever either may be."""
        if equal:
            self.traces.remove(min(equal, key=lambda trace: len(trace.places)))
