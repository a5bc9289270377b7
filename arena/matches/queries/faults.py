"""Read legs that bots lost by a fault."""

from collections.abc import Collection, Sequence

from django.db.models import QuerySet

from arena.matches.models import LegSeat, Match, Participant
from arena.runner.verdict import Verdict


def list_faults(
    versions: Sequence[int],
    *,
    verdicts: Collection[Verdict] | None,
    oldest: int,
    before: int | None,
    limit: int,
) -> list[LegSeat]:
    """List faults of these versions in matches from `oldest` to `before`, newest matches first."""
    played = Participant.objects.shown().filter(version__in=versions, match__gte=oldest)
    if before is not None:
        played = played.filter(match__lt=before)
    # Looked up by their keys: the other way round every fault of every bot would be read.
    keys = list(played.order_by().values_list("pk", flat=True))
    seats = _list_faulty_seats(keys)
    if verdicts:
        seats = seats.filter(verdict__in=verdicts)
    return list(seats.order_by("-leg__match_id", "leg__number", "seat")[:limit])


def find_last_fault(participants: Sequence[int]) -> LegSeat | None:
    """Return the first fault in the newest match of these participants that has any, or None."""
    return _list_faulty_seats(participants).order_by("-leg__match_id", "leg__number", "participant__index").first()


def _list_faulty_seats(participants: Sequence[int]) -> QuerySet[LegSeat]:
    seats = LegSeat.objects.filter(participant__in=participants, leg__match__state=Match.State.FINISHED)
    shown = [
        "leg__number",
        "leg__match__finished_at",
        "participant__version__number",
        "participant__version__bot__slug",
    ]
    return (
        seats.exclude(verdict=Verdict.OK)
        .select_related("leg__match", "participant__version__bot")
        .only("seat", "verdict", "stderr", "fault", *shown)
    )
