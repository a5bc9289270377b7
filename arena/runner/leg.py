"""Play one leg of a match between fresh processes, and write its record."""

from collections.abc import Callable, Collection, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from time import perf_counter

from arena.runner.decision import FAULTS, ask_for_move, record_fault
from arena.runner.limits import Limits
from arena.runner.program import Program
from arena.runner.protocol import LegInfo
from arena.runner.sandbox.base import Sandbox
from arena.runner.seat import Fault, SeatPlay
from arena.runner.verdict import Verdict
from engine.core import Json, Outcome, Seat, State, forfeit_event
from engine.deal import deal_hash, derive_seed
from engine.registry import find_game
from engine.replay import make_record

LEG_EXIT_TIMEOUT_S = 1.0
"""Time that all bots of a leg together have to exit after the last message."""


@dataclass(frozen=True, slots=True)
class LegSpec:
    """The input of a leg. `seating` and `programs` are by seat."""

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
    """Number of the leg in its match, from 1."""
    arena: str | None = None
    """The version of the arena, for the record."""
    series_scores: tuple[float, ...] = ()
    """The series score of each participant before this leg; empty where the match is no series."""


@dataclass(frozen=True, slots=True)
class LegProgress:
    """The progress of a leg that is being played."""

    leg: int
    """Number of the leg in its match, from 1."""
    actions: list[Json]
    """All decisions so far, as in the record. The process that plays the leg appends to it."""
    seating: tuple[int, ...]
    """The participant at each seat."""
    series_scores: tuple[float, ...] = ()
    """The series score of each participant before this leg; empty where the match is no series."""


Heartbeat = Callable[[LegProgress | None], None]
"""Function that is called regularly while a match is played, with its progress if that is known."""


@dataclass(frozen=True, slots=True)
class LegReport:
    """The result of a leg. All tuples are by seat."""

    seating: tuple[int, ...]
    record: Json
    stderr: tuple[str, ...]
    faults: tuple[Fault | None, ...]
    spent_ms: tuple[float, ...]
    """Cost of all answers."""
    answers: tuple[int, ...]
    elapsed_ms: tuple[float, ...]
    """Elapsed time of the start and all answers, without delays of the machine."""
    waited_ms: tuple[float, ...]
    """The part of it in which the bot used no processor."""


def play_leg(spec: LegSpec, sandbox: Sandbox, beat: Heartbeat) -> LegReport:
    """Play a leg. Raises SandboxError. All its processes have ended when this returns or raises."""
    seats = [SeatPlay(seat, program, spec.limits) for seat, program in enumerate(spec.programs)]
    with ExitStack() as stack:
        for play in seats:
            stack.callback(play.close)
        return Leg(spec, seats).run(sandbox, beat)


def dismiss_bots(plays: Collection[SeatPlay], state: State, outcome: Outcome, verdicts: list[str]) -> None:
    """Tell bots the result, and end them."""
    for play in plays:
        play.dismiss(state, outcome, verdicts)
    deadline = perf_counter() + LEG_EXIT_TIMEOUT_S
    for play in plays:
        play.close(deadline - perf_counter())


class Leg:
    """A leg while it is played."""

    def __init__(self, spec: LegSpec, seats: Sequence[SeatPlay]) -> None:
        self.spec = spec
        self.seats = seats
        self.game = find_game(spec.game)
        self.options = self.game.complete_options(spec.options)
        self.state: State = self.game.start(self.options, len(seats), spec.deal)
        self.seeds = tuple(derive_seed(spec.salt, seat) for seat in range(len(seats)))
        self.actions: list[Json] = []
        self.underway = LegProgress(spec.number, self.actions, spec.seating, spec.series_scores)
        self.verdicts = [Verdict.OK for _ in seats]
        """Faults count only once the seat forfeits: a bot that failed to start may never be asked."""

    def run(self, sandbox: Sandbox, beat: Heartbeat) -> LegReport:
        """Start the bots, play the leg and end the bots."""
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
        """Start the bots in seat order.

        With two seats the first bot that fails to start forfeits at once, with more when it is asked.
        """
        spec = self.spec
        table = LegInfo(
            spec.game,
            spec.edition,
            self.options,
            len(self.seats),
            deal_hash(spec.deal, spec.salt),
            spec.limits,
            self.seeds,
        )
        for play in self.seats:
            beat(self.underway)
            try:
                play.start(sandbox, table)
            except FAULTS as error:
                record_fault(play, error, self.state)
                if len(self.seats) == 2:
                    self._forfeit(play.seat)
                    return

    def _decide(self, play: SeatPlay) -> None:
        try:
            move, entry = ask_for_move(play, self.state)
        except FAULTS as error:
            record_fault(play, error, self.state)
            self._forfeit(play.seat)
            return
        self.actions.append(entry)
        self.state.play(move)

    def _forfeit(self, seat: Seat) -> None:
        fault = self.seats[seat].fault
        assert fault is not None
        self.verdicts[seat] = fault.verdict
        self.actions.append(forfeit_event(seat, fault.verdict.value))
        self.state.forfeit(seat, fault.verdict.value)

    def _finish(self) -> LegReport:
        outcome = self.state.outcome
        assert outcome is not None
        verdicts = [verdict.value for verdict in self.verdicts]
        dismiss_bots(self.seats, self.state, outcome, verdicts)
        spec = self.spec
        record = make_record(
            game=self.game,
            edition=spec.edition,
            options=self.options,
            deal=spec.deal,
            salt=spec.salt,
            seats=[
                {"name": program.name, "version": program.version, "seed": seed}
                for program, seed in zip(spec.programs, self.seeds, strict=True)
            ],
            actions=self.actions,
            outcome=outcome,
            verdicts=verdicts,
            arena=spec.arena,
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
            elapsed_ms=tuple(play.clock.elapsed_ms for play in self.seats),
            waited_ms=tuple(play.clock.waited_ms for play in self.seats),
        )
