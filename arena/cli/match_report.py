"""Report the results of `pennant play`: a table for people, one JSON object for programs."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from operator import itemgetter
from typing import Any

from rich.box import SIMPLE
from rich.table import Table

from arena.cli.faults import FAULT_ORDER, FaultNote
from arena.cli.results import Results
from arena.cli.sequential_test import SequentialTest
from arena.cli.statistics import EloEstimate, count_pairs, estimate_elo, estimate_share, format_elo, format_share
from arena.runner.match import MatchReport
from arena.runner.verdict import Verdict


def build_table(results: Results) -> Table:
    """Return a table of wins, draws and losses for two bots, of series where they play those; for more, of places."""
    title = f"{results.series} series, {results.legs} games" if results.series else f"{results.legs} legs"
    table = Table(title=title, title_justify="left", box=SIMPLE, show_edge=False, padding=(0, 1, 0, 0))
    table.add_column("bot", overflow="fold")
    of_two = len(results.bots) == 2
    for heading in ("points", "share (95 %)", "W–D–L" if of_two else "places", "faults", "ms a move"):
        table.add_column(heading, justify="right", no_wrap=True)
    for bot in results.bots:
        counted = bot.series if results.series else bot
        ended = (counted.wins, counted.draws, counted.losses) if of_two else bot.places
        points, share = f"{round(counted.points, 2):g}", format_share(estimate_share(bot.match_points))
        time = f"{bot.ms_per_move:.2f}"
        table.add_row(bot.name, points, share, "–".join(map(str, ended)), _describe_faults(bot.verdicts), time)
    return table


def _describe_faults(verdicts: Counter[str]) -> str:
    """Return how often a bot had which fault, as `2 crash`."""
    listed = (f"{count} {verdict}" for verdict, count in verdicts.most_common() if verdict != Verdict.OK)
    return ", ".join(listed) or "none"


def find_elo(results: Results) -> EloEstimate | None:
    """Return how much better the first of two bots is; None for more, for series and where matches are too few."""
    if len(results.bots) != 2 or results.series:
        return None
    return estimate_elo(count_pairs(results.bots[0].match_points))


def describe_difference(results: Results) -> Iterator[str]:
    """Yield a line on how much better the first of two bots is."""
    if len(results.bots) != 2 or results.series or results.legs < 3:
        return
    first, second = (bot.name for bot in results.bots)
    found = find_elo(results)
    line = f"{first} against {second}: Elo {format_elo(found)}"
    if found is not None:
        is_ahead = found.likelihood >= 0.5
        better, than, sure = (first, second, found.likelihood) if is_ahead else (second, first, 1 - found.likelihood)
        line += f"; {better} is better than {than}: {min(100 * sure, 99.9):.1f} % sure"
    yield line


def list_leg_rows(number: int, match: MatchReport, names: list[str]) -> Iterator[dict[str, Any]]:
    """Yield a row for each leg of a match: who sat where, the seeds, and how it ended."""
    for leg_number, leg in enumerate(match.legs, start=1):
        record = leg.record
        yield {
            "match": number,
            "leg": leg_number,
            "bots": [names[participant] for participant in leg.seating],
            "participants": list(leg.seating),
            "deal_hash": record["deal_hash"],
            "seeds": [seat.get("seed") for seat in record["seats"]],
            "decisions": len(record["actions"]),
            **record["result"],
            "ms": [round(spent, 1) for spent in leg.spent_ms],
        }


def build_json(
    header: dict[str, Any],
    results: Results,
    rows: list[dict[str, Any]],
    faults: list[FaultNote],
    test: SequentialTest | None,
) -> dict[str, Any]:
    """Return all that `--json` prints; `header` says what was played.

    Matches may have ended in another order than that of their numbers, in which they are printed.
    """
    printed = results.as_json()
    for bot, row in zip(results.bots, printed["bots"], strict=True):
        row["share"] = asdict(estimate_share(bot.match_points))
    found = find_elo(results)
    return {
        **header,
        **printed,
        **({"elo": asdict(found)} if found else {}),
        **({"sprt": test.as_json()} if test else {}),
        "faults": [fault.as_json() for fault in sorted(faults, key=FAULT_ORDER)],
        "rows": sorted(rows, key=itemgetter("match", "leg")),
    }
