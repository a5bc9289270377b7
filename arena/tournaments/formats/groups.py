"""Everybody meets everybody in each group, and the best of each go on into a knockout."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain, product
from string import ascii_uppercase

from arena.tournaments import standings
from arena.tournaments.formats.base import Entrant, Format, Pairing, Round
from arena.tournaments.formats.bracket import NOBODY, rounds_needed, seeding
from arena.tournaments.formats.round_robin import RoundRobin
from arena.tournaments.formats.single_elimination import next_bouts, rounds_passed
from arena.tournaments.settings import Settings

EACH = RoundRobin()
"""How a group is played."""
Split = Mapping[str, Sequence[Entrant]]
"""By the name of a group its members, the best seed first."""


class Groups(Format):
    """Round robins in groups, whose best play a knockout."""

    key = "groups"
    title = "Groups, then a knockout"
    is_bracket = True

    def length(self, entrants: int, settings: Settings) -> int:
        """Return the number of rounds of the largest group and of the knockout."""
        largest = -(-entrants // settings.groups)
        return EACH.length(largest, settings) + rounds_needed(settings.groups * settings.advance_per_group)

    def pair(self, field: Sequence[Entrant], rounds: Sequence[Round], settings: Settings) -> list[Pairing] | None:
        """Return the pairings of the next round; None when all is played."""
        groups = split(field, settings)
        stage, knockout = _stages(groups, rounds)
        if not knockout:
            pairings = _next_in_groups(groups, stage, settings)
            if pairings is not None:
                return pairings
        return next_bouts(_going_on(groups, stage, knockout, settings), knockout)

    def reached(self, field: Sequence[Entrant], rounds: Sequence[Round], settings: Settings) -> dict[int, int]:
        """Whoever goes on stands above all who don't."""
        groups = split(field, settings)
        stage, knockout = _stages(groups, rounds)
        came = dict.fromkeys((entrant.number for entrant in field), 0)
        if knockout or _next_in_groups(groups, stage, settings) is None:
            passed = rounds_passed(_going_on(groups, stage, knockout, settings), knockout)
            came.update({number: 1 + many for number, many in passed.items()})
        return came

    def struck_out(self, field: Sequence[Entrant], rounds: Sequence[Round], settings: Settings) -> frozenset[int]:
        """Return those who are out: who did not advance from a group, or lost in the knockout."""
        groups = split(field, settings)
        stage, _ = _stages(groups, rounds)
        struck = (EACH.struck_out(members, _played_in(name, stage), settings) for name, members in groups.items())
        return frozenset(chain.from_iterable(struck))


def split(field: Sequence[Entrant], settings: Settings) -> dict[str, list[Entrant]]:
    """Return the members of groups A, B, …; seeds are dealt to them in order, then in reverse order, and so on."""
    names = ["".join(letters) for letters in chain(ascii_uppercase, product(ascii_uppercase, repeat=2))][
        : settings.groups
    ]
    groups: dict[str, list[Entrant]] = {name: [] for name in names}
    for index, entrant in enumerate(field):
        turn, place = divmod(index, len(names))
        groups[names[-1 - place if turn % 2 else place]].append(entrant)
    return groups


def spread(groups: int, advance: int) -> list[int]:
    """Return, for each seed of the knockout, the index of the group it comes from.

    First come all group winners in the order of the groups, then all seconds, and so on, arranged so that those of one
    group meet as late as possible.
    """
    depth = rounds_needed(groups * advance)
    places = {seed: place for place, seed in enumerate(seeding(2**depth))}
    found: list[int] = []
    taken: list[list[int]] = [[] for _ in range(groups)]
    for first in range(1, groups * advance + 1, groups):
        tier = [places[seed] for seed in range(first, first + groups)]
        apart = [[_apart(place, others) for others in taken] for place in tier]
        given = next(filter(None, (_match(apart, least) for least in range(depth + 1, -1, -1))))
        for place, group in zip(tier, given, strict=True):
            taken[group].append(place)
        found.extend(given)
    return found


def _apart(place: int, others: Sequence[int]) -> int:
    """Return the first round in which this place can meet one of the others; 99 if there are none."""
    return min(((place ^ other).bit_length() for other in others), default=99)


def _match(apart: Sequence[Sequence[int]], least: int) -> list[int] | None:
    """To each place another group that is at least so far from it; None where that can't be.

    Each takes the first group that is free, or else one whose owner can take another: a matching of places and groups.
    """
    owners: dict[int, int] = {}

    def find(place: int, asked: set[int]) -> bool:
        far = [group for group, rounds in enumerate(apart[place]) if rounds >= least]
        for group in sorted(far, key=owners.__contains__):
            if group not in asked:
                asked.add(group)
                if group not in owners or find(owners[group], asked):
                    owners[group] = place
                    return True
        return False

    if not all(find(place, set()) for place in range(len(apart))):
        return None
    return sorted(owners, key=lambda group: owners[group])


def _stages(groups: Split, rounds: Sequence[Round]) -> tuple[Sequence[Round], Sequence[Round]]:
    """Return the rounds of the groups, and those of the knockout."""
    later = (index for index, results in enumerate(rounds) if any(it.pairing.name not in groups for it in results))
    first = next(later, len(rounds))
    return rounds[:first], rounds[first:]


def _next_in_groups(groups: Split, stage: Sequence[Round], settings: Settings) -> list[Pairing] | None:
    """Return the next round of all groups; None when all are done.

    A group with fewer rounds than others rests when it is done.
    """
    found: list[Pairing] = []
    is_over = True
    for name, members in groups.items():
        pairings = EACH.pair(members, _played_in(name, stage), settings)
        if pairings is not None:
            is_over = False
            found.extend(replace(pairing, name=name) for pairing in pairings)
    return None if is_over else found


def _played_in(name: str, stage: Sequence[Round]) -> list[Round]:
    """Return a group's results by round."""
    return [[result for result in results if result.pairing.name == name] for results in stage]


def _going_on(groups: Split, stage: Sequence[Round], knockout: Sequence[Round], settings: Settings) -> list[int]:
    """Return the seeds of the knockout, the best first.

    Once it has begun they are those who played it: one that has left since then makes no room for another.
    """
    size = settings.groups * settings.advance_per_group
    if knockout:
        drawn = [number for result in knockout[0] for number in _both(result.pairing)]
        return [number for _, number in sorted(zip(seeding(len(drawn)), drawn, strict=True))][:size]
    orders = [_group_order(name, members, stage, settings) for name, members in groups.items()]
    return [
        orders[group][index // settings.groups]
        for index, group in enumerate(spread(settings.groups, settings.advance_per_group))
    ]


def _both(pairing: Pairing) -> tuple[int, ...]:
    """In the first round the better seed is the upper side."""
    return pairing.entrants if len(pairing.entrants) == 2 else (*pairing.entrants, NOBODY)


def _group_order(name: str, members: Sequence[Entrant], stage: Sequence[Round], settings: Settings) -> list[int]:
    """Return the members of a group, best first, those who have left at the end."""
    table = standings.rank(EACH, members, _played_in(name, stage), settings)
    there = {member.number for member in members if member.is_in(len(stage) + 1)}
    return sorted((line.number for line in table), key=lambda number: number not in there)
