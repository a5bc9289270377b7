"""Report the results of `pennant play`: a table for people, one JSON object for programs."""

from collections.abc import Iterator
from dataclasses import asdict
from operator import attrgetter, itemgetter
from typing import Any

from rich.table import Table

from arena.cli.faults import FaultNote
from arena.cli.results import Results
from arena.cli.sequential_test import SequentialTest
from arena.cli.statistics import EloEstimate, count_pairs, estimate_elo, estimate_share, format_elo, format_share
from arena.runner.match import MatchReport


def build_table(results: Results) -> Table:
    """Return a table of wins, losses and draws for two bots, of series where they play those; for more, of places."""
    table = Table(title=f"{results.series} series, {results.legs} games" if results.series else f"{results.legs} legs")
    table.add_column("bot", overflow="fold")
    of_two = len(results.bots) == 2
    endings = ["won", "lost", "drawn"] if of_two else [ordinal(place + 1) for place in range(len(results.bots))]
    for heading in (*endings, "points", "share (95 %)"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("verdicts")
    table.add_column("ms a move", justify="right")
    for bot in results.bots:
        verdicts = ", ".join(f"{verdict} {count}" for verdict, count in bot.verdicts.most_common())
        counted = bot.series if results.series else bot
        numbers = (counted.wins, counted.losses, counted.draws) if of_two else bot.places
        points, share = f"{round(counted.points, 2):g}", format_share(estimate_share(bot.match_points))
        table.add_row(bot.name, *map(str, numbers), points, share, verdicts, f"{bot.ms_per_move:.2f}")
    return table


def ordinal(place: int) -> str:
    """Return the ordinal of a small number."""
    return f"{place}" + {1: "st", 2: "nd", 3: "rd"}.get(place, "th")


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
        "faults": [fault.as_json() for fault in sorted(faults, key=attrgetter("match", "leg", "seat"))],
        "rows": sorted(rows, key=itemgetter("match", "leg")),
    }
