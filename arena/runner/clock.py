"""The clock of one seat in one leg. Arithmetic only: it is told what an answer took."""

from dataclasses import dataclass

FREE_MS = 20.0
"""An answer within this time costs nothing."""
WALL_FACTOR = 2.0
"""A bot may take so much longer by the wall clock than it computes: for sleeping it pays the fraction."""


class OutOfTime(Exception):
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
        return max(self.cpu_ms, (self.wall_ms - self.late_ms) / WALL_FACTOR)

    def __str__(self) -> str:
        late = f", {self.late_ms:.0f} ms of it our delay" if self.late_ms >= 1 else ""
        return f"{self.cpu_ms:.0f} ms of processor time within {self.wall_ms:.0f} ms{late}"


@dataclass(slots=True)
class Clock:
    move_ms: float
    bank_ms: float
    """What is left of the leg's bank."""
    spent_ms: float = 0.0
    """What all answers have cost."""
    answers: int = 0

    @property
    def allowance_ms(self) -> float:
        """How much the next answer may cost."""
        return min(self.move_ms, FREE_MS + self.bank_ms)

    def charge(self, spent: Spent) -> None:
        """Count one answer. Raises OutOfTime where it was not in time, with the bank as it then stands."""
        took = spent.cost_ms
        self.spent_ms += took
        self.answers += 1
        cost = max(0.0, took - FREE_MS)
        empty = cost > 0 and cost >= self.bank_ms
        self.bank_ms = max(0.0, self.bank_ms - cost)
        if took > self.move_ms:
            raise OutOfTime(f"the answer cost {took:.0f} ms ({spent}); {self.move_ms:.0f} ms is the limit for one")
        if empty:
            raise OutOfTime(f"the answer cost {took:.0f} ms ({spent}), and that emptied the time bank of this leg")
