"""The pages of live games: choose a game and opponents, play, replay what is over, and learn from mistakes."""

import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from random import SystemRandom
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.timezone import now
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_POST
from django_htmx.http import HttpResponseClientRefresh

from arena.bots.models import BotVersion
from arena.bots.running import estimate_off_ladder
from arena.contests.analysis.services import request_live_analysis
from arena.contests.ladders.queries import fetch_ratings_of_versions
from arena.core.errors import ArenaError
from arena.core.http import find_client_network, forbid_caching
from arena.core.messages import render_message
from arena.matches.livegames.answering import find_bot_turn
from arena.matches.livegames.models import LiveGame, LiveSeat
from arena.matches.livegames.playing import (
    PersonSeat,
    SeatChoice,
    Sitting,
    adopt_guest_games,
    find_own_seat,
    play_next_game,
    read_live_table,
    request_hint,
    resign,
    start_live_game,
    swap_seats,
    take_seat,
    take_step,
    undo_step,
)
from arena.matches.livegames.position import LivePlayer, LiveTable, Watch, describe_seat, list_seats
from arena.matches.livegames.queries import (
    count_guest_games,
    count_results,
    find_hint_asked,
    find_live_game,
    find_seat_by_link,
    is_live_deal_in_play,
    list_opponents,
    list_public_live_games,
    list_sample_games,
)
from arena.operations import tasks
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
from arena.pages.matches.frames import add_judgements, build_frames
from arena.pages.matches.match_page import build_leg_context
from arena.pages.matches.replay import (
    PUBLIC_ONLOOKER,
    GuestSeat,
    Scene,
    StepBuilder,
    name_view,
    play_back,
    read_view,
    seat_guests,
)
from arena.pages.play.context import NO_HINT, TableLinks, build_finish, build_table_context, describe_players
from arena.pages.play.table import CHOSEN, WHY, RatedAction, TableHint, lay_table, tag_view
from arena.pages.rules import (
    MIRRORED,
    SERIES_CHOICES,
    add_option_fields,
    add_series_fields,
    get_choice_field,
    has_chosen_options,
    list_option_groups,
    read_options,
    read_series,
)
from arena.pages.serving import HtmxRequest, read_key, reader_of
from engine.analysis.evaluators import has_evaluator
from engine.core import Json, State
from engine.registry import GAMES

# Tell by the session who plays: a user, or a guest with a secret in the session.

GUEST_SECRET = "guest"
"""Key of a guest's secret in the session. It stays there when the guest signs up, so that the games can be kept."""
GUEST_SESSION_AGE = timedelta(days=30)


def player_of(request: HttpRequest) -> LivePlayer:
    """Return who plays; a guest who has never played is nobody."""
    return LivePlayer.of_secret(reader_of(request), request.session.get(GUEST_SECRET, ""))


def make_player(request: HttpRequest) -> LivePlayer:
    """Return who plays, and give a new guest a secret."""
    if reader_of(request) is None and not request.session.get(GUEST_SECRET):
        request.session[GUEST_SECRET] = secrets.token_urlsafe(24)
        request.session.set_expiry(GUEST_SESSION_AGE)
    return player_of(request)


# The page of a live game: the table, and what a person does at it.

KNOWN_WAITING = "waiting"
"""The value of the parameter `known` that a page sends while it waits for people."""
COMMENTS = ("note", "eval")
WAITS_S = 5
"""A table without script is loaded again after so many seconds while somebody else is to act."""


@never_cache
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
def take(request: HtmxRequest, slug: str) -> HttpResponse:
    """Take a step, and have the bot that is to decide then asked."""
    action, at, player = request.POST.get("action", "").strip(), read_key(request.POST, "at") or 0, player_of(request)
    return act(request, slug, lambda watch: take_step(slug=slug, player=player, action=action, at=at, watch=watch))


@require_POST
def undo(request: HtmxRequest, slug: str) -> HttpResponse:
    """Take back the last step."""
    at, player = read_key(request.POST, "at") or 0, player_of(request)
    return act(request, slug, lambda watch: undo_step(slug=slug, player=player, at=at, watch=watch))


@require_POST
def ask_hint(request: HtmxRequest, slug: str) -> HttpResponse:
    """Ask for a hint at this decision; the page shows it as soon as a worker has made it."""
    at, player = read_key(request.POST, "at") or 0, player_of(request)

    def ask(watch: Watch) -> LiveTable:
        hint = request_hint(game=find_game_or_404(slug), player=player, at=at)
        tasks.ask_hint(hint)
        return read_live_table(find_game_or_404(slug), player, watch)

    return act(request, slug, ask)


@require_POST
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


def play_on(request: HtmxRequest, slug: str, begin: Callable[..., LiveGame]) -> HttpResponse:
    """Begin a game that follows another one, and lead to its table."""
    game = find_game_or_404(slug)
    try:
        again = begin(game=game, player=player_of(request), address=find_client_network(request))
    except ArenaError as error:
        return show_notice(request, game, error)
    tasks.ask_bot(again)
    return redirect("live_game", again.slug)


def act(request: HtmxRequest, slug: str, change: Callable[[Watch], LiveTable]) -> HttpResponse:
    """Change a game and show it: the part of the page to htmx, else the page at its address again."""
    try:
        table = change(TableSteps())
    except LiveGame.DoesNotExist:
        raise make_missing_game() from None
    except ArenaError as error:
        return show_notice(request, find_game_or_404(slug), error)
    tasks.ask_bot(table.game)
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


def render_table(request: HtmxRequest, table: LiveTable, notice: str = "") -> HttpResponse:
    """Show a table, which its `TableSteps` have followed, or where it is not played what there is instead."""
    game, seats, own = table.game, table.seats, table.own
    if game.state in (LiveGame.State.SEATING, LiveGame.State.VOID):
        if request.htmx:
            return HttpResponseClientRefresh()
        return show_without_table(request, game, seats, own, notice)
    record, state = build_record(table), table.state
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
    return Http404(_("There is no live game at this address. Games of guests are kept for 30 days."))


def find_game_or_404(slug: str) -> LiveGame:
    """Return a live game. Raises Http404."""
    game = find_live_game(slug)
    if game is None:
        raise make_missing_game()
    return game


# The page where a person chooses a game, an edition and opponents, and a link to a free seat.

LINK_SEAT = "link"
"""The opponent is whoever opens a link."""
GAMES_SHOWN = 12
MAX_OPPONENTS_OFFERED = 200
ANY_SEAT = "any"


@dataclass(frozen=True, slots=True)
class OfferedBot:
    """A bot that may be chosen, with its strength and the reader's results against it."""

    version: BotVersion
    rating: float | None
    results: tuple[int, int, int]
    is_estimated: bool = False
    """The rating isn't that of a ladder."""

    @property
    def label(self) -> str:
        """Return its name and rating for a list of choices."""
        name = self.version.bot.name
        about = "≈ " if self.is_estimated else ""
        return name if self.rating is None else f"{name} ({about}{self.rating:.0f})"


class NewGameForm(forms.Form):
    """The game, who plays, and the rules."""

    edition = forms.ChoiceField(label=gettext_lazy("Edition"))
    opponent = forms.ChoiceField(label=gettext_lazy("Opponent"))
    seat = forms.ChoiceField(label=gettext_lazy("Your seat"))
    has_hints = forms.BooleanField(
        label=gettext_lazy("Hints on request, against bots: the game is practice then"), label_suffix="", required=False
    )
    is_public = forms.BooleanField(
        label=gettext_lazy("List the replay for everybody once the game is over"), label_suffix="", required=False
    )

    def __init__(self, game: str, opponents: list[OfferedBot], data: Any = None, initial: Any = None) -> None:
        super().__init__(data, initial=initial)
        rules = GAMES[game]
        self.game = game
        self.opponents = {str(one.version.pk): one.version for one in opponents}
        bots = [(str(one.version.pk), one.label) for one in opponents]
        get_choice_field(self, "edition").choices = [(key, _(title)) for key, title in rules.editions.items()]
        get_choice_field(self, "opponent").choices = [*bots, (LINK_SEAT, _("a person, by a link"))]
        self.other_names = [f"opponent_{number}" for number in range(2, rules.seats[-1])]
        for name in self.other_names:
            choices = [("", _("nobody")), *bots, (LINK_SEAT, _("a person, by a link"))]
            self.fields[name] = forms.ChoiceField(label=_("Another opponent"), required=False, choices=choices)
        if not any(has_evaluator(game, edition) for edition in rules.editions):
            del self.fields["has_hints"]
        seats = [(str(number), ordinal) for number, ordinal in enumerate(list_ordinals(rules.seats[-1]))]
        get_choice_field(self, "seat").choices = [(ANY_SEAT, _("any, by lot")), *seats]
        if rules.has_series:
            add_series_fields(self)
            single = (MIRRORED, _("A single game (default)"))
            get_choice_field(self, "series").choices = [single, *SERIES_CHOICES[1:]]
            self.fields["series"].help_text = ""
        add_option_fields(self, [game])

    def list_main_fields(self) -> Iterator[forms.BoundField]:
        """Yield the fields without the rule options."""
        series = ("series", "series_games", "series_points") if "series" in self.fields else ()
        hints = ("has_hints",) if "has_hints" in self.fields else ()
        for name in ("edition", "opponent", *self.other_names, "seat", *series, *hints, "is_public"):
            yield self[name]

    def read_sitting(self) -> Sitting:
        """Return the game that is asked for in a valid form."""
        data = self.cleaned_data
        names = ("opponent", *self.other_names)
        others: list[SeatChoice] = [self.opponents.get(data[name], PersonSeat.LINK) for name in names if data[name]]
        seat = SystemRandom().randrange(len(others) + 1) if data["seat"] == ANY_SEAT else int(data["seat"])
        others.insert(min(seat, len(others)), PersonSeat.ME)
        return Sitting(
            game=self.game,
            seats=others,
            edition=data["edition"],
            options=read_options(self, self.game),
            series=read_series(self),
            is_public=data["is_public"],
            has_hints=data.get("has_hints", False),
        )


def list_ordinals(seats: int) -> list[str]:
    """Return the names of so many seats."""
    return [_("first"), _("second"), _("third"), _("fourth")][:seats]


def choose(request: HttpRequest) -> HttpResponse:
    """Show what can be played and the reader's games, and start the game that is asked for."""
    game = find_game_asked_for(request)
    player = player_of(request)
    opponents = list_offered(player, game, request.GET.get("edition", ""))
    initial = {"edition": request.GET.get("edition"), "opponent": request.GET.get("opponent")}
    form = NewGameForm(game, opponents, request.POST or None, initial={k: v for k, v in initial.items() if v})
    if request.method == "POST" and form.is_valid():
        sitting = form.read_sitting()
        try:
            if not form.errors:
                return begin(request, sitting)
        except ArenaError as error:
            form.add_error(None, render_message(error.message))
    games = list_sample_games(player)
    context = {
        "form": form,
        "chosen_game": game,
        "games": GAMES,
        "opponents": opponents,
        "option_groups": list(list_option_groups(form)),
        "has_chosen_options": has_chosen_options(form),
        "own_games": games[:GAMES_SHOWN],
        "public_games": list_public_live_games()[:GAMES_SHOWN],
        "guest_games": count_guest_games(player),
    }
    return render(request, "play/choose.html", context, status=400 if form.errors else 200)


def begin(request: HttpRequest, sitting: Sitting) -> HttpResponse:
    """Start a game and lead to its table. Raises ArenaError."""
    game = start_live_game(player=make_player(request), sitting=sitting, address=find_client_network(request))
    tasks.ask_bot(game)
    return redirect(game)


def find_game_asked_for(request: HttpRequest) -> str:
    """Return the key of the game that is asked for, by default the first. Raises Http404."""
    game = request.GET.get("game") or next(iter(GAMES))
    if game not in GAMES:
        raise Http404(_("There is no such game here."))
    return game


def list_offered(player: LivePlayer, game: str, edition: str) -> list[OfferedBot]:
    """Return the bots that may be chosen, the weakest first; those without a rating come last."""
    versions = list(list_opponents(player, game)[:MAX_OPPONENTS_OFFERED])
    edition = edition if edition in GAMES[game].editions else next(iter(GAMES[game].editions))
    ratings = fetch_ratings_of_versions([one.pk for one in versions], game, edition)
    results = count_results(player, [one.bot_id for one in versions]) if player.is_known else {}
    estimates = estimate_house_bots(versions, ratings, game, edition)
    offered = [
        OfferedBot(
            version=one,
            rating=estimates.get(one.pk, ratings.get(one.pk)),
            results=results.get(one.bot_id, (0, 0, 0)),
            is_estimated=one.pk in estimates,
        )
        for one in versions
    ]
    return sorted(offered, key=lambda one: (one.rating is None, one.rating or 0.0, one.version.bot.name))


def estimate_house_bots(
    versions: list[BotVersion], ratings: Mapping[int, float], game: str, edition: str
) -> dict[int, float]:
    """Return by version the estimated ratings of the house's bots that play on no ladder as people meet them.

    These are the strongest sample, which thinks less on ladders, and its weaker levels.
    """
    of_house = {one.bot.name: one.pk for one in versions if one.bot.owner.is_house}
    on_ladder = {name: ratings[pk] for name, pk in of_house.items() if pk in ratings}
    estimates = estimate_off_ladder(game, edition, on_ladder)
    return {of_house[name]: rating for name, rating in estimates.items() if name in of_house}


def join_by_link(request: HttpRequest, link: str) -> HttpResponse:
    """Show who waits at the table of a link, and take the seat."""
    forbid_caching(request)
    if request.method == "POST":
        try:
            game = take_seat(link=link, player=make_player(request))
        except ArenaError as error:
            return render(request, "play/join.html", {"refusal": render_message(error.message)}, status=error.status)
        tasks.ask_bot(game)
        return redirect(game)
    seat = find_seat_by_link(link)
    if seat is None:
        refusal = _("This link has been used, or it is too old.")
        return render(request, "play/join.html", {"refusal": refusal}, status=404)
    context = {"live_game": seat.game, "seats": list_seats(seat.game)}
    return render(request, "play/join.html", context)


@require_POST
def keep_guest_games(request: HttpRequest) -> HttpResponse:
    """Give a user the games that they played as a guest."""
    kept = adopt_guest_games(player=player_of(request))
    text = ngettext("%(count)s game is yours now.", "%(count)s games are yours now.", kept)
    messages.success(request, text % {"count": kept})
    return redirect("play")


# The replay of a live game that is over, and its record as a file.

MAX_FRAMES = 400
"""A longer game is not sent as a whole: each of its steps is asked for."""


@gzip_page
def show_replay(request: HttpRequest, slug: str) -> HttpResponse:
    """Show a finished game step by step, by default with all hands."""
    game = find_finished_game(request, slug)
    own = find_own_seat(list_seats(game), player_of(request))
    record = game.record_data
    seats = seat_guests(record)
    view = read_view(request.GET.get("view", ""), [], len(seats))
    panel = build_analysis_panel(game, request.GET, may_request=own is not None)
    analysis = read_shown_analysis(panel)
    playback = add_judgements(play_back(record, view), analysis)
    number = min(read_key(request.GET, "turn") or 0, playback.last)
    context = {
        "live_game": game,
        "is_own": own is not None,
        "seats": seats,
        "view": name_view(view),
        "rules": record_rules_title(record),
        "frames": build_frames(playback, seats) if playback.last <= MAX_FRAMES else None,
        **build_leg_context(playback, number, game.bot_limits.move_ms, describe_chances(playback, analysis)),
    }
    context |= describe_analysis(panel, analysis, playback, context)
    return render(request, "play/replay.html", context)


def send_record(request: HttpRequest, slug: str) -> HttpResponse:
    """Send the record of a finished game, which `pennant verify` checks."""
    game = find_finished_game(request, slug)
    response = HttpResponse(game.record_json, content_type="application/json")
    response["Content-Disposition"] = f'attachment; filename="pennant-live-{game.pk}.json"'
    return response


def name_players(seats: Sequence[GuestSeat]) -> str:
    """Return who played, as a heading."""
    return _(" v ").join(seat.participant.version.bot.name or "?" for seat in seats)


def find_finished_game(request: HttpRequest, slug: str) -> LiveGame:
    """Return a live game that has a result, and whose cards everybody may see. Raises Http404 with the reason.

    Its address is a link that the players give on, so no cache keeps what it shows.
    """
    forbid_caching(request)
    game = find_game_or_404(slug)
    if game.state != LiveGame.State.FINISHED:
        raise Http404(_("This game is not over, so there is nothing to watch yet."))
    if is_live_deal_in_play(game):
        raise Http404(_("Its deal is being played again with swapped seats. Come back when that game is finished."))
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
    """Request the analysis of a game that the reader has played, and go back to its replay."""
    ask_for_analysis(request, lambda: request_live_analysis(player=player_of(request), game=game))
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
