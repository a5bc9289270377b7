"""How long a tournament is going to take: from how long matches take, and how many are played at a time."""

from collections.abc import Sequence
from math import ceil

from arena.tournaments.formats import find_format
from arena.tournaments.formats.base import Entrant, Pairing, Result, Round, walkover
from arena.tournaments.settings import Settings


def boards_left(field: Sequence[Entrant], rounds: Sequence[Round], settings: Settings) -> list[int]:
    """How many pairings are to be played in each round to come: of a bracket as if the better seed always won."""
    format = find_format(settings.format)
    there = [entrant for entrant in field if entrant.is_in(len(rounds) + 1)]
    if not format.is_bracket:
        left = max(format.length(len(field), settings) - len(rounds), 0)
        return [max(len(there) // settings.seats, 1)] * left
    played, found = list(rounds), []
    while (pairings := format.pair(field, played, settings)) is not None:
        number = len(played) + 1
        over = [(pairing, walkover(pairing, field, number)) for pairing in pairings]
        found.append(sum(result is None for _, result in over))
        played.append([result or _favourite_wins(pairing) for pairing, result in over])
    return found


def _favourite_wins(pairing: Pairing) -> Result:
    order = sorted(pairing.entrants)
    others = len(order) - 1
    points = tuple(1 - order.index(number) / others for number in pairing.entrants)
    return Result(pairing, points, tuple(0.0 for _ in points))


def seconds_left(boards: Sequence[int], settings: Settings, *, match_seconds: float, at_once: int) -> float:
    """Estimate the seconds until the end, with this many pairings in each round to come.

    A round begins when the one before it is over; the matches of a pairing in a knockout come one after the other.
    """
    is_bracket = find_format(settings.format).is_bracket
    matches = (
        (settings.matches_per_pairing // 2 + 1 + settings.matches_per_pairing) / 2
        if is_bracket
        else settings.matches_per_pairing
    )
    in_turn = matches if is_bracket else 1
    rounds = [max(ceil(count * matches / at_once), in_turn) for count in boards if count]
    return match_seconds * sum(rounds)
