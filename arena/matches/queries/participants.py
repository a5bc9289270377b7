"""Read who took part in matches, and their faults, for lists of matches."""

from collections.abc import Sequence

from django.db.models import QuerySet

from arena.matches.models import Leg, LegSeat, Participant
from arena.runner.verdict import Verdict

LISTED_COLUMNS = (
    *("match", "index", "points", "series_score", "version__number", "version__language"),
    *("version__bot__name", "version__bot__slug", "version__bot__co_authors"),
    *("version__bot__crest_difference", "version__bot__crest_design"),
    "version__bot__owner__username",
)
"""The columns of a participant that lists show."""


def list_participants(matches: Sequence[int]) -> dict[int, list[Participant]]:
    """Return the participants of each of these matches in order, with what lists show of their bots."""
    participants = Participant.objects.filter(match__in=matches).select_related("version__bot__owner")
    found: dict[int, list[Participant]] = {match: [] for match in matches}
    for one in participants.only(*LISTED_COLUMNS).order_by("match_id", "index"):
        found[one.match_id].append(one)
    return found


def list_participations(versions: Sequence[int], **bounds: int) -> QuerySet[Participant]:
    """List where these versions take part, within bounds given as lookups of the match's key."""
    return Participant.objects.shown().filter(version__in=versions, **bounds)


def fetch_fault_verdicts(participants: Sequence[int]) -> dict[int, list[Verdict]]:
    """Return the verdicts of each of these participants that are faults, in the order of the legs."""
    seats = LegSeat.objects.filter(participant__in=participants).exclude(verdict=Verdict.OK)
    found: dict[int, list[Verdict]] = {}
    for participant, verdict in seats.order_by("leg_id").values_list("participant", "verdict"):
        found.setdefault(participant, []).append(Verdict(verdict))
    return found


def fetch_leg_reasons(matches: Sequence[int]) -> dict[int, list[str]]:
    """Return the reasons for which the legs of each of these matches ended, in their order; none before the end."""
    found: dict[int, list[str]] = {match: [] for match in matches}
    legs = Leg.objects.filter(match__in=matches).exclude(reason="").order_by("match", "number")
    for match, reason in legs.values_list("match", "reason"):
        found[match].append(reason)
    return found
