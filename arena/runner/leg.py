"""One leg: one play of a game between fresh processes, and its record."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from time import perf_counter

from arena.runner.clock import OutOfTimeError
from arena.runner.limits import Limits
from arena.runner.program import Program
from arena.runner.protocol import Answer, MalformedAnswerError, Table
from arena.runner.sandbox.base import (
    BotExitedError,
    BotOutOfMemoryError,
    BotOverflowError,
    BotTimeoutError,
    Sandbox,
    UnexpectedOutputError,
)
from arena.runner.seat import Fault, SeatPlay, StartError
from arena.runner.verdict import Verdict
from engine.core import IllegalAction, Json, MalformedAction, Move, Seat, State
from engine.deal import deal_hash
from engine.message import MessageError
from engine.registry import find_game
from engine.replay import make_record

GOODBYE_TIMEOUT_S = 1.0
"""Time all bots of a leg together have to exit once they have been sent the end."""
MIN_DELAY_RECORDED_MS = 10.0
"""A record notes where this machine kept a bot waiting at least this long."""

VERDICTS: dict[type[MessageError], Verdict] = {
    IllegalAction: Verdict.ILLEGAL,
    MalformedAction: Verdict.MALFORMED,
    MalformedAnswerError: Verdict.MALFORMED,
    UnexpectedOutputError: Verdict.MALFORMED,
    BotTimeoutError: Verdict.TIMEOUT,
    OutOfTimeError: Verdict.TIMEOUT,
    BotExitedError: Verdict.CRASH,
    BotOutOfMemoryError: Verdict.MEMORY,
    BotOverflowError: Verdict.OUTPUT,
    StartError: Verdict.START,
}
"""The one place where what went wrong becomes a verdict."""
FAULTS = tuple(VERDICTS)


@dataclass(frozen=True, slots=True)
class LegSpec:
    """What a leg is played with. `seating` and `programs` are by seat."""

    game: str
    edition: str
    options: Json
    deal: Json
    salt: str
    limits: Limits
    seating: tuple[int, ...]
    """The participant at each seat."""
    programs: tuple[Program, ...]
    """The program at each seat."""
    number: int = 1
    """Which leg of its match it is."""


@dataclass(frozen=True, slots=True)
class Underway:
    """A leg while it is played."""

    leg: int
    """Its number, from 1."""
    actions: list[Json]
    """All decisions so far, as its record will have them. In the process that plays, it grows."""
    seating: tuple[int, ...]
    """The participant at each seat."""


Heartbeat = Callable[[Underway | None], None]
"""What is called again and again while a match is played, with how far it is where that is known."""


@dataclass(frozen=True, slots=True)
class LegReport:
    """What became of a leg. Everything but `seating` is per seat."""

    seating: tuple[int, ...]
    record: Json
    stderr: tuple[str, ...]
    faults: tuple[Fault | None, ...]
    spent_ms: tuple[float, ...]
    """What all answers cost."""
    answers: tuple[int, ...]


def play_leg(spec: LegSpec, sandbox: Sandbox, beat: Heartbeat) -> LegReport:
    """Play a leg. Raises SandboxError. No process of it is left when this returns or raises."""
    seats = [SeatPlay(seat, program, spec.limits) for seat, program in enumerate(spec.programs)]
    with ExitStack() as stack:
        for play in seats:
            stack.callback(play.close)
        return Leg(spec, seats).run(sandbox, beat)


class Leg:
    """A leg while it is played."""

    def __init__(self, spec: LegSpec, seats: Sequence[SeatPlay]) -> None:
        self.spec = spec
        self.seats = seats
        self.game = find_game(spec.game)
        self.state: State = self.game.start(spec.options, len(seats), spec.deal)
        self.actions: list[Json] = []
        self.underway = Underway(spec.number, self.actions, spec.seating)
        self.verdicts = [Verdict.OK for _ in seats]
        """Of the forfeits so far: who failed to start and is not asked before the leg ends has lost nothing by it."""

    def run(self, sandbox: Sandbox, beat: Heartbeat) -> LegReport:
        """Play from the first start to the last goodbye."""
        self._start(sandbox, beat)
        state = self.state
        while (seat := state.to_act) is not None:
            beat(self.underway)
            move = state.forced()
            if move is not None:
                self.actions.append({"seat": seat, "action": state.text(move), "auto": True})
                state.play(move)
            elif self.seats[seat].fault is not None:
                self._forfeit(seat)
            else:
                self._decide(self.seats[seat])
        return self._finish()

    def _start(self, sandbox: Sandbox, beat: Heartbeat) -> None:
        """In seat order. With two seats the first that fails to start loses; with more it goes out when it is asked."""
        spec = self.spec
        table = Table(
            spec.game,
            spec.edition,
            spec.options,
            len(self.seats),
            deal_hash(spec.deal, spec.salt),
            spec.limits,
        )
        for play in self.seats:
            beat(self.underway)
            try:
                play.start(sandbox, table)
            except FAULTS as error:
                self._blame(play, error)
                if len(self.seats) == 2:
                    self._forfeit(play.seat)
                    return

    def _decide(self, play: SeatPlay) -> None:
        state = self.state
        legal = state.actions() if play.ready.legal else None
        try:
            answer = play.ask(state, None if legal is None else list(legal))
            move = self._move(answer, legal)
        except FAULTS as error:
            self._blame(play, error)
            self._forfeit(play.seat)
            return
        self.actions.append(self._entry(play, answer, move))
        state.play(move)

    def _move(self, answer: Answer, legal: dict[str, Move] | None) -> Move:
        if legal is not None and answer.action in legal:
            return legal[answer.action]
        return self.state.parse(answer.action)

    def _entry(self, play: SeatPlay, answer: Answer, move: Move) -> Json:
        spent = play.spent()
        entry: Json = {
            "seat": play.seat,
            "action": self.state.text(move),
            "ms": round(spent.wall_ms),
            "cpu_ms": round(spent.cpu_ms),
        }
        if spent.late_ms >= MIN_DELAY_RECORDED_MS:
            entry["late_ms"] = round(spent.late_ms)
        if answer.note is not None:
            entry["note"] = answer.note
        if answer.eval is not None:
            entry["eval"] = answer.eval
        return entry

    def _blame(self, play: SeatPlay, error: MessageError) -> None:
        verdict = next(verdict for kind, verdict in VERDICTS.items() if isinstance(error, kind))
        play.blame(verdict, error.message, self.state)

    def _forfeit(self, seat: Seat) -> None:
        fault = self.seats[seat].fault
        assert fault is not None
        self.verdicts[seat] = fault.verdict
        self.actions.append({"seat": seat, "action": "forfeit", "verdict": fault.verdict.value})
        self.state.forfeit(seat, fault.verdict.value)

    def _finish(self) -> LegReport:
        outcome = self.state.outcome
        assert outcome is not None
        verdicts = [verdict.value for verdict in self.verdicts]
        for play in self.seats:
            play.dismiss(self.state, outcome, verdicts)
        deadline = perf_counter() + GOODBYE_TIMEOUT_S
        for play in self.seats:
            play.close(deadline - perf_counter())
        spec = self.spec
        record = make_record(
            game=self.game,
            edition=spec.edition,
            options=spec.options,
            deal=spec.deal,
            salt=spec.salt,
            seats=[{"name": program.name, "version": program.version} for program in spec.programs],
            actions=self.actions,
            outcome=outcome,
            verdicts=verdicts,
        )
        return LegReport(
            seating=spec.seating,
            record=record,
            stderr=tuple(play.stderr for play in self.seats),
            faults=tuple(
                None if verdict is Verdict.OK else play.fault
                for play, verdict in zip(self.seats, self.verdicts, strict=True)
            ),
            spent_ms=tuple(play.clock.spent_ms for play in self.seats),
            answers=tuple(play.clock.answers for play in self.seats),
        )
