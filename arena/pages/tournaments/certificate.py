"""The certificate of a bot in a finished tournament, for printing."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from arena.pages.real_names import fetch_shown_names, find_shown_group
from arena.pages.tournaments.reading import tournament_or_404
from arena.pages.tournaments.words import format_name
from arena.tournaments.models import Tournament
from arena.tournaments.queries.overview import fetch_overview


def page(request: HttpRequest, slug: str, bot: str) -> HttpResponse:
    """Show the certificate of a bot. Raise Http404 before the end, and for a bot without a place."""
    tournament = tournament_or_404(request, slug)
    entrant = tournament.entrants.select_related("bot__owner", "version").filter(bot__slug=bot).first()
    if tournament.state != Tournament.State.FINISHED or entrant is None or entrant.place is None:
        raise Http404(_("There is no such certificate."))
    overview = fetch_overview(tournament)
    standing = next(standing for standing in overview.standings if standing.number == entrant.number)
    context = {
        "tournament": tournament,
        "real_names": fetch_shown_names(request, tournament.group_id),
        "group": find_shown_group(request, tournament.group_id),
        "entrant": entrant,
        "standing": standing,
        "bots": len(overview.field),
        "is_shared": sum(one.place == entrant.place for one in overview.entrants) > 1,
        "format_name": format_name(tournament.format.key),
        "address": request.build_absolute_uri(tournament.get_absolute_url()),
    }
    return render(request, "tournaments/certificate.html", context)
