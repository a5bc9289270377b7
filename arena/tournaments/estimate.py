"""Estimate how long a tournament takes, from the duration of matches and the number played at a time."""

from collections.abc import Sequence
from math import ceil
from typing import NamedTuple

from arena.tournaments.formats import find_format
from arena.tournaments.formats.base import Entrant, Pairing, Result, Round, decide_walkover
from arena.tournaments.settings import Settings


class RoundLeft(NamedTuple):
    """A round that is still to be played."""

    boards: int
    """The number of its pairings that are played."""
    is_knockout: bool
    """Whether a pairing ends once it is decided."""


def count_boards_left(field: Sequence[Entrant], rounds: Sequence[Round], settings: Settings) -> list[RoundLeft]:
    """Return the remaining rounds; in a bracket as if better seeds always won."""
    format = find_format(settings.format)
    there = [entrant for entrant in field if entrant.is_in(len(rounds) + 1)]
    if not format.is_bracket:
        left = max(format.count_rounds(len(field), settings) - len(rounds), 0)
        return [RoundLeft(max(len(there) // settings.seats, 1), False)] * left
    played, found = list(rounds), []
    while (pairings := format.pair_roughly(field, played, settings)) is not None:
        number = len(played) + 1
        over = [(pairing, decide_walkover(pairing, field, number)) for pairing in pairings]
        to_play = [pairing for pairing, result in over if result is None]
        found.append(RoundLeft(len(to_play), any(pairing.must_decide for pairing in to_play)))
        played.append([result or _let_favourite_win(pairing) for pairing, result in over])
    return found


def _let_favourite_win(pairing: Pairing) -> Result:
    """Return the result in which places follow the seeds."""
    order = sorted(pairing.entrants)
    others = len(order) - 1
    points = tuple(1 - order.index(number) / others for number in pairing.entrants)
    return Result(pairing, points, tuple(0.0 for _ in points))


def estimate_seconds_left(
    rounds: Sequence[RoundLeft], settings: Settings, *, match_seconds: float, parallel_matches: int
) -> float:
    """Return the estimated seconds until the end of these rounds.

    A round starts after the one before it, and the matches of a knockout pairing are played one after the other.
    """
    best_of = (settings.matches_per_pairing // 2 + 1 + settings.matches_per_pairing) / 2
    turns = 0.0
    for boards, is_knockout in rounds:
        matches, in_turn = (best_of, best_of) if is_knockout else (settings.matches_per_pairing, 1)
        turns += max(ceil(boards * matches / parallel_matches), in_turn) if boards else 0
    return match_seconds * turns
