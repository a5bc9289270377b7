"""Choose rated matches for spectators, and the order in which they are shown. Pure: no database."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from arena.ladders.rating.elo import find_upset_chance


class Reason(StrEnum):
    """Why a match was chosen."""

    CLOSEST = "closest"
    """Its bots had the most similar ratings."""
    UPSET = "upset"
    """The bot that won was the least likely winner."""
    NEW_VERSION = "new version"
    """It was the first rated match of a version."""
    BEST = "best"
    """Its bots had the highest ratings that are close to each other."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A rated match that may be shown."""

    match: int
    bots: tuple[int, ...]
    """Keys of the bots."""
    ratings: tuple[float, ...]
    """Ratings of the bots before the match, in Elo."""
    points: tuple[float, ...]
    """Points of the bots, from 0 to 1."""
    first_version: int | None = None
    """Number of the version that plays its first rated match here, if one does."""

    @property
    def gap(self) -> float:
        """Return the difference between the highest and the lowest rating, in Elo."""
        return max(self.ratings) - min(self.ratings)

    @property
    def upset_chance(self) -> float | None:
        """Return the expected score of the winner against its best opponent, if less than a half; else None."""
        winner = max(range(len(self.points)), key=lambda seat: self.points[seat])
        if self.points.count(self.points[winner]) > 1:
            return None
        others = [rating for seat, rating in enumerate(self.ratings) if seat != winner]
        return find_upset_chance(self.ratings[winner], max(others))

    @property
    def quality(self) -> float:
        """Return the mean rating in Elo, lessened by the difference of the ratings: one-sided matches bore."""
        return sum(self.ratings) / len(self.ratings) - self.gap


@dataclass(frozen=True, slots=True)
class Choice:
    """A match of the playlist, and why it was chosen."""

    match: int
    reason: Reason
    value: float
    """The figure behind the reason: gap in Elo, chance of the winner, number of the version, or mean rating in Elo."""


def build_playlist(candidates: Sequence[Candidate], length: int) -> list[Choice]:
    """Return up to `length` matches, each once: one for each reason in turn, the best for that reason first.

    No bot plays in two matches one after another where that can be helped. Candidates come newest first; of equal ones
    the newer is chosen.
    """
    left = list(candidates)
    chosen: list[Choice] = []
    shown: tuple[int, ...] = ()
    while left and len(chosen) < length:
        before = len(chosen)
        for reason in Reason:
            fresh = [one for one in left if not set(one.bots) & set(shown)] or left
            best = find_best(fresh, reason)
            if best is None or len(chosen) == length:
                continue
            left.remove(best)
            shown = best.bots
            chosen.append(Choice(best.match, reason, describe_value(best, reason)))
        if len(chosen) == before:
            break
    return chosen


RANKINGS: dict[Reason, Callable[[Candidate], float | None]] = {
    Reason.CLOSEST: lambda one: one.gap,
    Reason.UPSET: lambda one: one.upset_chance,
    Reason.NEW_VERSION: lambda one: None if one.first_version is None else -one.quality,
    Reason.BEST: lambda one: -one.quality,
}
"""By reason: lower is better; None where the reason doesn't apply to the match."""


def find_best(candidates: Sequence[Candidate], reason: Reason) -> Candidate | None:
    """Return the candidate that a reason fits best; None where it fits none."""
    ranked = [(value, one) for one in candidates if (value := RANKINGS[reason](one)) is not None]
    return min(ranked, key=lambda pair: pair[0])[1] if ranked else None


def describe_value(candidate: Candidate, reason: Reason) -> float:
    """Return the figure behind a reason, see `Choice.value`."""
    values = {
        Reason.CLOSEST: candidate.gap,
        Reason.UPSET: candidate.upset_chance,
        Reason.NEW_VERSION: candidate.first_version,
        Reason.BEST: sum(candidate.ratings) / len(candidate.ratings),
    }
    return float(values[reason] or 0.0)
