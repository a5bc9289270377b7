"""The one place that decides which matches are open: those that are over and whose deal is not in play elsewhere."""

from django.http import Http404
from django.utils.translation import gettext as _

from arena.comparisons.queries.shared_deals import is_deal_in_play
from arena.matches.models import Leg, Match
from arena.matches.queries.replays import find_finished_leg, find_finished_match
from arena.matches.retention import explain_missing_record


def find_opened_match(pk: int) -> Match:
    """Return a match whose cards everybody may see. Raises Http404 with the reason."""
    match = find_finished_match(pk)
    if match is None:
        raise Http404
    refuse_deal_in_play(match)
    return match


def find_opened_leg(pk: int, number: int) -> Leg:
    """Return a leg with its record, whose cards everybody may see. Raises Http404 with the reason."""
    leg = find_finished_leg(pk, number)
    if leg is None:
        raise Http404
    refuse_deal_in_play(leg.match)
    if leg.record is None:
        raise Http404(explain_missing_record(leg.match, _("The record of this leg was lost.")))
    return leg


def refuse_deal_in_play(match: Match) -> None:
    """Raise Http404 while another match with the same deal is not over."""
    if is_deal_in_play(match):
        raise Http404(_("Another match with the same deal is still being played."))
