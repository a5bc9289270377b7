"""Define a short game for two to four seats: each says numbers in turn, and the highest sum wins.

In the second round there is no choice. `padding` lengthens views.
"""

from collections.abc import Mapping, Sequence
from copy import deepcopy
from random import Random
from typing import Any, ClassVar, Self

from engine.core import Game, IllegalAction, Json, MalformedAction, Move, Outcome, Seat, State
from engine.message import literal

ROUNDS = 4


class ToyState(State):
    def __init__(self, seats: int, padding: int) -> None:
        self.seats = seats
        self.padding = padding
        self.to_act = 0
        self.outcome = None
        self.ply = 0
        self.sums = [0] * seats
        self.out: dict[Seat, str] = {}
        self.rounds = [0] * seats
        self.log: list[Json] = []

    def moves(self) -> Sequence[Move]:
        if self.to_act is None:
            return []
        return [3] if self.rounds[self.to_act] == 1 else [1, 2]

    def play(self, move: Move) -> None:
        seat = self.to_act
        assert seat is not None
        self.log.append({"seat": seat, "action": self.text(move)})
        self.sums[seat] += move
        self._pass_on(seat)

    def text(self, move: Move) -> str:
        return f"say {move}"

    def parse(self, text: str) -> Move:
        word, _, number = text.partition(" ")
        if word != "say" or not number.isdecimal():
            raise MalformedAction(literal(f"{text!r} is not 'say NUMBER'"))
        if int(number) not in self.moves():
            raise IllegalAction(literal(f"{number} may not be said here"))
        return int(number)

    def view(self, seat: Seat) -> Json:
        return {"sums": list(self.sums), "padding": "." * self.padding}

    def events(self, seat: Seat | None, since: int = 0) -> list[Json]:
        return self.log[since:]

    @property
    def log_length(self) -> int:
        return len(self.log)

    def forfeit(self, seat: Seat, verdict: str) -> None:
        self.log.append({"seat": seat, "action": "forfeit", "verdict": verdict})
        self.out[seat] = verdict
        self._pass_on(seat)

    def copy(self) -> Self:
        return deepcopy(self)

    def redeal(self, seat: Seat, rng: Random) -> Self:
        """Nothing is hidden here."""
        return self.copy()

    def _pass_on(self, seat: Seat) -> None:
        self.ply += 1
        self.rounds[seat] += 1
        playing = [other for other in range(self.seats) if other not in self.out]
        waiting = [other for other in playing if self.rounds[other] < ROUNDS]
        if len(playing) == 1 or not waiting:
            self._end(playing)
        else:
            self.to_act = min(waiting, key=lambda other: (self.rounds[other], other))

    def _end(self, playing: list[Seat]) -> None:
        self.to_act = None
        sums = [self.sums[seat] if seat in playing else -1 for seat in range(self.seats)]
        places = tuple(1 + sum(other > own for other in sums) for own in sums)
        scores = tuple(float(number) for number in self.sums)
        self.outcome = Outcome(places, scores, "said" if len(playing) > 1 else [*self.out.values()][-1])


class Toy(Game):
    key = "toy"
    title = "Toy"
    seats = range(2, 5)
    rules_version = 1
    editions: ClassVar[Mapping[str, str]] = {"plain": "Plain"}
    counts = None
    secret_actions = frozenset()

    def options(self, edition: str, **changes: Any) -> Json:
        return {"padding": 0, **changes}

    def deal(self, options: Json, seats: int, rng: Random) -> Json:
        return {}

    def start(self, options: Json, seats: int, deal: Json) -> State:
        return ToyState(seats, options["padding"])

    def max_plies(self, options: Json, seats: int) -> int:
        return seats * (ROUNDS + 1)
