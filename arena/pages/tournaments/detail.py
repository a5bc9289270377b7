"""The page of a tournament: standings, running matches, forecast and settings."""

import hashlib
import re
from collections.abc import Callable
from typing import Any

import orjson
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.timezone import get_current_timezone_name, now
from django.utils.translation import get_language

from arena.pages.appearance import ENTRANT_STATES, TOURNAMENT_STATES
from arena.pages.polling import HtmxRequest, reload_if_changed, render_live
from arena.pages.real_names import NO_REAL_NAMES, RealNames, fetch_shown_names, find_shown_group
from arena.pages.svg.bracket import draw_bracket
from arena.pages.tournaments.bracket import make_bracket
from arena.pages.tournaments.crosstable import make_crosstables, wants_crosstable
from arena.pages.tournaments.ending import describe_end, find_decision
from arena.pages.tournaments.entering import list_who_is_who, takes_entries
from arena.pages.tournaments.forecast import read_forecast_before_start
from arena.pages.tournaments.phase_words import describe_planned_rounds, name_current_phase
from arena.pages.tournaments.playing import estimate_seconds, find_playing, list_boards_left
from arena.pages.tournaments.reading import tournament_or_404
from arena.pages.tournaments.rounds import list_rounds
from arena.pages.tournaments.table import ROWS_SHOWN, build_phase_table, build_table
from arena.pages.tournaments.words import (
    describe_audience,
    describe_round_number,
    describe_settings,
    describe_state,
    format_name,
    list_winners,
    render_reason,
)
from arena.tournaments.models import Entrant, Tournament
from arena.tournaments.queries.overview import Overview, fetch_matches, fetch_overview
from arena.tournaments.queries.tournaments import fetch_progress, has_given_seeds, list_acts
from arena.tournaments.services.matches import fetch_revealed_secret
from arena.tournaments.services.organisers import ORGANISE_PERMISSION, is_organiser
from arena.tournaments.services.rows import find_current_round

ACTIVE_STATES = (Tournament.State.RUNNING, Tournament.State.PAUSED)
ACTS_SHOWN = 5
FAULTS_SHOWN = 50
FIGURES = ("meaning", "winners", "round_of", "phase", "planned", "there", "left")
"""The values of `build_results` that the status shows."""
RESULTS_TIMEOUT_S = 60
"""Rendered results are cached until the next result, but no longer, because they contain relative times."""
STATUS_TIMEOUT_S = 10
"""The rendered status, which depends on the clock and the queue, is cached for this time."""


def detail(request: HtmxRequest, slug: str) -> HttpResponse:
    """Show a tournament; a poll gets the live part alone. Raise Http404."""
    tournament = tournament_or_404(request, slug)
    if reload := reload_if_changed(request, tournament.state):
        return reload
    names = fetch_shown_names(request, tournament.group_id)
    live = draw_live(tournament, bool(request.GET.get("all")), names)
    context = {
        **describe(tournament),
        "real_names": names,
        "group": find_shown_group(request, tournament.group_id),
        "who_is_who": list_who_is_who(tournament, names),
        "live": mark_own(live, request.user.pk),
        "live_address": request.get_full_path(),
        "secret": fetch_revealed_secret(tournament),
        "public_acts": list_acts(tournament, as_organiser=False)[:ACTS_SHOWN],
        "has_given_seeds": has_given_seeds(tournament),
        "verify_command": write_verify_command(request, tournament),
        "is_organiser": is_organiser(tournament, request.user),
        "may_copy": request.user.has_perm(ORGANISE_PERMISSION),
        "may_enter": request.user.is_authenticated and takes_entries(tournament),
    }
    parts = ("tournaments/detail.html", "tournaments/_live.html")
    return render_live(request, *parts, context, tournament.is_over, reloads_at_end=True)


def write_verify_command(request: HttpRequest, tournament: Tournament) -> str:
    """Return the command that checks a tournament; an empty text before its first round."""
    address = request.build_absolute_uri(tournament.get_absolute_url())
    return f"pennant verify --tournament {address}" if tournament.has_started else ""


def draw_live(tournament: Tournament, shows_all: bool, names: RealNames) -> SafeString:
    """Render the part of the page that is polled: the status, and the results with these real names."""
    progress = fetch_progress(tournament)
    max_rows = None if shows_all else ROWS_SHOWN
    results = fetch_cached(
        ["results by phase", progress, shows_all],
        RESULTS_TIMEOUT_S,
        lambda: draw_results(tournament, max_rows, names),
        names,
    )
    interval = int(now().timestamp()) // STATUS_TIMEOUT_S
    status: SafeString = fetch_cached(
        ["status", progress, interval], STATUS_TIMEOUT_S, lambda: draw_status(tournament, results)
    )
    html: SafeString = results["ending"] + status + results["html"]
    return html


def fetch_cached(
    key_parts: list[Any], timeout_s: int, draw: Callable[[], Any], names: RealNames = NO_REAL_NAMES
) -> Any:
    """Return the cached value of this key, language, time zone and real names, or compute it: every open page polls."""
    parts = [*key_parts, get_language(), get_current_timezone_name(), sorted(names.items())]
    key = f"tournament:{hashlib.sha256(orjson.dumps(parts)).hexdigest()}"
    drawn = cache.get(key)
    if drawn is None:
        drawn = draw()
        cache.set(key, drawn, timeout_s)
    return drawn


def mark_own(drawn: SafeString, reader: int | None) -> SafeString:
    """Return the live part, which is cached for all readers, with the rows of the reader's bots marked."""
    return SafeString(re.sub(rf'class="(?:of-\d+ )*of-{reader}(?: of-\d+)*"', 'class="mine"', drawn))


def draw_results(tournament: Tournament, max_rows: int | None, names: RealNames) -> dict[str, Any]:
    """Render what depends on results only; return it with the figures of the status."""
    overview = fetch_overview(tournament)
    is_finished = tournament.state == Tournament.State.FINISHED
    if wants_matches(tournament) or is_finished:
        fetch_matches(overview, with_points=tournament.format.is_bracket)
    results = build_results(overview, max_rows, names)
    return {
        "ending": draw_ending(overview, names) if is_finished else SafeString(""),
        "html": render_to_string("tournaments/_results.html", {**describe(tournament), **results}),
        "figures": {name: results[name] for name in FIGURES},
        "boards": list_boards_left(overview),
    }


def draw_ending(overview: Overview, names: RealNames = NO_REAL_NAMES) -> SafeString:
    """Render who has won, and how."""
    context = {**describe_end(overview), "decision": find_decision(overview), "real_names": names}
    return render_to_string("tournaments/_ending.html", context)


def draw_status(tournament: Tournament, results: dict[str, Any]) -> SafeString:
    """Render the state, the figures and the running matches."""
    is_going_on = tournament.state in ACTIVE_STATES
    context = {
        **describe(tournament),
        **results["figures"],
        "playing": find_playing(find_current_round(tournament)) if is_going_on else None,
        "time_left": estimate_seconds(tournament, results["boards"]),
    }
    return render_to_string("tournaments/_now.html", context)


def wants_matches(tournament: Tournament) -> bool:
    """Return whether the page links the matches of all pairings."""
    return tournament.format.is_bracket or wants_crosstable(tournament.format)


def describe(tournament: Tournament) -> dict[str, Any]:
    """Return the context that all pages of a tournament share."""
    return {
        "tournament": tournament,
        "format_name": format_name(tournament.format.key),
        "state": TOURNAMENT_STATES[Tournament.State(tournament.state)],
        "sentences": describe_settings(tournament),
        "audience": describe_audience(tournament),
        "is_finished": tournament.state == Tournament.State.FINISHED,
    }


def build_results(overview: Overview, max_rows: int | None = None, names: RealNames = NO_REAL_NAMES) -> dict[str, Any]:
    """Return standings, crosstables, bracket and rounds; the matches of the overview must have been fetched."""
    chances = read_forecast_before_start(overview.tournament)
    without = [one for one in overview.entrants if one.number is None]
    faults = overview.faults if overview.field else []
    there = len(overview.field) or sum(not one.is_out for one in overview.entrants)
    return {
        "meaning": describe_state(overview),
        "winners": list_winners(overview),
        "table": build_table(overview, max_rows, faults) if overview.field else None,
        "phase_table": build_phase_table(overview, max_rows) if overview.field else None,
        "faults": [(fault, overview.by_number[fault.entrant]) for fault in faults[:FAULTS_SHOWN]],
        "fault_count": len(faults),
        "crosstables": make_crosstables(overview),
        "drawings": [(one, draw_bracket(one)) for one in make_bracket(overview, names)],
        "rounds": list_rounds(overview),
        "round_of": describe_round_number(overview) if overview.counted_rounds else "",
        "phase": name_current_phase(overview),
        "planned": describe_planned_rounds(overview.tournament, there),
        "over_rounds": len(overview.results),
        "there": there,
        "left": sum(one.left_in_round is not None for one in overview.field),
        "without_number": [
            (one, ENTRANT_STATES[Entrant.State(one.state)], render_reason(one.state_reason), chances.get(one.bot.slug))
            for one in without
        ],
        "has_chances": bool(chances),
        "real_names": names,
    }
