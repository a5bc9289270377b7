"""When a pairing is over, and how: from the matches of it that have ended."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from arena.tournaments.formats.base import Pairing, Result
from arena.tournaments.settings import Settings

DIGITS = 6
"""Points are compared so far: thirds don't add up in the same way in every order."""


@dataclass(frozen=True, slots=True)
class Game:
    """A match that has a result. By entrant, in the order of the pairing."""

    points: tuple[float, ...]
    """The mean over its legs of the share of the others that were left behind."""
    scores: tuple[float, ...]
    """The sum over its legs of the series scores."""


def wanted(pairing: Pairing, games: Sequence[Game], settings: Settings) -> int:
    """How many matches more are to be made ready now, beyond those that are over. 0 where it is decided."""
    if pairing.must_decide:
        return (
            0
            if _leader(games, settings) is not None
            or len(games) >= settings.matches_per_pairing + settings.max_tiebreak_matches
            else 1
        )
    return max(settings.matches_per_pairing - len(games), 0)


def decide(pairing: Pairing, games: Sequence[Game], settings: Settings) -> Result | None:
    """Return the result of a pairing; None if more matches are needed. `games` are its matches by number."""
    if wanted(pairing, games, settings):
        return None
    scores = _sums(game.scores for game in games)
    points = _sums(game.points for game in games)
    if not pairing.must_decide:
        return Result(pairing, _shares(points), scores)
    leader = _leader(games, settings)
    first = pairing.entrants.index(min(pairing.entrants)) if leader is None else leader
    if leader is None and scores[0] != scores[1]:
        first = scores.index(max(scores))
    return Result(pairing, tuple(float(index == first) for index in range(2)), scores)


def _leader(games: Sequence[Game], settings: Settings) -> int | None:
    """Who can't be reached any more in a best of so many, or is ahead after all of them."""
    ahead = sum(game.points[0] - game.points[1] for game in games)
    left = max(settings.matches_per_pairing - len(games), 0)
    return (0 if ahead > 0 else 1) if abs(ahead) > left else None


def _sums(rows: Iterable[Sequence[float]]) -> tuple[float, ...]:
    return tuple(sum(column) for column in zip(*rows, strict=True))


def _shares(points: Sequence[float]) -> tuple[float, ...]:
    """By entrant the share of the others that it left behind by points; one with as many counts half."""
    points = [round(own, DIGITS) for own in points]
    others = len(points) - 1
    return tuple(
        (sum(own > it for it in points) + (sum(own == it for it in points) - 1) / 2) / others for own in points
    )
