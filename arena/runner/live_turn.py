"""Have a bot play a turn of a live game, or ask it again what was asked in a recorded leg."""

from collections.abc import Collection, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from time import monotonic

from arena.runner.match import FAULTS, Fault, Heartbeat, LegProgress, SeatPlay, ask_for_move, record_fault
from arena.runner.program import Clock, Limits, Program
from arena.runner.protocol import LegInfo
from arena.runner.sandbox.base import Sandbox
from engine.analysis.evaluators import find_evaluator
from engine.analysis.grading import find_hint
from engine.core import IllegalAction, Json, MalformedAction, Move, Seat, State, forfeit_event
from engine.deal import deal_hash, derive_seed
from engine.registry import find_game
from engine.replay import begin, take

# Have a bot play a turn of a live game.
#
# Its process is kept, stopped, for a few minutes after a turn, so that the next one needs no start. Where there is
# none, a fresh process is told all that has happened since the deal.

KEPT_FOR_S = 180.0
"""Time for which a process waits, stopped, for the next turn of its seat."""


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
    table: str = ""
    """Name of the game and the seat, under which the process is kept for the next turn; empty: it is ended."""


@dataclass(frozen=True, slots=True)
class Position:
    """A live game at the decision of a person who wants a hint."""

    game: str
    edition: str
    options: Json
    deal: Json
    seats: int
    actions: Sequence[Json]
    """All decisions so far, as in a record, and the person's steps that could be taken back."""


@dataclass(frozen=True, slots=True)
class TurnReport:
    """What a turn of a bot adds to the game, and who is to act then."""

    entries: Sequence[Json]
    """Its decisions, that it forfeits where it does, and what all seats do without a choice, as in a record."""
    fault: Fault | None
    """Why it forfeits; None where it does not."""
    stderr: str
    bank_ms: float
    """Rest of the bot's time bank after the decision."""
    cpu_ms: float
    """Processor time of the start and all answers."""
    changed_answers: int
    """Number of earlier turns to which a stateful bot gave another answer than the recorded one."""
    to_act: Seat | None = None
    """Who is to act after these; None where the game has ended with them."""
    is_kept: bool = False
    """Whether the process waits for the next turn."""


@dataclass(slots=True)
class KeptBot:
    """A stopped process between two turns of its seat."""

    play: SeatPlay
    actions: list[Json]
    """All decisions that it knows of, its own last ones included."""
    since: float


class KeptBots:
    """The processes of live games that wait for their next turn, by table, the oldest first."""

    def __init__(self) -> None:
        self._bots: dict[str, KeptBot] = {}

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._bots)

    @property
    def tables(self) -> tuple[str, ...]:
        """Return whose processes there are, the oldest first."""
        return tuple(self._bots)

    def take(self, spec: TurnSpec) -> SeatPlay | None:
        """Return the process of a table, which isn't kept from then on; None where there is none that can go on.

        One that doesn't know the game as it went on, as its last answer was discarded, is ended.
        """
        kept = self._bots.pop(spec.table, None)
        if kept is None:
            return None
        if list(spec.actions[: len(kept.actions)]) == kept.actions and kept.play.program == spec.program:
            return kept.play
        kept.play.close()
        return None

    def keep(self, spec: TurnSpec, play: SeatPlay, entries: Sequence[Json]) -> None:
        """Keep a process that has just answered, and so is stopped."""
        self._bots[spec.table] = KeptBot(play, [*spec.actions, *entries], monotonic())

    def end(self, tables: Collection[str]) -> None:
        """End the processes of these tables. Raises SandboxError."""
        for table in [table for table in self._bots if table in tables]:
            self._bots.pop(table).play.close()

    def end_idle(self) -> None:
        """End those that have waited for KEPT_FOR_S. Raises SandboxError."""
        oldest = monotonic() - KEPT_FOR_S
        self.end([table for table, kept in self._bots.items() if kept.since < oldest])


def answer_turn(
    spec: TurnSpec, sandbox: Sandbox, beat: Heartbeat = lambda _: None, kept: KeptBots | None = None
) -> TurnReport:
    """Have the bot decide until another seat is to act. Raises SandboxError.

    Its process of the last turn goes on where `kept` has it. A fresh one that says it is stateful is first asked its
    earlier turns again. Afterwards it is kept, if the spec names a table and the game goes on; else it is ended.
    """
    known = kept.take(spec) if kept is not None else None
    play = known or SeatPlay(spec.seat, spec.program, spec.limits)
    turn = LiveTurn(spec, play, is_known=known is not None, may_be_kept=kept is not None and bool(spec.table))
    try:
        report = turn.run(sandbox, beat)
    except BaseException:
        play.close()
        raise
    if kept is not None and report.is_kept:
        kept.keep(spec, play, report.entries)
    return report


def find_choices(position: Position) -> list[Json] | None:
    """Return the best action of the seat that is to act and the second best, each with the chance after it.

    None where no hint can be given.
    """
    evaluator = find_evaluator(position.game, position.edition, position.options)
    if evaluator is None:
        return None
    state = find_game(position.game).start(position.options, position.seats, position.deal)
    for entry in position.actions:
        take(state, entry)
    found = find_hint(state, evaluator)
    return None if found is None else [asdict(choice) for choice in (found.best, found.second) if choice is not None]


class LiveTurn:
    """One turn of a live game while a bot plays it."""

    def __init__(self, spec: TurnSpec, play: SeatPlay, *, is_known: bool, may_be_kept: bool) -> None:
        self.spec = spec
        self.play = play
        self.is_known = is_known
        """Whether the process has played the earlier turns, too."""
        self.may_be_kept = may_be_kept
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
            if self.is_known:
                self.skip_earlier_turns(state)
            else:
                play.start(sandbox, info)
                self.count_cpu_time()
                self.play_earlier_turns(state, beat)
            self.decide(state, beat)
        except FAULTS as error:
            self.count_cpu_time()
            record_fault(play, error, state)
            assert play.fault is not None
            self.entries.append(forfeit_event(self.spec.seat, play.fault.verdict))
            take(state, self.entries[-1])
        while (move := state.forced()) is not None:
            self.play_forced(state, move)
        goes_on = self.may_be_kept and play.fault is None and state.outcome is None
        if not goes_on:
            play.close()
        return TurnReport(
            entries=self.entries,
            fault=play.fault,
            stderr=play.stderr,
            bank_ms=play.clock.bank_ms,
            cpu_ms=self.cpu_ms,
            changed_answers=self.changed_answers,
            to_act=state.to_act,
            is_kept=goes_on,
        )

    def skip_earlier_turns(self, state: State) -> None:
        """Bring the state to the present; the bot is told of what is new with its next request."""
        for entry in self.spec.actions:
            take(state, entry)
        self.play.clock = Clock(self.spec.limits.move_ms, self.spec.bank_ms)

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
            forced = state.forced()
            if forced is not None:
                self.play_forced(state, forced)
                continue
            beat(self.underway)
            move, entry = ask_for_move(self.play, state)
            self.count_cpu_time()
            self.entries.append(entry)
            state.play(move)

    def play_forced(self, state: State, move: Move) -> None:
        """Play the only move of the seat that is to act."""
        self.entries.append({"seat": state.to_act, "action": state.text(move), "auto": True})
        state.play(move)

    def count_cpu_time(self) -> None:
        """Add the processor time of the last answer, or of the start."""
        self.cpu_ms += self.play.spent.cpu_ms


# Ask a bot again what was asked at one seat of a recorded leg, and compare its answers with the recorded ones.

FORFEIT = "forfeit"


@dataclass(frozen=True, slots=True)
class RerunAnswer:
    """An answer of the bot beside the recorded one."""

    decision: int
    """Number of the decision in the leg, from 0: `n` of the request."""
    request: Json
    recorded: str
    """The recorded action, or the verdict of a recorded fault."""
    answer: str
    """The action now, or the verdict of a fault."""
    problem: str = ""
    """What is wrong with the answer: why the action is illegal, or what the fault was."""
    log: str = ""
    """The bot's log at a fault."""
    has_ended: bool = False
    """Whether the bot can be asked no more."""

    @property
    def is_same(self) -> bool:
        """Return whether the bot answers as recorded."""
        return self.recorded == self.answer


def rerun_seat(
    record: Json, seat: Seat, program: Program, sandbox: Sandbox, until: int | None = None
) -> Iterator[RerunAnswer]:
    """Yield the answer to each request that the seat had in a verified record; after `until` no more is asked.

    The bot reads the same lines as then, except for `bank_ms`. The game goes on by the recorded actions, whatever it
    answers. Raises SandboxError.
    """
    play = SeatPlay(seat, program, Limits())
    with closing(play):
        yield from _rerun(record, seat, play, sandbox, until)


def _rerun(record: Json, seat: Seat, play: SeatPlay, sandbox: Sandbox, until: int | None) -> Iterator[RerunAnswer]:
    state = begin(record)
    try:
        play.start(sandbox, build_leg_info(record))
    except FAULTS as error:
        record_fault(play, error, state)
        recorded = next((entry for entry in record["actions"] if entry.get("verdict") == "start"), None)
        failed_then = recorded is not None and recorded["seat"] == seat
        yield _describe_fault(play, state, "start" if failed_then else "ready")
        return
    for entry in record["actions"]:
        if until is not None and state.ply > until:
            return
        if entry["seat"] == seat and is_answer(entry):
            answer = _ask(play, state, entry)
            yield answer
            if answer.has_ended:
                return
        take(state, entry)


def build_leg_info(record: Json) -> LegInfo:
    """Return what `hello` says of a recorded leg. Records from before seeds were stored have those of their salt."""
    seats = record["seats"]
    return LegInfo(
        record["game"],
        record["edition"],
        find_game(record["game"]).complete_options(record["options"]),
        len(seats),
        record["deal_hash"],
        Limits(),
        tuple(each.get("seed", derive_seed(record["salt"], number)) for number, each in enumerate(seats)),
    )


def is_answer(entry: Json) -> bool:
    """Return whether the seat was asked for this entry: there was a choice, and it had started."""
    return "auto" not in entry and "reason" not in entry and entry.get("verdict") != "start"


def _ask(play: SeatPlay, state: State, entry: Json) -> RerunAnswer:
    recorded = entry["verdict"] if entry["action"] == FORFEIT else entry["action"]
    legal = list(state.actions()) if play.ready.legal else None
    try:
        action = play.ask(state, legal).action
    except FAULTS as error:
        record_fault(play, error, state)
        return _describe_fault(play, state, recorded)
    problem = ""
    try:
        action = state.text(state.parse(action))
    except (IllegalAction, MalformedAction) as error:
        problem = str(error.message)
    assert play.request is not None
    return RerunAnswer(state.ply, play.request, recorded, action, problem)


def _describe_fault(play: SeatPlay, state: State, recorded: str) -> RerunAnswer:
    fault = play.fault
    assert fault is not None
    return RerunAnswer(
        state.ply,
        fault.request or {},
        recorded,
        fault.verdict.value,
        str(fault.message),
        play.stderr,
        has_ended=True,
    )
