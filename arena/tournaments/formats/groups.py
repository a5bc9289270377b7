"""Groups: round robins whose best entrants advance to a knockout."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, product
from string import ascii_uppercase

from arena.tournaments import standings
from arena.tournaments.formats.base import Entrant, Format, Pairing, Round
from arena.tournaments.formats.bracket import count_knockout_rounds, order_seeds
from arena.tournaments.formats.round_robin import RoundRobin
from arena.tournaments.formats.single_elimination import count_rounds_passed
from arena.tournaments.formats.then_knockout import ThenKnockout
from arena.tournaments.settings import Settings

GROUP_FORMAT = RoundRobin()
"""The format in which each group is played."""
NO_MEETING_ROUND = 99
"""The round in which two places meet if there is no second place: later than in any bracket."""


class GroupPhase(Format):
    """The format in which everybody meets everybody of its group."""

    key = "groups"
    title = "Groups"
    is_result_independent = True

    def count_rounds(self, entrants: int, settings: Settings) -> int:
        """Return the number of rounds of the largest group."""
        return GROUP_FORMAT.count_rounds(-(-entrants // settings.groups), settings)

    def pair(self, field: Sequence[Entrant], rounds: Sequence[Round], settings: Settings) -> list[Pairing] | None:
        """Return the next round of all groups that have one; None after the last."""
        found: list[Pairing] = []
        is_over = True
        for name, members in split_into_groups(field, settings).items():
            pairings = GROUP_FORMAT.pair(members, filter_results(name, rounds), settings)
            if pairings is not None:
                is_over = False
                found.extend(replace(pairing, name=name) for pairing in pairings)
        return None if is_over else found

    def measure_progress(self, field: Sequence[Entrant], rounds: Sequence[Round], settings: Settings) -> dict[int, int]:
        """Return how many places each entrant is above the last one of the largest group, by its place in its own."""
        groups = split_into_groups(field, settings)
        largest = max(map(len, groups.values()))
        return {
            line.number: largest - place
            for name, members in groups.items()
            for place, line in enumerate(rank_group(name, members, rounds, settings), 1)
        }

    def find_struck_out(self, field: Sequence[Entrant], rounds: Sequence[Round], settings: Settings) -> frozenset[int]:
        """Return the entrants that are struck out of the round robin of their group."""
        struck = (
            GROUP_FORMAT.find_struck_out(members, filter_results(name, rounds), settings)
            for name, members in split_into_groups(field, settings).items()
        )
        return frozenset(chain.from_iterable(struck))


class Groups(ThenKnockout):
    """The format of round robins in groups whose best entrants play a knockout."""

    key = "groups"
    title = "Groups, then a knockout"
    first_phase = GroupPhase()
    uses = frozenset({"groups", "advance_per_group", "max_tiebreak_matches", "third_place_match"})

    def list_advancing(self, field: Sequence[Entrant], rounds: Sequence[Round], settings: Settings) -> list[int]:
        """Return the best of all groups. Where a group has too few left, those that have left fill its places."""
        orders = [
            _order_group(name, members, rounds, settings)
            for name, members in split_into_groups(field, settings).items()
        ]
        return [
            orders[group][index // settings.groups]
            for index, group in enumerate(spread_groups(settings.groups, settings.advance_per_group))
        ]

    def measure_progress(self, field: Sequence[Entrant], rounds: Sequence[Round], settings: Settings) -> dict[int, int]:
        """Return how far each came, as `ThenKnockout` does; by the rule of older tournaments if the settings say so.

        There, those that advance have 1 as soon as the groups are over, and also if they had left before.
        """
        if settings.separate_phases:
            return super().measure_progress(field, rounds, settings)
        stage, knockout = self.split_phases(rounds)
        came = dict.fromkeys((entrant.number for entrant in field), 0)
        if knockout or self.first_phase.pair(field, stage, settings) is None:
            passed = count_rounds_passed(self.list_knockout_seeds(field, stage, knockout, settings), knockout, settings)
            came.update({number: 1 + many for number, many in passed.items()})
        return came


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


def filter_results(name: str, rounds: Sequence[Round]) -> list[Round]:
    """Return a group's results by round."""
    return [[result for result in results if result.pairing.name == name] for results in rounds]


def rank_group(
    name: str, members: Sequence[Entrant], rounds: Sequence[Round], settings: Settings
) -> list[standings.Standing]:
    """Return the standings of a group after these rounds, best first."""
    return standings.rank(GROUP_FORMAT, members, filter_results(name, rounds), settings)


def _order_group(name: str, members: Sequence[Entrant], stage: Sequence[Round], settings: Settings) -> list[int]:
    """Return the numbers of a group's members, best first; those that have left come last."""
    table = rank_group(name, members, stage, settings)
    there = {member.number for member in members if member.is_in(len(stage) + 1)}
    return sorted((line.number for line in table), key=lambda number: number not in there)
