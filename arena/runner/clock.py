"""Keep the clock of one seat in one leg. Arithmetic only: the caller measures what an answer took."""

from dataclasses import dataclass

from engine.message import Message, MessageError, gettext_noop, message

FREE_MS = 20.0
"""An answer within this time costs nothing."""
WALL_FACTOR = 2.0
"""A bot may take so much longer by the wall clock than it computes: for sleeping it pays the fraction."""


class OutOfTimeError(MessageError):
    """An answer cost more than its hard limit, or more than the bank still held."""


@dataclass(frozen=True, slots=True)
class Spent:
    """What one answer took, in milliseconds."""

    wall_ms: float
    cpu_ms: float
    """Of all threads of the bot together."""
    late_ms: float = 0.0
    """Of the wall time, how long this machine kept the answer waiting for a processor. Nobody pays for that."""

    @property
    def cost_ms(self) -> float:
        """Return what the answer costs: its CPU time, or half its wall time where that is more."""
        return max(self.cpu_ms, (self.wall_ms - self.late_ms) / WALL_FACTOR)

    def describe(self) -> Message:
        """Return the times in whole milliseconds."""
        cpu, wall, late = round(self.cpu_ms), round(self.wall_ms), round(self.late_ms)
        if self.late_ms < 1:
            return message(gettext_noop("%(cpu)s ms of processor time within %(wall)s ms"), cpu=cpu, wall=wall)
        template = gettext_noop("%(cpu)s ms of processor time within %(wall)s ms, %(late)s ms of it our delay")
        return message(template, cpu=cpu, wall=wall, late=late)


@dataclass(slots=True)
class Clock:
    """The time one bot has left in a leg."""

    move_ms: float
    bank_ms: float
    """What is left of the leg's bank."""
    spent_ms: float = 0.0
    """What all answers have cost."""
    answers: int = 0

    @property
    def allowance_ms(self) -> float:
        """Return how much the next answer may cost."""
        return min(self.move_ms, FREE_MS + self.bank_ms)

    def charge(self, spent: Spent) -> None:
        """Count one answer. Raises OutOfTimeError where it was not in time; the bank is charged anyway."""
        took = spent.cost_ms
        self.spent_ms += took
        self.answers += 1
        cost = max(0.0, took - FREE_MS)
        empty = cost > 0 and cost >= self.bank_ms
        self.bank_ms = max(0.0, self.bank_ms - cost)
        if took > self.move_ms:
            template = gettext_noop("the answer cost %(took)s ms (%(spent)s); %(limit)s ms is the limit for one")
            raise OutOfTimeError(message(template, took=round(took), spent=spent.describe(), limit=round(self.move_ms)))
        if empty:
            template = gettext_noop(
                "the answer cost %(took)s ms (%(spent)s), and that emptied the time bank of this leg"
            )
            raise OutOfTimeError(message(template, took=round(took), spent=spent.describe()))
