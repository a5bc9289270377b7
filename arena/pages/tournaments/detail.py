"""A tournament: where it stands, what is played, who may win it, and how it is decided."""

import hashlib
from collections.abc import Callable
from typing import Any

import orjson
from django.core.cache import cache as shelf
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe
from django.utils.timezone import now
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from arena.pages.appearance import ENTRANT_STATES, TOURNAMENT_STATES
from arena.pages.polling import render_live
from arena.pages.tournaments.bracket import make_bracket
from arena.pages.tournaments.bracket_drawing import draw_bracket
from arena.pages.tournaments.crosstable import make_crosstables, wants_crosstable
from arena.pages.tournaments.entering import takes_entries
from arena.pages.tournaments.forecast import read_forecast_before_start
from arena.pages.tournaments.playing import estimate, find_playing, list_boards_left
from arena.pages.tournaments.reading import tournament_or_404
from arena.pages.tournaments.rounds import list_rounds
from arena.pages.tournaments.table import ROWS_SHOWN, build_table
from arena.pages.tournaments.words import (
    describe_settings,
    format_name,
    render_reason,
    round_of,
    tell_state,
    winners,
)
from arena.tournaments.models import Entrant, Tournament
from arena.tournaments.queries.overview import Overview, fetch_matches, fetch_overview
from arena.tournaments.queries.tournaments import fetch_progress
from arena.tournaments.services.matches import revealed_secret
from arena.tournaments.services.organising import is_organiser
from arena.tournaments.services.rows import current_round

GOING_ON = (Tournament.State.RUNNING, Tournament.State.PAUSED)
COURSE_S = 60
"""So long what was drawn of results is kept: it says how long ago rounds were."""
NOW_S = 10
"""So long what hangs on the clock and on the queue is shown as it was."""


def detail(request: HttpRequest, slug: str) -> HttpResponse:
    tournament = tournament_or_404(request, slug)
    live = keep_live(tournament, bool(request.GET.get("all")))
    context = {
        **describe(tournament),
        "live": mark_own(live, request.user.pk),
        "live_address": request.get_full_path(),
        "secret": revealed_secret(tournament),
        "is_organiser": is_organiser(tournament, request.user),
        "may_enter": request.user.is_authenticated and takes_entries(tournament),
    }
    return render_live(request, "tournaments/detail.html", "tournaments/_kept.html", context, tournament.is_over)


def keep_live(tournament: Tournament, shows_all: bool) -> SafeString:
    """The part of the page that renews itself: what comes from results, and above it what hangs on the clock, too."""
    mark = fetch_progress(tournament)
    course = keep(
        ["course", mark, shows_all], COURSE_S, lambda: draw_course(tournament, None if shows_all else ROWS_SHOWN)
    )
    moment = int(now().timestamp()) // NOW_S
    return keep(["now", mark, moment], NOW_S, lambda: draw_now(tournament, course)) + course["drawn"]


def keep(seen: list[Any], seconds: int, draw: Callable[[], Any]) -> Any:
    """What is drawn of that, once for all who look: each of them asks every few seconds."""
    key = f"tournament:{hashlib.sha256(orjson.dumps([*seen, get_language()])).hexdigest()}"
    kept = shelf.get(key)
    if kept is None:
        kept = draw()
        shelf.set(key, kept, seconds)
    return kept


def mark_own(drawn: SafeString, reader: int | None) -> SafeString:
    """With the lines of the reader's bots stressed."""
    return mark_safe(drawn.replace(f'class="of-{reader}"', 'class="mine"'))


def draw_course(tournament: Tournament, most: int | None) -> dict[str, Any]:
    """What comes from results, drawn, and the figures to stand above it."""
    overview = fetch_overview(tournament)
    if wants_matches(tournament):
        fetch_matches(overview, with_points=tournament.format.is_bracket)
    whole = tell_whole(overview, most)
    context = {**describe(tournament), **whole}
    return {
        "drawn": render_to_string("tournaments/_results.html", context),
        "figures": {name: whole[name] for name in ("meaning", "winners", "round_of", "there", "left")},
        "boards": list_boards_left(overview),
    }


def draw_now(tournament: Tournament, course: dict[str, Any]) -> SafeString:
    is_going_on = tournament.state in GOING_ON
    context = {
        **describe(tournament),
        **course["figures"],
        "playing": find_playing(current_round(tournament)) if is_going_on else None,
        "time_left": estimate(tournament, course["boards"]),
    }
    return render_to_string("tournaments/_now.html", context)


def wants_matches(tournament: Tournament) -> bool:
    """Something on the page leads to the match of every pairing."""
    return tournament.format.is_bracket or wants_crosstable(tournament.format.key)


def describe(tournament: Tournament) -> dict[str, Any]:
    """What every page of a tournament says of it."""
    return {
        "tournament": tournament,
        "format_name": format_name(tournament.format.key),
        "edition_name": _(tournament.edition_name),
        "state": TOURNAMENT_STATES[Tournament.State(tournament.state)],
        "sentences": describe_settings(tournament),
        "is_finished": tournament.state == Tournament.State.FINISHED,
    }


def tell_whole(overview: Overview, most: int | None = None) -> dict[str, Any]:
    """Standings, crosstables, bracket and rounds, with the matches of the overview's pairings read."""
    chances = read_forecast_before_start(overview.tournament)
    without = [one for one in overview.entrants if one.number is None]
    return {
        "meaning": tell_state(overview),
        "winners": winners(overview),
        "table": build_table(overview, most) if overview.field else None,
        "crosstables": make_crosstables(overview),
        "drawings": [(one, draw_bracket(one)) for one in make_bracket(overview)],
        "rounds": list_rounds(overview),
        "round_of": round_of(overview) if overview.current else "",
        "over_rounds": len(overview.results),
        "there": len(overview.field) or sum(not one.is_out for one in overview.entrants),
        "left": sum(one.left_in_round is not None for one in overview.field),
        "without_number": [
            (one, ENTRANT_STATES[Entrant.State(one.state)], render_reason(one.state_reason), chances.get(one.bot.slug))
            for one in without
        ],
        "has_chances": bool(chances),
    }
