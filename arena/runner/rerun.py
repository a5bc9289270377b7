"""Ask a bot again what was asked at one seat of a recorded leg, and compare its answers with the recorded ones."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass

from arena.runner.decision import FAULTS, record_fault
from arena.runner.limits import Limits
from arena.runner.program import Program
from arena.runner.protocol import LegInfo
from arena.runner.sandbox.base import Sandbox
from arena.runner.seat import SeatPlay
from engine.core import IllegalAction, Json, MalformedAction, Seat, State
from engine.deal import derive_seed
from engine.registry import find_game
from engine.replay import begin, take

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
