"""`pennant sandbox`: test how this machine isolates bots."""

import json
import sys
from dataclasses import replace

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from arena.runner.sandbox import examine
from arena.runner.sandbox.levels import LEVELS, Report
from arena.runner.separation import describe_network, find_separation_fault


@click.command("sandbox")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of tables.")
def sandbox(as_json: bool) -> None:
    """Test the sandbox for bots on this machine, and the languages available in it.

    The exit code is 1 if no bot can be run.
    """
    _, report = examine()
    network = describe_network(find_separation_fault())
    report = replace(report, layers=(*report.layers, network))
    if as_json:
        click.echo(json.dumps(report.as_json(write=lambda message: str(message or ""))))
    else:
        _print(report, Console(highlight=False, markup=False))
    sys.exit(0 if report.level else 1)


def _print(report: Report, console: Console) -> None:
    if report.level:
        console.print(f"Level {report.level}, by {report.sandbox}. {LEVELS[report.level]}")
    else:
        console.print("No level: no bot is run here.", style="bold red")
    layers = _table("layer", "", "tried just now")
    for layer in report.layers:
        layers.add_row(layer.name, "holds" if layer.holds else Text("open", "bold red"), str(layer.what))
    languages = _table("language", "version", "where it is missing")
    for language in report.languages:
        languages.add_row(language.title, language.version or "none", str(language.advice or ""))
    console.print(layers, languages, sep="\n")
    if report.hint:
        console.print(str(report.hint), soft_wrap=True)
    engine = "compiled" if report.is_engine_compiled else "in Python"
    console.print(f"The engine runs {engine}. The self-test took {report.took_ms:.0f} ms.")


def _table(*headings: str) -> Table:
    table = Table()
    for heading in headings:
        table.add_column(heading, overflow="fold")
    return table
