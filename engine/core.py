"""The contract of a game.

A game says what it is (`Game`) and how one play of it stands and moves on (`State`). All chance is spent in
`Game.deal`, whose result is plain JSON, so a deal and a list of actions are a whole play.

Views and events are JSON objects, built for each seat from what it may know:

- A view has the keys of `ViewKeys`; all else is the game's own. `"turn"` or `"round"`, the one that `Game.counts`
  names, is 0 before the first and then one more at a time, the same for every seat.
- An event is either an action, `{"seat": 0, "action": "…"}`, perhaps with results that everybody sees, or something
  else that happened, `{"event": "…"}` with more keys. The first event after a decision is the action itself. To a seat
  that may not know all of it, the words that are hidden are `?`: `reinforce ? 1a`. What was told once stays as it was.
  `forfeit_event` makes the event of a seat that goes out.
- An action after which some seats know more than others is secret. Its first word is in `Game.secret_actions`.
- Simultaneous choices are asked for one seat after the other. Nobody else is told of them until all have chosen; then
  events tell everybody what may be known (`engine.simultaneous`).
- Chance that opens a turn, as a card that is turned up, stands in the deal, and becomes an event and part of the views
  when its turn begins.

Scores and places: a higher score is better, and the places follow from the scores (`Outcome.from_scores`). A seat that
forfeits is behind all who are still in; with three seats or more these play on, and it is never asked again.

`engine.contract` checks all of this for any game; `pennant check-game` runs it.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, ClassVar, Literal, NotRequired, Protocol, Self, TypedDict, runtime_checkable

from engine.message import Message, MessageError, Value, gettext_noop, join_messages, message
from engine.options import BadOptions as BadOptions  # uploaded bots may import it from here
from engine.options import RuleOption, parse_option
from engine.options import Value as OptionValue

Seat = int
Move = int
Json = dict[str, Any]

PUBLIC_ONLOOKER: Seat = -1
"""Stands for nobody's seat where events are asked for: whoever looks on knows what everybody knows."""
PERSON_ENDINGS = ("resigned", "abandoned")
"""How a person leaves a play, in place of a verdict. Neither is a fault."""


class ViewKeys(TypedDict):
    """The keys of every view that all games share."""

    decision: str
    """A word for what is decided now."""
    to_move: Seat | None
    """The seat that decides; null at the end."""
    turn: NotRequired[int]
    round: NotRequired[int]


class MalformedAction(MessageError, ValueError):
    """The text is not an action of the game's grammar. The message says what was expected."""


class IllegalAction(MessageError, ValueError):
    """The text is understood, and the rules forbid the action now. The message ends with the numbers of the rulings."""


class BadDeal(ValueError):
    """The options can't have produced this deal: a card is missing, unknown, or in it too often."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """The reason why an action is not legal, and the numbers of the rulings it follows from."""

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
    """The result of a leg. `places` and `scores` are per seat; place 1 is first, and equal places are shared.

    A higher score is better: a place is 1 and the number of seats with a better score. `reason` is a word of the game's
    own, or the verdict that ended the leg.
    """

    places: tuple[int, ...]
    scores: tuple[float, ...]
    reason: str

    @classmethod
    def from_scores(cls, scores: Sequence[float], reason: str) -> Self:
        """Return the outcome with these scores, a seat each, and the places that follow from them."""
        places = tuple(1 + sum(other > score for other in scores) for score in scores)
        return cls(places, tuple(scores), reason)


@dataclass(frozen=True, slots=True)
class Count:
    """Something that happened once in a leg: it stands in a cell of a chart of the statistics (`engine.replay`)."""

    chart: str
    row: str
    """As all words here one of the game's own, as it is on the wire: whoever shows it translates it."""
    column: str = ""
    """Empty in a chart whose cells have no second word."""
    seat: Seat | None = None
    """Who did it; None for what is true of the whole leg."""


@dataclass(frozen=True, slots=True)
class CloseCall:
    """The decision of a leg that came nearest to going the other way, by a measure of the game's own."""

    step: int
    """The number of decisions up to it, itself included."""
    seat: Seat
    """Who decided."""
    margin: tuple[int, ...]
    """How near it was: of two close calls of a game the nearer one has the lower margin."""
    facts: Json
    """What the game's presentation tells of it."""


def forfeit_event(seat: Seat, verdict: str) -> Json:
    """Return the entry of a record, and the event, that says why a seat goes out."""
    return {"seat": seat, "action": "forfeit", "reason" if verdict in PERSON_ENDINGS else "verdict": verdict}


@runtime_checkable
class State(Protocol):
    """One play in progress. It changes in place; `copy()` is for search.

    A subclass inherits the methods that have a body here. A compiled class can't subclass it, and defines all of them.

    A move is a number with a meaning of the game's own: small where the game lists it, of any size where an open
    grammar lets a seat express more. An action is its public text (`text`, `parse`).
    """

    __slots__ = ()

    seats: int
    to_act: Seat | None
    """The seat to act; None when the leg is finished."""
    outcome: Outcome | None
    """None until the leg is finished."""
    ply: int
    """Decisions taken so far by all seats, automatic ones and forfeits included."""

    @abstractmethod
    def moves(self) -> Sequence[Move]:
        """Return every legal move once, or some examples where `open_grammar` is set; none once the leg is finished."""

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
        """Return the events this seat knows from log position `since` on, oldest first.

        None knows every event, PUBLIC_ONLOOKER only what everybody knows.
        """

    @property
    @abstractmethod
    def log_length(self) -> int:
        """Return the log position after the last event."""

    @abstractmethod
    def forfeit(self, seat: Seat, verdict: str) -> None:
        """Put `seat` out by a verdict or one of PERSON_ENDINGS, whether it is to act or not.

        With two seats the leg is finished, and the other is first. With more the others play on, and all seats still
        in at the end have better places.
        """

    @abstractmethod
    def copy(self) -> Self:
        """Return an independent copy."""

    @abstractmethod
    def redeal(self, seat: Seat, rng: Random) -> Self:
        """Return another state that `seat` can't distinguish from this one: all it can't know is dealt anew.

        Wherever several states fit what the seat knows, some seeds of `rng` give another one than this.
        """

    def is_out(self, seat: Seat) -> bool:
        """Return whether a seat is out of a play that goes on without it."""
        return False

    def actions(self) -> dict[str, Move]:
        """Return the moves of `moves` by their action strings, in the same order."""
        return {self.text(move): move for move in self.moves()}

    def explain(self, action: str) -> Json | None:
        """Return why an action is legal or not, where the game can explain it, else None.

        It is shown once the action is played, to those who are told the whole action. It may use what was hidden from
        them before, but nothing that still is.
        """
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
    counts: ClassVar[Literal["turn", "round"] | None]
    """The key of every view that counts turns or rounds; None in a game that counts neither."""
    secret_actions: ClassVar[frozenset[str]]
    """First words of the actions after which some seats know more than others, as a bid or a draw."""
    revealing_events: ClassVar[frozenset[str] | None] = None
    """Names of the events, and first words of the actions, by which a seat that goes on acting may learn what it didn't
    know, as a draw or a roll; None where every action may. A person can take back what revealed nothing."""
    simultaneous_decisions: ClassVar[frozenset[str]] = frozenset()
    """Decisions (`ViewKeys.decision`) that all seats make at the same time, whatever the others choose. Seats are asked
    in order, and so they stand in a record; a person may choose before their turn to be asked."""
    has_deal: ClassVar[bool] = True
    """Whether seats are dealt something, as cards, so that it makes a difference to play the same deal again with the
    seats swapped."""
    counting_version: ClassVar[int] = 1
    """Raised when `count_event` changes: what was counted before is then counted anew."""
    has_series: ClassVar[bool] = False
    """Whether its rules say how games between two are played in a series (`engine.series`)."""
    rule_options: ClassVar[Sequence[RuleOption]] = ()
    """Every option with its values and what they mean, in the order of the protocol."""
    schema_file: ClassVar[Path | None] = None
    """A JSON Schema whose `$defs` describe `view` and `event`, every field of them; None in a game that has none.

    Beside them `vocabulary`, if it is there, has all `decisions`, `actions` with `form`, `example`, `decisions` and
    `description`, the `words` of these forms, and the `cards`.
    """

    @abstractmethod
    def options(self, edition: str, **changes: Any) -> Json:
        """Return every rule option in force, with public names and JSON values. Raises BadOptions."""

    @abstractmethod
    def deal(self, options: Json, seats: int, rng: Random) -> Json:
        """Return all chance of one play, as JSON."""

    @abstractmethod
    def start(self, options: Json, seats: int, deal: Json) -> State:
        """Return the first state. Raises BadDeal where the deal doesn't fit the options."""

    def count_event(self, state: State, event: Json) -> Iterable[Count]:
        """Return what an event of a leg that is over adds to the statistics of the game; nothing unless overridden.

        The event is as a reader knows it who may know all, and `state` stands as its decision left it. Seats, endings
        and lengths are counted for every game.
        """
        return ()

    @abstractmethod
    def max_plies(self, options: Json, seats: int) -> int:
        """Return a number of decisions that no play under these options exceeds."""

    def complete_options(self, options: Json) -> Json:
        """Return the options with those that are absent because they were introduced later, as it was played then."""
        absent = {
            option.key: option.value_if_absent
            for option in self.rule_options
            if option.value_if_absent is not None and option.key not in options
        }
        return options | absent

    def changed_options(self, edition: str, options: Json) -> Json:
        """Return the options that differ from the edition's, with their values; {} where none does."""
        unchanged = self.options(edition)
        complete = self.complete_options(options)
        return {name: value for name, value in complete.items() if name not in unchanged or unchanged[name] != value}

    def nearest_edition(self, edition: str, options: Json) -> str:
        """Return the edition that has exactly these options, `edition` itself first, or `edition` where none has."""
        complete = self.complete_options(options)
        return next((key for key in (edition, *self.editions) if self.options(key) == complete), edition)

    def variant_name(self, edition: str, options: Json) -> Message:
        """Return the edition's title and what is changed, as "Standard, without tactics".

        Where the changes make another edition of it, that one's title is returned.
        """
        edition = self.nearest_edition(edition, options)
        changed = self.changed_options(edition, options)
        phrases = [option.name_value(changed[option.key]) for option in self.rule_options if option.key in changed]
        return join_messages(message(self.editions[edition]), *phrases, separator=", ")

    def is_revealing(self, events: Sequence[Json]) -> bool:
        """Return whether a seat that acted may have learnt something new by these events, as it was told them."""
        revealing = self.revealing_events
        if revealing is None:
            return bool(events)
        return any(event.get("event", event.get("action", "").partition(" ")[0]) in revealing for event in events)

    def find_close_call(self, steps: Iterable[tuple[State, Json]]) -> CloseCall | None:
        """Return the close call of a leg, or None where there is none or the game measures none.

        `steps` has the entries of its record, each with the state before it: one object, changing in place.
        """
        return None

    def parse_option(self, text: str) -> tuple[str, OptionValue]:
        """Return key and value of an option that a person writes as `scout=at-once`. Raises BadOptions."""
        return parse_option(self.rule_options, text)
