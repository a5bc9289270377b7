"""Read matches with what is shown of them, in a fixed number of queries."""

from collections.abc import Sequence

from django.contrib.auth.models import AnonymousUser
from django.db.models import Prefetch, QuerySet

from arena.accounts.models import User
from arena.bots.models import Bot
from arena.matches.models import Leg, LegSeat, Match, Participant

PURPOSES = {"trial": "trial", "ladder_match": "ladder", "challenge": "challenge", "comparison_match": "comparison"}
"""What a match was made for, by the row that says so."""
OTHER_PURPOSE = "other"


def list_visible_matches(reader: User | AnonymousUser) -> QuerySet[Match]:
    """List the matches a reader may see, without what only the runner needs."""
    return Match.objects.visible_to(reader).lean()


def list_matches_by_key(keys: QuerySet[Participant]) -> QuerySet[Match]:
    """List the matches of these participants."""
    return Match.objects.lean().filter(pk__in=keys.values("match"))


def find_match_with_legs(pk: int) -> Match | None:
    """Return a match with its legs and their seats, or None. Deals, records, logs and salts are not read."""
    seats = LegSeat.objects.select_related("participant").defer("stderr", "fault")
    legs = Leg.objects.defer("record", "salt").prefetch_related(Prefetch("seats", seats))
    return Match.objects.defer("deal").prefetch_related(Prefetch("legs", legs)).filter(pk=pk).first()


def list_participations(versions: Sequence[int], **bounds: int) -> QuerySet[Participant]:
    """List where these versions take part, within bounds given as lookups of the match's key."""
    return Participant.objects.filter(version__in=versions, **bounds)


def list_participants(matches: Sequence[int]) -> QuerySet[Participant]:
    """List the participants of these matches in order, with what names them."""
    named = ("version__number", "version__bot__slug", "version__bot__name", "version__bot__owner__username")
    participants = Participant.objects.filter(match__in=matches).select_related("version__bot__owner")
    return participants.only("match", "index", "points", *named).order_by("match_id", "index")


def fetch_purposes(matches: Sequence[int]) -> dict[int, str]:
    """Return what each of these matches was made for."""
    rows = Match.objects.filter(pk__in=matches).values_list("pk", *(f"{row}__pk" for row in PURPOSES))
    return {
        pk: next((kind for kind, key in zip(PURPOSES.values(), keys, strict=True) if key), OTHER_PURPOSE)
        for pk, *keys in rows
    }


def find_finished_leg(match: int, number: int) -> Leg | None:
    """Return a leg of a finished match, or None."""
    legs = Leg.objects.filter(match__state=Match.State.FINISHED, match=match, number=number)
    return legs.select_related("match").defer("record", "match__deal").first()


def list_leg_seats(leg: Leg) -> QuerySet[LegSeat]:
    """List the seats of a leg in order, with the bots that had them."""
    seats = LegSeat.objects.filter(leg=leg).select_related("participant__version__bot").order_by("seat")
    return seats.defer("participant__version__build_log")


def list_queued_matches(bots: QuerySet[Bot], limit: int) -> list[Match]:
    """List the first queued matches of these bots, in the order of the queue."""
    return list(Match.objects.queued().with_player(version__bot__in=bots).lean()[:limit])


def count_running_matches() -> int:
    """Count the matches that are being played."""
    return Match.objects.running().count()


def count_queued_matches() -> int:
    """Count the matches that wait."""
    return Match.objects.queued().count()


def fetch_deal_hashes(matches: Sequence[int]) -> dict[int, list[str]]:
    """Return the deal hashes of the legs of these matches."""
    hashes: dict[int, list[str]] = {match: [] for match in matches}
    legs = Leg.objects.filter(match__in=matches).order_by("match", "number")
    for match, deal_hash in legs.values_list("match", "deal_hash"):
        hashes[match].append(deal_hash)
    return hashes
