"""Find the tournament in the address of a page."""

from django.http import Http404, HttpRequest
from django.utils.translation import gettext as _

from arena.matches.models import Match
from arena.private_responses import forbid_caching
from arena.tournaments.models import Round, Tournament
from arena.tournaments.queries.tournaments import listed_for, visible_to


def tournament_or_404(request: HttpRequest, slug: str) -> Tournament:
    """Return the tournament if the reader may see it. Raise Http404. Where not everybody may, nothing is cached."""
    tournament = visible_to(request.user).select_related("organiser", "group").filter(slug=slug).first()
    if tournament is None:
        raise Http404(_("There is no such tournament."))
    if not tournament.is_public:
        forbid_caching(request)
    return tournament


def find_named_round(request: HttpRequest, match: Match) -> Round | None:
    """Return the round of a match, read by `find_match`, if the reader has its tournament in lists, or None.

    A tournament that only who has the link sees isn't betrayed by its matches.
    """
    row = getattr(match, "pairing_match", None)
    if row is None:
        return None
    round: Round = row.pairing.round
    is_listed = round.tournament.is_public or listed_for(request.user).filter(pk=round.tournament_id).exists()
    return round if is_listed else None
