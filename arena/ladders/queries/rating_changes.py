"""Read the changes of ratings by matches."""

from collections.abc import Collection
from dataclasses import dataclass

from arena.ladders.models import LadderMatch


@dataclass(frozen=True, slots=True)
class RatingChange:
    """What a rated match did to the rating of a version."""

    elo: float
    is_taken_back: bool
    """The match was excluded from the ratings later."""

    @property
    def tone(self) -> str:
        """Return the class of its style: `void` where it is taken back, else its direction as far as is shown."""
        rounded = round(self.elo)
        return "void" if self.is_taken_back else "up" if rounded > 0 else "down" if rounded else "even"


def list_rating_changes(matches: Collection[int]) -> dict[int, dict[int, RatingChange]]:
    """Return by match, of those that are played for a ladder, the change by version; empty until it is counted."""
    rows = LadderMatch.objects.filter(match__in=matches).values_list(
        "match", "void_sequence", "changes__entry__version", "changes__before", "changes__after"
    )
    changes: dict[int, dict[int, RatingChange]] = {}
    for match, void_sequence, version, before, after in rows:
        of_match = changes.setdefault(match, {})
        if version is not None:
            of_match[version] = RatingChange(after - before, void_sequence is not None)
    return changes
