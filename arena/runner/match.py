"""Play a match: its legs between fresh processes of the bots, their clocks, decisions and records."""

import math
import re
import sys
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from math import ceil
from random import SystemRandom
from time import perf_counter, sleep

from arena.runner import protocol
from arena.runner.program import Clock, Limits, OutOfTimeError, Program, TimeSpent, Verdict, lift_clock
from arena.runner.protocol import Answer, LegInfo, MalformedAnswerError, Ready, make_visible
from arena.runner.sandbox.base import (
    BotError,
    BotExitedError,
    BotOutOfMemoryError,
    BotOverflowError,
    BotProcess,
    BotTimeoutError,
    Sandbox,
    SandboxError,
    UnexpectedOutputError,
)
from engine.core import IllegalAction, Json, MalformedAction, Move, Outcome, Seat, State, forfeit_event
from engine.deal import deal_hash, derive_seed
from engine.message import Message, MessageError, gettext_noop, message
from engine.registry import find_game
from engine.replay import make_record
from engine.series import FIRST_SEATING, SeriesLength, add_series_scores, next_seating, series_points

# Run the bot at one seat of one leg: its process, its clock and its requests.

MAX_SENT_CHARS = 2000
"""Length to which the output kept for a bot's owner is cut."""


class StartError(MessageError):
    """The bot failed to start. The message says why."""


@dataclass(frozen=True, slots=True)
class Fault:
    """The reason why a seat forfeited, with details that only the bot's owner may see."""

    verdict: Verdict
    message: Message
    sent: str | None
    """Last output of the bot, shortened."""
    request: Json | None
    """The request that the bot did not answer correctly, with the legal actions."""
    stderr: str = ""
    """The last line of the bot's log, if its process ended."""


class SeatPlay:
    """A seat and the process that plays it, which the caller must close."""

    def __init__(self, seat: Seat, program: Program, limits: Limits, *, is_clocked: bool = True) -> None:
        self.seat = seat
        self.program = program
        self.told_limits = limits
        """What the bot is told also where nothing is charged, so that it plays as on the clock."""
        self.limits = limits = limits if is_clocked else lift_clock(limits)
        self.clock = Clock(limits.move_ms, limits.bank_ms, limits.elapsed_ms)
        self.ready = Ready()
        self.events_sent = 0
        self.process: BotProcess | None = None
        self.spent = TimeSpent(0.0, 0.0)
        """Time that the last answer took; 0 while there is none to the last request."""
        self.request: Json | None = None
        self.sent: bytes | None = None
        self.stderr_end = ""
        self.fault: Fault | None = None

    def start(self, sandbox: Sandbox, table: LegInfo) -> None:
        """Start the bot and send it `hello`. Raises StartError and SandboxError."""
        self.request = protocol.build_hello(table, self.seat)
        self.process = sandbox.start(self.program, self.limits)
        try:
            self.sent = self.process.ask(protocol.encode(self.request), self.limits.start_ms / 1000)
            self.spent = read_time_spent(self.process)
            Clock(self.limits.start_ms, math.inf).charge(self.spent)
            self.clock.count_elapsed(self.spent)
            self.ready = protocol.parse_ready(self.sent)
        except (BotError, MalformedAnswerError, OutOfTimeError) as error:
            self.sent = error.sent if isinstance(error, BotError) else self.sent
            self.stderr_end = error.stderr if isinstance(error, BotError) else ""
            is_memory = isinstance(error, BotOutOfMemoryError)
            problem = name_memory_limit(error.message, self.limits) if is_memory else error.message
            raise StartError(message(gettext_noop("the bot didn't start: %(error)s"), error=problem)) from error

    def ask(self, state: State, legal: list[str] | None) -> Answer:
        """Ask the bot for the present decision. Raises BotError, MalformedAnswerError, OutOfTimeError."""
        assert self.process is not None
        request = protocol.build_turn(state, self.seat, self.events_sent, has_view=self.ready.view, legal=legal)
        request["bank_ms"] = min(int(self.clock.bank_ms), self.told_limits.bank_ms)
        self.request, self.sent, self.spent = request, None, TimeSpent(0.0, 0.0)
        self.events_sent = state.log_length
        try:
            self.sent = self.process.ask(protocol.encode(request), self.clock.allowance_ms / 1000)
        except BotError as error:
            self.sent, self.stderr_end = error.sent, error.stderr
            raise
        self.spent = read_time_spent(self.process)
        self.clock.charge(self.spent)
        return protocol.parse_answer(self.sent)

    def record_fault(self, verdict: Verdict, reason: Message, state: State) -> None:
        """Record a fault for the bot's owner and end the process."""
        request = self.request
        if request is not None and request.get("type") == "turn" and "legal" not in request:
            request = {**request, "legal": [state.text(move) for move in state.moves()]}
        if verdict is Verdict.MEMORY:
            reason = name_memory_limit(reason, self.limits)
        if shadowing := find_shadowing_file(self.program, reason):
            template = gettext_noop("%(problem)s. Your file %(file)s shadows the module of that name; rename it")
            reason = message(template, problem=reason, file=shadowing)
        sent = shorten_output(self.sent) if self.sent else None
        self.fault = Fault(verdict, reason, sent, request, self.stderr_end)
        self.close()

    def dismiss(self, state: State, outcome: Outcome, verdicts: list[str]) -> None:
        """Send the end of the leg to the bot, unless it had a fault."""
        if self.process is None or self.fault is not None:
            return
        self.process.dismiss(
            protocol.encode(protocol.build_end(outcome, verdicts, state.events(self.seat, self.events_sent)))
        )

    def close(self, grace_s: float = 0.0) -> None:
        """End the process, after waiting up to `grace_s` for it to exit."""
        if self.process is not None:
            self.process.close(grace_s)

    @property
    def bank_left_ms(self) -> float:
        """Return the rest of the time bank, also where none is kept."""
        return max(0.0, self.told_limits.bank_ms - (self.limits.bank_ms - self.clock.bank_ms))

    @property
    def stderr(self) -> str:
        """Return the end of the bot's log."""
        return self.process.stderr() if self.process else ""


def name_memory_limit(reason: Message, limits: Limits) -> Message:
    """Return what a bot did with its memory, with the limit."""
    template = gettext_noop("%(problem)s; the limit is %(limit)s MiB")
    return reason if "limit" in reason.values else message(template, problem=reason, limit=limits.memory_mb)


def find_shadowing_file(program: Program, reason: Message) -> str | None:
    """Return a file of a bot that an error names and that Python finds in the place of a module, or None."""
    if program.language != "python":
        return None
    said, hidden = str(reason), {"engine", *sys.stdlib_module_names}
    names = (path for path in program.files if path.endswith(".py") and path.removesuffix(".py") in hidden)
    return next((path for path in names if re.search(rf"['.]?\b{path.removesuffix('.py')}\b", said)), None)


def read_time_spent(process: BotProcess) -> TimeSpent:
    """Return the time that the last answer of a process took."""
    return TimeSpent(process.wall_s * 1000, process.cpu_s * 1000, process.late_s * 1000)


def shorten_output(sent: bytes) -> str:
    """Return the output of a bot as text that can be stored and shown, shortened."""
    text = make_visible(sent[: MAX_SENT_CHARS + 1].decode(errors="replace"))
    return text if len(text) <= MAX_SENT_CHARS else text[:MAX_SENT_CHARS] + "…"


# Ask a bot for a decision, and tell whose fault it is where that fails.

EVAL_DECIMALS = 4
"""Decimals of a bot's estimate of its chances that a record keeps."""
MIN_DELAY_RECORDED_MS = 10.0
"""Shorter delays by this machine are not recorded."""

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
"""The verdict for each kind of error."""
FAULTS = tuple(VERDICTS)


def ask_for_move(play: SeatPlay, state: State) -> tuple[Move, Json]:
    """Return the move of the bot whose turn it is, and its entry in the record. Raises one of FAULTS."""
    legal = state.actions() if play.ready.legal else None
    answer = play.ask(state, None if legal is None else list(legal))
    move = legal[answer.action] if legal is not None and answer.action in legal else state.parse(answer.action)
    return move, build_entry(play, answer, state.text(move))


def build_entry(play: SeatPlay, answer: Answer, action: str) -> Json:
    """Return the entry of a record for a decision that a bot has made."""
    spent = play.spent
    entry: Json = {"seat": play.seat, "action": action, "ms": round(spent.wall_ms), "cpu_ms": round(spent.cpu_ms)}
    if spent.late_ms >= MIN_DELAY_RECORDED_MS:
        entry["late_ms"] = round(spent.late_ms)
    if answer.note is not None:
        entry["note"] = answer.note
    if answer.eval is not None:
        entry["eval"] = round(answer.eval, EVAL_DECIMALS)
    return entry


def record_fault(play: SeatPlay, error: MessageError, state: State) -> None:
    """Record the fault that an error means, and end the bot."""
    verdict = next(verdict for kind, verdict in VERDICTS.items() if isinstance(error, kind))
    play.record_fault(verdict, error.message, state)


# Play one leg of a match between fresh processes, and write its record.

LEG_EXIT_TIMEOUT_S = 1.0
"""Time that all bots of a leg together have to exit after the last message."""
NEXT_LEG_EXIT_TIMEOUT_S = 0.05
"""The same where a leg of the same deal follows, which must not begin when a bot pleases."""


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
    exit_timeout_s: float = LEG_EXIT_TIMEOUT_S
    is_clocked: bool = True
    """Whether the limits of time hold."""


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
    ended_at: float = 0.0
    """When the bots were told the result, in seconds of `perf_counter`."""
    costs_ms: tuple[tuple[float, ...], ...] = ()
    """Cost of each answer; empty where nobody was timed."""
    bank_left_ms: tuple[float, ...] = ()
    """Rest of the time banks."""
    refusals: tuple[int, ...] = ()
    """Answers of remote bots that were refused, after which they were asked again; empty without such bots."""


def play_leg(spec: LegSpec, sandbox: Sandbox, beat: Heartbeat) -> LegReport:
    """Play a leg. Raises SandboxError. All its processes have ended when this returns or raises."""
    seats = [
        SeatPlay(seat, program, spec.limits, is_clocked=spec.is_clocked) for seat, program in enumerate(spec.programs)
    ]
    with ExitStack() as stack:
        for play in seats:
            stack.callback(play.close)
        return Leg(spec, seats).run(sandbox, beat)


def dismiss_bots(
    plays: Collection[SeatPlay],
    state: State,
    outcome: Outcome,
    verdicts: list[str],
    exit_timeout_s: float = LEG_EXIT_TIMEOUT_S,
) -> None:
    """Tell bots the result, and end them."""
    for play in plays:
        play.dismiss(state, outcome, verdicts)
    deadline = perf_counter() + exit_timeout_s
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
        spec, ended_at = self.spec, perf_counter()
        dismiss_bots(self.seats, self.state, outcome, verdicts, spec.exit_timeout_s)
        record = make_record(
            game=self.game,
            edition=spec.edition,
            options=self.options,
            deal=spec.deal,
            salt=spec.salt,
            seats=[
                {"name": program.name, "version": program.version, "seed": seed}
                | ({"level": program.level} if program.level else {})
                | ({"packages": dict(program.packages)} if program.packages else {})
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
            ended_at=ended_at,
            costs_ms=tuple(tuple(play.clock.costs_ms) for play in self.seats),
            bank_left_ms=tuple(play.bank_left_ms for play in self.seats),
        )


# Play one match: one leg of the same deal for each seating of the participants, or a series of games.

SANDBOXES_FREED_S = 0.1
"""Time from the end of a leg until what its sandboxes held is free, also where a kill had to free much memory. What is
started before would tell by the numbers of its file systems whether they were free."""
LEG_PAUSE_S = 0.11
"""Time from the end of a leg to the next one, whatever its bots do until they have exited or are killed."""
LEG_PAUSE_NOISE_S = 0.02
"""Random time beyond it: a few times what a bot can still add, by the memory that a kill must free."""


@dataclass(frozen=True, slots=True)
class MatchSpec:
    """The input of a match."""

    game: str
    edition: str
    options: Json
    deal: Json
    """Deal of all legs; in a series, that of the first game."""
    salts: tuple[str, ...]
    """One for each possible leg, so that bots can't recognise the deal of another leg by its hash. Where there are
    fewer than seatings, the last ones aren't played."""
    limits: Limits
    programs: tuple[Program, ...]
    """The program of each participant."""
    series: SeriesLength | None = None
    """Length of the series; None if there is one leg for each seating."""
    later_deals: tuple[Json, ...] = ()
    """Deals of the later games that a series may have."""
    arena: str | None = None
    """The version of the arena, for the records."""
    keeps_legs_apart: bool = False
    """Whether a bot must not tell its next leg anything: all have the same deal."""
    is_clocked: bool = True
    """Whether the limits of time hold."""

    @property
    def max_legs(self) -> int:
        """The number of legs; of a series, the highest possible."""
        return min(len(self.salts), len(self.programs)) if self.series is None else self.series.max_games

    def check(self) -> None:
        """Raise ValueError where salts or deals are missing or too many."""
        if not self.salts or len(self.salts) != self.max_legs:
            most = len(self.programs) if self.series is None else self.max_legs
            raise ValueError(f"{most} legs need {most} salts, not {len(self.salts)}")
        later = 0 if self.series is None else self.max_legs - 1
        if len(self.later_deals) != later:
            raise ValueError(f"{later} further deals are needed, not {len(self.later_deals)}")
        if self.series is not None and len(self.programs) != len(FIRST_SEATING):
            raise ValueError(f"a series is of two participants, not {len(self.programs)}")

    def leg(self, number: int, seating: tuple[int, ...], series_scores: tuple[float, ...] = ()) -> LegSpec:
        """Return the input of a leg; `number` counts from 0."""
        return LegSpec(
            game=self.game,
            edition=self.edition,
            options=self.options,
            deal=self.later_deals[number - 1] if self.series is not None and number else self.deal,
            salt=self.salts[number],
            limits=self.limits,
            seating=seating,
            programs=tuple(self.programs[participant] for participant in seating),
            number=number + 1,
            arena=self.arena,
            series_scores=series_scores,
            is_clocked=self.is_clocked,
            exit_timeout_s=NEXT_LEG_EXIT_TIMEOUT_S if self.awaits_next_leg(number) else LEG_EXIT_TIMEOUT_S,
        )

    def awaits_next_leg(self, number: int) -> bool:
        """Return whether a leg is followed by one that it must tell nothing; `number` counts from 0."""
        return self.keeps_legs_apart and self.series is None and number + 1 < self.max_legs


@dataclass(frozen=True, slots=True)
class MatchReport:
    """The reports of all legs that were played."""

    legs: tuple[LegReport, ...]
    is_series: bool = False

    @property
    def points(self) -> tuple[float, ...]:
        """The mean of `compute_leg_points` over the legs, by participant.

        A series counts as one game: 1 for the participant who is ahead by series score, and ½ for each if level.
        """
        if self.is_series:
            return series_points(self.scores)
        return tuple(
            sum(compute_leg_points(leg)[participant] for leg in self.legs) / len(self.legs)
            for participant in range(len(self.legs[0].seating))
        )

    @property
    def scores(self) -> tuple[float, ...]:
        """Per participant, the sum of its scores in all legs: of a series, the series score."""
        games = ((leg.seating, leg.record["result"]["scores"]) for leg in self.legs)
        return add_series_scores(games, len(self.legs[0].seating))


def compute_leg_points(leg: LegReport) -> dict[int, float]:
    """Return by participant the share of opponents left behind, from 0 to 1. A shared place counts half."""
    return dict(zip(leg.seating, compute_place_points(leg.record["result"]["places"]), strict=True))


def compute_place_points(places: Sequence[int]) -> list[float]:
    """Return the points of each seat of a leg that ended with these places, as `compute_leg_points` does."""
    others = len(places) - 1
    points = []
    for place in places:
        behind = sum(other > place for other in places)
        beside = sum(other == place for other in places) - 1
        points.append((behind + beside / 2) / others if others else 1.0)
    return points


def list_seatings(participants: int) -> list[tuple[int, ...]]:
    """Return a tuple for each leg with the participant at each seat: each participant has each seat once."""
    return [tuple((first + seat) % participants for seat in range(participants)) for first in range(participants)]


def play_match(spec: MatchSpec, sandbox: Sandbox, beat: Heartbeat = lambda _: None) -> MatchReport:
    """Play every leg; a series until it is over. Raises SandboxError.

    `beat` is called before every start of a bot and every decision, so at most one bot is awaited between two calls.
    It may raise an exception to stop the match.
    """
    spec.check()
    if spec.series is not None:
        return _play_series(spec, spec.series, sandbox, beat)
    legs: list[LegReport] = []
    for number, seating in enumerate(list_seatings(len(spec.programs))[: spec.max_legs]):
        legs.append(play_leg(spec.leg(number, seating), sandbox, beat))
        if spec.awaits_next_leg(number):
            separate_legs(spec.programs, spec.limits, sandbox, legs[-1].ended_at)
    return MatchReport(tuple(legs))


def separate_legs(programs: Sequence[Program], limits: Limits, sandbox: Sandbox, ended_at: float) -> None:
    """Hide from the next leg what a bot can change outside its process: see SECURITY.md.

    The pause counts for nobody.
    """
    late = perf_counter() - ended_at - SANDBOXES_FREED_S
    if late > 0:  # what a bot held took longer to free: how long, the next leg mustn't see
        ended_at += LEG_PAUSE_S * ceil(late / LEG_PAUSE_S)
    _sleep_until(ended_at + SANDBOXES_FREED_S)
    if any(sandbox.languages[program.language].run.max_pipes for program in programs):
        from arena.runner.sandbox.seccomp import add_noise  # noqa: PLC0415 - on Linux alone

        add_noise()
    python = Counter(tuple(sorted(program.packages)) for program in programs if program.language == "python")
    for packages, count in python.items():
        with suppress(SandboxError, OSError):  # the next leg can start its bots without
            sandbox.fill_warm_pool("python", limits, count, packages)
    _sleep_until(ended_at + LEG_PAUSE_S + SystemRandom().uniform(0, LEG_PAUSE_NOISE_S))


def _sleep_until(end: float) -> None:
    sleep(max(0.0, end - perf_counter()))


def _play_series(spec: MatchSpec, length: SeriesLength, sandbox: Sandbox, beat: Heartbeat) -> MatchReport:
    report, scores = MatchReport((), is_series=True), add_series_scores(())
    seating: tuple[int, ...] = FIRST_SEATING
    while True:
        leg = play_leg(spec.leg(len(report.legs), seating, scores), sandbox, beat)
        report = MatchReport((*report.legs, leg), is_series=True)
        scores = report.scores
        if length.is_over(len(report.legs), scores):
            return report
        seating = next_seating(seating, leg.record["result"]["places"])
