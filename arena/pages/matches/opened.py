"""Which matches and legs may be looked into: those that are over, and whose deal is played nowhere else."""

from collections.abc import Sequence

from django.db.models import QuerySet
from django.http import Http404
from django.utils.translation import gettext as _

from arena.baked import baked
from arena.comparisons.queries.shared_deals import is_deal_in_play
from arena.matches.models import Leg, LegSeat, Match


def find_opened_match(pk: int) -> Match:
    """Raises Http404 with the reason."""
    found = ask_finished(pk)
    if not found:
        raise Http404
    refuse_twin(found[0])
    return found[0]


def find_opened_leg(pk: int, number: int) -> Leg:
    """With its record. Raises Http404 with the reason."""
    found = ask_leg(pk, number)
    if not found:
        raise Http404
    leg = found[0]
    refuse_twin(leg.match)
    if leg.record is None:
        raise Http404(_("The record of this leg was lost."))
    return leg


def refuse_twin(match: Match) -> None:
    if is_deal_in_play(match):
        raise Http404(_("Another match with the same deal is still played."))


def find_seats(leg: Leg) -> list[LegSeat]:
    """With the bots that sat there."""
    seats = ask_seats([leg.pk])
    for seat in seats:
        seat.leg = leg
    return seats


@baked
def ask_finished(pk: int) -> QuerySet[Match]:
    return Match.objects.filter(pk=pk, state=Match.State.FINISHED).defer("deal")


@baked
def ask_leg(match: int, number: int) -> QuerySet[Leg]:
    legs = Leg.objects.filter(match=match, match__state=Match.State.FINISHED, number=number)
    return legs.select_related("match").defer("match__deal").order_by()


@baked
def ask_seats(legs: Sequence[int]) -> QuerySet[LegSeat]:
    seats = LegSeat.objects.filter(leg__in=legs).select_related("participant__version__bot__owner")
    return seats.defer("participant__version__build_log").order_by("leg", "seat")
