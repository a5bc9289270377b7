"""`pennant compare`: find out whether a version is better."""

import json
import re
import sys
from typing import Any

import click

from arena.cli.api import ROOT, find_api, follow
from arena.cli.rules import read_options, rule_option
from engine.options import BadOptions
from engine.registry import UnknownGame, find_game

VERSION = re.compile(r"([\w-]+?)(?:/v?(\d+))?")
MODES = ("head_to_head", "field")
PRESETS = ("quick", "default", "strict", "non-regression")


# The base is generic from click 8.5 on.
class Version(click.ParamType):  # type: ignore[type-arg]
    """The type of an argument BOT or BOT/NUMBER."""

    name = "version"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> dict[str, Any]:
        """Return the version as the API names it."""
        named = VERSION.fullmatch(str(value))
        if named is None:
            self.fail(f"{value!r} is not BOT or BOT/NUMBER, as kingfisher or kingfisher/3", param, ctx)
        return {"bot": named[1]} | ({"version": int(named[2])} if named[2] else {})


@click.command()
@click.argument("version", metavar="A", type=Version())
@click.argument("baseline", metavar="[B]", type=Version(), required=False)
@click.option(
    "--mode",
    type=click.Choice(MODES),
    default=MODES[0],
    show_default=True,
    help="Play each other, or the same field of opponents.",
)
@click.option(
    "--preset", type=click.Choice(PRESETS), default="default", show_default=True, help="Strictness of the test."
)
@click.option("--edition", help="Edition to play. [default: the game's first]")
@rule_option
@click.option("--promote", is_flag=True, help="Promote A to the ladders if it is better.")
@click.option("--wait", is_flag=True, help="Wait for the result. The exit code is 1 unless A is better.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def compare(  # noqa: PLR0913 - a parameter an option
    version: dict[str, Any],
    baseline: dict[str, Any] | None,
    mode: str,
    preset: str,
    edition: str | None,
    rule_options: tuple[str, ...],
    promote: bool,
    wait: bool,
    as_json: bool,
) -> None:
    """Ask whether version A is better than B, or than the version before it.

    A version is BOT/NUMBER, or BOT for its latest accepted one. The arena plays unrated pairs of matches until the
    result is certain; a test that ends early makes the difference look larger than it is. Set PENNANT_URL to the arena
    and PENNANT_TOKEN to your token.
    """
    api = find_api()
    wanted = {"version": version, "mode": mode, "preset": preset, "promote_if_better": promote}
    if baseline:
        wanted["baseline"] = baseline
    if edition:
        wanted["edition"] = edition
    if rule_options:
        wanted["options"] = _read_options(api.get(f"bots/{version['bot']}/")["game"], rule_options)
    comparison = api.post("comparisons/", json=wanted)
    if wait:
        address = f"{ROOT}comparisons/{comparison['id']}/"
        comparison = follow(api, address, lambda seen: seen["state"] != "running", _progress)
    click.echo(json.dumps(comparison) if as_json else _sentence(comparison))
    sys.exit(1 if wait and comparison["state"] != "better" else 0)


def _read_options(game: str, texts: tuple[str, ...]) -> dict[str, Any]:
    try:
        return read_options(find_game(game), texts)
    except (BadOptions, UnknownGame) as error:
        raise click.ClickException(str(error)) from error


def _progress(comparison: dict[str, Any]) -> str:
    return f"{comparison['pairs']} pairs, evidence {comparison['llr']:+.2f} of ±{comparison['llr_bound']:.2f}"


def _sentence(comparison: dict[str, Any]) -> str:
    better, than = (f"{one['bot']} v{one['version']}" for one in (comparison["version"], comparison["baseline"]))
    lines = [
        f"{better} with {than}: {comparison['state']}. {comparison['state_reason']}".strip(),
        _progress(comparison),
    ]
    if found := comparison["estimate"]:
        lines.append(f"{found['elo']:+.0f} Elo, from {found['low']:+.0f} to {found['high']:+.0f}")
    if comparison["promoted_at"]:
        lines.append("It plays on the ladders now.")
    return "\n".join([*lines, comparison["html_url"]])
