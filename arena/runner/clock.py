"""Keep the clock of one seat in one leg. The caller measures how long answers take."""

from dataclasses import dataclass
from math import inf

from engine.message import Message, MessageError, gettext_noop, message

FREE_MS_PER_ANSWER = 20.0
"""An answer within this time is free."""
WALL_TIME_FACTOR = 2.0
"""Wall time is charged at one part in this many, if that is more than the CPU time."""


class OutOfTimeError(MessageError):
    """An answer cost more than its hard limit or the rest of the bank, or the bot took too long in all."""


@dataclass(frozen=True, slots=True)
class TimeSpent:
    """The time one answer took, in milliseconds."""

    wall_ms: float
    cpu_ms: float
    """CPU time of all threads of the bot together."""
    late_ms: float = 0.0
    """Part of the wall time in which the machine had no free processor. It is not charged."""

    @property
    def elapsed_ms(self) -> float:
        """Return the wall time without delays of the machine."""
        return self.wall_ms - self.late_ms

    @property
    def cost_ms(self) -> float:
        """Return the cost of the answer: its CPU time, or half its wall time if that is more."""
        return max(self.cpu_ms, self.elapsed_ms / WALL_TIME_FACTOR)

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
    """Rest of the leg's time bank."""
    elapsed_left_ms: float = inf
    """Rest of the leg's elapsed time: an answer takes from it what it took beyond the free part."""
    spent_ms: float = 0.0
    """Cost of all answers so far."""
    answers: int = 0
    elapsed_ms: float = 0.0
    """Elapsed time of the start and all answers so far."""
    waited_ms: float = 0.0
    """The part of it in which the bot used no processor."""

    @property
    def allowance_ms(self) -> float:
        """Return how much the next answer may cost."""
        return min(self.move_ms, FREE_MS_PER_ANSWER + self.bank_ms)

    def charge(self, spent: TimeSpent) -> None:
        """Charge one answer. Raises OutOfTimeError if it was not in time; the bank is charged anyway."""
        took = spent.cost_ms
        self.spent_ms += took
        self.answers += 1
        cost = max(0.0, took - FREE_MS_PER_ANSWER)
        self.count_elapsed(spent, FREE_MS_PER_ANSWER)
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
        if self.elapsed_left_ms <= 0:
            raise OutOfTimeError(
                message(gettext_noop("the bot mostly waited, and used up the elapsed time of this leg"))
            )

    def count_elapsed(self, spent: TimeSpent, free_ms: float = 0.0) -> None:
        """Count the elapsed time of the start or of an answer."""
        self.elapsed_left_ms -= max(0.0, spent.elapsed_ms - free_ms)
        self.elapsed_ms += spent.elapsed_ms
        self.waited_ms += max(0.0, spent.elapsed_ms - spent.cpu_ms)
