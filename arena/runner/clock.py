"""The clock of one seat in one leg. Arithmetic only: it is told what an answer took."""

from dataclasses import dataclass

FREE_MS = 20.0
"""An answer within this time costs nothing."""


class OutOfTime(Exception):
    """An answer took more than its hard limit, or more than the bank still held."""


@dataclass(slots=True)
class Clock:
    move_ms: float
    bank_ms: float
    """What is left of the leg's bank."""
    spent_ms: float = 0.0
    answers: int = 0

    @property
    def allowance_ms(self) -> float:
        """How long the next answer may take."""
        return min(self.move_ms, FREE_MS + self.bank_ms)

    def charge(self, took_ms: float) -> None:
        """Count one answer. Raises OutOfTime where it was not in time, with the bank as it then stands."""
        self.spent_ms += took_ms
        self.answers += 1
        cost = max(0.0, took_ms - FREE_MS)
        empty = cost > 0 and cost >= self.bank_ms
        self.bank_ms = max(0.0, self.bank_ms - cost)
        if took_ms > self.move_ms:
            raise OutOfTime(f"the answer took {took_ms:.0f} ms; {self.move_ms:.0f} ms is the limit for one answer")
        if empty:
            raise OutOfTime(f"the answer took {took_ms:.0f} ms, and that emptied the time bank of this leg")
