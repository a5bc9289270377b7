"""Read rated matches of ladders, and how they changed ratings."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from arena.ladders.models import Entry, LadderMatch, RatingChange


@dataclass(frozen=True, slots=True)
class RatingStep:
    """The change of a version's rating by a rated match, in Elo."""

    before: float
    after: float
    deviation: float
    """Standard deviation afterwards."""
    is_taken_back: bool
    """Whether the match was excluded from the ratings later."""


def fetch_ladder_matches(matches: Sequence[int]) -> dict[int, LadderMatch]:
    """Return the row of the ledger of each of these matches that was played for a ladder."""
    rows = LadderMatch.objects.filter(match__in=matches).select_related("ladder__group").defer("ladder__secret")
    return {row.match_id: row for row in rows}


def fetch_rating_steps(matches: Collection[int]) -> dict[int, dict[int, RatingStep]]:
    """Return by match, of those that are played for a ladder, the changes by version; empty until it is counted."""
    columns = ("entry__version", "before", "after", "deviation")
    rows = LadderMatch.objects.filter(match__in=matches).values_list(
        "match", "void_sequence", *(f"changes__{column}" for column in columns)
    )
    steps: dict[int, dict[int, RatingStep]] = {}
    for match, void_sequence, version, before, after, deviation in rows:
        of_match = steps.setdefault(match, {})
        if version is not None:
            of_match[version] = RatingStep(before, after, deviation, void_sequence is not None)
    return steps


def list_recent_rated_matches(entry: Entry, limit: int) -> list[int]:
    """Return the keys of an entry's newest rated matches, newest first."""
    changes = RatingChange.objects.filter(entry=entry, ladder_match__void_sequence=None).order_by("-pk")
    return list(changes.values_list("ladder_match__match", flat=True)[:limit])
