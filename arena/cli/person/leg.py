"""Play one leg between a person and bots, and write its record.

Each bot is one process from the start to the end of the leg, as in a match. It is stopped while it is not asked, so
that neither its clock nor the leg's bound of elapsed time counts how long the person thinks.
"""

from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from typing import Protocol

from arena.runner.decision import FAULTS, ask_for_move, record_fault
from arena.runner.leg import LegReport, dismiss_bots
from arena.runner.limits import Limits
from arena.runner.program import Program
from arena.runner.protocol import LegInfo
from arena.runner.sandbox import Sandbox
from arena.runner.seat import SeatPlay
from arena.runner.verdict import Verdict
from engine.core import Game, Json, Move, Outcome, Seat, State, forfeit_event
from engine.deal import deal_hash, derive_seed
from engine.record_shape import BOT, PERSON
from engine.replay import make_record

PERSON_NAME = "me"
"""The person's name in records, and what stands for a bot on the command line."""


@dataclass(frozen=True, slots=True)
class TakeBack:
    """The person's wish to take the last step back."""


@dataclass(frozen=True, slots=True)
class Leave:
    """The person's wish to leave the leg."""

    reason: str
    """One of PERSON_ENDINGS."""


Choice = Move | TakeBack | Leave


class Person(Protocol):
    """The person who plays at the terminal."""

    def tell(self, state: State) -> None:
        """Show what has happened since the last call."""

    def choose(self, state: State, *, can_take_back: bool) -> Choice:
        """Return what the person does now."""

    def wait_for(self, seat: Seat) -> AbstractContextManager[object]:
        """Return the context in which the bot at a seat thinks."""


@dataclass(frozen=True, slots=True)
class PersonLegSpec:
    """The input of a leg with a person."""

    game: Game
    edition: str
    options: Json
    deal: Json
    salt: str
    programs: tuple[Program | None, ...]
    """The program at each seat; None where the person sits."""
    limits: Limits
    arena: str | None = None
    """The version of the arena, for the record."""


def play_leg_with_person(spec: PersonLegSpec, person: Person, sandbox: Sandbox) -> LegReport:
    """Play a leg. Raises SandboxError. All its processes have ended when this returns or raises."""
    leg = PersonLeg(spec, person)
    with ExitStack() as stack:
        for bot in leg.bots.values():
            stack.callback(bot.close)
        return leg.run(sandbox)


class PersonLeg:
    """A leg with a person while it is played."""

    def __init__(self, spec: PersonLegSpec, person: Person) -> None:
        self.spec = spec
        self.person = person
        self.seats = range(len(spec.programs))
        self.bots = {
            seat: SeatPlay(seat, program, spec.limits)
            for seat, program in enumerate(spec.programs)
            if program is not None
        }
        self.state: State = spec.game.start(spec.options, len(self.seats), spec.deal)
        self.seeds = tuple(derive_seed(spec.salt, seat) for seat in self.seats)
        self.actions: list[Json] = []
        self.verdicts = [Verdict.OK for _ in self.seats]
        self.draft: list[tuple[State, int]] = []
        """For each of the person's steps that can be taken back, the state and the number of actions before it."""

    def run(self, sandbox: Sandbox) -> LegReport:
        """Start the bots, play the leg and end the bots."""
        self.start_bots(sandbox)
        while (seat := self.state.to_act) is not None:
            move = self.state.forced()
            if move is not None:
                self.play(seat, move, {"auto": True})
            elif seat not in self.bots:
                self.ask_person(seat)
            else:
                self.ask_bot(self.bots[seat])
            self.person.tell(self.state)
        return self.finish(self.state.outcome)

    def start_bots(self, sandbox: Sandbox) -> None:
        """Start the bots in seat order.

        With two seats a bot that fails to start forfeits at once, with more when it is asked.
        """
        spec = self.spec
        table = LegInfo(
            game=spec.game.key,
            edition=spec.edition,
            options=spec.options,
            seats=len(self.seats),
            deal_hash=deal_hash(spec.deal, spec.salt),
            limits=spec.limits,
            seeds=self.seeds,
        )
        for bot in self.bots.values():
            try:
                bot.start(sandbox, table)
            except FAULTS as error:
                record_fault(bot, error, self.state)
                if len(self.seats) == 2:
                    self.forfeit(bot)

    def play(self, seat: Seat, move: Move, details: Json) -> None:
        """Play a move, with these details in its entry of the record."""
        self.actions.append({"seat": seat, "action": self.state.text(move), **details})
        self.state.play(move)

    def ask_person(self, seat: Seat) -> None:
        """Have the person take a step, take one back, or leave."""
        choice = self.person.choose(self.state, can_take_back=bool(self.draft))
        if isinstance(choice, TakeBack):
            self.state, length = self.draft.pop()
            del self.actions[length:]
        elif isinstance(choice, Leave):
            self.actions.append(forfeit_event(seat, choice.reason))
            self.state.forfeit(seat, choice.reason)
        else:
            self.take_step(seat, choice)

    def take_step(self, seat: Seat, move: Move) -> None:
        """Play the person's move and what follows without a choice.

        It can be taken back unless it has shown the person something, or another seat is to decide.
        """
        before, length = self.state.copy(), self.state.log_length
        self.draft.append((before, len(self.actions)))
        self.play(seat, move, {})
        while self.state.to_act == seat and (forced := self.state.forced()) is not None:
            self.play(seat, forced, {"auto": True})
        if self.state.to_act != seat or self.spec.game.is_revealing(self.state.events(seat, length)):
            self.draft.clear()

    def ask_bot(self, bot: SeatPlay) -> None:
        """Have a bot decide, or forfeit."""
        if bot.fault is None:
            try:
                with self.person.wait_for(bot.seat):
                    move, entry = ask_for_move(bot, self.state)
            except FAULTS as error:
                record_fault(bot, error, self.state)
            else:
                self.actions.append(entry)
                self.state.play(move)
                return
        self.forfeit(bot)

    def forfeit(self, bot: SeatPlay) -> None:
        """Put a bot out by its fault."""
        assert bot.fault is not None
        verdict = bot.fault.verdict
        self.verdicts[bot.seat] = verdict
        self.actions.append(forfeit_event(bot.seat, verdict.value))
        self.state.forfeit(bot.seat, verdict.value)

    def finish(self, outcome: Outcome | None) -> LegReport:
        """Tell the bots the result, end them, and return the report."""
        assert outcome is not None
        verdicts = [verdict.value for verdict in self.verdicts]
        dismiss_bots(self.bots.values(), self.state, outcome, verdicts)
        return self.build_report(self.build_record(outcome, verdicts))

    def build_record(self, outcome: Outcome, verdicts: list[str]) -> Json:
        """Return the record of the leg."""
        spec = self.spec
        return make_record(
            game=spec.game,
            edition=spec.edition,
            options=spec.options,
            deal=spec.deal,
            salt=spec.salt,
            seats=[self.describe_seat(seat) for seat in self.seats],
            actions=self.actions,
            outcome=outcome,
            verdicts=verdicts,
            arena=spec.arena,
        )

    def describe_seat(self, seat: Seat) -> Json:
        """Return a seat as the record has it."""
        program = self.spec.programs[seat]
        if program is None:
            return {"name": PERSON_NAME, "kind": PERSON}
        return {"name": program.name, "version": program.version, "kind": BOT, "seed": self.seeds[seat]}

    def build_report(self, record: Json) -> LegReport:
        """Return the report; a person's log is empty, and so is their clock."""
        bots = [self.bots.get(seat) for seat in self.seats]
        clocks = [bot.clock if bot else None for bot in bots]
        return LegReport(
            seating=tuple(self.seats),
            record=record,
            stderr=tuple(bot.stderr if bot else "" for bot in bots),
            faults=tuple(
                bot.fault if bot and verdict is not Verdict.OK else None
                for bot, verdict in zip(bots, self.verdicts, strict=True)
            ),
            spent_ms=tuple(clock.spent_ms if clock else 0.0 for clock in clocks),
            answers=tuple(clock.answers if clock else 0 for clock in clocks),
            elapsed_ms=tuple(clock.elapsed_ms if clock else 0.0 for clock in clocks),
            waited_ms=tuple(clock.waited_ms if clock else 0.0 for clock in clocks),
        )
