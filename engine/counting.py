"""Count what happens in legs: how the seats fared, how it ended, how long it took, and what each game adds."""

from collections.abc import Iterator, Sequence
from itertools import repeat

from engine.core import Count, Json
from engine.registry import find_game
from engine.replay import begin, take

COUNTING_VERSION = 1
"""Raised when the charts here change, as `Game.counting_version` is when those of a game do."""
SEATS, LENGTH, ENDINGS = "seats", "length", "endings"
"""The charts that every game has.

SEATS: by seat and number of seats. LENGTH: by turns or rounds, or decisions where the game counts neither. ENDINGS: by
reason, and how the seat fared.
"""
FIRST, SHARED, BEHIND = "first", "shared", "behind"
"""How a seat fared: alone in the first place, with others in it, or not in it."""
FAULT = "fault"
"""The reason of every leg in which a seat was at fault."""
MAX_WORD_LENGTH = 40
"""Characters of a chart, a row or a column."""


class BadCount(ValueError):
    """What a game counts can't be stored: a word is too long or none, or there is no such seat."""


def count_leg(record: Json, *, has_own: bool = True) -> list[Count]:
    """Return what is counted of a leg, by playing its record again. What happened twice is there twice.

    How the seats fared and how long it took is counted of legs without a fault alone. Without `has_own` nothing is
    counted that only this game has. Raises BadCount.
    """
    game = find_game(record["game"])
    state = begin(record)
    since = state.log_length
    counts: list[Count] = []
    for entry in record["actions"]:
        take(state, entry)
        if has_own:
            for event in state.events(None, since):
                counts += map(_check_count, game.count_event(state, event), repeat(state.seats))
            since = state.log_length
    result = record["result"]
    if any(verdict != "ok" for verdict in result["verdicts"]):
        return [*counts, *_count_endings(FAULT, result["places"])]
    length = state.view(0)[game.counts] if game.counts else len(record["actions"])
    return [*counts, *_count_endings(result["reason"], result["places"]), *_count_whole_leg(length, state.seats)]


def _check_count(count: Count, seats: int) -> Count:
    """Return a count of a game's own. Raises BadCount."""
    for word in (count.chart, count.row, count.column):
        if not isinstance(word, str) or len(word) > MAX_WORD_LENGTH:
            raise BadCount(f"not a word of at most {MAX_WORD_LENGTH} characters: {word!r}")
    if count.seat is not None and count.seat not in range(seats):
        raise BadCount(f"there is no seat {count.seat!r} in a leg of {seats}")
    return count


def _count_whole_leg(length: int, seats: int) -> Iterator[Count]:
    yield Count(LENGTH, str(length))
    for seat in range(seats):
        yield Count(SEATS, str(seat), str(seats), seat)


def _count_endings(reason: str, places: Sequence[int]) -> Iterator[Count]:
    is_shared = places.count(1) > 1
    for seat, place in enumerate(places):
        yield Count(ENDINGS, reason, BEHIND if place > 1 else SHARED if is_shared else FIRST, seat)
