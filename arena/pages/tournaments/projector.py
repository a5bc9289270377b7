"""The page of a tournament that is left on a projector: read from afar, with nobody at the keyboard."""

from dataclasses import dataclass
from typing import Any

from django.http import Http404, HttpResponse
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.timezone import now
from django.utils.translation import gettext as _

from arena.groups.audience import Audience
from arena.pages.paging import read_key
from arena.pages.polling import HtmxRequest, render_live
from arena.pages.tournaments.detail import STATUS_TIMEOUT_S, describe, fetch_cached
from arena.pages.tournaments.ending import describe_end, list_places
from arena.pages.tournaments.phase_words import name_current_phase
from arena.pages.tournaments.playing import estimate_seconds, list_boards_left
from arena.pages.tournaments.reading import tournament_or_404
from arena.pages.tournaments.words import describe_round_number, describe_state, format_points
from arena.pages.watch.showing import Showing, build_showing
from arena.tournaments.models import Entrant, Tournament
from arena.tournaments.queries.overview import Board, Overview, fetch_matches, fetch_overview
from arena.tournaments.queries.shown_matches import list_after, list_shown_matches
from arena.tournaments.queries.tournaments import fetch_progress

ROWS_SHOWN = 10
PAIRINGS_SHOWN = 6
PAIRS_SHOWN = 8
MAX_BOARDS_TRIED = 5


@dataclass(frozen=True, slots=True)
class PairingSide:
    """An entrant in a pairing of the current round."""

    entrant: Entrant
    score: str
    """The sum of the points of its finished matches, or its score in the standings where none is over."""
    is_ahead: bool


@dataclass(frozen=True, slots=True)
class ShownPairing:
    """A pairing of the current round."""

    sides: list[PairingSide]
    is_over: bool
    share: float
    """The share of the finished matches' points that the first entrant has, in percent."""
    is_given: bool = False
    """Whether an organiser decided it."""


def show_projector(request: HtmxRequest, slug: str) -> HttpResponse:
    """Show the projector's page; a poll gets all but the board. Raise Http404."""
    tournament = tournament_or_404(request, slug)
    address = request.build_absolute_uri(tournament.get_absolute_url()).split("://")[1].rstrip("/")
    drawn = draw_now(tournament, address)
    context = {"tournament": tournament, "now": drawn["html"], "address": address}
    if not request.htmx and drawn["view"] == "live":
        context |= describe_board(tournament, read_key(request.GET, "after"))
    parts = ("tournaments/projector.html", "tournaments/_projector_part.html")
    return render_live(request, *parts, context, tournament.is_over, reloads_at_end=True)


def draw_now(tournament: Tournament, address: str) -> dict[str, Any]:
    """Render everything but the board, and return it with the name of the view. It is kept for all who look at it."""

    def draw() -> dict[str, Any]:
        context = {**describe_now(tournament), "address": address}
        return {"html": render_to_string("tournaments/_projector_now.html", context), "view": context["view"]}

    interval = int(now().timestamp()) // STATUS_TIMEOUT_S
    drawn: dict[str, Any] = fetch_cached(
        ["projector", fetch_progress(tournament), address, interval], STATUS_TIMEOUT_S, draw
    )
    return drawn


def describe_board(tournament: Tournament, shown: int | None) -> dict[str, Any]:
    """Return the context of the board: the leg that follows the one that was shown."""
    following = list_after(list_shown_matches(tournament), shown)
    audience = Audience(tournament.audience_id)
    showing = next(filter(None, (show_if_possible(audience, match) for match in following[:MAX_BOARDS_TRIED])), None)
    address = reverse("tournament_projector", args=[tournament.slug])
    return {
        **(showing.stage if showing else {}),
        "showing": showing,
        "hero_tag": "h2",
        "next_url": f"{address}?after={showing.row.match.pk if showing else 0}",
    }


def show_if_possible(audience: Audience, match: int) -> Showing | None:
    """Return the showing of a match; None where its record is gone."""
    try:
        return build_showing(audience, [], match)
    except Http404:
        return None


def describe_now(tournament: Tournament) -> dict[str, Any]:
    """Return the context of everything but the board."""
    overview = fetch_overview(tournament)
    fetch_matches(overview)
    view = choose_view(overview)
    return {
        **describe(tournament),
        "view": view,
        "meaning": describe_state(overview),
        "round_of": describe_round_number(overview) if overview.counted_rounds else "",
        "phase": name_current_phase(overview),
        "over_rounds": len(overview.results),
        "places": [] if overview.is_knockout and not overview.results else list_places(overview)[:ROWS_SHOWN],
        "pairings": list_pairings(overview)[: PAIRS_SHOWN if view == "pairs" else PAIRINGS_SHOWN],
        "ready": [one for one in overview.entrants if one.state == Entrant.State.READY and not one.is_out],
        "last_result": find_last_result(overview),
        "time_left": estimate_seconds(tournament, list_boards_left(overview)),
        **(describe_end(overview) if view == "final" else {}),
    }


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


def list_pairings(overview: Overview) -> list[ShownPairing]:
    """Return the pairings of the current round, those that are going on first; byes are left out."""
    if overview.current_round is None:
        return []
    boards = [board for board in overview.boards.get(overview.current_round.pk, []) if not board.is_bye]
    scores = {standing.number: standing.score for standing in overview.standings}
    return [build_pairing(overview, board, scores) for board in sorted(boards, key=lambda board: board.is_over)]


def build_pairing(overview: Overview, board: Board, scores: dict[int, float]) -> ShownPairing:
    """Return a pairing with the points of its matches."""
    won = board.points_won
    values = won or tuple(scores.get(number, 0.0) for number in board.numbers)
    decided = board.result.winner if board.result is not None else None
    sides = [
        PairingSide(
            overview.by_number[number],
            format_points(value),
            number == decided if board.is_over else bool(won) and value == max(won) and won.count(value) == 1,
        )
        for number, value in zip(board.numbers, values, strict=True)
    ]
    total = sum(won)
    return ShownPairing(sides, board.is_over, 100 * won[0] / total if total else 50, board.is_given)


def find_last_result(overview: Overview) -> str:
    """Return the headline on the pairing that was decided last in the current round, or in the one before it."""
    for round in reversed(overview.counted_rounds):
        boards = overview.boards.get(round.pk, [])
        over = [board for board in boards if board.is_over and (board.played or board.is_given)]
        if over:
            last = max(over, key=lambda board: max((one.match for one in board.counting_matches), default=0))
            return describe_result(overview, last)
    return ""


def describe_result(overview: Overview, board: Board) -> str:
    """Return who beat whom, by how much, or what an organiser decided."""
    if board.is_given and board.result is not None:
        shown = " – ".join(overview.find_bot_name(number) for number in board.numbers)
        if board.result.winner is None:
            return _("%(pairing)s: decided by an organiser") % {"pairing": shown}
        best_name = overview.find_bot_name(board.result.winner)
        return _("%(pairing)s: %(winner)s wins by decision") % {"pairing": shown, "winner": best_name}
    points = board.points_won
    if len(board.numbers) != 2 or board.result is None or not points:
        best = board.result.winner if board.result else None
        return _("%(bot)s wins its table") % {"bot": overview.find_bot_name(best)} if best else _("A table ends even")
    first, second = board.numbers
    winner = board.result.winner
    if winner is None:
        names = {"first": overview.find_bot_name(first), "second": overview.find_bot_name(second)}
        return _("%(first)s and %(second)s are even") % names
    loser, score = (second, points) if winner == first else (first, points[::-1])
    return _("%(winner)s beats %(loser)s %(own)s : %(other)s") % {
        "winner": overview.find_bot_name(winner),
        "loser": overview.find_bot_name(loser),
        "own": format_points(score[0]),
        "other": format_points(score[1]),
    }
