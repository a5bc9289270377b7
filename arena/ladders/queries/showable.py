"""Find the rated matches that spectators may be shown, and the leg of each that lasted longest."""

from collections.abc import Iterable
from datetime import timedelta

from django.db.models import Exists, OuterRef, QuerySet
from django.utils.timezone import now

from arena.ladders.models import Entry, LadderMatch, LadderMatchQuerySet, RatingChange
from arena.ladders.playlist import Candidate
from arena.matches.models import Attempt, Leg, LegSeat, Match, Participant
from arena.runner.verdict import Verdict
from engine.registry import GAMES

MAX_CANDIDATES = 300
MAX_AGE = timedelta(days=1)
"""Only matches that ended within a day of the newest one are candidates."""
LIVE_AFTER = timedelta(seconds=10)
"""A match that is played faster would be over before anybody has seen a turn of it."""
BEST_GROUP = 1


def list_candidates() -> list[Candidate]:
    """List the newest rated matches that anybody may watch, newest first: those without a fault, records complete.

    They are of the last 24 hours, or where nothing was played then, of the last 24 hours in which something was.
    """
    matches = list_showable_matches()
    changes = RatingChange.objects.filter(ladder_match__match__in=matches)
    earlier = RatingChange.objects.filter(entry=OuterRef("entry"), pk__lt=OuterRef("pk"))
    rows = changes.annotate(has_earlier=Exists(earlier)).values_list(
        "ladder_match__match", "entry__version", "entry__version__number", "before", "has_earlier"
    )
    ratings: dict[int, dict[int, float]] = {}
    first_versions: dict[int, int] = {}
    for match, version, number, before, has_earlier in rows:
        ratings.setdefault(match, {})[version] = before
        if not has_earlier:
            first_versions[match] = number
    points = list_points(matches)
    return [
        Candidate(
            match,
            tuple(bot for _, bot, _ in points[match]),
            tuple(ratings[match][version] for version, _, _ in points[match]),
            tuple(share for _, _, share in points[match]),
            first_versions.get(match),
        )
        for match in matches
        if match in ratings and len(points[match]) == len(ratings[match])
    ]


def list_showable_matches() -> list[int]:
    """List the keys of the newest rated matches that may be shown, newest first."""
    newest = filter_public_rated(LadderMatch.objects.filter(match__game__in=list(GAMES)))
    rows = newest.order_by("-match").values_list("match", "match__finished_at")[:MAX_CANDIDATES]
    found = [(match, finished_at) for match, finished_at in rows if finished_at]
    if not found:
        return []
    since = min(now(), max(finished_at for _, finished_at in found)) - MAX_AGE
    recent = [match for match, finished_at in found if finished_at >= since]
    whole = exclude_incomplete(LadderMatch.objects.filter(match__in=recent))
    return sorted(whole.values_list("match", flat=True), reverse=True)


def find_live_match() -> int | None:
    """Return the key of a rated match of a ladder's best group that is being played and that anybody may watch.

    Of several it is the one that began last; None where there is none.
    """
    best = Entry.objects.active().filter(
        ladder=OuterRef("match__ladder_match__ladder"), version=OuterRef("version"), group=BEST_GROUP
    )
    others = Participant.objects.filter(match=OuterRef("match")).exclude(Exists(best))
    reported = Attempt.objects.open().filter(underway__isnull=False, started_at__lte=now() - LIVE_AFTER)
    rated = reported.filter(
        match__ladder_match__isnull=False,
        match__state=Match.State.RUNNING,
        match__game__in=list(GAMES),
        match__in=Match.objects.visible_to(None),
    )
    return rated.exclude(Exists(others)).order_by("-started_at").values_list("match", flat=True).first()


def filter_public_rated(matches: LadderMatchQuerySet) -> LadderMatchQuerySet:
    """Return those of these matches that are rated, not excluded, and visible to everybody."""
    return matches.filter(sequence__isnull=False, void_sequence=None, match__in=Match.objects.visible_to(None))


def exclude_incomplete(matches: LadderMatchQuerySet) -> LadderMatchQuerySet:
    """Return these matches without those with a fault or a lost record."""
    faults = LegSeat.objects.filter(leg__match=OuterRef("match")).exclude(verdict=Verdict.OK)
    lost = Leg.objects.filter(match=OuterRef("match"), record=None)
    return matches.exclude(Exists(faults)).exclude(Exists(lost))


def list_points(matches: Iterable[int]) -> dict[int, list[tuple[int, int, float]]]:
    """Return version, bot and points of the participants of each of these matches, in order."""
    found: dict[int, list[tuple[int, int, float]]] = {match: [] for match in matches}
    rows = Participant.objects.filter(match__in=found).order_by("match", "index")
    for match, version, bot, points in rows.values_list("match", "version", "version__bot", "points"):
        found[match].append((version, bot, points or 0.0))
    return found


def find_longest_legs(legs: QuerySet[Leg]) -> dict[int, tuple[int, int]]:
    """Return by match the number of the leg with the most decisions among these, and how many these are."""
    rows = legs.filter(decisions__isnull=False).order_by("decisions", "-number")
    found = rows.values_list("match", "number", "decisions")
    return {match: (number, decisions) for match, number, decisions in found if decisions}


def find_longest_leg(match: int) -> int:
    """Return the number of a match's leg with the most decisions; 1 where none is known."""
    number, _decisions = find_longest_legs(Leg.objects.filter(match=match)).get(match, (1, 0))
    return number
