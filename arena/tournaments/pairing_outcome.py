"""Decide pairings by the matches that have been played."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from arena.tournaments.formats.base import Pairing, Result
from arena.tournaments.settings import Settings

POINTS_DECIMALS = 6
"""Points are compared at this precision, because sums of thirds depend on their order."""


@dataclass(frozen=True, slots=True)
class MatchResult:
    """The result of a match. All values are by entrant, in the order of the pairing."""

    points: tuple[float, ...]
    """The share of opponents left behind, as the mean of the legs."""
    game_points: tuple[float, ...]
    """The sum of the game points of the legs."""


def count_matches_needed(pairing: Pairing, matches: Sequence[MatchResult], settings: Settings) -> int:
    """Return the number of matches to be queued now besides those that are over; 0 once the pairing is decided."""
    if pairing.must_decide:
        return (
            0
            if _find_leader(matches, settings) is not None
            or len(matches) >= settings.matches_per_pairing + settings.max_tiebreak_matches
            else 1
        )
    return max(settings.matches_per_pairing - len(matches), 0)


def decide(pairing: Pairing, matches: Sequence[MatchResult], settings: Settings) -> Result | None:
    """Return the result of a pairing; None if more matches are needed. `matches` are its matches by number."""
    if count_matches_needed(pairing, matches, settings):
        return None
    game_points = _sum_columns(match.game_points for match in matches)
    points = _sum_columns(match.points for match in matches)
    if not pairing.must_decide:
        return Result(pairing, _compute_shares(points), game_points)
    leader = _find_leader(matches, settings)
    better_seed = 0 if settings.separate_phases else pairing.entrants.index(min(pairing.entrants))
    first = better_seed if leader is None else leader
    if leader is None and game_points[0] != game_points[1]:
        first = game_points.index(max(game_points))
    return Result(pairing, tuple(float(index == first) for index in range(2)), game_points)


def _find_leader(matches: Sequence[MatchResult], settings: Settings) -> int | None:
    """Return the index of the entrant that can't be caught up with any more; None if there is none."""
    ahead = sum(match.points[0] - match.points[1] for match in matches)
    left = max(settings.matches_per_pairing - len(matches), 0)
    return (0 if ahead > 0 else 1) if abs(ahead) > left else None


def _sum_columns(rows: Iterable[Sequence[float]]) -> tuple[float, ...]:
    return tuple(sum(column) for column in zip(*rows, strict=True))


def _compute_shares(points: Sequence[float]) -> tuple[float, ...]:
    """Return, by entrant, the share of the others with fewer points; those with equal points count half."""
    points = [round(own, POINTS_DECIMALS) for own in points]
    others = len(points) - 1
    return tuple(
        (sum(own > it for it in points) + (sum(own == it for it in points) - 1) / 2) / others for own in points
    )
