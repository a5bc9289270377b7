"""One play of Battle Line in progress: what `State` asks for, on a `Position`."""

from random import Random
from typing import Self

from engine.compiling import mypyc_attr
from engine.core import IllegalAction, Json, Outcome
from engine.games.battleline import view as views
from engine.games.battleline.ending import build_outcome
from engine.games.battleline.explain import explain_claim
from engine.games.battleline.legal import MOVES
from engine.games.battleline.moves import CLAIM, decode_move, get_action_texts, parse_action
from engine.games.battleline.options import Rules
from engine.games.battleline.position import ACTED, FORFEITED, Position
from engine.games.battleline.redeal import redeal_hidden
from engine.games.battleline.refusal import explain_refusal
from engine.games.battleline.turn import EFFECTS
from engine.message import gettext_noop, message


@mypyc_attr(allow_interpreted_subclasses=True)
class BattleLineState(Position):
    """A play of Battle Line in progress."""

    __slots__ = ("found", "outcome", "words")
    seats = 2

    def __init__(self, rules: Rules, hands: tuple[list[int], list[int]], troops: list[int], tactics: list[int]) -> None:
        super().__init__(rules, hands, troops, tactics)
        self.words = get_action_texts(rules.colours)
        self.outcome: Outcome | None = None
        self.found: list[int] | None = None
        """The legal moves, once computed."""

    def copy(self) -> Self:
        """Return an independent copy."""
        twin = super().copy()
        twin.words, twin.outcome, twin.found = self.words, self.outcome, self.found
        return twin

    def moves(self) -> list[int]:
        """Return the legal moves, computed at the first call."""
        if self.found is None:
            self.found = [] if self.to_act is None else MOVES[self.decision](self, self.to_act)
        return self.found

    def text(self, move: int) -> str:
        """Return the action string of a legal move."""
        return self.words[move]

    def actions(self) -> dict[str, int]:
        """Return the legal moves by their action strings."""
        known = self.words
        return {known[move]: move for move in self.moves()}

    def parse(self, text: str) -> int:
        """Return the legal move with this action string. Raises MalformedAction or IllegalAction."""
        known = self.words
        for move in self.moves():
            if known[move] == text:
                return move
        move = parse_action(text, self.rules.colours, self.rules.flags)
        if self.to_act is None:
            raise IllegalAction(message(gettext_noop("the play is over")))
        raise IllegalAction(explain_refusal(self, self.to_act, move).message)

    def play(self, move: int) -> None:
        """Play a move that `moves` or `parse` returned."""
        seat = self.to_act
        assert seat is not None, "the play is over"
        self.found = None
        self.ply += 1
        self.record(ACTED, seat, move)
        outcome = EFFECTS[move >> 16](self, seat, move >> 8 & 255, move >> 4 & 15, move & 15)
        if outcome is not None:
            self.finish(outcome)

    def view(self, seat: int) -> Json:
        """Return all that this seat may see now."""
        return views.view(self, seat)

    def events(self, seat: int | None, since: int = 0) -> list[Json]:
        """Return what this seat knows from log position `since` on."""
        return views.events(self, seat, since)

    @property
    def log_length(self) -> int:
        """Return the log position after the last event."""
        return self.log_size

    def forfeit(self, seat: int, verdict: str) -> None:
        """End the play: `seat` goes out by a verdict, and the other one is first."""
        self.ply += 1
        self.record(FORFEITED, seat, verdict)
        self.finish(build_outcome(self, 1 - seat, verdict))

    def redeal(self, seat: int, rng: Random) -> Self:
        """Return another state that `seat` can't distinguish from this one."""
        twin = self.copy()
        redeal_hidden(twin, seat, rng)
        twin.found = None
        return twin

    def explain(self, action: str) -> Json | None:
        """Return the proof of a claim (see `explain`), provable or not, or None for other actions."""
        kind, _, flag, _ = decode_move(parse_action(action, self.rules.colours, self.rules.flags))
        return explain_claim(self, self.to_act, flag) if kind == CLAIM and self.to_act is not None else None

    @property
    def open_grammar(self) -> str | None:
        """Return None: `moves` lists every legal action."""
        return None

    def is_out(self, seat: int) -> bool:
        """Return False: no play goes on without a seat."""
        return False

    def forced(self) -> int | None:
        """Return the only legal move, or None where there is a choice."""
        moves = self.moves()
        return moves[0] if len(moves) == 1 else None

    def finish(self, outcome: Outcome) -> None:
        """End the play with this outcome."""
        self.outcome = outcome
        self.to_act = None
        self.found = None
