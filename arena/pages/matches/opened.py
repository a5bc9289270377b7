"""The one place that decides which matches are open: those that are over and whose deal is not in play elsewhere.

Of these, a reader finds the ones that the reader may see.
"""

from django.http import Http404, HttpRequest
from django.utils.translation import gettext as _

from arena.comparisons.queries.shared_deals import is_deal_in_play
from arena.groups.audience import Reader
from arena.matches.models import Leg, Match
from arena.matches.queries.replays import find_finished_leg, find_finished_match
from arena.matches.retention import explain_missing_record
from arena.private_responses import forbid_caching


def find_opened_match(request: HttpRequest, pk: int) -> Match:
    """Return a match whose cards whoever sees it may see. Raises Http404 with the reason."""
    match = find_finished_match(request.user, pk)
    if match is None:
        raise Http404
    keep_private(request, match)
    refuse_deal_in_play(match)
    return match


def find_opened_leg(request: HttpRequest, pk: int, number: int) -> Leg:
    """Return a leg with its record, whose cards whoever sees the match may see. Raises Http404 with the reason."""
    leg = open_leg(request.user, pk, number)
    keep_private(request, leg.match)
    return leg


def open_leg(reader: Reader, pk: int, number: int) -> Leg:
    """Return the same for a reader, or for everybody where that is None. Raises Http404 with the reason."""
    leg = find_finished_leg(reader, pk, number)
    if leg is None:
        raise Http404
    refuse_deal_in_play(leg.match)
    if leg.record is None:
        raise Http404(explain_missing_record(leg.match, _("The record of this leg was lost.")))
    return leg


def keep_private(request: HttpRequest, match: Match) -> None:
    """Let nobody cache what is shown of a match that is for a group."""
    if match.group_id is not None:
        forbid_caching(request)


def refuse_deal_in_play(match: Match) -> None:
    """Raise Http404 while another match with the same deal is not over."""
    if is_deal_in_play(match):
        raise Http404(_("Another match with the same deal is still being played."))
