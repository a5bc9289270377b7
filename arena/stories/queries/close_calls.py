"""Replay the legs of matches to find their close calls."""

from collections.abc import Iterator, Sequence

from arena.ladders.models import Entry
from arena.matches.models import Leg, LegSeat
from arena.stories.choosing import Call, Played
from engine.registry import GAMES
from engine.replay import find_close_call

RECORDS_PER_READ = 20


def list_close_calls(matches: Sequence[Played]) -> Iterator[Call]:
    """List the close call of each leg of these matches that has one, in the order of the matches.

    Legs of games that are not installed are left out. Records are read a few at a time.
    """
    by_key = {played.match: played for played in matches}
    entries = [side.entry for played in matches for side in played.sides]
    versions = dict(Entry.objects.filter(pk__in=entries).values_list("pk", "version"))
    seats = _fetch_seats(list(by_key))
    for first in range(0, len(matches), RECORDS_PER_READ):
        chunk = [played.match for played in matches[first : first + RECORDS_PER_READ]]
        legs = Leg.objects.filter(match__in=chunk, match__game__in=list(GAMES)).exclude(record=None)
        found = sorted(legs.only("match", "number", "record"), key=lambda leg: (chunk.index(leg.match_id), leg.number))
        for leg in found:
            closest = find_close_call(leg.record_data)
            if closest is not None:
                played, version = by_key[leg.match_id], seats[leg.pk, closest.seat]
                claimant = next(side.entry for side in played.sides if versions[side.entry] == version)
                yield Call(played, leg.number, claimant, closest)


def _fetch_seats(matches: Sequence[int]) -> dict[tuple[int, int], int]:
    """Return the version at each seat, by leg and seat."""
    rows = LegSeat.objects.filter(leg__match__in=matches).values_list("leg", "seat", "participant__version")
    return {(leg, seat): version for leg, seat, version in rows}
