"""The contract of a game.

A game says what it is (`Game`) and how one play of it stands and moves on (`State`). All chance is spent in
`Game.deal`, whose result is plain JSON, so a deal and a list of actions are a whole play.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, ClassVar, Self

from engine.message import Message, MessageError, Value, gettext_noop, message, quote

Seat = int
Move = int
Json = dict[str, Any]


class MalformedAction(MessageError, ValueError):
    """The text is not an action of the game's grammar. The message says what was expected."""


class IllegalAction(MessageError, ValueError):
    """The text is understood, and the rules forbid the action now. The message ends with the numbers of the rulings."""


class BadOptions(MessageError, ValueError):
    """No play can have these rule options. The message says which option is wrong and why."""


class BadDeal(ValueError):
    """The options can't have produced this deal: a card is missing, unknown, or in it too often."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why an action is not legal: the reason and the numbers of the rulings it follows from."""

    reason: Message
    rulings: tuple[str, ...]

    @property
    def message(self) -> Message:
        """The reason with the rulings in brackets."""
        if not self.rulings:
            return self.reason
        rulings = ", ".join(self.rulings)
        return message(gettext_noop("%(reason)s (%(rulings)s)"), reason=self.reason, rulings=rulings)


def refuse(template: str, /, *rulings: str, **values: Value) -> Refusal:
    """Return the refusal with this reason, a template marked with `gettext_noop` and its values, and these rulings."""
    return Refusal(message(template, **values), rulings)


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a leg ended. `places` and `scores` are per seat; place 1 is first, and equal places are shared."""

    places: tuple[int, ...]
    scores: tuple[float, ...]
    reason: str


class State(ABC):
    """One play in progress. It changes in place; `copy()` is for search.

    A move is a number with a meaning of the game's own: small where the game lists it, of any size where an open
    grammar lets a seat express more. An action is its public text (`text`, `parse`).
    """

    __slots__ = ()

    seats: int
    to_act: Seat | None
    """The seat to act; None when the play is over."""
    outcome: Outcome | None
    """None until the play is over."""
    ply: int
    """Decisions taken so far by all seats, automatic ones and forfeits included."""

    @abstractmethod
    def moves(self) -> Sequence[Move]:
        """Return every legal move once, or some examples where `open_grammar` is set. Empty when the play is over."""

    @abstractmethod
    def play(self, move: Move) -> None:
        """Play a move that `moves` or `parse` returned. It is not checked again."""

    @abstractmethod
    def text(self, move: Move) -> str:
        """Return the action string of a legal move."""

    @abstractmethod
    def parse(self, text: str) -> Move:
        """Return the legal move with this action string. Raises MalformedAction or IllegalAction."""

    @abstractmethod
    def view(self, seat: Seat) -> Json:
        """Return all that this seat may see now, built up from nothing."""

    @abstractmethod
    def events(self, seat: Seat | None, since: int = 0) -> list[Json]:
        """Return the events this seat knows from log position `since` on, oldest first; None knows every event."""

    @property
    @abstractmethod
    def log_length(self) -> int:
        """Return the log position after the last event."""

    @abstractmethod
    def forfeit(self, seat: Seat, verdict: str) -> None:
        """Put `seat` out by a verdict. With two seats the play is over, and the other one is first."""

    @abstractmethod
    def copy(self) -> Self:
        """Return an independent copy."""

    @abstractmethod
    def redeal(self, seat: Seat, rng: Random) -> Self:
        """Return another state that `seat` can't distinguish from this one: all it can't know is dealt anew."""

    def actions(self) -> dict[str, Move]:
        """Return the moves of `moves` by their action strings, in the same order."""
        return {self.text(move): move for move in self.moves()}

    def explain(self, action: str) -> Json | None:
        """Return why an action is legal or not, where the game can explain it, else None."""
        return None

    @property
    def open_grammar(self) -> str | None:
        """Return the grammar of actions beyond those `moves` lists, or None where the list is complete."""
        return None

    def forced(self) -> Move | None:
        """Return the only legal move, which is played without asking, or None where there is a choice."""
        if self.to_act is None or self.open_grammar is not None:
            return None
        moves = self.moves()
        return moves[0] if len(moves) == 1 else None


class Game(ABC):
    """A set of rules, its editions, and how a play of it begins."""

    key: ClassVar[str]
    title: ClassVar[str]
    seats: ClassVar[range]
    rules_version: ClassVar[int]
    editions: ClassVar[Mapping[str, str]]
    """Title by edition key, the first one being the default."""
    has_series: ClassVar[bool] = False
    """Whether its rules say how games between two are played in a series (`engine.series`)."""

    @abstractmethod
    def options(self, edition: str, **changes: Any) -> Json:
        """Return every rule option in force, with public names and JSON values. Raises BadOptions."""

    @abstractmethod
    def deal(self, options: Json, seats: int, rng: Random) -> Json:
        """Return all chance of one play, as JSON."""

    @abstractmethod
    def start(self, options: Json, seats: int, deal: Json) -> State:
        """Return the first state. Raises BadDeal where the deal doesn't fit the options."""


def unknown_edition(edition: str, editions: Iterable[str]) -> BadOptions:
    """Return the error for an edition that a game doesn't have."""
    return BadOptions(
        message(
            gettext_noop("there is no edition %(edition)s; there are: %(editions)s"),
            edition=quote(edition),
            editions=", ".join(editions),
        )
    )


def check_names(options: Json, known: Collection[str]) -> None:
    """Raise BadOptions where an option is unknown or missing."""
    for name in options:
        if name not in known:
            raise BadOptions(
                message(
                    gettext_noop("there is no option %(option)s; there are: %(options)s"),
                    option=quote(name),
                    options=", ".join(known),
                )
            )
    for name in known:
        if name not in options:
            raise BadOptions(message(gettext_noop("option %(option)s is missing"), option=quote(name)))
