"""Matches: the list, the replay of one that is over, and the record of a leg to take home."""

from dataclasses import dataclass

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.http import content_disposition_header
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django_htmx.http import HttpResponseClientRefresh

from arena.bots.models import Bot
from arena.comparisons.twins import has_twin_in_play
from arena.matches.models import Leg, Match
from arena.matches.waiting import place_in_queue
from arena.pages.games import picture_of
from arena.pages.games.picture import Line, Picture
from arena.pages.paging import page_by_key, read_key
from arena.pages.polling import render_live
from arena.pages.replay import Scene, Step, watch
from arena.pages.results import Row, list_rows, read_row, with_results
from engine.registry import GAMES

PAGE = 30
SLOW_SHARE = 0.8
"""An answer that took this share of its limit is marked as slow."""


def index(request: HttpRequest) -> HttpResponse:
    state, game, slug = request.GET.get("state", ""), request.GET.get("game", ""), slugify(request.GET.get("bot", ""))
    matches = with_results(Match.objects.all())
    bot = Bot.objects.filter(slug=slug).first() if slug else None
    if slug:
        matches = matches.of_bot(bot) if bot else matches.none()
    if state in Match.State.values:
        matches = matches.filter(state=state)
    if game in GAMES:
        matches = matches.filter(game=game)
    page = page_by_key(matches, request.GET, PAGE)
    context = {
        "page": page,
        "rows": list_rows(page.rows, bot),
        "state": state,
        "game": game,
        "games": list(GAMES.values()),
        "slug": slug,
        "bot": bot,
        "is_filtered": bool(slug or state or game),
        "states": Match.State.values,
    }
    return render(request, "matches/index.html", context)


def detail(request: HttpRequest, pk: int) -> HttpResponse:
    matches = Match.objects.select_related("ladder_match__ladder", "trial", "challenge", "comparison_match__comparison")
    match = get_object_or_404(with_results(matches).defer(None).defer("deal", "options"), pk=pk)
    row = read_row(match)
    if match.state != Match.State.FINISHED or has_twin_in_play(match):
        return show_unfinished(request, row)
    if request.htmx and not request.htmx.boosted:
        return HttpResponseClientRefresh()
    return show_replay(request, row)


def show_unfinished(request: HttpRequest, row: Row) -> HttpResponse:
    """A match that waits, runs, or was given up, or whose deal is still played elsewhere: who plays it, and nothing of
    what lies on the table."""
    match = row.match
    is_settled = match.state == Match.State.VOID
    context = {
        "match": match,
        "is_settled": is_settled,
        "row": row,
        "waiting": place_in_queue(match) if match.state == Match.State.QUEUED else None,
        "legs": match.legs.only("number", "deal_hash").order_by("number"),
        "attempts": match.attempts.all(),
    }
    return render_live(request, "matches/unfinished.html", "matches/_unfinished.html", context, is_settled)


@dataclass(frozen=True, slots=True)
class Move:
    """A step in the list of moves."""

    step: Step
    lines: list[Line]
    is_slow: bool


def show_replay(request: HttpRequest, row: Row) -> HttpResponse:
    match = row.match
    legs = list(match.legs.defer("record").order_by("number"))
    leg = next((leg for leg in legs if leg.number == (read_key(request.GET, "leg") or 1)), legs[0])
    record = Leg.objects.get(pk=leg.pk).record_data
    seats = list(leg.seats.select_related("participant__version__bot__owner").defer("participant__version__build_log"))
    own = [seat.seat for seat in seats if seat.participant.version.bot.owner_id == request.user.pk]
    view = read_view(request.GET.get("view", ""), own, len(seats))
    turn = read_key(request.GET, "turn") or 0
    scene = watch(record, turn, view)
    picture = picture_of(match.game, match.edition)
    context = {
        "match": match,
        "row": row,
        "legs": legs,
        "leg": leg,
        "seats": seats,
        "view": "all" if view is None else str(view),
        "own_seats": [seat for seat in seats if seat.seat in own],
        "scene": scene,
        "picture": picture,
        "board_template": f"games/{picture.folder}/board.html",
        "proof_template": f"games/{picture.folder}/proof.html",
        "style": f"games/{picture.folder}/board.css" if picture.has_style else "",
        "was_out_of_range": turn > scene.last,
        **draw_scene(scene, picture, match),
    }
    return render(request, "matches/_replay.html" if request.htmx else "matches/replay.html", context)


def draw_scene(scene: Scene, picture: Picture, match: Match) -> dict[str, object]:
    """The words and pictures of the step shown, and the list of all of them."""
    limit = match.limits.get("move_ms", 0)
    return {
        "board": picture.draw(scene),
        "lines": tell_caption(scene, picture),
        "proofs": [picture.prove(scene, proof) for proof in scene.proofs],
        "moves": [
            Move(step, picture.tell(step), bool(limit and step.spent and step.spent.cost_ms > SLOW_SHARE * limit))
            for step in scene.steps[1:]
        ],
        "ending": picture.tell_ending(scene),
        "seat_names": [picture.name_seat(seat) for seat in range(len(scene.after))],
    }


def tell_caption(scene: Scene, picture: Picture) -> list[Line]:
    """What the caption tells of the step; a forfeit that ends the leg is told by the ending already."""
    if not scene.is_over:
        return picture.tell(scene.step)
    return picture.say([event for event in scene.step.events if event.get("action") != "forfeit"])


def read_view(asked: str, own: list[int], seats: int) -> int | None:
    """Whose eyes: what is asked for, else those of the reader's own bot where it has one seat, else everybody's."""
    if asked == "all":
        return None
    if asked.isdecimal() and int(asked) < seats:
        return int(asked)
    return own[0] if len(own) == 1 else None


def record(request: HttpRequest, pk: int, number: int) -> HttpResponse:
    """The record of a leg. Hands, decks and logs of a match that is not over reach nobody."""
    leg = get_object_or_404(Leg, match=pk, match__state=Match.State.FINISHED, number=number)
    if has_twin_in_play(leg.match):
        raise Http404(_("Another match with the same deal is still played."))
    if leg.record is None:
        raise Http404(_("The record of this leg was lost."))
    response = HttpResponse(leg.record_json, content_type="application/json")
    response["Content-Disposition"] = content_disposition_header(True, f"pennant-{pk}-{number}.json")
    response["Cache-Control"] = "public, max-age=31536000, immutable"
    return response
