"""The pages of live games: choose a game and opponents, play, replay what is over, and learn from mistakes."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.timezone import now
from django.views.decorators.cache import never_cache
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_POST
from django_htmx.http import HttpResponseClientRefresh

from arena.contests.analysis.services import analyse_coarsely_unasked, request_live_analysis
from arena.core.errors import ArenaError
from arena.core.http import find_client_network, forbid_caching
from arena.core.messages import gettext as _
from arena.core.messages import isolate, render_message
from arena.matches.livegames.answering import find_bot_turn
from arena.matches.livegames.models import LiveGame, LiveSeat
from arena.matches.livegames.playing import (
    find_own_seat,
    play_next_game,
    read_live_table,
    rematch,
    request_hint,
    resign,
    see_end,
    swap_seats,
    take_step,
    undo_step,
)
from arena.matches.livegames.position import LiveTable, Watch, describe_seat, list_seats
from arena.matches.livegames.queries import (
    find_hint_asked,
    find_live_game,
    is_live_deal_in_play,
)
from arena.pages.formatting import record_rules_title
from arena.pages.matches.analysis import (
    LessonOrigin,
    ask_for_analysis,
    build_analysis_panel,
    describe_analysis,
    describe_chances,
    read_shown_analysis,
    report_analysis_progress,
    send_analysis,
    show_lesson,
)
from arena.pages.matches.frames import add_judgements, build_frames, tag_frames
from arena.pages.matches.match_page import (
    RESULT_PARAMETER,
    LinkPreview,
    PreviewSubject,
    build_leg_context,
    build_preview,
    send_preview,
)
from arena.pages.matches.replay import (
    PUBLIC_ONLOOKER,
    GuestSeat,
    Playback,
    Scene,
    StepBuilder,
    name_view,
    play_back,
    read_view,
    seat_guests,
)
from arena.pages.play.context import (
    LEAST_TURNS,
    NO_HINT,
    TableLinks,
    build_finish,
    build_table_context,
    describe_players,
    review_game,
)
from arena.pages.play.lobby import start_against_stronger
from arena.pages.play.table import CHOSEN, WHY, RatedAction, TableHint, lay_table, tag_view
from arena.pages.serving import HtmxRequest, player_of, read_key
from engine.analysis.evaluators import has_evaluator
from engine.core import Json, State

# The page of a live game: the table, and what a person does at it.

KNOWN_WAITING = "waiting"
"""The value of the parameter `known` that a page sends while it waits for people."""
COMMENTS = ("note", "eval")
WAITS_S = 5
"""A table without script is loaded again after so many seconds while somebody else is to act."""


@never_cache
@gzip_page
def show_table(request: HtmxRequest, slug: str) -> HttpResponse:
    """Show a live game as its reader may see it; 304 to a page that knows what there is to see."""
    if request.htmx and request.GET.get("known") == KNOWN_WAITING:
        return answer_waiting_page(slug)
    table = read_live_table(find_game_or_404(slug), player_of(request), TableSteps())
    known = request.GET.get("known")
    if known and request.htmx and known == tag_table(table):
        return HttpResponse(status=304)
    return render_table(request, table)


def answer_waiting_page(slug: str) -> HttpResponse:
    """Have a page that waits for people loaded again once the game has begun, or was given up."""
    game = find_live_game(slug)
    if game is not None and game.state == LiveGame.State.SEATING:
        return HttpResponse(status=204)
    return HttpResponseClientRefresh()


@require_POST
@gzip_page
def take(request: HtmxRequest, slug: str) -> HttpResponse:
    """Take a step, and have the bot that is to decide then asked."""
    action, at, player = request.POST.get("action", "").strip(), read_key(request.POST, "at") or 0, player_of(request)
    return act(request, slug, lambda watch: take_step(slug=slug, player=player, action=action, at=at, watch=watch))


@require_POST
@gzip_page
def undo(request: HtmxRequest, slug: str) -> HttpResponse:
    """Take back the last step."""
    at, player = read_key(request.POST, "at") or 0, player_of(request)
    return act(request, slug, lambda watch: undo_step(slug=slug, player=player, at=at, watch=watch))


@require_POST
@gzip_page
def ask_hint(request: HtmxRequest, slug: str) -> HttpResponse:
    """Ask for a hint at this decision; the page shows it as soon as a worker has made it."""
    at, player = read_key(request.POST, "at") or 0, player_of(request)

    def ask(watch: Watch) -> LiveTable:
        request_hint(game=find_game_or_404(slug), player=player, at=at)
        return read_live_table(find_game_or_404(slug), player, watch)

    return act(request, slug, ask)


@require_POST
@gzip_page
def leave(request: HtmxRequest, slug: str) -> HttpResponse:
    """Resign; a table that nobody has joined yet is removed."""
    game, player = find_game_or_404(slug), player_of(request)
    if game.state != LiveGame.State.SEATING:
        return act(request, slug, lambda watch: resign(game=game, player=player, watch=watch))
    try:
        resign(game=game, player=player)
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


@require_POST
def play_again(request: HtmxRequest, slug: str) -> HttpResponse:
    """Start a rematch: a new deal, with the seats in turn."""
    return play_on(request, slug, rematch)


@require_POST
def play_stronger(request: HtmxRequest, slug: str) -> HttpResponse:
    """Start a game by the same rules against the next stronger bot."""
    return play_on(request, slug, start_against_stronger)


def play_on(request: HtmxRequest, slug: str, begin: Callable[..., LiveGame]) -> HttpResponse:
    """Begin a game that follows another one, and lead to its table."""
    game = find_game_or_404(slug)
    try:
        again = begin(game=game, player=player_of(request), address=find_client_network(request))
    except ArenaError as error:
        return show_notice(request, game, error)
    return redirect("live_game", again.slug)


def act(request: HtmxRequest, slug: str, change: Callable[[Watch], LiveTable]) -> HttpResponse:
    """Change a game and show it: the part of the page to htmx, else the page at its address again."""
    try:
        table = change(TableSteps())
    except LiveGame.DoesNotExist:
        raise make_missing_game() from None
    except ArenaError as error:
        return show_notice(request, find_game_or_404(slug), error)
    if not request.htmx:
        kept = request.POST.get(CHOSEN, "")
        return redirect(reverse("live_game", args=[slug]) + (f"?{urlencode({CHOSEN: kept})}" if kept else ""))
    return render_table(request, table)


def show_notice(request: HtmxRequest, game: LiveGame, error: ArenaError) -> HttpResponse:
    """Show the table with the reason why nothing was done. htmx swaps only answers that are no errors."""
    table = read_live_table(game, player_of(request), TableSteps())
    response = render_table(request, table, notice=render_message(error.message))
    response.status_code = 200 if request.htmx else error.status
    return response


class TableSteps:
    """Follows a live game while it is replayed and played on, and has the scene that its reader sees then."""

    def __init__(self) -> None:
        self.builder: StepBuilder | None = None

    def __call__(self, table: LiveTable, entry: Json | None) -> None:
        """Look at the deal, or at the state after a decision."""
        if self.builder is None:
            self.builder = StepBuilder(PUBLIC_ONLOOKER if table.own is None else table.own.seat)
        self.builder.add(table.state, entry and leave_out_comments(entry))

    def finish(self, record: Json, state: State) -> Scene:
        """Return the scene after the last decision."""
        assert self.builder is not None
        return self.builder.finish_open(record, state)

    def play_back(self, record: Json, state: State, near: int) -> Playback:
        """Return all steps of a finished game, with this seat at the lower edge."""
        assert self.builder is not None
        return replace(self.builder.finish(record, state), near=near)


def render_table(request: HtmxRequest, table: LiveTable, notice: str = "") -> HttpResponse:
    """Show a table, which its `TableSteps` have followed, or where it is not played what there is instead."""
    game, seats, own = table.game, table.seats, table.own
    if game.state in (LiveGame.State.SEATING, LiveGame.State.VOID):
        if request.htmx:
            return HttpResponseClientRefresh()
        return show_without_table(request, game, seats, own, notice)
    record, state = build_record(table), table.choosing
    assert isinstance(table.watch, TableSteps)
    shown = lay_table(
        record,
        (table.watch.finish(record, state), state),
        describe_players(game, seats, own.seat if own else None),
        seat=own.seat if own else None,
        chosen=request.GET.get(CHOSEN) or request.POST.get(CHOSEN, ""),
        why=request.GET.get(WHY, ""),
    )
    shown = replace(shown, draft_length=len(table.draft), hint=read_hint(game, own), bot_turn=find_bot_turn(game))
    finish = build_finish(game, seats, own, player_of(request)) if game.is_over else None
    waited_s = 0 if game.is_over else (now() - game.decided_at).total_seconds()
    context = build_table_context(shown, build_links(game, own), finish, waited_s, notice) | {"live_game": game}
    see_end(game=game, own=own)
    if game.state == LiveGame.State.FINISHED and own is not None and shown.scene.turn >= LEAST_TURNS:
        analyse_coarsely_unasked(player=player_of(request), game=game)
        panel = build_analysis_panel(game, request.GET)
        playback = table.watch.play_back(record, state, own.seat)
        context |= {"analysis": panel, "review": review_game(context, panel.found.shown, playback)}
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


def build_record(table: LiveTable) -> Json:
    """Return a game so far in the form of a record, with the reader's draft at its end."""
    game = table.game
    return {
        "game": game.game,
        "edition": game.edition,
        "options": game.options,
        "deal": game.deal,
        "seats": [describe_seat(seat, 0) for seat in table.seats],
        "actions": [leave_out_comments(entry) for entry in table.entries],
        "result": game.record_data["result"] if game.is_over else None,
    }


def leave_out_comments(entry: Json) -> Json:
    """Return a decision without what its bot said of it, which nobody reads before the deal is played out."""
    return {name: value for name, value in entry.items() if name not in COMMENTS}


def tag_table(table: LiveTable) -> str:
    """Return what `PlayTable.tag` is for this game, without replaying it."""
    game = table.game
    draft = len(table.draft)
    return tag_view(game.decisions + draft, draft, game.is_over, read_hint(game, table.own), find_bot_turn(game))


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


def build_links(game: LiveGame, own: LiveSeat | None) -> TableLinks:
    """Return the addresses that a table needs."""
    page, rules = reverse("live_game", args=[game.slug]), reverse("rules", args=[game.game, game.edition])
    new_game = f"{reverse('play')}?game={game.game}&edition={game.edition}"
    if own is None or game.is_over:
        return TableLinks(page=page, rules=rules, new_game=new_game)
    names = ("live_game_step", "live_game_undo", "live_game_leave", "live_game_hint")
    step, back, out, hint = (reverse(name, args=[game.slug]) for name in names)
    hint = hint if game.has_hints else ""
    return TableLinks(page=page, step=step, undo=back, resign=out, hint=hint, new_game=new_game, rules=rules)


def make_missing_game() -> Http404:
    """Return the error that there is no live game."""
    return Http404(_("There's no game at this address. Guest games are kept for 30 days."))


def find_game_or_404(slug: str) -> LiveGame:
    """Return a live game. Raises Http404."""
    game = find_live_game(slug)
    if game is None:
        raise make_missing_game()
    return game


# The replay of a live game that is over, and its record as a file.

FROM_TABLE = "table"
"""The value of `from` in a request for an analysis from the table."""
MAX_FRAMES = 400
"""A longer game is not sent as a whole: each of its steps is asked for."""


@gzip_page
def show_replay(request: HttpRequest, slug: str) -> HttpResponse:
    """Show a finished game step by step, the reader's seat below and by default as it sees."""
    game = find_finished_game(request, slug)
    own = find_own_seat(list_seats(game), player_of(request))
    see_end(game=game, own=own)
    record = game.record_data
    named = [dict(seat) for seat in record["seats"]]
    if own and own.user is None:
        named[own.seat]["name"] = _("You")
    seats = seat_guests({**record, "seats": named})
    view = read_view(request.GET.get("view", ""), [own.seat] if own else [], len(seats))
    panel = build_analysis_panel(game, request.GET, may_request=own is not None)
    analysis = read_shown_analysis(panel)
    playback = add_judgements(play_back(record, view, own.seat if own else 0), analysis)
    number = min(read_key(request.GET, "turn") or 0, playback.last)
    context = {
        "live_game": game,
        "is_own": own is not None,
        "seats": seats,
        "view": name_view(view),
        "rules": record_rules_title(record),
        "preview": build_live_preview(request, game, seats, playback, number),
        "frames": build_frames(playback, seats) if playback.last <= MAX_FRAMES else None,
        **build_leg_context(playback, number, game.bot_limits.move_ms, describe_chances(playback, analysis)),
    }
    context |= describe_analysis(panel, analysis, playback, context)
    return render(request, "play/replay.html", context)


def build_live_preview(
    request: HttpRequest, game: LiveGame, seats: Sequence[GuestSeat], playback: Playback, number: int
) -> LinkPreview:
    """Return the preview of a replay for other sites."""
    return build_preview(
        request,
        playback,
        number,
        title=name_players(seats),
        query={},
        address=lambda turn: reverse("live_game_preview", args=[game.slug, turn]),
    )


def send_preview_png(request: HttpRequest, slug: str, turn: int) -> HttpResponse:
    """Send the table after one step of a finished game as an image."""
    game = find_finished_game(request, slug)
    record = game.record_data
    seats = seat_guests(record)
    onlooker = read_view(request.GET.get("view", ""), [], len(seats))
    subject = PreviewSubject(
        record=record,
        names=[seat.participant.version.bot.name or "?" for seat in seats],
        rules=record_rules_title(record),
        onlooker=onlooker,
        tag=tag_frames(game.record, onlooker, seats),
        has_result=RESULT_PARAMETER in request.GET,
    )
    return send_preview(request, subject, turn)


def send_record(request: HttpRequest, slug: str) -> HttpResponse:
    """Send the record of a finished game, which `pennant verify` checks."""
    game = find_finished_game(request, slug)
    response = HttpResponse(game.record_json, content_type="application/json")
    response["Content-Disposition"] = f'attachment; filename="pennant-live-{game.pk}.json"'
    return response


def name_players(seats: Sequence[GuestSeat]) -> str:
    """Return who played, as a heading."""
    return _(" v ").join(isolate(seat.participant.version.bot.name) or "?" for seat in seats)


def find_finished_game(request: HttpRequest, slug: str) -> LiveGame:
    """Return a live game that has a result, and whose cards everybody may see. Raises Http404 with the reason.

    Its address is a link that the players give on, so no cache keeps what it shows.
    """
    forbid_caching(request)
    game = find_game_or_404(slug)
    if game.state != LiveGame.State.FINISHED:
        raise Http404(_("This game hasn't finished, so it has no replay yet."))
    if is_live_deal_in_play(game):
        raise Http404(
            _("This game's deal is being played again with swapped seats. Come back when that game is finished.")
        )
    return game


# The analysis of a live game that is over: the request for it, its file, and the page to learn from mistakes.


def show_analysis_progress(request: HtmxRequest, slug: str) -> HttpResponse:
    """Report the progress of an analysis to a page that polls, or request it (POST)."""
    game = find_finished_game(request, slug)
    if request.method == "POST":
        return request_own_analysis(request, game)
    if not request.htmx:
        return redirect_to_replay(game)
    return report_analysis_progress(request, build_analysis_panel(game, request.GET))


@login_required
def request_own_analysis(request: HttpRequest, game: LiveGame) -> HttpResponse:
    """Request the analysis of a game that the reader has played, and go to its replay: from the table to its board."""
    ask_for_analysis(request, lambda: request_live_analysis(player=player_of(request), game=game))
    if request.POST.get("from") == FROM_TABLE:
        return redirect("live_game_replay", game.slug)
    return redirect_to_replay(game)


def redirect_to_replay(game: LiveGame) -> HttpResponse:
    """Send the reader to the replay of a game, at its analysis."""
    return redirect(f"{reverse('live_game_replay', args=[game.slug])}#analysis")


def download_analysis(request: HttpRequest, slug: str) -> HttpResponse:
    """Send the analysis of a game as a file, beside its record."""
    game = find_finished_game(request, slug)
    return send_analysis(game, f"pennant-live-{game.pk}-analysis.json")


def learn_from_mistakes(request: HttpRequest, slug: str) -> HttpResponse:
    """Show one mistake of a seat before it was made; by default of the reader's seat."""
    game = find_finished_game(request, slug)
    own = find_own_seat(list_seats(game), player_of(request))
    seats = seat_guests(game.record_data)
    origin = LessonOrigin(
        title=name_players(seats),
        rules=record_rules_title(game.record_data),
        replay_url=f"{reverse('live_game_replay', args=[game.slug])}?view={name_view(None)}&turn=",
    )
    return show_lesson(request, game, seats, [] if own is None else [own.seat], origin)
