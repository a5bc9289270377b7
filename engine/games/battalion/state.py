"""One play of Battalion in progress: what `State` asks for, on a `Position`."""

from random import Random
from typing import Final, Self

from engine.compiling import mypyc_attr
from engine.core import IllegalAction, Json, Outcome
from engine.games.battalion import events as event_log
from engine.games.battalion.events import explain_attack
from engine.games.battalion.formations import unpack_layout
from engine.games.battalion.moves import (
    ATTACK,
    LAYOUT,
    REFORM,
    build_example_reforming,
    decode_move,
    encode_move,
    explain_refusal,
    format_action,
    get_move_kind,
    list_example_reformings,
    list_legal_moves,
    may_reform,
    parse_action,
)
from engine.games.battalion.options import Rules
from engine.games.battalion.position import ACTED, DEPLOY, FORFEITED, Position, redeal_hidden
from engine.games.battalion.turn import (
    EFFECTS,
    LAST_STANDING,
    LAYOUTS,
    ask_for_deployment,
    build_outcome,
    build_view,
    eliminate_seat,
    pass_turn,
    rank_tiers,
)
from engine.message import gettext_noop, message

DEPLOYMENT_GRAMMAR: Final = (
    "deploy ROWS guard=CARD · ROWS front to back separated by /, cells x=CARD separated by , · "
    "x a half-column from -99 to 99"
)
REFORMING_GRAMMAR: Final = "reform ROWS · reform ROWS hand=CARD · ROWS as in deploy, at most two"


@mypyc_attr(allow_interpreted_subclasses=True)
class BattalionState(Position):
    """A play of Battalion in progress."""

    __slots__ = ("found", "outcome")

    def __init__(self, rules: Rules, seats: int, dice: tuple[int, ...], first: int = 0) -> None:
        super().__init__(rules, seats, dice, first)
        self.outcome: Outcome | None = None
        self.found: list[int] | None = None
        """The legal moves, once computed."""

    def copy(self) -> Self:
        """Return an independent copy."""
        twin = super().copy()
        twin.outcome, twin.found = self.outcome, self.found
        return twin

    def moves(self) -> list[int]:
        """Return the legal moves, computed at the first call."""
        if self.found is None:
            self.found = list_legal_moves(self)
        return self.found

    def text(self, move: int) -> str:
        """Return the action string of a legal move."""
        kind, number, _, _ = decode_move(move)
        if kind >= LAYOUT:
            return unpack_layout(move)
        if kind == REFORM:
            assert self.to_act is not None, "the leg is finished"
            return build_example_reforming(self.sides[self.to_act], number)
        return format_action(move)

    def parse(self, text: str) -> int:
        """Return the legal move with this action string. Raises MalformedAction or IllegalAction."""
        move = parse_action(text)
        seat = self.to_act
        if seat is None:
            raise IllegalAction(message(gettext_noop("the leg is finished")))
        if move in self.moves():
            return move
        refusal = explain_refusal(self, seat, move)
        if refusal:
            raise IllegalAction(refusal.message)
        if self.decision != DEPLOY:
            for number in list_example_reformings(self.sides[seat]):
                if build_example_reforming(self.sides[seat], number) == text:
                    return encode_move(REFORM, number)
        return move

    def play(self, move: int) -> None:
        """Play a move that `moves` or `parse` returned."""
        seat = self.to_act
        assert seat is not None, "the leg is finished"
        kind, first, other, second = decode_move(move)
        if kind >= REFORM:
            text = self.text(move)
            self.log.append((ACTED, seat, text, None))
            outcome = LAYOUTS[self.decision](self, seat, text)
        else:
            self.log.append((ACTED, seat, move, None))
            outcome = EFFECTS[kind](self, seat, first, other, second)
        self.found = None
        self.ply += 1
        if outcome is not None:
            self.finish(outcome)

    def view(self, seat: int) -> Json:
        """Return all that this seat may see now."""
        return build_view(self, seat)

    def events(self, seat: int | None, since: int = 0) -> list[Json]:
        """Return what this seat knows from log position `since` on."""
        return event_log.list_events(self, seat, since)

    @property
    def log_length(self) -> int:
        """Return the log position after the last event."""
        return len(self.log)

    def forfeit(self, seat: int, verdict: str) -> None:
        """Put a seat out. With two seats that ends the leg; with more its emperor dies (BT-40), and its turn passes."""
        self.ply += 1
        self.found = None
        self.log.append((FORFEITED, seat, verdict, None))
        if self.seats == 2:
            self.finish(rank_tiers([[1 - seat], [seat]], verdict))
            return
        eliminate_seat(self, seat)
        if len(self.seats_in) == 1:
            self.finish(build_outcome(self, LAST_STANDING))
        elif self.decision == DEPLOY:
            ask_for_deployment(self)
        elif seat == self.to_act:
            outcome = pass_turn(self, seat)
            if outcome is not None:
                self.finish(outcome)

    def is_out(self, seat: int) -> bool:
        """Return whether the seat's emperor is dead."""
        return self.sides[seat].out

    def redeal(self, seat: int, rng: Random) -> Self:
        """Return another state that `seat` can't distinguish from this one."""
        twin = self.copy()
        redeal_hidden(twin, seat, rng)
        twin.found = None
        return twin

    def explain(self, action: str) -> Json | None:
        """Return what an attack would do (see `explain_attack`) or why it is refused, or None for other actions."""
        move = parse_action(action)
        if get_move_kind(move) != ATTACK or self.to_act is None or self.decision == DEPLOY:
            return None
        return explain_attack(self, self.to_act, move, move in self.moves())

    @property
    def open_grammar(self) -> str | None:
        """Return the grammar of deployments or reformings where one may be made, else None."""
        if self.to_act is None:
            return None
        if self.decision == DEPLOY:
            return DEPLOYMENT_GRAMMAR
        return REFORMING_GRAMMAR if may_reform(self, self.sides[self.to_act]) else None

    def actions(self) -> dict[str, int]:
        """Return the moves of `moves` by their action strings."""
        return {self.text(move): move for move in self.moves()}

    def forced(self) -> int | None:
        """Return the only legal move, or None where there is a choice."""
        if self.open_grammar is not None:
            return None
        moves = self.moves()
        return moves[0] if len(moves) == 1 else None

    def finish(self, outcome: Outcome) -> None:
        """End the play with this outcome."""
        self.outcome = outcome
        self.to_act = None
        self.found = None
