"""The page of a tournament that is left on a projector: read from afar, with nobody at the keyboard."""

from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from django.http import Http404, HttpResponse
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.timezone import now

from arena.groups.audience import Audience
from arena.groups.codes import format_code
from arena.pages.paging import read_key
from arena.pages.polling import HtmxRequest, render_live
from arena.pages.real_names import RealNames, fetch_shown_names
from arena.pages.svg.qr_code import draw_qr_code
from arena.pages.tournaments.detail import STATUS_TIMEOUT_S, describe, fetch_cached
from arena.pages.tournaments.ending import describe_end, list_places
from arena.pages.tournaments.entering import takes_entries
from arena.pages.tournaments.final_bracket import count_played, list_final_bouts
from arena.pages.tournaments.phase_words import name_current_phase
from arena.pages.tournaments.playing import estimate_round_seconds, estimate_seconds, list_boards_left
from arena.pages.tournaments.projector_pairings import find_last_result, list_pairings
from arena.pages.tournaments.reading import tournament_or_404
from arena.pages.tournaments.words import describe_round_number, describe_state
from arena.pages.watch.showing import Showing, build_showing
from arena.release import compute_build_id
from arena.tournaments.models import Entrant, Tournament
from arena.tournaments.queries.overview import Overview, fetch_matches, fetch_overview
from arena.tournaments.queries.shown_matches import list_after, list_shown_matches
from arena.tournaments.queries.tournaments import fetch_progress
from arena.tournaments.services.organisers import is_organiser

ROWS_PER_PAGE = 10
PAIRINGS_PER_PAGE = 6
PAIRS_PER_PAGE = 8
"""The pairings on a page while none has a result yet, when they have the board's place."""
ROUNDS_WITH_RESULTS = 2
"""The last result is of the current round, or of the one before it."""
READY_SHOWN, READY_SHOWN_WITH_INVITATION = 24, 8
MAX_BOARDS_TRIED = 5
CHOICES = {"join", "names"}
"""The parameters by which who shows the page asks for what it doesn't show by itself."""


@dataclass(frozen=True, slots=True)
class Invitation:
    """How to enter a bot, for those who see the screen. Organisers alone get one with a code."""

    link: str
    code: str


def show_projector(request: HtmxRequest, slug: str) -> HttpResponse:
    """Show the projector's page; a poll gets all but the board. Raise Http404.

    `match` names the match on the board, `after` the one before it, and with `held` a poll says which match is on the
    board now, so that the page doesn't tell its result before its end.
    """
    tournament = tournament_or_404(request, slug)
    address = request.build_absolute_uri(tournament.get_absolute_url()).split("://")[1].rstrip("/")
    shown = list_shown_matches(tournament)
    wanted, held = read_key(request.GET, "match"), read_key(request.GET, "held")
    following = list_after(shown, read_key(request.GET, "after"))
    if wanted in shown:
        following = [wanted, *list_after(shown, wanted)]
    if not request.htmx:
        held = following[0] if following else None
    names = choose_names(request, tournament)
    drawn = draw_now(tournament, address, invite(request, tournament), held if held in shown else None, names)
    context = {
        "tournament": tournament,
        "now": drawn["html"],
        "address": address,
        "poll_url": request.get_full_path() if CHOICES & request.GET.keys() else request.path,
    }
    if not request.htmx and drawn["view"] == "live":
        context |= describe_board(tournament, shown, following)
    parts = ("tournaments/projector.html", "tournaments/_projector_part.html")
    return render_live(request, *parts, context, tournament.is_over, reloads_at_end=True)


def invite(request: HtmxRequest, tournament: Tournament) -> Invitation | None:
    """Return how to enter, where that is asked for and entries are open; the code is given to organisers alone."""
    if "join" not in request.GET or not takes_entries(tournament):
        return None
    code = format_code(tournament.entry_code or "") if is_organiser(tournament, request.user) else ""
    link = request.build_absolute_uri(reverse("enter_tournament", args=[tournament.slug]))
    return Invitation(f"{link}?code={code}" if code else link, code)


def choose_names(request: HtmxRequest, tournament: Tournament) -> RealNames:
    """Return the real names of the group where an organiser asks for them: a room reads what is shown here."""
    if "names" not in request.GET or not is_organiser(tournament, request.user):
        return {}
    return fetch_shown_names(request, tournament.group_id)


def draw_now(
    tournament: Tournament, address: str, invitation: Invitation | None, held: int | None, names: RealNames
) -> dict[str, Any]:
    """Render everything but the board, and return it with the name of the view. It is kept for all who see the same."""

    def draw() -> dict[str, Any]:
        context = {
            **describe_now(tournament, held),
            "real_names": names,
            "address": address,
            "build": compute_build_id(),
            "invitation": invitation,
            "most_ready": READY_SHOWN_WITH_INVITATION if invitation else READY_SHOWN,
            "qr_code": draw_qr_code(invitation.link) if invitation else None,
        }
        return {"html": render_to_string("tournaments/_projector_now.html", context), "view": context["view"]}

    interval = int(now().timestamp()) // STATUS_TIMEOUT_S
    invited = asdict(invitation) if invitation else None
    key = ["projector", fetch_progress(tournament), address, interval, invited, held, compute_build_id()]
    drawn: dict[str, Any] = fetch_cached(key, STATUS_TIMEOUT_S, draw, names)
    return drawn


def describe_board(tournament: Tournament, shown: list[int], following: list[int]) -> dict[str, Any]:
    """Return the context of the board: the first of the matches that can be shown, and the ways to others."""
    audience = Audience(tournament.audience_id)
    showing = next(filter(None, (show_if_possible(audience, match) for match in following[:MAX_BOARDS_TRIED])), None)
    address = reverse("tournament_projector", args=[tournament.slug])
    match = showing.row.match.pk if showing else 0
    return {
        **(showing.stage if showing else {}),
        "showing": showing,
        "hero_tag": "h2",
        "next_url": f"{address}?after={match}",
        "previous_url": f"{address}?match={shown[shown.index(match) - 1]}" if match in shown else "",
    }


def show_if_possible(audience: Audience, match: int) -> Showing | None:
    """Return the showing of a match; None where its record is gone."""
    try:
        return build_showing(audience, [], match)
    except Http404:
        return None


def describe_now(tournament: Tournament, held: int | None) -> dict[str, Any]:
    """Return the context of everything but the board."""
    overview = fetch_overview(tournament)
    shown = overview.counted_rounds[-ROUNDS_WITH_RESULTS:]
    fetch_matches(overview, rounds=None if tournament.is_over else [round.pk for round in shown])
    view = choose_view(overview)
    boards_left = list_boards_left(overview)
    places = [] if overview.is_knockout and not overview.results else list_places(overview)
    return {
        **describe(tournament),
        "view": view,
        "meaning": describe_state(overview),
        "round_of": describe_round_number(overview) if overview.counted_rounds else "",
        "phase": name_current_phase(overview),
        "over_rounds": len(overview.results),
        "standing_pages": split_pages(places, ROWS_PER_PAGE),
        "pairing_pages": split_pages(
            list_pairings(overview, held), PAIRS_PER_PAGE if view == "pairs" else PAIRINGS_PER_PAGE
        ),
        "ready": [one for one in overview.entrants if one.state == Entrant.State.READY],
        "last_result": find_last_result(overview, held),
        "time_left": estimate_seconds(tournament, boards_left),
        "next_round": len(overview.counted_rounds) + 1 if len(boards_left) > 1 else None,
        "next_round_in": estimate_round_seconds(overview),
        "entries_close_at": find_countdown(tournament),
        **(describe_final(overview) if view == "final" else {}),
    }


def describe_final(overview: Overview) -> dict[str, Any]:
    """Return what is shown at the end: the podium, the last rounds of the bracket and how much was played."""
    return {**describe_end(overview), "bouts": list_final_bouts(overview), "played": count_played(overview)}


def split_pages(rows: list[Any], size: int) -> list[list[Any]]:
    """Return the rows in pages of that size; they are shown in turn."""
    return [rows[start : start + size] for start in range(0, len(rows), size)]


def find_countdown(tournament: Tournament) -> datetime | None:
    """Return when entries close; None without a deadline, or after it."""
    at = tournament.entries_close_at
    return at if tournament.state == Tournament.State.OPEN and at and at > now() else None


def choose_view(overview: Overview) -> str:
    """Return what is shown: `before`, `pairs` of a round that begins, `live`, `final`, or `cancelled`."""
    tournament = overview.tournament
    if tournament.is_over:
        return "final" if tournament.state == Tournament.State.FINISHED else "cancelled"
    round = overview.current_round
    if round is None:
        return "before"
    boards = overview.boards.get(round.pk, [])
    has_result = any(match.is_over for board in boards for match in board.counting_matches)
    return "live" if has_result else "pairs"
