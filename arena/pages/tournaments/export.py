"""Export a tournament: its standings as CSV, and all of it as JSON."""

import csv
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any, Protocol

import orjson
from django.core.serializers.json import DjangoJSONEncoder
from django.http import HttpRequest, HttpResponse

from arena.pages.ladders.detail import escape_spreadsheet_formula
from arena.pages.tournaments.reading import tournament_or_404
from arena.tournaments.acts import OrganiserAct
from arena.tournaments.document import FORMAT
from arena.tournaments.models import Entrant, Round
from arena.tournaments.phases import Phase, find_round_reached
from arena.tournaments.queries.match_facts import MatchFacts, fetch_match_facts
from arena.tournaments.queries.overview import Board, Overview, fetch_matches, fetch_overview
from arena.tournaments.queries.tournaments import list_acts
from arena.tournaments.replay_results import compute_deal_number
from arena.tournaments.services.matches import fetch_revealed_secret
from arena.tournaments.standings import TIE_BREAKS, Standing

SCORE_COLUMNS = ("score", "points", "game_points", "played", "wins", "draws", "losses", "byes")
PHASE_COLUMNS = ("group", "first_phase_place", "knockout_reached")
TIE_BREAK_COLUMNS = tuple(key for key, *_rest in TIE_BREAKS if key not in SCORE_COLUMNS)

PHASE_FIELDS = ("number", "key", "first_round", "rounds_over", "rounds_planned")


class SupportsWrite(Protocol):
    """A file or a response that takes text."""

    def write(self, text: str, /) -> Any:
        """Take a text."""


def standings_csv(request: HttpRequest, slug: str) -> HttpResponse:
    """Send the standings as CSV, best first; before the start, the entrants. Raise Http404.

    The last columns are of the first of two phases; they are empty in a tournament of one.
    """
    overview = fetch_overview(tournament_or_404(request, slug))
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{slug}.csv"'
    write_standings(overview, response)
    return response


def write_standings(overview: Overview, file: SupportsWrite) -> None:
    """Write the standings as CSV."""
    writer = csv.writer(file)
    faults = Counter(fault.entrant for fault in overview.faults)
    writer.writerow(
        [
            "place",
            "seed",
            "bot",
            "author",
            "version",
            "state",
            *SCORE_COLUMNS,
            *TIE_BREAK_COLUMNS,
            "faults",
            *PHASE_COLUMNS,
            "decided_by_organiser",
        ]
    )
    earlier = find_earlier_places(overview)
    for standing in overview.standings if overview.field else []:
        entrant = overview.by_number[standing.number]
        values = [getattr(standing, name) for name in (*SCORE_COLUMNS, *TIE_BREAK_COLUMNS)]
        row = [standing.place or None, standing.number, *name_entrant(entrant), *values, faults[standing.number]]
        row += earlier.get(standing.number, [None] * len(PHASE_COLUMNS))
        row.append(overview.given_counts[standing.number])
        writer.writerow([escape_spreadsheet_formula("" if value is None else value) for value in row])
    for entrant in overview.entrants:
        if entrant.number is None:
            writer.writerow(
                [
                    "",
                    "",
                    *map(escape_spreadsheet_formula, name_entrant(entrant)),
                    *[""] * (len(SCORE_COLUMNS + TIE_BREAK_COLUMNS + PHASE_COLUMNS) + 2),
                ]
            )


def find_earlier_places(overview: Overview) -> dict[int, list[Any]]:
    """Return by seed the cells of the first of two phases: group, place there, and how far each came afterwards.

    The last is 1 for the winner, 2 in the final, 3 for who has won the match for third place, then 4, 8 and so on.
    """
    if not overview.field or not overview.has_phases:
        return {}
    reached = {
        standing.number: find_round_reached(standing, overview.phases, overview.settings)
        for standing in overview.standings
    }
    return {
        standing.number: [table.name or None, standing.place or None, reached[standing.number]]
        for table in overview.phases[0].tables
        for standing in table.standings
    }


def name_entrant(entrant: Entrant) -> list[Any]:
    """Return the cells that identify an entrant."""
    return [entrant.bot.name, ", ".join(entrant.bot.author_names), entrant.version.number, entrant.state]


def tournament_json(request: HttpRequest, slug: str) -> HttpResponse:
    """Send a tournament as JSON. Raise Http404."""
    overview = fetch_overview(tournament_or_404(request, slug), is_wanted=lambda _round: True)
    fetch_matches(overview)
    options = orjson.OPT_INDENT_2 | orjson.OPT_PASSTHROUGH_DATETIME | orjson.OPT_NON_STR_KEYS
    content = orjson.dumps(export_tournament(overview), DjangoJSONEncoder().default, options)
    response = HttpResponse(content, content_type="application/json")
    response["Content-Disposition"] = f'attachment; filename="{slug}.json"'
    return response


def export_tournament(overview: Overview) -> dict[str, Any]:
    """Return a tournament as JSON."""
    tournament = overview.tournament
    facts = fetch_match_facts(tournament)
    names = (
        "slug",
        "title",
        "description",
        "game",
        "edition",
        "options",
        "changed_options",
        "settings",
        "is_rated",
        "is_low_priority",
        "entries_close_at",
        "max_entrants",
        "max_entrants_per_author",
        "state",
        "commitment",
        "created_at",
        "started_at",
        "finished_at",
    )
    return {
        "format": FORMAT,
        **{name: getattr(tournament, name) for name in names},
        "state_reason": str(tournament.state_reason or ""),
        "organiser": tournament.organiser.username,
        "secret": fetch_revealed_secret(tournament),
        "entrants": [export_entrant(entrant) for entrant in overview.entrants],
        "rounds": [export_round(overview, round, facts) for round in overview.rounds],
        "standings": [export_standing(standing) for standing in overview.standings] if overview.field else [],
        "phases": [export_phase(phase) for phase in overview.phases] if overview.field else [],
        "faults": [asdict(fault) for fault in overview.faults] if overview.field else [],
        "decisions": [export_act(act) for act in list_acts(tournament, as_organiser=False)],
        "forecast": tournament.forecast,
    }


def export_act(act: OrganiserAct) -> dict[str, Any]:
    """Return what an organiser decided as JSON."""
    return {
        "at": act.at,
        "by": act.actor.username if act.actor else None,
        "act": act.act,
        "text": str(act.text),
        "reason": act.reason,
    }


def export_standing(standing: Standing) -> dict[str, Any]:
    """Return a standing as JSON; who was disqualified has no place."""
    return {**read_fields(standing), "place": standing.place or None}


def read_fields(row: Any) -> dict[str, Any]:
    """Return the values of a dataclass by their names, as they are: `asdict` copies each of thousands of lists."""
    return {field.name: getattr(row, field.name) for field in fields(row)}


def export_phase(phase: Phase) -> dict[str, Any]:
    """Return a phase as JSON, with its standings: of groups, a table for each."""
    tables = [{"name": one.name, "standings": list(map(export_standing, one.standings))} for one in phase.tables]
    return {**{name: getattr(phase, name) for name in PHASE_FIELDS}, "tables": tables}


def export_entrant(entrant: Entrant) -> dict[str, Any]:
    """Return an entrant as JSON."""
    return {
        "number": entrant.number,
        "bot": entrant.bot.slug,
        "name": entrant.bot.name,
        "author": entrant.bot.owner.username,
        "authors": entrant.bot.author_names,
        "version": entrant.version.number,
        "state": entrant.state,
        "state_reason": str(entrant.state_reason or ""),
        "rating": entrant.rating,
        "left_in_round": entrant.left_in_round,
        "place": entrant.place,
    }


def export_round(overview: Overview, round: Round, facts: Mapping[int, MatchFacts]) -> dict[str, Any]:
    """Return a round as JSON."""
    names = ("number", "attempt", "is_latest_attempt", "started_at", "finished_at")
    return {
        **{name: getattr(round, name) for name in names},
        "replay_reason": str(round.replay_reason or ""),
        "pairings": [export_board(round, board, facts) for board in overview.boards.get(round.pk, [])],
    }


def export_board(round: Round, board: Board, facts: Mapping[int, MatchFacts]) -> dict[str, Any]:
    """Return a pairing as JSON."""
    return {
        "board": board.number,
        "name": board.name,
        "must_decide": board.must_decide,
        "is_over": board.is_over,
        "played": board.played,
        "entrants": board.numbers,
        "points": board.points if board.is_over else None,
        "scores": board.game_points if board.is_over else None,
        "given_points": board.given_points,
        "given_reason": board.given_reason,
        "matches": [
            {
                "id": match.match,
                "number": match.number,
                "deal": compute_deal_number(round.attempt, round.number, board.number, match.number),
                "counts": match.counts,
                "state": match.state,
                "points": match.points or None,
                **read_fields(facts[match.match]),
            }
            for match in board.matches
        ],
    }
