"""Which matches and legs may be looked into: those that are over, and whose deal is played nowhere else."""

from django.http import Http404
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _

from arena.comparisons.twins import has_twin_in_play
from arena.matches.models import Leg, LegSeat, Match


def find_opened_match(pk: int) -> Match:
    """Raises Http404 with the reason."""
    match = get_object_or_404(Match.objects.defer("deal"), pk=pk, state=Match.State.FINISHED)
    refuse_twin(match)
    return match


def find_opened_leg(pk: int, number: int) -> Leg:
    """With its record. Raises Http404 with the reason."""
    legs = Leg.objects.select_related("match").defer("match__deal")
    leg = get_object_or_404(legs, match=pk, match__state=Match.State.FINISHED, number=number)
    refuse_twin(leg.match)
    if leg.record is None:
        raise Http404(_("The record of this leg was lost."))
    return leg


def refuse_twin(match: Match) -> None:
    if has_twin_in_play(match):
        raise Http404(_("Another match with the same deal is still played."))


def find_seats(leg: Leg) -> list[LegSeat]:
    """With the bots that sat there."""
    return list(leg.seats.select_related("participant__version__bot__owner").defer("participant__version__build_log"))
