"""Groups: round robins whose best entrants advance to a knockout."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain, product
from string import ascii_uppercase

from arena.tournaments import standings
from arena.tournaments.formats.base import Entrant, Format, Pairing, Round
from arena.tournaments.formats.bracket import NO_ENTRANT, count_knockout_rounds, order_seeds
from arena.tournaments.formats.round_robin import RoundRobin
from arena.tournaments.formats.single_elimination import count_rounds_passed, pair_next_bouts
from arena.tournaments.settings import Settings

GROUP_FORMAT = RoundRobin()
"""The format in which each group is played."""
NO_MEETING_ROUND = 99
"""The round in which two places meet if there is no second place: later than in any bracket."""
GroupMembers = Mapping[str, Sequence[Entrant]]
"""The members of groups by name, the best seed first."""


class Groups(Format):
    """The format of round robins in groups whose best entrants play a knockout."""

    key = "groups"
    title = "Groups, then a knockout"
    is_bracket = True

    def count_rounds(self, entrants: int, settings: Settings) -> int:
        """Return the number of rounds of the largest group and of the knockout."""
        largest = -(-entrants // settings.groups)
        knockout_size = settings.groups * settings.advance_per_group
        return GROUP_FORMAT.count_rounds(largest, settings) + count_knockout_rounds(knockout_size)

    def pair(self, field: Sequence[Entrant], rounds: Sequence[Round], settings: Settings) -> list[Pairing] | None:
        """Return the pairings of the next round; None after the last."""
        groups = split_into_groups(field, settings)
        stage, knockout = _split_stages(groups, rounds)
        if not knockout:
            pairings = _pair_groups(groups, stage, settings)
            if pairings is not None:
                return pairings
        return pair_next_bouts(_list_knockout_seeds(groups, stage, knockout, settings), knockout)

    def measure_progress(self, field: Sequence[Entrant], rounds: Sequence[Round], settings: Settings) -> dict[int, int]:
        """Return 0 for those that don't advance from a group, and 1 plus the knockout rounds passed for the others."""
        groups = split_into_groups(field, settings)
        stage, knockout = _split_stages(groups, rounds)
        came = dict.fromkeys((entrant.number for entrant in field), 0)
        if knockout or _pair_groups(groups, stage, settings) is None:
            passed = count_rounds_passed(_list_knockout_seeds(groups, stage, knockout, settings), knockout)
            came.update({number: 1 + many for number, many in passed.items()})
        return came

    def find_struck_out(self, field: Sequence[Entrant], rounds: Sequence[Round], settings: Settings) -> frozenset[int]:
        """Return the entrants that are struck out of the round robin of their group."""
        groups = split_into_groups(field, settings)
        stage, _ = _split_stages(groups, rounds)
        struck = (
            GROUP_FORMAT.find_struck_out(members, _filter_results(name, stage), settings)
            for name, members in groups.items()
        )
        return frozenset(chain.from_iterable(struck))


def split_into_groups(field: Sequence[Entrant], settings: Settings) -> dict[str, list[Entrant]]:
    """Return the members of groups A, B, …: seeds are assigned in order, then in reverse order, and so on."""
    names = ["".join(letters) for letters in chain(ascii_uppercase, product(ascii_uppercase, repeat=2))][
        : settings.groups
    ]
    groups: dict[str, list[Entrant]] = {name: [] for name in names}
    for index, entrant in enumerate(field):
        turn, place = divmod(index, len(names))
        groups[names[-1 - place if turn % 2 else place]].append(entrant)
    return groups


def spread_groups(groups: int, advance: int) -> list[int]:
    """Return, for each seed of the knockout, the index of the group that it comes from.

    Group winners come first, then all seconds, and so on, arranged so that members of a group meet as late as possible.
    """
    depth = count_knockout_rounds(groups * advance)
    places = {seed: place for place, seed in enumerate(order_seeds(2**depth))}
    found: list[int] = []
    taken: list[list[int]] = [[] for _ in range(groups)]
    for first in range(1, groups * advance + 1, groups):
        tier = [places[seed] for seed in range(first, first + groups)]
        apart = [[_find_first_meeting(place, others) for others in taken] for place in tier]
        given = next(filter(None, (_match_groups(apart, least) for least in range(depth + 1, -1, -1))))
        for place, group in zip(tier, given, strict=True):
            taken[group].append(place)
        found.extend(given)
    return found


def _find_first_meeting(place: int, others: Sequence[int]) -> int:
    """Return the first round in which this place can meet one of the others."""
    return min(((place ^ other).bit_length() for other in others), default=NO_MEETING_ROUND)


def _match_groups(apart: Sequence[Sequence[int]], least: int) -> list[int] | None:
    """Return a different group for each place, which it can't meet before round `least`; None if that is impossible.

    This is a bipartite matching by augmenting paths, starting with the first free group.
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


def _split_stages(groups: GroupMembers, rounds: Sequence[Round]) -> tuple[Sequence[Round], Sequence[Round]]:
    """Return the rounds of the groups and those of the knockout."""
    later = (index for index, results in enumerate(rounds) if any(it.pairing.name not in groups for it in results))
    first = next(later, len(rounds))
    return rounds[:first], rounds[first:]


def _pair_groups(groups: GroupMembers, stage: Sequence[Round], settings: Settings) -> list[Pairing] | None:
    """Return the next round of all groups that have one; None after the last."""
    found: list[Pairing] = []
    is_over = True
    for name, members in groups.items():
        pairings = GROUP_FORMAT.pair(members, _filter_results(name, stage), settings)
        if pairings is not None:
            is_over = False
            found.extend(replace(pairing, name=name) for pairing in pairings)
    return None if is_over else found


def _filter_results(name: str, stage: Sequence[Round]) -> list[Round]:
    """Return a group's results by round."""
    return [[result for result in results if result.pairing.name == name] for results in stage]


def _list_knockout_seeds(
    groups: GroupMembers, stage: Sequence[Round], knockout: Sequence[Round], settings: Settings
) -> list[int]:
    """Return the numbers of those that play the knockout, the best first.

    They don't change once it has started: nobody replaces an entrant that has left since.
    """
    size = settings.groups * settings.advance_per_group
    if knockout:
        drawn = [number for result in knockout[0] for number in _list_sides(result.pairing)]
        return [number for _, number in sorted(zip(order_seeds(len(drawn)), drawn, strict=True))][:size]
    orders = [_order_group(name, members, stage, settings) for name, members in groups.items()]
    return [
        orders[group][index // settings.groups]
        for index, group in enumerate(spread_groups(settings.groups, settings.advance_per_group))
    ]


def _list_sides(pairing: Pairing) -> tuple[int, ...]:
    """Return the numbers in a first-round pairing, NO_ENTRANT for the missing opponent of a bye."""
    return pairing.entrants if len(pairing.entrants) == 2 else (*pairing.entrants, NO_ENTRANT)


def _order_group(name: str, members: Sequence[Entrant], stage: Sequence[Round], settings: Settings) -> list[int]:
    """Return the numbers of a group's members, best first; those that have left come last."""
    table = standings.rank(GROUP_FORMAT, members, _filter_results(name, stage), settings)
    there = {member.number for member in members if member.is_in(len(stage) + 1)}
    return sorted((line.number for line in table), key=lambda number: number not in there)
