"""Read matches with what is shown of them, in a fixed number of queries."""

from collections.abc import Collection, Sequence

from django.contrib.auth.models import AnonymousUser
from django.db.models import Prefetch, QuerySet

from arena.accounts.models import User
from arena.matches.models import Leg, LegSeat, Match, MatchQuerySet, Participant

PURPOSES = {"trial": "trial", "ladder_match": "ladder", "challenge": "challenge", "comparison_match": "comparison"}
"""Purpose of a match by the related row that tells it."""
OTHER_PURPOSE = "other"


def list_visible_matches(reader: User | AnonymousUser) -> MatchQuerySet:
    """List the matches a reader may see, without what only the runner needs."""
    return Match.objects.visible_to(reader).lean()


def keep_visible_matches(reader: User | AnonymousUser, matches: Collection[int]) -> list[int]:
    """Return those of these matches that a reader may see, in their order: an author may have left a bot's group."""
    visible = set(Match.objects.visible_to(reader).filter(pk__in=matches).values_list("pk", flat=True))
    return [match for match in matches if match in visible]


def list_matches_by_key(keys: QuerySet[Participant]) -> QuerySet[Match]:
    """List the matches of these participants."""
    return Match.objects.lean().filter(pk__in=keys.values("match"))


def find_match_with_legs(reader: User | AnonymousUser, pk: int) -> Match | None:
    """Return a match that the reader may see with its legs and their seats, or None.

    Deals, records, logs and salts are not read.
    """
    seats = LegSeat.objects.select_related("participant").defer("stderr", "fault")
    legs = Leg.objects.defer("record", "salt", "deal").prefetch_related(Prefetch("seats", seats))
    found = Match.objects.visible_to(reader).defer("deal").prefetch_related(Prefetch("legs", legs))
    return found.filter(pk=pk).first()


def fetch_purposes(matches: Sequence[int]) -> dict[int, str]:
    """Return the purpose of each of these matches."""
    rows = Match.objects.filter(pk__in=matches).values_list("pk", *(f"{row}__pk" for row in PURPOSES))
    return {
        pk: next((kind for kind, key in zip(PURPOSES.values(), keys, strict=True) if key), OTHER_PURPOSE)
        for pk, *keys in rows
    }


def fetch_deal_hashes(matches: Sequence[int]) -> dict[int, list[str]]:
    """Return the deal hashes of the legs of these matches."""
    hashes: dict[int, list[str]] = {match: [] for match in matches}
    legs = Leg.objects.filter(match__in=matches).order_by("match", "number")
    for match, deal_hash in legs.values_list("match", "deal_hash"):
        hashes[match].append(deal_hash)
    return hashes
