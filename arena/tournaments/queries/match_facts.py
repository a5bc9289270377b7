"""Read what the document of a tournament states of each match, besides its result."""

from collections import defaultdict
from dataclasses import dataclass, field

from django.db.models import Sum

from arena.matches.models import Leg, LegSeat, Match
from arena.tournaments.models import Tournament


@dataclass(slots=True)
class MatchFacts:
    """The rules of a match, the hashes of its legs, and its game points by participant."""

    rules_version: int
    deal_hashes: list[str] = field(default_factory=list)
    record_hashes: list[str] = field(default_factory=list)
    """Empty until all legs are played."""
    scores: list[float] = field(default_factory=list)
    """Sums of the game points of the legs, by participant; empty until it is over."""


def fetch_match_facts(tournament: Tournament) -> dict[int, MatchFacts]:
    """Return the facts of all matches of a tournament by their keys."""
    matches = Match.objects.filter(pairing_match__pairing__round__tournament=tournament)
    found = {pk: MatchFacts(version) for pk, version in matches.values_list("pk", "rules_version")}
    records: dict[int, list[str]] = defaultdict(list)
    legs = Leg.objects.filter(match__pairing_match__pairing__round__tournament=tournament).order_by("match", "number")
    for match, deal_hash, record_hash in legs.values_list("match", "deal_hash", "record_hash"):
        found[match].deal_hashes.append(deal_hash)
        records[match].append(record_hash)
    for match, hashes in records.items():
        found[match].record_hashes = hashes if all(hashes) else []
    seats = LegSeat.objects.filter(
        participant__match__pairing_match__pairing__round__tournament=tournament,
        participant__match__state=Match.State.FINISHED,
    ).values("participant__match", "participant__index")
    for row in seats.annotate(total=Sum("score")).order_by("participant__match", "participant__index"):
        found[row["participant__match"]].scores.append(row["total"] or 0.0)
    return found
