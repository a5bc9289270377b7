"""`pennant analyse`: what each decision of recorded legs gave away, by the site's own figures."""

import json
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import click
import orjson
from rich.console import Console
from rich.table import Table

from arena.cli import writing
from arena.cli.bot_paths import json_option
from arena.cli.campaign import count_cores, show_progress
from arena.cli.files import DOWNLOAD_SUFFIX, UnreadableRecord, read_download, read_record, start_table
from arena.runner.protocol import make_visible
from engine.analysis.evaluators import find_evaluator
from engine.analysis.leg import analyse, analyse_coarsely
from engine.core import Json
from engine.replay import BadRecord, verify

GRADES = ("inaccuracy", "mistake", "blunder")
MAX_SHOWN = 10
"""The worst decisions that are listed."""


@dataclass(frozen=True, slots=True)
class NamedRecord:
    """A valid record with a value function, and what it is called."""

    name: str
    record: Json


@click.command("analyse")
@click.argument("files", metavar="FILE…", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option("--bot", metavar="NAME", help="Show only the decisions of seats with this name.")
@click.option("--quick", is_flag=True, help="Analyse coarsely, in an eighth of the time or less.")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write the site's analysis of each leg to this folder, as NAME-analysis.json.",
)
@json_option
def analyse_files(files: Sequence[Path], bot: str | None, quick: bool, out: Path | None, as_json: bool) -> None:
    """Analyse the records in each FILE: each seat's accuracy, luck and skill, and the worst decisions.

    A FILE is a record written by `play --out` or `record`, a folder of records, or a file written by `download`. The
    figures are the same as on the site. All cores are used; a leg takes about ten seconds on one core, or one second
    with --quick.
    """
    errors = Console(stderr=True, highlight=False, markup=False)
    records = [one for path in files for one in _list_records(path, errors)]
    if not records:
        raise click.ClickException("No records to analyse.")
    found = list(_analyse(records, quick, errors, as_json=as_json))
    if out is not None:
        with writing(out):
            out.mkdir(parents=True, exist_ok=True)
            for one, analysis in zip(records, found, strict=True):
                (out / f"{one.name}-analysis.json").write_bytes(orjson.dumps(analysis, option=orjson.OPT_INDENT_2))
    if as_json:
        click.echo(json.dumps([{"record": one.name, **told} for one, told in zip(records, found, strict=True)]))
        return
    console = Console(highlight=False, markup=False)
    console.print(_build_table(records, found, bot))
    for line in _list_worst(records, found, bot):
        console.print(line, soft_wrap=True)


def _list_records(path: Path, errors: Console) -> Iterator[NamedRecord]:
    """Yield the records of a file or folder that can be analysed. Raises click.ClickException."""
    try:
        if path.is_dir():
            named = [NamedRecord(one.stem, read_record(one)) for one in sorted(path.glob("*.json"))]
        elif path.name.endswith(DOWNLOAD_SUFFIX):
            named = [NamedRecord(f"{line['match']}-{line['leg']}", line["record"]) for line in read_download(path)]
        else:
            named = [NamedRecord(path.stem, read_record(path))]
        for one in named:
            verify(one.record)
            if find_evaluator(one.record["game"], one.record["edition"], one.record["options"]):
                yield one
            else:
                errors.print(f"Skipped {one.name}: its rules have no value function.")
    except (UnreadableRecord, BadRecord) as error:
        raise click.ClickException(f"{path}: {error}") from error


def _analyse(records: Sequence[NamedRecord], is_quick: bool, errors: Console, *, as_json: bool) -> Iterator[Json]:
    """Yield the analyses in the order of the records."""
    cores = min(count_cores(), len(records))
    with (
        show_progress(errors, "analysing", len(records), as_json=as_json) as update,
        ProcessPoolExecutor(cores, get_context("spawn")) as pool,
    ):
        analyses = pool.map(analyse_record, (one.record for one in records), [is_quick] * len(records))
        for one, analysis in zip(records, analyses, strict=True):
            update({"record": one.name}, advance=1)
            yield analysis


def analyse_record(record: Json, is_quick: bool) -> Json:
    """Return the analysis of a valid record that has a value function."""
    evaluator = find_evaluator(record["game"], record["edition"], record["options"])
    assert evaluator is not None
    return (analyse_coarsely if is_quick else analyse)(record, evaluator)


def _is_shown(record: Json, seat: int, bot: str | None) -> bool:
    return bot is None or record["seats"][seat]["name"].casefold() == bot.casefold()


def _build_table(records: Sequence[NamedRecord], found: Sequence[Json], bot: str | None) -> Table:
    headings = ("leg", "seat", "accuracy", "luck", "skill", "inaccuracies", "mistakes", "blunders")
    table = start_table(headings, "seat")
    table.columns[0].justify = "left"
    for one, analysis in zip(records, found, strict=True):
        for seat, told in enumerate(analysis["seats"]):
            if not _is_shown(one.record, seat, bot):
                continue
            grades = [each["judgement"] for each in analysis["decisions"] if each["seat"] == seat]
            counts = (str(grades.count(grade)) for grade in GRADES)
            name = make_visible(one.record["seats"][seat]["name"])
            figures = (f"{told['accuracy']:.1f}%", f"{100 * told['luck']:+.1f}", f"{100 * told['skill']:+.1f}")
            table.add_row(one.name, name, *figures, *counts)
    return table


def _list_worst(records: Sequence[NamedRecord], found: Sequence[Json], bot: str | None) -> Iterator[str]:
    """Yield a line for each of the decisions that gave away most."""
    judged: list[tuple[float, NamedRecord, Any]] = [
        (each["loss"], one, each)
        for one, analysis in zip(records, found, strict=True)
        for each in analysis["decisions"]
        if each["judgement"] and _is_shown(one.record, each["seat"], bot)
    ]
    for loss, one, each in sorted(judged, key=lambda row: -row[0])[:MAX_SHOWN]:
        name = make_visible(one.record["seats"][each["seat"]]["name"])
        better = f", better: {each['better']}" if each.get("better") else ""
        yield f"{one.name}, decision {each['number']}: {name} {each['action']}{better} (−{100 * loss:.0f} points)"
