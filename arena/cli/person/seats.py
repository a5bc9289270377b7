"""The names of the seats in sentences: the person is "you", and a bot has its name."""

from collections.abc import Sequence

from arena.runner.text import make_visible
from engine.core import Json, Seat


class SeatNames:
    """The names of all seats, as the person at one of them reads them."""

    def __init__(self, names: Sequence[str], own: Seat) -> None:
        visible = [make_visible(name).replace("\n", " ").replace("\t", " ") for name in names]
        self.own = own
        self.names = [f"{name} ({seat})" if visible.count(name) > 1 else name for seat, name in enumerate(visible)]

    def name(self, seat: Seat) -> str:
        """Return the name of a seat within a sentence."""
        return "you" if seat == self.own else self.names[seat]

    def subject(self, seat: Seat) -> str:
        """Return the name of a seat at the start of a sentence."""
        return "You" if seat == self.own else self.names[seat]

    def say(self, seat: Seat, verb: str, third_person: str = "") -> str:
        """Return the seat with the right form of a verb: "You play", "random plays"."""
        return f"{self.subject(seat)} {verb if seat == self.own else third_person or f'{verb}s'}"

    def join(self, seats: Sequence[Seat]) -> str:
        """Return the names of several seats at the start of a sentence, the last one after an "and"."""
        first, *more = [self.subject(seat) if number == 0 else self.name(seat) for number, seat in enumerate(seats)]
        return " and ".join([", ".join([first, *more[:-1]]), more[-1]]) if more else first


LEFT = {"resigned": ("resign", ""), "abandoned": ("leave the game", "leaves the game")}
"""The verbs for how a person goes out."""
FAULTS = {
    "illegal": "an illegal action",
    "malformed": "an unreadable answer",
    "timeout": "running out of time",
    "crash": "a crash",
    "memory": "running out of memory",
    "output": "too much output",
    "start": "a failed start",
}
"""The faults of bots, after "loses by"."""


def describe_forfeit(names: SeatNames, event: Json) -> str:
    """Return how a seat went out: by a bot's fault or because the person left."""
    seat = event["seat"]
    if "reason" in event:
        return names.say(seat, *LEFT[event["reason"]])
    return f"{names.say(seat, 'go', 'goes')} out by {FAULTS[event['verdict']]}"
