"""Tables and JSON of a tournament on this machine."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict

from rich.box import SIMPLE
from rich.table import Table

from arena.cli.faults import FAULT_ORDER, FaultNote
from arena.cli.tournament_log import Json
from arena.cli.tournament_plan import Plan
from arena.tournaments.formats.base import Result
from arena.tournaments.phases import KNOCKOUT, list_phases
from arena.tournaments.replay_results import Course
from arena.tournaments.standings import TIE_BREAKS, Standing


def export_tournament(plan: Plan, course: Course, standings: Sequence[Standing], faults: Sequence[FaultNote]) -> Json:
    """Return the tournament as `--json` prints it."""
    names = plan.names
    stored = plan.as_json()
    return {
        "game": plan.game,
        "edition": plan.edition,
        "changed_options": plan.changed_options,
        "settings": stored["settings"],
        "bots": stored["bots"],
        "rounds": [[_export_pairing(result, names) for result in results] for results in course.rounds],
        "standings": _export_standings(standings, names),
        "phases": [
            {
                "number": phase.number,
                "key": phase.key,
                "rounds": phase.rounds_over,
                "tables": [
                    {"name": table.name, "standings": _export_standings(table.standings, names)}
                    for table in phase.tables
                ],
            }
            for phase in list_phases(course.format, course.entrants, course.rounds, plan.settings)
        ],
        "faults": [fault.as_json() for fault in sorted(faults, key=FAULT_ORDER)],
    }


def _export_standings(standings: Sequence[Standing], names: Mapping[int, str]) -> list[Json]:
    return [{"name": names[standing.number], **asdict(standing)} for standing in standings]


def _export_pairing(result: Result, names: Mapping[int, str]) -> Json:
    return {
        "name": result.pairing.name,
        "bots": [names[number] for number in result.pairing.entrants],
        "points": result.points,
        "scores": result.game_points,
        "played": result.played,
    }


def list_phase_tables(plan: Plan, course: Course) -> Iterator[tuple[str, Table]]:
    """Yield the heading and the standings of each phase, or of each of its groups."""
    for phase in list_phases(course.format, course.entrants, course.rounds, plan.settings):
        for table in phase.tables:
            heading = f"group {table.name}" if table.name else phase.key
            is_knockout = phase.key == KNOCKOUT
            yield heading.capitalize(), build_table(plan, table.standings, (), is_bracket=is_knockout)


def build_table(plan: Plan, standings: Sequence[Standing], faults: Sequence[FaultNote], *, is_bracket: bool) -> Table:
    """Return the standings as a table. Columns of byes and faults are there where anybody had one."""
    tie_breaks = () if is_bracket else TIE_BREAKS
    counts = Counter(fault.bot for fault in faults)
    has_byes, has_faults = any(standing.byes for standing in standings), bool(faults)
    table = Table(box=SIMPLE, show_edge=False, padding=(0, 1, 0, 0))
    table.add_column("", justify="right")
    table.add_column("bot", overflow="fold")
    for heading in ("Score", *(title for _, title, _ in tie_breaks), "W–D–L"):
        table.add_column(heading, justify="right", no_wrap=True)
    for heading in ["Byes"] * has_byes + ["Faults"] * has_faults:
        table.add_column(heading, justify="right", no_wrap=True)
    keys = ("score", *(key for key, _, _ in tie_breaks))
    for standing in standings:
        name = plan.names[standing.number]
        numbers = (_format_number(getattr(standing, key)) for key in keys)
        ended = f"{standing.wins}–{standing.draws}–{standing.losses}"
        extra = [str(standing.byes)] * has_byes + [str(counts[name])] * has_faults
        table.add_row(str(standing.place), name, *numbers, ended, *extra)
    return table


def _format_number(value: float | None) -> str:
    return "" if value is None else f"{round(value, 2):g}"
