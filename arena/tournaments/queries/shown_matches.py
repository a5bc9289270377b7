"""Find the matches of a tournament that are shown on its projector's page, and its longest leg."""

from dataclasses import dataclass

from django.db.models import QuerySet

from arena.matches.models import Leg, Match
from arena.tournaments.models import PairingMatch, Tournament


@dataclass(frozen=True, slots=True)
class LongestLeg:
    """The leg with the most decisions."""

    match: int
    number: int
    decisions: int


def list_shown_matches(tournament: Tournament) -> list[int]:
    """List the finished matches of the last round that has one, in the order in which they ended."""
    rows = PairingMatch.objects.filter(
        pairing__round__tournament=tournament,
        pairing__round__is_latest_attempt=True,
        counts=True,
        match__state=Match.State.FINISHED,
    ).order_by("-pairing__round__number", "match__finished_at", "match")
    found = list(rows.values_list("pairing__round__number", "match"))
    return [match for number, match in found if number == found[0][0]]


def list_after(matches: list[int], shown: int | None) -> list[int]:
    """Return matches in the order in which they follow another one: after the last comes the first."""
    at = matches.index(shown) + 1 if shown in matches else 0
    return [*matches[at:], *matches[:at]]


def list_counted_legs(tournament: Tournament) -> QuerySet[Leg]:
    """List the legs of all finished matches that count."""
    return Leg.objects.filter(
        match__pairing_match__pairing__round__tournament=tournament,
        match__pairing_match__pairing__round__is_latest_attempt=True,
        match__pairing_match__counts=True,
        match__state=Match.State.FINISHED,
    )


def count_legs(tournament: Tournament) -> int:
    """Return the number of legs that were played in matches that count."""
    return list_counted_legs(tournament).count()


def find_longest_leg_of(tournament: Tournament) -> LongestLeg | None:
    """Return the leg with the most decisions of all matches that count; None before the first."""
    legs = list_counted_legs(tournament).filter(decisions__isnull=False)
    row = legs.order_by("-decisions", "match", "number").values_list("match", "number", "decisions").first()
    return LongestLeg(row[0], row[1], row[2] or 0) if row else None
