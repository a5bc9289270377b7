"""One play of Guessing in progress."""

from copy import copy
from random import Random
from typing import Any, Self

from engine.core import IllegalAction, Json, MalformedAction, Outcome, State, forfeit_event
from engine.message import gettext_noop, message, quote

GUESSED, LAST_STANDING = "guessed", "last-standing"


class GuessingState(State):
    """A play of Guessing in progress. A move is the number guessed."""

    def __init__(self, seats: int, number: int, highest: int) -> None:
        self.seats = seats
        self.number = number
        """The number to guess, which no seat knows."""
        self.highest = highest
        self.left = range(1, highest + 1)
        """The numbers it can still be, from the hints."""
        self.turn = 1
        self.ply = 0
        self.to_act: int | None = 0
        self.outcome: Outcome | None = None
        self.fallen: tuple[int, ...] = ()
        """Seats that are out, in order of going out."""
        self.log: tuple[Json, ...] = ()

    def moves(self) -> range:
        """Return the numbers it can still be."""
        return range(0) if self.to_act is None else self.left

    def play(self, move: int) -> None:
        """Guess a number."""
        seat = self.to_act
        assert seat is not None, "the leg is finished"
        self.ply += 1
        self.log += ({"seat": seat, "action": self.text(move)},)
        if move == self.number:
            self.finish([float(player == seat) for player in range(self.seats)], GUESSED)
            return
        is_higher = self.number > move
        self.left = range(move + 1, self.left.stop) if is_higher else range(self.left.start, move)
        self.log += ({"event": "hint", "hint": "higher" if is_higher else "lower"},)
        self.pass_on(seat)

    def pass_on(self, seat: int) -> None:
        """Ask the next seat that is still in."""
        self.turn += 1
        order = [(seat + step) % self.seats for step in range(1, self.seats + 1)]
        self.to_act = next(player for player in order if player not in self.fallen)

    def finish(self, scores: list[float], reason: str) -> None:
        """End the play. Seats that are out place behind all others, the first out last."""
        for place, seat in enumerate(self.fallen):
            scores[seat] = place - len(self.fallen)
        self.outcome = Outcome.from_scores(scores, reason)
        self.to_act = None

    def forfeit(self, seat: int, verdict: str) -> None:
        """Put a seat out. The last seat in wins."""
        self.ply += 1
        self.log += (forfeit_event(seat, verdict),)
        self.fallen += (seat,)
        if self.seats - len(self.fallen) == 1:
            self.finish([0.0] * self.seats, verdict if self.seats == 2 else LAST_STANDING)
        elif seat == self.to_act:
            self.pass_on(seat)

    def is_out(self, seat: int) -> bool:
        """Return whether the seat has forfeited."""
        return seat in self.fallen

    def text(self, move: int) -> str:
        """Return the action string of a guess."""
        return f"guess {move}"

    def parse(self, text: str) -> int:
        """Return the number of an action string. Raises MalformedAction or IllegalAction."""
        for number in self.moves():
            if text == self.text(number):
                return number
        if text not in map(self.text, range(1, self.highest + 1)):
            template = gettext_noop("%(text)s isn't a guess: write guess and a number from 1 to %(highest)s")
            raise MalformedAction(message(template, text=quote(text[:60]), highest=self.highest))
        if self.to_act is None:
            raise IllegalAction(message(gettext_noop("the leg is finished")))
        raise IllegalAction(message(gettext_noop("it can't be %(number)s any more"), number=text.split()[1]))

    def view(self, seat: int) -> Json:
        """Return everything this seat can see: all but the number."""
        return {
            "decision": "guess",
            "to_move": self.to_act,
            "turn": self.turn,
            "lowest": self.left.start,
            "highest": self.left.stop - 1,
            "out": sorted(self.fallen),
        }

    def events(self, seat: int | None, since: int = 0) -> list[Json]:
        """Return the events from log position `since` on; all seats know them."""
        return [dict(event) for event in self.log[since:]]

    @property
    def log_length(self) -> int:
        """Return the log position after the last event."""
        return len(self.log)

    def copy(self) -> Self:
        """Return an independent copy; all fields hold values that never change."""
        return copy(self)

    def redeal(self, seat: int, rng: Random) -> Self:
        """Return another state: the number is any that it can still be."""
        twin = self.copy()
        if self.to_act is not None:
            twin.number = self.left[int(rng.random() * len(self.left))]
        return twin

    def explain(self, action: str) -> dict[str, Any] | None:
        """Return between which numbers a guess was made."""
        if self.to_act is None or not action.startswith("guess "):
            return None
        return {"lowest": self.left.start, "highest": self.left.stop - 1}
