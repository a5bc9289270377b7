"""A simple pairing of Swiss rounds for simulations: from the top, each meets the next one it hasn't met yet."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from arena.tournaments.formats.base import Pairing, Round, make_bye


def pair_neighbours(numbers: Sequence[int], rounds: Sequence[Round]) -> list[Pairing]:
    """Pair a Swiss round simply: from the top, each entrant meets the next one that it hasn't met, if there is one.

    In an odd field the last one without a bye or walkover has a bye.
    """
    points: dict[int, float] = defaultdict(float)
    met: dict[int, set[int]] = defaultdict(set)
    was_free = set()
    for results in rounds:
        for result in results:
            for number, got in zip(result.pairing.entrants, result.points, strict=True):
                points[number] += got
                if result.played:
                    met[number].update(result.pairing.entrants)
                elif got:
                    was_free.add(number)
    there = sorted(numbers, key=lambda number: (-points[number], number))
    rest = []
    if len(there) % 2:
        resting = next((number for number in reversed(there) if number not in was_free), there[-1])
        there.remove(resting)
        rest = [make_bye(resting)]
    return [*_pair_in_order(there, met), *rest]


def _pair_in_order(there: list[int], met: Mapping[int, set[int]]) -> list[Pairing]:
    pairings = []
    while there:
        one = there.pop(0)
        other = next((number for number in there if number not in met[one]), there[0])
        there.remove(other)
        pairings.append(Pairing((one, other)))
    return pairings
