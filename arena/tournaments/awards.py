"""Choose what is worth a word at the end of a tournament. Pure: no database."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from arena.ladders.rating.elo import find_upset_chance
from arena.tournaments.formats.base import Result, Round
from arena.tournaments.standings import Standing


@dataclass(frozen=True, slots=True)
class Upset:
    """A pairing that was won against the odds. Entrants are named by their seeds."""

    round: int
    winner: int
    loser: int
    chance: float
    """The winner's chance by the ratings at the start, from 0 to 1."""


@dataclass(frozen=True, slots=True)
class FewestFaults:
    """The entrant with the fewest faults; of several the one that is placed best."""

    entrant: int
    faults: int


def find_upset(rounds: Sequence[Round], ratings: Mapping[int, float | None]) -> Upset | None:
    """Return the pairing of two whose winner had the smallest chance; None if no rated underdog has won."""
    found = []
    for number, results in enumerate(rounds, start=1):
        found += _list_upsets(number, results, ratings)
    return min(found, key=lambda upset: upset.chance, default=None)


def _list_upsets(number: int, results: Sequence[Result], ratings: Mapping[int, float | None]) -> list[Upset]:
    found = []
    for result in results:
        if not result.played or len(result.pairing.entrants) != 2 or result.winner is None:
            continue
        first, second = result.pairing.entrants
        loser = second if result.winner == first else first
        own, other = ratings.get(result.winner), ratings.get(loser)
        chance = None if own is None or other is None else find_upset_chance(own, other)
        if chance is not None:
            found.append(Upset(number, result.winner, loser, chance))
    return found


def find_fewest_faults(standings: Sequence[Standing], faults: Sequence[int]) -> FewestFaults | None:
    """Return the entrant with the fewest faults among those that played to the end; `faults` has a seed for each."""
    counts = Counter(faults)
    there = [standing for standing in standings if not standing.is_out and standing.played]
    if not there:
        return None
    best = min(there, key=lambda standing: (counts[standing.number], standing.place))
    return FewestFaults(best.number, counts[best.number])
