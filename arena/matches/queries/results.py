"""Reads for lists of matches: who took part, and which faults there were."""

from collections.abc import Sequence

from arena.matches.models import LegSeat, Participant
from arena.runner.verdict import Verdict

VERSION_FIELDS = (
    "version__number",
    "version__language",
    "version__bot__name",
    "version__bot__slug",
    "version__bot__owner",
)
"""What lists show of a participant's version."""


def list_participants(matches: Sequence[int]) -> dict[int, list[Participant]]:
    """Return the participants of each of these matches in order, with what lists show of their bots."""
    participants = Participant.objects.filter(match__in=matches).select_related("version__bot")
    found: dict[int, list[Participant]] = {match: [] for match in matches}
    for one in participants.only("match", "index", "points", *VERSION_FIELDS).order_by("match_id", "index"):
        found[one.match_id].append(one)
    return found


def list_faults(participants: Sequence[int]) -> dict[int, list[Verdict]]:
    """Return the verdicts of each of these participants that are faults, in the order of the legs."""
    seats = LegSeat.objects.filter(participant__in=participants).exclude(verdict=Verdict.OK)
    found: dict[int, list[Verdict]] = {}
    for participant, verdict in seats.order_by("leg_id").values_list("participant", "verdict"):
        found.setdefault(participant, []).append(Verdict(verdict))
    return found
