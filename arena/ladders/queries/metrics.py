"""Read how far the ratings of ladders are behind the results of their matches."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Min, OuterRef, Subquery

from arena.ladders.models import Ladder, LadderMatch
from arena.matches.models import Match


@dataclass(frozen=True, slots=True)
class RatingLag:
    """What a ladder has still to count."""

    game: str
    edition: str
    unrated: int
    """Number of matches that are finished and not in the ledger."""
    oldest: datetime | None
    """When the first of them finished; None where there is none."""
    unfitted: int
    """Number of lines of the ledger that came after the last fit of all ratings."""


def list_rating_lags() -> list[RatingLag]:
    """List the running public ladders with what each has still to count."""
    waiting = LadderMatch.objects.in_flight().filter(ladder=OuterRef("pk"), match__state=Match.State.FINISHED)
    of_ladder = waiting.order_by().values("ladder")
    rows = (
        Ladder.objects.public()
        .open()
        .annotate(
            unrated=Subquery(of_ladder.annotate(count=Count("pk")).values("count")),
            oldest=Subquery(of_ladder.annotate(oldest=Min("match__finished_at")).values("oldest")),
        )
    )
    columns = ("game", "edition", "unrated", "oldest", "last_sequence", "fitted_sequence")
    return [
        RatingLag(game, edition, unrated or 0, oldest, last - fitted)
        for game, edition, unrated, oldest, last, fitted in rows.values_list(*columns)
    ]
