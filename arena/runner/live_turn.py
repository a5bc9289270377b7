"""Have a bot play a turn of a live game in a fresh process that is told all that has happened since the deal."""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass

from arena.runner.clock import Clock
from arena.runner.decision import FAULTS, ask_for_move, record_fault
from arena.runner.leg import Heartbeat, LegProgress
from arena.runner.limits import Limits
from arena.runner.program import Program
from arena.runner.protocol import LegInfo
from arena.runner.sandbox.base import Sandbox
from arena.runner.seat import Fault, SeatPlay
from engine.core import Json, Seat, State
from engine.deal import deal_hash, derive_seed
from engine.registry import find_game
from engine.replay import take


@dataclass(frozen=True, slots=True)
class TurnSpec:
    """The input of one turn of a bot."""

    game: str
    edition: str
    options: Json
    deal: Json
    salt: str
    seats: int
    actions: Sequence[Json]
    """All decisions so far, as in a record. The seat is to act after them."""
    limits: Limits
    seat: Seat
    program: Program
    bank_ms: float
    """Rest of the bot's time bank in this game."""


@dataclass(frozen=True, slots=True)
class TurnReport:
    """The decisions of a bot, or its fault."""

    entries: Sequence[Json]
    """Its decisions until another seat is to act, and those without a choice between them, as in a record."""
    fault: Fault | None
    """Why it forfeits after these; None where it does not."""
    stderr: str
    bank_ms: float
    """Rest of the bot's time bank after the decision."""
    cpu_ms: float
    """Processor time of the start and all answers."""
    changed_answers: int
    """Number of earlier turns to which a stateful bot gave another answer than the recorded one."""


def answer_turn(spec: TurnSpec, sandbox: Sandbox, beat: Heartbeat = lambda _: None) -> TurnReport:
    """Start the bot, ask it until another seat is to act, and end it. Raises SandboxError.

    A bot that says it is stateful is first asked its earlier turns again.
    """
    play = SeatPlay(spec.seat, spec.program, spec.limits)
    with closing(play):
        return LiveTurn(spec, play).run(sandbox, beat)


class LiveTurn:
    """One turn of a live game while a bot plays it."""

    def __init__(self, spec: TurnSpec, play: SeatPlay) -> None:
        self.spec = spec
        self.play = play
        self.cpu_ms = 0.0
        self.changed_answers = 0
        self.entries: list[Json] = []
        self.underway = LegProgress(1, [], ())
        """Sent with each heartbeat; nobody is shown more of a live game than its stored decisions."""

    def run(self, sandbox: Sandbox, beat: Heartbeat) -> TurnReport:
        """Return the decisions or the fault."""
        spec, play = self.spec, self.play
        game = find_game(spec.game)
        options = game.complete_options(spec.options)
        state = game.start(options, spec.seats, spec.deal)
        seeds = tuple(derive_seed(spec.salt, seat) for seat in range(spec.seats))
        info = LegInfo(
            spec.game, spec.edition, options, spec.seats, deal_hash(spec.deal, spec.salt), spec.limits, seeds
        )
        try:
            play.start(sandbox, info)
            self.count_cpu_time()
            self.play_earlier_turns(state, beat)
            self.decide(state, beat)
        except FAULTS as error:
            self.count_cpu_time()
            record_fault(play, error, state)
        play.close()
        return TurnReport(
            entries=self.entries,
            fault=play.fault,
            stderr=play.stderr,
            bank_ms=play.clock.bank_ms,
            cpu_ms=self.cpu_ms,
            changed_answers=self.changed_answers,
        )

    def play_earlier_turns(self, state: State, beat: Heartbeat) -> None:
        """Bring the state to the present; a stateful bot is asked its own turns again, which its bank doesn't pay for.

        Raises one of FAULTS where it doesn't answer at all.
        """
        for entry in self.spec.actions:
            is_own_turn = entry["seat"] == self.spec.seat and "auto" not in entry and "verdict" not in entry
            if self.play.ready.stateful and is_own_turn:
                beat(self.underway)
                limits = self.spec.limits
                self.play.clock = Clock(limits.move_ms, limits.bank_ms)
                again = self.play.ask(state, list(state.actions()) if self.play.ready.legal else None)
                self.changed_answers += again.action != entry["action"]
                self.count_cpu_time()
            take(state, entry)
        self.play.clock = Clock(self.spec.limits.move_ms, self.spec.bank_ms)

    def decide(self, state: State, beat: Heartbeat) -> None:
        """Ask the bot until another seat is to act. Raises one of FAULTS."""
        while state.to_act == self.spec.seat:
            move = state.forced()
            if move is None:
                beat(self.underway)
                move, entry = ask_for_move(self.play, state)
                self.count_cpu_time()
            else:
                entry = {"seat": self.spec.seat, "action": state.text(move), "auto": True}
            self.entries.append(entry)
            state.play(move)

    def count_cpu_time(self) -> None:
        """Add the processor time of the last answer, or of the start."""
        self.cpu_ms += self.play.spent.cpu_ms
