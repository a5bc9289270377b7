"""The page of a tournament that is left on a projector: pairings, results and the last rounds of a bracket."""

from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from datetime import datetime
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.timezone import now
from django.views.decorators.http import require_POST

from arena.contests.tournaments.models import Entrant, Tournament
from arena.contests.tournaments.overview import Overview, PairingOverview, fetch_matches, fetch_overview
from arena.contests.tournaments.queries import count_legs, fetch_progress, list_after, list_faults, list_shown_matches
from arena.contests.tournaments.services.access import is_organiser
from arena.contests.tournaments.services.playing import reveal_all, reveal_next_place
from arena.core.messages import gettext as _
from arena.core.messages import isolate
from arena.core.release import compute_build_id
from arena.pages.serving import (
    HtmxRequest,
    RealNames,
    fetch_shown_names,
    read_key,
    refusal_as_message,
    render_live,
    signed_in_reader,
    tournament_or_404,
)
from arena.pages.svg.bracket import format_side_score
from arena.pages.svg.icons import draw_qr_code
from arena.pages.tournaments.organising import NOT_YOURS, refuse_organising
from arena.pages.tournaments.rounds import BoutResult, make_bracket
from arena.pages.tournaments.tournament_page import (
    STATUS_TIMEOUT_S,
    describe_end,
    describe_tournament,
    estimate_round_time,
    estimate_time,
    fetch_cached,
    find_rounds_left,
    list_places,
)
from arena.pages.tournaments.words import describe_round_number, describe_state, format_points, name_current_phase
from arena.pages.watch.showing import Showing, build_showing
from arena.people.groups.models import Audience, format_code

# The pairings of the current round on the projector's page, and the result that fell last.


def list_pairings(overview: Overview, held: int | None) -> list[dict[str, Any]]:
    """Return the pairings of the current round, those that are going on first; byes are left out.

    The match that is on the board counts as being played until its end has been shown: `held` is its key.
    """
    if overview.current_round is None:
        return []
    boards = overview.boards.get(overview.current_round.pk, [])
    shown = [hold_back(board, held) for board in boards if not board.is_bye]
    scores = {standing.number: standing.score for standing in overview.standings}
    return [build_shown_pairing(overview, board, scores) for board in sorted(shown, key=lambda board: board.is_over)]


def hold_back(board: PairingOverview, held: int | None) -> PairingOverview:
    """Return a pairing as it was before the match with the key `held`; unchanged where that isn't one of its own."""
    if held is None or all(one.match != held for one in board.matches):
        return board
    return replace(board, is_over=False, matches=[one for one in board.matches if one.match != held])


def build_shown_pairing(overview: Overview, board: PairingOverview, scores: dict[int, float]) -> dict[str, Any]:
    """Return a pairing with the points of its finished matches, or with the scores where none is over.

    `share` is what the first entrant has of these points in per cent, and `match` the match that finished last.
    """
    won = board.points_won
    values = won or tuple(scores.get(number, 0.0) for number in board.numbers)
    decided = board.result.winner if board.result is not None else None
    total = sum(won)
    finished = [one.match for one in board.counting_matches if one.is_over]
    return {
        "sides": [
            {
                "entrant": overview.by_number[number],
                "score": format_points(value),
                "is_ahead": number == decided
                if board.is_over
                else bool(won) and value == max(won) and won.count(value) == 1,
            }
            for number, value in zip(board.numbers, values, strict=True)
        ],
        "is_over": board.is_over,
        "share": 100 * won[0] / total if total else 50,
        "match": max(finished, default=None),
        "is_given": board.is_given,
    }


def find_last_result(overview: Overview, held: int | None) -> str:
    """Return the headline on the pairing that was decided last in the current round, or in the one before it.

    A pairing whose match is still on the board is left out: `held` is the key of that match.
    """
    for round in reversed(overview.counted_rounds[-2:]):
        boards = [hold_back(board, held) for board in overview.boards.get(round.pk, [])]
        over = [board for board in boards if board.is_over and (board.played or board.is_given)]
        if over:
            last = max(over, key=lambda board: max((one.match for one in board.counting_matches), default=0))
            return describe_result(overview, last)
    return ""


def describe_result(overview: Overview, board: PairingOverview) -> str:
    """Return who beat whom, by how much, or what an organiser decided."""
    if board.is_given and board.result is not None:
        return describe_decision(overview, board.numbers, board.result.winner)
    points = board.points_won
    if len(board.numbers) != 2 or board.result is None or not points:
        best = board.result.winner if board.result else None
        return (
            _("%(bot)s wins its table") % {"bot": overview.find_bot_name(best)} if best else _("A table ends in a tie")
        )
    first, second = board.numbers
    winner = board.result.winner
    if winner is None:
        names = {"first": overview.find_bot_name(first), "second": overview.find_bot_name(second)}
        return _("%(first)s and %(second)s tie") % names
    loser, score = (second, points) if winner == first else (first, points[::-1])
    return _("%(winner)s beats %(loser)s %(own)s : %(other)s") % {
        "winner": overview.find_bot_name(winner),
        "loser": overview.find_bot_name(loser),
        "own": format_points(score[0]),
        "other": format_points(score[1]),
    }


def describe_decision(overview: Overview, numbers: Sequence[int], winner: int | None) -> str:
    """Return how an organiser decided a pairing."""
    pairing = " – ".join(isolate(overview.find_bot_name(number)) for number in numbers)
    if winner is None:
        return _("%(pairing)s: decided by an organiser") % {"pairing": pairing}
    return _("%(pairing)s: %(winner)s wins by decision") % {
        "pairing": pairing,
        "winner": overview.find_bot_name(winner),
    }


# The last rounds of a bracket and the figures of a tournament, as the projector's page shows them at the end.


def list_final_bouts(overview: Overview) -> list[list[dict[str, Any]]]:
    """Return the bouts of the last rounds of a bracket by column, the final last; nothing for other formats."""
    drawings = {drawing.key: drawing.columns for drawing in make_bracket(overview)}
    if not drawings:
        return []
    if finals := drawings.get("F"):
        before = [drawings[key][-1:] for key in ("W", "L") if key in drawings]
        columns = [[column for part in before for column in part], finals]
    else:
        columns = [[column] for column in drawings["W"][-2:]]
    found = [[bout for title, bouts in parts for bout in list_bouts(overview, title, bouts)] for parts in columns]
    return [bouts for bouts in found if bouts]


def list_bouts(overview: Overview, title: str, bouts: Sequence[BoutResult]) -> list[dict[str, Any]]:
    """Return the bouts of a round between two that are known."""
    return [
        {
            "title": bout.caption or title,
            "sides": [
                {
                    "entrant": overview.by_number[side.number],
                    "score": format_side_score(bout, side),
                    "won": side.won,
                }
                for side in bout.sides
                if side.number
            ],
        }
        for bout in bouts
        if not (bout.is_bye or bout.is_open)
    ]


# The page of a tournament that is left on a projector: read from afar, with nobody at the keyboard.

ROWS_PER_PAGE = 10
EARLIER_SHOWN = 6
"""The places revealed before that stay on the screen."""
PAIRINGS_PER_PAGE = 6
PAIRS_PER_PAGE = 8
"""The pairings on a page while none has a result yet, when they have the board's place."""
ROUNDS_WITH_RESULTS = 2
"""The last result is of the current round, or of the one before it."""
READY_SHOWN, READY_SHOWN_WITH_INVITATION = 24, 8
MAX_BOARDS_TRIED = 5
PROJECTOR_CHOICES = {"join", "names"}
"""The parameters by which who shows the page asks for what it doesn't show by itself."""


def show_projector(request: HtmxRequest, slug: str) -> HttpResponse:
    """Show the projector's page; a poll gets all but the board. Raise Http404.

    `match` names the match on the board, `after` the one before it, and with `held` a poll says which match is on the
    board now, so that the page doesn't tell its result before its end.
    """
    tournament = tournament_or_404(request, slug)
    tournament.shows_all = False  # a room reads what is shown here, whoever has opened it
    address = request.build_absolute_uri(tournament.get_absolute_url()).split("://")[1].rstrip("/")
    shown = list_shown_matches(tournament)
    wanted, held = read_key(request.GET, "match"), read_key(request.GET, "held")
    following = list_after(shown, read_key(request.GET, "after"))
    if wanted in shown:
        following = [wanted, *list_after(shown, wanted)]
    if not request.htmx:
        held = following[0] if following else None
    names = choose_names(request, tournament)
    drawn = draw_now(tournament, address, invite_entries(request, tournament), held if held in shown else None, names)
    context = {
        "tournament": tournament,
        "now": drawn["html"],
        "address": address,
        "poll_url": request.get_full_path() if PROJECTOR_CHOICES & request.GET.keys() else address_of(tournament),
        "may_reveal": drawn["view"] == "reveal" and is_organiser(tournament, request.user),
    }
    if not request.htmx and drawn["view"] == "live":
        context |= describe_board(tournament, shown, following)
    parts = ("tournaments/projector.html", "tournaments/_projector_part.html")
    # After a reveal nothing outside of the part has changed, and a reload would end the full screen.
    reloads = tournament.revealed_at is None
    return render_live(request, *parts, context, tournament.is_settled, reloads_at_end=reloads)


def address_of(tournament: Tournament) -> str:
    """Return the path of the projector's page."""
    return reverse("tournament_projector", args=[tournament.slug])


@require_POST
@login_required
def reveal_places(request: HtmxRequest, slug: str) -> HttpResponse:
    """Reveal the next of the final places, or all at once, and show the projector's page with it."""
    tournament = tournament_or_404(request, slug)
    if not is_organiser(tournament, request.user):
        return refuse_organising(request, NOT_YOURS)
    reveal = reveal_all if request.POST.get("all") else reveal_next_place
    with refusal_as_message(request):
        reveal(tournament=tournament, organiser=signed_in_reader(request))
    return show_projector(request, slug) if request.htmx else redirect("tournament_projector", slug)


def invite_entries(request: HtmxRequest, tournament: Tournament) -> dict[str, str] | None:
    """Return how to enter, where that is asked for and entries are open; the code is given to organisers alone."""
    if "join" not in request.GET or not tournament.takes_entries:
        return None
    code = format_code(tournament.entry_code or "") if is_organiser(tournament, request.user) else ""
    link = request.build_absolute_uri(reverse("enter_tournament", args=[tournament.slug]))
    return {"link": f"{link}?code={code}" if code else link, "code": code}


def choose_names(request: HtmxRequest, tournament: Tournament) -> RealNames:
    """Return the real names of the group where an organiser asks for them: a room reads what is shown here."""
    hides_names = tournament.group is not None and tournament.group.hides_names
    if "names" not in request.GET or hides_names or not is_organiser(tournament, request.user):
        return {}
    return fetch_shown_names(request, tournament.group_id)


def draw_now(
    tournament: Tournament, address: str, invitation: dict[str, str] | None, held: int | None, names: RealNames
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
            "qr_code": draw_qr_code(invitation["link"]) if invitation else None,
        }
        return {"html": render_to_string("tournaments/_projector_now.html", context), "view": context["view"]}

    interval = int(now().timestamp()) // STATUS_TIMEOUT_S
    key = ["projector", fetch_progress(tournament), address, interval, invitation, held, compute_build_id()]
    drawn: dict[str, Any] = fetch_cached(key, STATUS_TIMEOUT_S, draw, names)
    return drawn


def describe_board(tournament: Tournament, shown: list[int], following: list[int]) -> dict[str, Any]:
    """Return the context of the board: the first of the matches that can be shown, and the ways to others."""
    audience = Audience(tournament.audience_id)
    showing = next(filter(None, (show_if_possible(audience, match) for match in following[:MAX_BOARDS_TRIED])), None)
    address = reverse("tournament_projector", args=[tournament.slug])
    match = showing.row.match.pk if showing and showing.row else 0
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
        return build_showing(audience, None, match)
    except Http404:
        return None


def describe_now(tournament: Tournament, held: int | None) -> dict[str, Any]:
    """Return the context of everything but the board."""
    overview = fetch_overview(tournament)
    shown = overview.counted_rounds[-ROUNDS_WITH_RESULTS:]
    fetch_matches(overview, rounds=None if tournament.is_over else [round.pk for round in shown])
    view = choose_view(overview)
    boards_left = find_rounds_left(overview)
    places = [] if overview.is_knockout and not overview.results else list_places(overview)
    return {
        **describe_tournament(tournament),
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
        "time_left": estimate_time(tournament, boards_left),
        "next_round": len(overview.counted_rounds) + 1 if len(boards_left) > 1 else None,
        "next_round_in": estimate_round_time(overview, boards_left),
        "entries_close_at": find_countdown(tournament),
        **(describe_end(overview) | {"bouts": list_final_bouts(overview)} if view == "final" else {}),
        "played": count_played(overview) if view == "final" else None,
        **(describe_reveal(tournament) if view == "reveal" else {}),
    }


def describe_reveal(tournament: Tournament) -> dict[str, Any]:
    """Return the final places that are revealed, the best first, and how many there are."""
    whole = copy(tournament)
    whole.shows_all = True
    places = list_places(fetch_overview(whole))
    revealed = places[max(len(places) - tournament.revealed_places, 0) :]
    return {"revealed": revealed, "place_count": len(places), "earlier": revealed[1 : 1 + EARLIER_SHOWN]}


def count_played(overview: Overview) -> dict[str, int]:
    """Return how many legs were played by how many bots, and how many of them ended with a fault."""
    faults = {(fault.match, fault.leg) for fault in list_faults(overview.tournament)}
    return {"legs": count_legs(overview.tournament), "bots": len(overview.field), "faults": len(faults)}


def split_pages(rows: list[Any], size: int) -> list[list[Any]]:
    """Return the rows in pages of that size; they are shown in turn."""
    return [rows[start : start + size] for start in range(0, len(rows), size)]


def find_countdown(tournament: Tournament) -> datetime | None:
    """Return when entries close; None without a deadline, or after it."""
    at = tournament.entries_close_at
    return at if tournament.state == Tournament.State.OPEN and at and at > now() else None


def choose_view(overview: Overview) -> str:
    """Return what is shown.

    It is `before`, `pairs` of a round that begins, `live`, `hidden`, `reveal`, `final` or `cancelled`.
    """
    tournament = overview.tournament
    if tournament.state == Tournament.State.FINISHED and tournament.is_concealed:
        return "reveal"
    if overview.is_current_round_hidden:
        return "hidden"
    if tournament.is_over:
        return "final" if tournament.state == Tournament.State.FINISHED else "cancelled"
    round = overview.current_round
    if round is None:
        return "before"
    boards = overview.boards.get(round.pk, [])
    has_result = any(match.is_over for board in boards for match in board.counting_matches)
    return "live" if has_result else "pairs"
