"""Stop matches as soon as they show whether a bot is better: the arena's sequential test, on this machine."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeVar

import click

from arena.comparisons.sprt import HEAD_TO_HEAD, LLR_BOUND, MAX_PAIRS, decide

Match = TypeVar("Match")


# The base is generic from click 8.5 on.
class EloBounds(click.ParamType):  # type: ignore[type-arg]
    """The type of an option ELO0,ELO1."""

    name = "elo0,elo1"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[float, float]:
        """Return both bounds."""
        try:
            low, high = map(float, str(value).split(","))
        except ValueError:
            self.fail(f"{value!r} should be two numbers, as 0,20", param, ctx)
        if not low < high:
            self.fail(f"{value!r} should begin with the smaller number, as 0,20", param, ctx)
        return low, high


@dataclass(slots=True)
class SequentialTest:
    """A sequential test whether the first of two bots is better, by the results of mirrored pairs in their order."""

    elo0: float
    elo1: float
    """Bounds in normalized Elo: at `elo0` the bot is not better, at `elo1` it is."""
    counts: list[int] = field(default_factory=lambda: [0] * HEAD_TO_HEAD.results)
    llr: float = 0.0
    is_better: bool | None = None
    """None as long as that is open."""

    def add(self, points: float) -> bool:
        """Count a pair in which the first bot had so many points, from 0 to 1; return whether the test is over."""
        self.counts[round(points * (HEAD_TO_HEAD.results - 1))] += 1
        self.llr, self.is_better = decide(self.counts, HEAD_TO_HEAD, self.elo0, self.elo1)
        return self.is_better is not None or sum(self.counts) >= MAX_PAIRS

    @property
    def state(self) -> str:
        """Return the state, as a comparison on an arena has it."""
        if self.is_better is None:
            return "undecided"
        return "better" if self.is_better else "not_better"

    def describe(self, name: str) -> str:
        """Return the result in a sentence."""
        evidence = f"evidence {self.llr:+.2f} of ±{LLR_BOUND:.2f} after {sum(self.counts)} matches"
        bounds = f"bounds {self.elo0:g} and {self.elo1:g} Elo"
        if self.is_better is None:
            return f"{name}: not known yet ({evidence}, {bounds})"
        return f"{name} is {'better' if self.is_better else 'not better'} ({evidence}, {bounds})"

    def as_json(self) -> dict[str, Any]:
        """Return the test under the names that the arena's API gives a comparison."""
        return {
            "elo0": self.elo0,
            "elo1": self.elo1,
            "llr": self.llr,
            "llr_bound": LLR_BOUND,
            "pairs": sum(self.counts),
            "pentanomial": self.counts,
            "state": self.state,
        }


def sort_by_number(matches: Iterable[tuple[int, Match]]) -> Iterator[tuple[int, Match]]:
    """Yield numbered matches from 1 on in their order, each as soon as all before it have ended.

    Matches end in any order, and short ones first: a test that saw them so would be biased.
    """
    waiting: dict[int, Match] = {}
    following = 1
    for number, match in matches:
        waiting[number] = match
        while following in waiting:
            yield following, waiting.pop(following)
            following += 1
