"""Collect the faults of bots in matches on this machine, and describe them for their authors."""

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from operator import attrgetter
from pathlib import Path
from typing import Any

from arena.runner.match import MatchReport
from arena.runner.text import make_visible

MAX_FAULTS_SHOWN = 5
MAX_REPEATS_NAMED = 3
LOG_LINES_KEPT = 3
COUNTED_IN_VIEWS = ("turn", "round")
FAULT_ORDER = attrgetter("match", "leg", "seat")


@dataclass(frozen=True, slots=True)
class FaultNote:
    """A fault of a bot in a leg. Matches and legs count from 1, participants and decisions from 0."""

    match: int
    leg: int
    participant: int
    seat: int
    bot: str
    verdict: str
    message: str
    decision: int | None
    """Number of the decision that was asked for, as `n` of the request; None where the bot failed to start."""
    stage: str
    """Turn or round of the game, as `turn 12`; empty where the request says none."""
    log: tuple[str, ...]
    """The last lines that the bot wrote to stderr."""

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> "FaultNote":
        """Return a fault that was stored. Raise TypeError and KeyError."""
        return cls(**stored | {"log": tuple(stored["log"])})

    def as_json(self) -> dict[str, Any]:
        """Return the fault as `--json` prints it."""
        return {**asdict(self), "log": list(self.log)}

    @property
    def place(self) -> str:
        """Return match, leg and decision in brief."""
        where = "" if self.decision is None else f" at decision {self.decision}"
        return f"{self.match}-{self.leg}{where}"

    @property
    def heading(self) -> str:
        """Return where the fault was, whose it was and what."""
        where = "" if self.decision is None else f" at decision {self.decision}"
        stage = f" ({self.stage})" if self.stage else ""
        return f"{self.match}-{self.leg}: {self.bot} ({self.verdict}){where}{stage}: {self.message}"


def list_faults(number: int, match: MatchReport, names: Sequence[str]) -> Iterator[FaultNote]:
    """Yield the faults of a match, which has that number; `names` are by participant."""
    for leg_number, leg in enumerate(match.legs, start=1):
        for seat, (participant, fault) in enumerate(zip(leg.seating, leg.faults, strict=True)):
            if fault is None:
                continue
            request = fault.request or {}
            yield FaultNote(
                match=number,
                leg=leg_number,
                participant=participant,
                seat=seat,
                bot=names[participant],
                verdict=fault.verdict.value,
                message=make_visible(str(fault.message)),
                decision=request.get("n"),
                stage=describe_stage(request.get("view") or {}),
                log=tuple(leg.stderr[seat].rstrip().splitlines()[-LOG_LINES_KEPT:]),
            )


def describe_faults(faults: Sequence[FaultNote], out: Path | None, seed: str) -> Iterator[str]:
    """Yield lines on the faults, those of the same kind once, and how to look into them."""
    kinds: dict[tuple[Any, ...], list[FaultNote]] = {}
    for fault in sorted(faults, key=FAULT_ORDER):
        kinds.setdefault((fault.participant, fault.verdict, fault.message, fault.log), []).append(fault)
    for first, *repeats in list(kinds.values())[:MAX_FAULTS_SHOWN]:
        yield first.heading
        yield from (f"    {line}" for line in first.log)
        if repeats:
            named = ", ".join(fault.place for fault in repeats[:MAX_REPEATS_NAMED])
            more = len(repeats) - MAX_REPEATS_NAMED
            yield f"    the same in {named}{f' and {more} more' if more > 0 else ''}"
    if len(kinds) > MAX_FAULTS_SHOWN:
        yield f"and {len(kinds) - MAX_FAULTS_SHOWN} more kinds of faults"
    if faults and out is None:
        yield f"To read what the bots wrote to stderr, play again with --seed {seed} --out DIRECTORY"


def suggest_rerun(fault: FaultNote, out: Path, bot: str) -> str:
    """Return the command that plays the leg of a fault again up to it."""
    record = out / f"{fault.match}-{fault.leg}.json"
    until = "" if fault.decision is None else f" --until {fault.decision}"
    return f"pennant rerun {shlex.quote(str(record))} --bot {shlex.quote(bot)} --seat {fault.seat}{until}"


def describe_stage(view: dict[str, Any]) -> str:
    """Return the turn or round of a view, as `turn 12`; an empty text where it has none."""
    return next((f"{name} {view[name]}" for name in COUNTED_IN_VIEWS if name in view), "")
