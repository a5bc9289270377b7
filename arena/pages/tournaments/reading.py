"""Find the tournament in the address of a page."""

from django.http import Http404, HttpRequest
from django.utils.translation import gettext as _

from arena.private_responses import forbid_caching
from arena.tournaments.models import Tournament
from arena.tournaments.queries.tournaments import visible_to


def tournament_or_404(request: HttpRequest, slug: str) -> Tournament:
    """Return the tournament if the reader may see it. Raise Http404. Where not everybody may, nothing is cached."""
    tournament = visible_to(request.user).select_related("organiser", "group").filter(slug=slug).first()
    if tournament is None:
        raise Http404(_("There is no such tournament."))
    if not tournament.is_public:
        forbid_caching(request)
    return tournament
