"""Read the recent matches of a bot: all, lost, with faults or unrated."""

from collections.abc import Sequence
from typing import Any

from django.db.models import QuerySet

from arena.matches.models import LegSeat, Match, MatchQuerySet, Participant
from arena.matches.waiting import Waiting, place_in_queue
from arena.runner.verdict import Verdict

EVEN_POINTS = 0.5


def list_started_matches(matches: Sequence[int], limit: int) -> QuerySet[Match]:
    """List the newest of these matches that have left the queue."""
    found = Match.objects.filter(pk__in=matches).exclude(state=Match.State.QUEUED)
    return found.order_by("-pk").lean()[:limit]


def list_unrated_matches(matches: Sequence[int], limit: int) -> QuerySet[Match]:
    """List the newest of these matches that no ladder counts."""
    return Match.objects.filter(pk__in=matches, ladder_match=None).order_by("-pk").lean()[:limit]


def list_lost_matches(matches: Sequence[int], bot: int, limit: int) -> QuerySet[Match]:
    """List the newest of these matches in which the bot made less than half of the points."""
    lost = Participant.objects.filter(match__in=matches, version__bot=bot, points__lt=EVEN_POINTS)
    return Match.objects.filter(pk__in=lost.values("match")).order_by("-pk").lean()[:limit]


def list_faulty_matches(matches: Sequence[int], bot: int, limit: int) -> QuerySet[Match]:
    """List the newest of these matches in which the bot was at fault."""
    seats = LegSeat.objects.filter(participant__match__in=matches, participant__version__bot=bot)
    faulty = seats.exclude(verdict=Verdict.OK).values("participant__match")
    return Match.objects.filter(pk__in=faulty).order_by("-pk").lean()[:limit]


def find_first_place_in_queue(matches: MatchQuerySet) -> Waiting | None:
    """Return the place in the queue of the first of these matches that waits, or None."""
    first = matches.queued().defer("deal", "options", "limits").first()
    return None if first is None else place_in_queue(first)


def find_queue_place_of(matches: Sequence[int]) -> Waiting | None:
    """Return the place in the queue of the first of these matches that waits, or None."""
    return find_first_place_in_queue(Match.objects.filter(pk__in=matches))


def list_leg_records(participants: Sequence[int], limit: int) -> QuerySet[LegSeat, tuple[int, Any, Any]]:
    """List seat, stored record and limits of the newest finished legs of these participants."""
    seats = LegSeat.objects.filter(participant__in=participants, leg__record__isnull=False)
    seats = seats.filter(leg__match__state=Match.State.FINISHED)
    return seats.order_by("-pk").values_list("seat", "leg__record", "leg__match__limits")[:limit]


def fetch_series_points(matches: Sequence[int], bot: int) -> dict[int, float]:
    """Return the points of a bot in those of these matches that are finished series, by match."""
    rows = Participant.objects.filter(match__in=matches, version__bot=bot, series_score__isnull=False)
    return {match: points or 0.0 for match, points in rows.order_by().values_list("match", "points")}


def list_meeting_seats(
    matches: Sequence[int], bots: Sequence[int]
) -> QuerySet[LegSeat, tuple[int, int, int, int, int, str]]:
    """List leg, match, bot, seat, place and verdict of these bots in these matches, oldest first."""
    seats = LegSeat.objects.filter(participant__match__in=matches, participant__version__bot__in=bots)
    seats = seats.filter(leg__match__state=Match.State.FINISHED).order_by("participant__match", "leg")
    return seats.values_list("leg", "participant__match", "participant__version__bot", "seat", "place", "verdict")
