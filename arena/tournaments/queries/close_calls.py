"""Replay legs of the last round of a tournament to find the claim that came nearest to being refuted."""

from dataclasses import dataclass

from arena.matches.models import LegSeat
from arena.tournaments.models import Tournament
from arena.tournaments.queries.shown_matches import list_counted_legs
from engine.core import CloseCall
from engine.registry import GAMES
from engine.replay import find_close_call

MAX_LEGS_REPLAYED = 8
"""A leg takes some 12 ms, and a page waits for them: those of the first pairings of the last round are replayed."""


@dataclass(frozen=True, slots=True)
class TournamentCall:
    """The close call of a leg."""

    match: int
    leg: int
    entrant: int
    """The seed of who decided."""
    round: int
    closest: CloseCall


def find_narrowest_claim(tournament: Tournament) -> TournamentCall | None:
    """Return the closest call of the legs that are replayed, of equal ones the first; None where none has one."""
    if tournament.game not in GAMES:
        return None
    last = tournament.rounds.latest_attempts().last()
    legs = list_counted_legs(tournament).filter(match__pairing_match__pairing__round=last).exclude(record=None)
    legs = legs.order_by("match__pairing_match__pairing__board", "match", "number").only("match", "number", "record")
    found = [(closest, leg) for leg in legs[:MAX_LEGS_REPLAYED] if (closest := find_close_call(leg.record_data))]
    if last is None or not found:
        return None
    closest, leg = min(found, key=lambda pair: pair[0].margin)
    seat = LegSeat.objects.filter(leg=leg, seat=closest.seat)
    number = seat.filter(participant__version__tournament_entries__tournament=tournament).values_list(
        "participant__version__tournament_entries__number", flat=True
    )
    entrant = number.first()
    return TournamentCall(leg.match_id, leg.number, entrant, last.number, closest) if entrant else None
