"""The page of a tournament: standings, running matches, forecast, how it ended, its record, and what is printed."""

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import orjson
from django.core.cache import cache
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.timezone import get_current_timezone_name, now
from django.utils.translation import get_language

from arena.contests.ladders.showing import find_longest_leg
from arena.contests.tournaments.formats.brackets import is_bout_name
from arena.contests.tournaments.models import Entrant, Round, Tournament
from arena.contests.tournaments.overview import Overview, PairingOverview, fetch_matches, fetch_overview
from arena.contests.tournaments.queries import (
    PODIUM_PLACES,
    TournamentFault,
    fetch_progress,
    find_entrant,
    find_holding_lesson,
    find_longest_leg_of,
    find_narrowest_claim,
    has_given_seeds,
    list_acts,
    list_announcements,
    list_matches_of_round,
)
from arena.contests.tournaments.services.access import ORGANISE_PERMISSION, is_organiser, may_practise
from arena.contests.tournaments.services.announcing import may_announce
from arena.contests.tournaments.services.forecasting import (
    TimeLeft,
    estimate_time_left,
    explain_missing_forecast,
    list_rounds_left,
)
from arena.contests.tournaments.services.matches import fetch_revealed_secret, find_current_round
from arena.contests.tournaments.simulation import RoundLeft
from arena.contests.tournaments.standings import Standing, find_fewest_faults, find_upset, rank
from arena.core.http import forbid_caching
from arena.core.messages import gettext as _
from arena.core.messages import isolate, ngettext
from arena.matches.queue import place_in_queue
from arena.pages.formatting import ENTRANT_STATES, TOURNAMENT_STATES, find_entrant_appearance, format_percent
from arena.pages.games import find_presentation
from arena.pages.matches.frames import draw_end_of_leg
from arena.pages.matches.results import list_rows
from arena.pages.serving import (
    NO_REAL_NAMES,
    HtmxRequest,
    RealNames,
    fetch_shown_names,
    find_shown_group,
    read_page_by_key,
    reload_if_changed,
    render_live,
    tournament_or_404,
)
from arena.pages.svg.bracket import draw_bracket
from arena.pages.tournaments.forms import list_who_is_who
from arena.pages.tournaments.rounds import (
    build_round_attempt,
    list_rounds,
    make_bracket,
    make_crosstables,
    wants_crosstable,
)
from arena.pages.tournaments.words import (
    TieBreaks,
    describe_audience,
    describe_planned_rounds,
    describe_round_number,
    describe_settings,
    describe_state,
    explain_planned_rounds,
    format_name,
    format_points,
    list_tie_breaks,
    list_winners,
    name_current_phase,
    name_phase,
    name_reached,
    render_reason,
)
from arena.people.groups.models import Audience

# The forecast of a tournament, as pages show it.

MIN_SHARE_SHOWN, MAX_SHARE_SHOWN = 0.01, 0.99
"""Shares beyond these are shown as bounds: simulations are never certain."""
FINAL_STATES = (Tournament.State.FINISHED, Tournament.State.CANCELLED)


Chances = Mapping[Any, dict[str, Any]]
"""The chances of entrants to win, by their seeds or by the bots' slugs."""


def read_forecast(tournament: Tournament, *, before_start: bool = False) -> Chances:
    """Return the chances by seed, or those before the start by the bot's slug; none once that has passed."""
    if tournament.state in FINAL_STATES or (before_start and tournament.has_started):
        return {}
    found = (tournament.forecast or {}).items()
    return {kept["bot"] if before_start else int(number): describe_chance(kept["win"]) for number, kept in found}


def describe_chance(share: float) -> dict[str, Any]:
    """Return the share of the simulations that an entrant won; in per cent it is a bound next to 0 and 1."""
    percent = format_percent(min(max(share, MIN_SHARE_SHOWN), MAX_SHARE_SHOWN) if 0 < share < 1 else share)
    sign = "<" if 0 < share < MIN_SHARE_SHOWN else ">" if MAX_SHARE_SHOWN < share < 1 else ""
    return {"share": share, "percent": f"{sign}{percent}"}


# The standings as rows.

ROWS_SHOWN = 64
"""The number of rows that the page of a tournament shows at first, because rows take most of its time."""


def build_standings_table(
    overview: Overview, max_rows: int | None = None, faults: Sequence[TournamentFault] = ()
) -> dict[str, Any]:
    """Return the first `max_rows` of the standings, or all, with the numbers of faults.

    Once a knockout follows on a Swiss, they say how far each came; the scores are in the table of the Swiss.
    """
    has_reached = overview.has_phases and bool(overview.phases[1].tables)
    has_scores = not (has_reached and has_phase_table(overview))
    columns = [] if overview.is_knockout or not has_scores else list_shown_tie_breaks(overview)
    if has_reached:  # the wins are those of both phases then, and decide nothing
        columns = [column for column in columns if column[0] != "wins"]
    chances = read_forecast(overview.tournament)
    counts = Counter(fault.entrant for fault in faults)
    table = build_table(overview, overview.standings, max_rows, columns, chances)
    for row in table["rows"]:
        row["faults"] = counts[row["standing"].number]
        row["reached"] = name_reached(overview, row["standing"]) if has_reached else ""
    return table | {
        "has_chances": bool(chances),
        "has_faults": bool(faults),
        "has_scores": has_scores,
        "has_reached": has_reached,
        "advancing": overview.settings.knockout_size if is_before_knockout(overview) else 0,
    }


def list_shown_tie_breaks(overview: Overview) -> TieBreaks:
    """Return the tie-breaks that standings show.

    Where everybody meets everybody, Buchholz is the same for all with one score, and says nothing. It is left out
    unless a final order rests on it, as where a bot left and some of its opponents had played it.
    """
    found = list_tie_breaks()
    if not wants_crosstable(overview.tournament.format):
        return found
    ranked = [one for one in overview.standings if one.place] if overview.tournament.is_over else []
    rests_on_it = any(
        (one.reached_round, one.score, one.direct or 0) == (below.reached_round, below.score, below.direct or 0)
        and (one.buchholz, one.buchholz_cut_1) != (below.buchholz, below.buchholz_cut_1)
        for one, below in pairwise(ranked)
    )
    return [one for one in found if rests_on_it or not one[0].startswith("buchholz")]


def build_table(
    overview: Overview, standings: Sequence[Standing], max_rows: int | None, columns: TieBreaks, chances: Chances
) -> dict[str, Any]:
    """Return what all standings show; `hidden` rows are left out."""
    rows = [build_standings_row(overview, one, columns, chances) for one in standings[:max_rows]]
    return {
        "rows": rows,
        "columns": columns,
        "has_byes": any(standing.byes for standing in standings),
        "hidden": len(standings) - len(rows),
        "has_scores": True,
    }


def is_before_knockout(overview: Overview) -> bool:
    """Return whether the Swiss before a knockout is being played."""
    if not has_phase_table(overview) or overview.tournament.is_over:
        return False
    boards = overview.boards.get(overview.current_round.pk, []) if overview.current_round else []
    return not any(is_bout_name(board.name) for board in boards)


def has_phase_table(overview: Overview) -> bool:
    """Return whether the first of two phases has one table for all; groups have crosstables."""
    return overview.has_phases and [table.name for table in overview.phases[0].tables] == [""]


def build_phase_standings_table(overview: Overview, max_rows: int | None = None) -> dict[str, Any] | None:
    """Return the standings of the Swiss before a knockout; None where those of the tournament say the same."""
    if not has_phase_table(overview) or not overview.phases[1].tables:
        return None
    swiss = overview.phases[0]
    table = build_table(overview, swiss.tables[0].standings, max_rows, list_tie_breaks(), {})
    return table | {"title": name_phase(swiss)}


def build_standings_row(overview: Overview, standing: Standing, columns: TieBreaks, chances: Chances) -> dict[str, Any]:
    """Return an entrant in the standings; its place is known after the first result."""
    entrant = overview.by_number[standing.number]
    return {
        "standing": standing,
        "entrant": entrant,
        "score": format_points(standing.score),
        "is_ranked": bool(overview.results) and bool(standing.place),
        "tie_breaks": [format_points(getattr(standing, key)) for key, *_words in columns],
        "chip": ENTRANT_STATES[Entrant.State(entrant.state)] if entrant.is_out else None,
        "leaving": describe_leaving(entrant) if entrant.is_out else "",
        "chance": None if entrant.is_out else chances.get(standing.number),
        "given": overview.given_counts[standing.number],
    }


def describe_leaving(entrant: Entrant) -> str:
    """Return the round in which an entrant left, and the reason."""
    reason = render_reason(entrant.state_reason)
    if not entrant.left_in_round:
        return reason
    since = _("Out from round %(number)d onwards.") % {"number": entrant.left_in_round}
    return f"{since} {reason}".strip()


# The running matches of a tournament, and the next one.

MAX_RUNNING_MATCHES_SHOWN = 8


def find_playing(round: Round | None) -> dict[str, Any]:
    """Return the running matches of a round and the first of the queued ones, without their cards."""
    if round is None:
        return {"running": []}
    own = list_matches_of_round(round)
    first = next(iter(list_rows(own.queued()[:1])), None)
    return {
        "running": list_rows(own.running()[:MAX_RUNNING_MATCHES_SHOWN]),
        "next": first,
        "waiting": place_in_queue(first.match) if first else None,
    }


def find_rounds_left(overview: Overview) -> list[RoundLeft]:
    """Return the remaining rounds, once the tournament has started."""
    return list_rounds_left(overview.tournament, overview.field, overview.results) if overview.field else []


def estimate_time(tournament: Tournament, boards: Sequence[RoundLeft]) -> TimeLeft:
    """Return how long it still takes with `boards` left; nothing while it is paused, or rounds are hidden."""
    if tournament.state == Tournament.State.PAUSED or tournament.first_hidden_round is not None:
        return TimeLeft()
    return estimate_time_left(tournament, boards)


def estimate_round_time(overview: Overview, boards: Sequence[RoundLeft]) -> TimeLeft:
    """Return how long the current round still takes, the first of `boards`; nothing where none is played."""
    round = overview.current_round
    if overview.tournament.state != Tournament.State.RUNNING or round is None or round.finished_at is not None:
        return TimeLeft()
    return estimate_time(overview.tournament, boards[:1])


# Tell how a tournament ended: its winner, podium and awards, and the match that decided it.

MAX_ON_PODIUM = 4
"""Two may share third place in a knockout."""


def list_places(overview: Overview) -> list[dict[str, Any]]:
    """Return the standings, with what the last round changed; before the first result, the entrants by seed."""
    before: dict[int, int] = {}
    if len(overview.results) > 1:
        earlier = rank(overview.tournament.format, overview.field, overview.results[:-1], overview.settings)
        before = {standing.number: standing.place for standing in earlier}
    return [build_final_place(overview, standing, before) for standing in _list_in_order(overview)]


def _list_in_order(overview: Overview) -> list[Standing]:
    if overview.results:
        return overview.standings
    return sorted(overview.standings, key=lambda standing: standing.number)


def build_final_place(overview: Overview, standing: Standing, before: Mapping[int, int]) -> dict[str, Any]:
    """Return a line of the standings; `before` has the places by seed before the last round, of which it tells."""
    has_reached = bool(overview.results) and overview.has_phases and bool(overview.phases[1].tables)
    movement = before.get(standing.number, standing.place) - standing.place if standing.place else 0
    moved = _("up %(places)d") if movement > 0 else _("down %(places)d")
    return {
        "standing": standing,
        "entrant": overview.by_number[standing.number],
        "score": format_points(standing.score),
        "movement": movement,
        "places_moved": abs(movement),
        "movement_text": moved % {"places": abs(movement)} if movement else _("same place"),
        "reached": name_reached(overview, standing) if has_reached else "",
    }


def describe_end(overview: Overview) -> dict[str, Any]:
    """Return the podium, the awards and the headline of a finished tournament; its matches must have been fetched."""
    best = [standing for standing in _list_in_order(overview) if 0 < standing.place <= PODIUM_PLACES]
    winners = list_winners(overview)
    title = overview.tournament.title
    return {
        "headline": _("%(name)s wins %(title)s") % {"name": winners[0], "title": title}
        if len(winners) == 1
        else describe_state(overview),
        "podium": [build_final_place(overview, standing, {}) for standing in best[:MAX_ON_PODIUM]],
        "awards": list_awards(overview),
    }


def list_awards(overview: Overview) -> list[dict[str, Any]]:
    """Return what is worth a word: the most improbable win, the fewest faults, a narrow claim or the longest leg."""
    ratings = {number: entrant.rating for number, entrant in overview.by_number.items()}
    found = []
    if upset := find_upset(overview.results, ratings):
        names = {"winner": overview.find_bot_name(upset.winner), "loser": overview.find_bot_name(upset.loser)}
        chance = _("%(percent)s chance") % {"percent": format_percent(upset.chance)}
        headline = _("%(winner)s beats %(loser)s") % names
        found.append(build_award(_("Biggest upset"), headline, overview.by_number[upset.winner], chance))
    faults = [fault.entrant for fault in overview.faults]
    if faults and (least := find_fewest_faults(overview.standings, faults)):
        words = ngettext("%(count)d fault", "%(count)d faults", least.faults) % {"count": least.faults}
        name = overview.find_bot_name(least.entrant)
        headline = f"{isolate(name)}: {words if least.faults else _('none')}"
        others = len(faults) - least.faults
        detail = ngettext("all others: %(count)d", "all others: %(count)d", others) % {"count": others}
        found.append(build_award(_("Fewest faults"), headline, overview.by_number[least.entrant], detail))
    last = describe_narrowest_claim(overview) or describe_longest_leg(overview)
    return [*found, last] if last else found


def build_award(title: str, headline: str, entrant: Entrant, detail: str) -> dict[str, Any]:
    """Return a line of praise at the end."""
    return {"title": title, "headline": headline, "entrant": entrant, "detail": detail}


def describe_narrowest_claim(overview: Overview) -> dict[str, Any] | None:
    """Return the praise of who claimed when a single card could have refuted it; None where no claim was close."""
    tournament = overview.tournament
    call = find_narrowest_claim(tournament)
    board = find_board(overview, call.match) if call else None
    if call is None or board is None or call.entrant not in board.numbers or len(board.numbers) > 2:
        return None
    presentation = find_presentation(tournament.game, tournament.edition, tournament.options)
    names = [overview.find_bot_name(number) for number in board.numbers]
    if call.closest.seat != board.numbers.index(call.entrant):
        names.reverse()
    if presentation.name_players is not None:
        presentation = presentation.name_players(tuple(names), None)
    if presentation.tell_close_call is None:
        return None
    headline = presentation.tell_close_call(call.closest.facts, call.closest.seat).headline
    detail = _("round %(number)d") % {"number": call.round}
    return build_award(_("Narrowest claim of the last round"), headline, overview.by_number[call.entrant], detail)


def describe_longest_leg(overview: Overview) -> dict[str, Any] | None:
    """Return the praise of those who took the longest; None where no leg was played."""
    longest = find_longest_leg_of(overview.tournament)
    board = find_board(overview, longest.match) if longest else None
    if longest is None or board is None:
        return None
    headline = " – ".join(isolate(overview.find_bot_name(number)) for number in board.numbers)
    words = ngettext("%(count)d move", "%(count)d moves", longest.decisions) % {"count": longest.decisions}
    return build_award(_("Longest leg"), headline, overview.by_number[board.numbers[0]], words)


def find_board(overview: Overview, match: int) -> PairingOverview | None:
    """Return the pairing to which a match belongs; None where it isn't in the overview."""
    boards = (board for boards in overview.boards.values() for board in boards)
    return next((board for board in boards if any(one.match == match for one in board.matches)), None)


def find_deciding_match(overview: Overview) -> dict[str, Any] | None:
    """Return the last match that the winner played and that counts; of a knockout that is the final."""
    if not overview.standings:
        return None
    winner = overview.standings[0].number
    audience = Audience(overview.tournament.audience_id)
    for round in reversed(overview.counted_rounds):
        for board in overview.boards.get(round.pk, []):
            matches = [one.match for one in board.counting_matches if one.is_over]
            if winner in board.numbers and matches:
                leg = find_longest_leg(matches[-1])
                names = _(" v ").join(isolate(overview.find_bot_name(number)) for number in board.numbers)
                picture = draw_end_of_leg(audience, matches[-1], leg)
                return {"match": matches[-1], "leg": leg, "names": names, "picture": picture}
    return None


# The page of a tournament: standings, running matches, forecast and settings.

ACTIVE_STATES = (Tournament.State.RUNNING, Tournament.State.PAUSED)
ACTS_SHOWN = 5
ANNOUNCEMENTS_SHOWN = 3
FAULTS_SHOWN = 50
FIGURES = ("meaning", "winners", "round_of", "phase", "planned", "missing_rounds", "there", "left")
"""The values of `build_results` that the status shows."""
RESULTS_TIMEOUT_S = 60
"""Rendered results are cached until the next result, but no longer, because they contain relative times."""
STATUS_TIMEOUT_S = 10
"""The rendered status, which depends on the clock and the queue, is cached for this time."""


def show_tournament(request: HtmxRequest, slug: str) -> HttpResponse:
    """Show a tournament; a poll gets the live part alone. Raise Http404."""
    tournament = tournament_or_404(request, slug)
    if reload := reload_if_changed(request, tournament.state):
        return reload
    names = fetch_shown_names(request, tournament.group_id)
    address = request.build_absolute_uri(tournament.get_absolute_url())
    organises = is_organiser(tournament, request.user)
    # The live part is cached for all readers: the rows of the reader's bots are marked in it.
    of_reader = re.compile(rf'class="(?:of-\d+ )*of-{request.user.pk}(?: of-\d+)*"')
    live = of_reader.sub('class="mine"', draw_live(tournament, bool(request.GET.get("all")), names))
    context = {
        **describe_tournament(tournament),
        "real_names": names,
        "group": find_shown_group(request, tournament.group_id),
        "who_is_who": list_who_is_who(tournament, names),
        "live": SafeString(live),
        "live_address": request.get_full_path(),
        "secret": fetch_revealed_secret(tournament),
        "public_acts": list_acts(tournament, as_organiser=False)[:ACTS_SHOWN],
        "announcements": list(
            list_announcements(tournament, request.user, as_organiser=organises)[:ANNOUNCEMENTS_SHOWN]
        ),
        "announces": organises and may_announce(tournament),
        "has_given_seeds": has_given_seeds(tournament),
        "verify_command": f"pennant verify --tournament {address}" if tournament.has_started else "",
        "is_organiser": organises,
        "may_copy": request.user.has_perm(ORGANISE_PERMISSION),
        "calendar_address": find_calendar_address(request, tournament),
        "may_practise": request.user.is_authenticated and may_practise(tournament, request.user),
        "may_enter": request.user.is_authenticated and tournament.takes_entries,
    }
    if context["announcements"]:
        forbid_caching(request)
    parts = ("tournaments/detail.html", "tournaments/_live.html")
    return render_live(request, *parts, context, tournament.is_settled, reloads_at_end=True)


def find_calendar_address(request: HttpRequest, tournament: Tournament) -> str:
    """Return where the reader gets the tournament's dates: a group's by a secret link, as programs don't sign in."""
    if tournament.state == Tournament.State.DRAFT or tournament.is_over:
        return ""
    if tournament.audience_id is None:
        return f"{tournament.get_absolute_url()}calendar.ics"
    return f"/settings/calendar/?tournament={tournament.slug}" if request.user.is_authenticated else ""


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


def draw_results(tournament: Tournament, max_rows: int | None, names: RealNames) -> dict[str, Any]:
    """Render what depends on results only; return it with the figures of the status."""
    overview = fetch_overview(tournament)
    is_finished = is_end_shown(tournament)
    if tournament.format.is_bracket or wants_crosstable(tournament.format) or is_finished:
        fetch_matches(overview, with_points=tournament.format.is_bracket)
    results = build_results(overview, max_rows, names)
    return {
        "ending": draw_ending(overview, names) if is_finished else SafeString(""),
        "html": render_to_string("tournaments/_results.html", {**describe_tournament(tournament), **results}),
        "figures": {name: results[name] for name in FIGURES},
        "boards": find_rounds_left(overview),
        "is_hidden": overview.is_current_round_hidden,
    }


def is_end_shown(tournament: Tournament) -> bool:
    """Return whether a tournament is finished, and nothing of it is hidden any more."""
    return tournament.state == Tournament.State.FINISHED and tournament.is_settled


def draw_ending(overview: Overview, names: RealNames = NO_REAL_NAMES) -> SafeString:
    """Render who has won, and how."""
    context = {**describe_end(overview), "decision": find_deciding_match(overview), "real_names": names}
    return render_to_string("tournaments/_ending.html", context)


def draw_status(tournament: Tournament, results: dict[str, Any]) -> SafeString:
    """Render the state, the figures and the running matches."""
    is_going_on = tournament.state in ACTIVE_STATES
    context = {
        **describe_tournament(tournament),
        **results["figures"],
        "playing": find_playing(find_current_round(tournament)) if is_going_on and not results["is_hidden"] else None,
        "time_left": estimate_time(tournament, results["boards"]),
        "lesson": find_holding_lesson(tournament),
    }
    return render_to_string("tournaments/_now.html", context)


def describe_tournament(tournament: Tournament) -> dict[str, Any]:
    """Return the context that all pages of a tournament share."""
    return {
        "tournament": tournament,
        "format_name": format_name(tournament.format.key),
        "state": TOURNAMENT_STATES[Tournament.State(tournament.state)],
        "sentences": describe_settings(tournament),
        "audience": describe_audience(tournament),
        "is_finished": is_end_shown(tournament),
    }


def build_results(overview: Overview, max_rows: int | None = None, names: RealNames = NO_REAL_NAMES) -> dict[str, Any]:
    """Return standings, crosstables, bracket and rounds; the matches of the overview must have been fetched."""
    chances = read_forecast(overview.tournament, before_start=True)
    without = [one for one in overview.entrants if one.number is None]
    faults = overview.faults if overview.field else []
    there = len(overview.field) or sum(not one.is_out for one in overview.entrants)
    return {
        "meaning": describe_state(overview),
        "winners": list_winners(overview),
        "table": build_standings_table(overview, max_rows, faults) if overview.field else None,
        "phase_table": build_phase_standings_table(overview, max_rows) if overview.field else None,
        "faults": [(fault, overview.by_number[fault.entrant]) for fault in faults[:FAULTS_SHOWN]],
        "fault_count": len(faults),
        "crosstables": make_crosstables(overview),
        "drawings": [(one, draw_bracket(one)) for one in make_bracket(overview, names)],
        "rounds": list_rounds(overview),
        "round_of": describe_round_number(overview) if overview.counted_rounds else "",
        "phase": name_current_phase(overview),
        "planned": describe_planned_rounds(overview.tournament, there),
        "missing_rounds": render_reason(overview.missing_rounds) or explain_planned_rounds(overview.tournament, there),
        "over_rounds": len(overview.results),
        "there": there,
        "left": sum(one.left_in_round is not None for one in overview.field),
        "without_number": [
            (one, find_entrant_appearance(one), render_reason(one.state_reason), chances.get(one.bot.slug))
            for one in without
        ],
        "has_chances": bool(chances),
        "no_forecast": explain_missing_forecast(overview.tournament),
        "real_names": names,
    }


# The record of what the organisers of a tournament decided.

ACTS_PER_PAGE = 50


def show_record(request: HttpRequest, slug: str) -> HttpResponse:
    """Show what organisers decided, newest first; to organisers also what touches no result. Raise Http404."""
    tournament = tournament_or_404(request, slug)
    as_organiser = is_organiser(tournament, request.user)
    page = read_page_by_key(list_acts(tournament, as_organiser=as_organiser), request.GET, ACTS_PER_PAGE)
    context = {
        "tournament": tournament,
        "real_names": fetch_shown_names(request, tournament.group_id),
        "is_organiser": as_organiser,
        "acts": page.rows,
        "page": page,
    }
    return render(request, "tournaments/record.html", context)


# The page of a tournament for printing.


def show_for_printing(request: HttpRequest, slug: str) -> HttpResponse:
    """Show a tournament for printing. Raise Http404."""
    tournament = tournament_or_404(request, slug)
    names = fetch_shown_names(request, tournament.group_id)
    address = request.build_absolute_uri(tournament.get_absolute_url())

    def draw() -> str:
        overview = fetch_overview(tournament)
        fetch_matches(overview)
        context = {
            **describe_tournament(tournament),
            **build_results(overview, names=names),
            "public_acts": list_acts(tournament, as_organiser=False),
            "attempts": [build_round_attempt(overview, round) for round in overview.counted_rounds],
            "address": address,
        }
        return render_to_string("tournaments/print.html", context)

    key = ["print", fetch_progress(tournament), address]
    return HttpResponse(fetch_cached(key, RESULTS_TIMEOUT_S, draw, names))


# The certificate of a bot in a finished tournament, for printing.


def show_bot_certificate(request: HttpRequest, slug: str, bot: str) -> HttpResponse:
    """Show the certificate of a bot. Raise Http404 before the end, and for a bot without a place."""
    tournament = tournament_or_404(request, slug)
    entrant = find_entrant(tournament, bot)
    if tournament.state != Tournament.State.FINISHED or entrant is None or entrant.place is None:
        raise Http404(_("This certificate doesn't exist."))
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
