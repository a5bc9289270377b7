"""Estimate how long a tournament takes, from the duration of matches and the number played at a time."""

from collections.abc import Sequence
from math import ceil

from arena.tournaments.formats import find_format
from arena.tournaments.formats.base import Entrant, Pairing, Result, Round, decide_walkover
from arena.tournaments.settings import Settings


def count_boards_left(field: Sequence[Entrant], rounds: Sequence[Round], settings: Settings) -> list[int]:
    """Return the number of pairings to play in each remaining round; in a bracket as if better seeds always won."""
    format = find_format(settings.format)
    there = [entrant for entrant in field if entrant.is_in(len(rounds) + 1)]
    if not format.is_bracket:
        left = max(format.count_rounds(len(field), settings) - len(rounds), 0)
        return [max(len(there) // settings.seats, 1)] * left
    played, found = list(rounds), []
    while (pairings := format.pair(field, played, settings)) is not None:
        number = len(played) + 1
        over = [(pairing, decide_walkover(pairing, field, number)) for pairing in pairings]
        found.append(sum(result is None for _, result in over))
        played.append([result or _let_favourite_win(pairing) for pairing, result in over])
    return found


def _let_favourite_win(pairing: Pairing) -> Result:
    """Return the result in which places follow the seeds."""
    order = sorted(pairing.entrants)
    others = len(order) - 1
    points = tuple(1 - order.index(number) / others for number in pairing.entrants)
    return Result(pairing, points, tuple(0.0 for _ in points))


def estimate_seconds_left(
    boards: Sequence[int], settings: Settings, *, match_seconds: float, parallel_matches: int
) -> float:
    """Return the estimated seconds until the end, with this many pairings in each remaining round.

    A round starts after the one before it, and the matches of a knockout pairing are played one after the other.
    """
    is_bracket = find_format(settings.format).is_bracket
    matches = (
        (settings.matches_per_pairing // 2 + 1 + settings.matches_per_pairing) / 2
        if is_bracket
        else settings.matches_per_pairing
    )
    in_turn = matches if is_bracket else 1
    rounds = [max(ceil(count * matches / parallel_matches), in_turn) for count in boards if count]
    return match_seconds * sum(rounds)
