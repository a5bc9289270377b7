"""Read the faults in the matches of a tournament that count."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import QuerySet

from arena.matches.models import LegSeat, Match
from arena.runner.verdict import Verdict
from arena.tournaments.models import Tournament


@dataclass(frozen=True, slots=True)
class TournamentFault:
    """A fault of an entrant."""

    entrant: int
    """Its number, which is its seed."""
    round: int
    match: int
    leg: int
    verdict: Verdict


def select_faulty_seats(tournament: Tournament) -> QuerySet[LegSeat]:
    """Select the faults in matches that count, with cause and log, which are for owners and organisers alone."""
    seats = LegSeat.objects.filter(
        leg__match__pairing_match__pairing__round__tournament=tournament,
        leg__match__pairing_match__pairing__round__is_latest_attempt=True,
        leg__match__pairing_match__counts=True,
        leg__match__state=Match.State.FINISHED,
    ).exclude(verdict=Verdict.OK)
    related = ("leg__match__pairing_match__pairing__round", "participant__version__bot__owner")
    unneeded = ("leg__record", "leg__deal", "leg__match__deal", "participant__version__build_log")
    return seats.select_related(*related).defer(*unneeded)


def list_faulty_seats(tournament: Tournament, limit: int) -> list[LegSeat]:
    """List the newest of `select_faulty_seats`."""
    return list(select_faulty_seats(tournament).order_by("-leg__match", "leg__number", "seat")[:limit])


def list_faults(tournament: Tournament) -> Sequence[TournamentFault]:
    """List the faults of all entrants in matches that count, in the order of rounds, matches and legs."""
    seats = LegSeat.objects.filter(
        leg__match__pairing_match__pairing__round__tournament=tournament,
        leg__match__pairing_match__pairing__round__is_latest_attempt=True,
        leg__match__pairing_match__counts=True,
        participant__version__tournament_entries__tournament=tournament,
    ).exclude(verdict=Verdict.OK)
    rows = seats.values_list(
        "participant__version__tournament_entries__number",
        "leg__match__pairing_match__pairing__round__number",
        "leg__match",
        "leg__number",
        "verdict",
    )
    ordered = rows.order_by("leg__match__pairing_match__pairing__round__number", "leg__match", "leg__number", "seat")
    return [
        TournamentFault(number, round, match, leg, Verdict(verdict))
        for number, round, match, leg, verdict in ordered
        if number is not None
    ]
