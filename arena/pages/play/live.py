"""The page of a live game: the table, and what a person does at it."""

from collections.abc import Callable
from dataclasses import replace
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.timezone import now
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST
from django_htmx.http import HttpResponseClientRefresh

from arena import tasks
from arena.client_address import find_client_network
from arena.errors import ArenaError
from arena.livegames.models import LiveGame, LiveSeat
from arena.livegames.position import describe_seat, fetch_entries
from arena.livegames.queries.games import find_live_game
from arena.livegames.queries.hints import find_hint_asked
from arena.livegames.services.deciding import find_own_seat, resign, take_step, undo_step
from arena.livegames.services.hinting import request_hint
from arena.livegames.services.starting import play_next_game, swap_seats
from arena.livegames.services.storing import list_seats
from arena.messages import render_message
from arena.pages.paging import read_key
from arena.pages.play.context import Links, build_table_context
from arena.pages.play.finish import build_finish
from arena.pages.play.hints import NO_HINT
from arena.pages.play.people import player_of
from arena.pages.play.seating import describe_players
from arena.pages.play.table import CHOSEN, WHY, RatedAction, TableHint, read_table
from arena.pages.polling import HtmxRequest
from engine.analysis.evaluators import has_evaluator
from engine.core import Json

WAITING = "waiting"
"""The value of the parameter `known` that a page sends while it waits for people."""
COMMENTS = ("note", "eval")
WAITS_S = 5
"""A table without script is loaded again after so many seconds while somebody else is to act."""


@never_cache
def show_table(request: HtmxRequest, slug: str) -> HttpResponse:
    """Show a live game as its reader may see it; 304 to a page that knows what there is to see."""
    if request.htmx and request.GET.get("known") == WAITING:
        return answer_waiting_page(slug)
    game = find_game_or_404(slug)
    seats = list_seats(game)
    own = find_own_seat(seats, player_of(request))
    known = request.GET.get("known")
    if known and request.htmx and known == tag_table(game, own):
        return HttpResponse(status=304)
    return render_table(request, game, seats, own)


def answer_waiting_page(slug: str) -> HttpResponse:
    """Have a page that waits for people loaded again once the game has begun, or was given up."""
    game = find_live_game(slug)
    if game is not None and game.state == LiveGame.State.SEATING:
        return HttpResponse(status=204)
    return HttpResponseClientRefresh()


@require_POST
def take(request: HtmxRequest, slug: str) -> HttpResponse:
    """Take a step, and have the bot that is to decide then asked."""
    action, at = request.POST.get("action", "").strip(), read_key(request.POST, "at") or 0
    return act(request, slug, lambda game: take_step(game=game, player=player_of(request), action=action, at=at))


@require_POST
def undo(request: HtmxRequest, slug: str) -> HttpResponse:
    """Take back the last step."""
    at = read_key(request.POST, "at") or 0
    return act(request, slug, lambda game: undo_step(game=game, player=player_of(request), at=at))


@require_POST
def ask_hint(request: HtmxRequest, slug: str) -> HttpResponse:
    """Ask for a hint at this decision; the page shows it as soon as a worker has made it."""
    at = read_key(request.POST, "at") or 0

    def ask(game: LiveGame) -> LiveGame:
        hint = request_hint(game=game, player=player_of(request), at=at)
        tasks.ask_hint(hint)
        return find_game_or_404(slug)

    return act(request, slug, ask)


@require_POST
def leave(request: HtmxRequest, slug: str) -> HttpResponse:
    """Resign; a table that nobody has joined yet is removed."""
    game = find_game_or_404(slug)
    if game.state != LiveGame.State.SEATING:
        return act(request, slug, lambda game: resign(game=game, player=player_of(request)))
    try:
        resign(game=game, player=player_of(request))
    except ArenaError as error:
        return show_notice(request, game, error)
    return redirect("play")


@require_POST
def swap(request: HtmxRequest, slug: str) -> HttpResponse:
    """Start the same deal with swapped seats."""
    return play_on(request, slug, swap_seats)


@require_POST
def play_next(request: HtmxRequest, slug: str) -> HttpResponse:
    """Start the next game of a series."""
    return play_on(request, slug, play_next_game)


def play_on(request: HtmxRequest, slug: str, begin: Callable[..., LiveGame]) -> HttpResponse:
    """Begin a game that follows another one, and lead to its table."""
    game = find_game_or_404(slug)
    try:
        again = begin(game=game, player=player_of(request), address=find_client_network(request))
    except ArenaError as error:
        return show_notice(request, game, error)
    tasks.ask_bot(again)
    return redirect("live_game", again.slug)


def act(request: HtmxRequest, slug: str, change: Callable[[LiveGame], LiveGame]) -> HttpResponse:
    """Change a game and show it: the part of the page to htmx, else the page at its address again."""
    game = find_game_or_404(slug)
    try:
        changed = change(game)
    except ArenaError as error:
        return show_notice(request, find_game_or_404(slug), error)
    tasks.ask_bot(changed)
    if not request.htmx:
        kept = request.POST.get(CHOSEN, "")
        return redirect(reverse("live_game", args=[slug]) + (f"?{urlencode({CHOSEN: kept})}" if kept else ""))
    seats = list_seats(changed)
    return render_table(request, changed, seats, find_own_seat(seats, player_of(request)))


def show_notice(request: HtmxRequest, game: LiveGame, error: ArenaError) -> HttpResponse:
    """Show the table with the reason why nothing was done. htmx swaps only answers that are no errors."""
    seats = list_seats(game)
    own = find_own_seat(seats, player_of(request))
    response = render_table(request, game, seats, own, notice=render_message(error.message))
    response.status_code = 200 if request.htmx else error.status
    return response


def render_table(
    request: HtmxRequest, game: LiveGame, seats: list[LiveSeat], own: LiveSeat | None, notice: str = ""
) -> HttpResponse:
    """Show a table, or where it is not played what there is instead."""
    if game.state in (LiveGame.State.SEATING, LiveGame.State.VOID):
        if request.htmx:
            return HttpResponseClientRefresh()
        return show_without_table(request, game, seats, own, notice)
    table = read_table(
        build_record(game, seats, own),
        describe_players(game, seats, own.seat if own else None),
        seat=own.seat if own else None,
        draft_length=len(own.draft) if own else 0,
        chosen=request.GET.get(CHOSEN) or request.POST.get(CHOSEN, ""),
        why=request.GET.get(WHY, ""),
    )
    table = replace(table, hint=read_hint(game, own))
    finish = build_finish(game, seats, own, player_of(request)) if game.is_over else None
    waited_s = 0 if game.is_over else (now() - game.decided_at).total_seconds()
    context = build_table_context(table, build_links(game, own), finish, waited_s, notice) | {"live_game": game}
    return render(request, "play/_table.html" if request.htmx else "play/table.html", context)


def show_without_table(
    request: HttpRequest, game: LiveGame, seats: list[LiveSeat], own: LiveSeat | None, notice: str
) -> HttpResponse:
    """Show the links to free seats before a game begins, or why it ended without a result."""
    free = [seat for seat in seats if seat.is_free] if own else []
    links = [request.build_absolute_uri(reverse("live_game_seat", args=[seat.link])) for seat in free]
    context = {"live_game": game, "seats": seats, "own": own, "seat_links": links}
    context |= {"notice": notice, "waits_s": WAITS_S}
    return render(request, "play/waiting.html", context)


def build_record(game: LiveGame, seats: list[LiveSeat], own: LiveSeat | None) -> Json:
    """Return a game so far in the form of a record, with the reader's draft at its end."""
    if game.is_over:
        return game.record_data
    return {
        "game": game.game,
        "edition": game.edition,
        "options": game.options,
        "deal": game.deal,
        "seats": [describe_seat(seat, 0) for seat in seats],
        "actions": [*map(leave_out_comments, fetch_entries(game)), *(own.draft if own else [])],
        "result": None,
    }


def leave_out_comments(entry: Json) -> Json:
    """Return a decision without what its bot said of it, which nobody reads before the end."""
    return {name: value for name, value in entry.items() if name not in COMMENTS}


def tag_table(game: LiveGame, own: LiveSeat | None) -> str:
    """Return what `PlayTable.tag` is for this game, without replaying it."""
    draft, hint = len(own.draft) if own else 0, read_hint(game, own)
    return f"{game.decisions + draft}-{draft}-{int(game.is_over)}{f'-{hint.state}' if hint else ''}"


def read_hint(game: LiveGame, own: LiveSeat | None) -> TableHint | None:
    """Return the hint that the reader has asked for at this decision; None without one."""
    if own is None or not game.has_hints or game.seat_to_act != own.seat:
        return None
    if not has_evaluator(game.game, game.edition, game.options):
        return TableHint(NO_HINT)
    hint = find_hint_asked(game, own)
    if hint is None:
        return None
    return TableHint(hint.state, [RatedAction(**one) for one in hint.result or ()])


def build_links(game: LiveGame, own: LiveSeat | None) -> Links:
    """Return the addresses that a table needs."""
    page, rules = reverse("live_game", args=[game.slug]), reverse("rules", args=[game.game, game.edition])
    new_game = f"{reverse('play')}?game={game.game}&edition={game.edition}"
    if own is None or game.is_over:
        return Links(page=page, rules=rules, new_game=new_game)
    names = ("live_game_step", "live_game_undo", "live_game_leave", "live_game_hint")
    step, back, out, hint = (reverse(name, args=[game.slug]) for name in names)
    hint = hint if game.has_hints else ""
    return Links(page=page, step=step, undo=back, resign=out, hint=hint, new_game=new_game, rules=rules)


def find_game_or_404(slug: str) -> LiveGame:
    """Return a live game. Raises Http404."""
    game = find_live_game(slug)
    if game is None:
        raise Http404(_("There is no live game at this address. Games of guests are kept for 30 days."))
    return game
