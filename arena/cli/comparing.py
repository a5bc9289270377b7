"""`pennant compare`: find out whether a version is better."""

import json
import re
import sys
from typing import Any

import click

from arena.cli.api import EXIT_ARENA_ERROR, ROOT, Api, Refused, find_api, follow
from arena.cli.rules import read_options, rule_option
from engine.options import BadOptions
from engine.registry import UnknownGame, find_game

VERSION = re.compile(r"([\w-]+?)(?:/v?(\d+))?")
MODES = ("head_to_head", "field")
CONFLICT = 409
EXIT_CODES = {"better": 0, "not_better": 1, "undecided": 1}
"""Exit codes by the state of a comparison; of any other state nothing is known of the versions."""
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
@click.option("--less-luck", is_flag=True, help="Take luck off the results: fewer matches. Not for every edition.")
@click.option("--promote", is_flag=True, help="Promote A to the ladders if it is better.")
@click.option("--wait", is_flag=True, help="Wait for the result. The exit code is 0 if A is better, else 1.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def compare(  # noqa: PLR0913 - a parameter an option
    version: dict[str, Any],
    baseline: dict[str, Any] | None,
    mode: str,
    preset: str,
    edition: str | None,
    rule_options: tuple[str, ...],
    less_luck: bool,
    promote: bool,
    wait: bool,
    as_json: bool,
) -> None:
    """Ask whether version A is better than B, or than the version before it.

    A version is BOT/NUMBER, or BOT for its latest accepted one. The arena plays unrated pairs of matches until the
    result is certain; a test that ends early makes the difference look larger than it is. If these versions are being
    compared already, this shows that comparison. Exit codes: 0 better (or started, without --wait), 1 not better or
    undecided, 2 usage, 3 the comparison was stopped, or the arena refused it or can't be reached. Set PENNANT_URL to
    the arena and PENNANT_TOKEN to your token.
    """
    api = find_api()
    wanted = {"version": version, "mode": mode, "preset": preset, "promote_if_better": promote}
    if less_luck:
        wanted["adjust_for_luck"] = True
    if baseline:
        wanted["baseline"] = baseline
    if edition:
        wanted["edition"] = edition
    if rule_options:
        wanted["options"] = _read_options(api.get(f"bots/{version['bot']}/")["game"], rule_options)
    comparison = _start_or_attach(api, wanted)
    if wait:
        address = f"{ROOT}comparisons/{comparison['id']}/"
        comparison = follow(api, address, lambda seen: seen["state"] != "running", _progress)
    click.echo(json.dumps(comparison) if as_json else _sentence(comparison))
    sys.exit(EXIT_CODES.get(comparison["state"], EXIT_ARENA_ERROR) if wait else 0)


def _start_or_attach(api: Api, wanted: dict[str, Any]) -> dict[str, Any]:
    """Return a new comparison, or the running one of the same versions. Raises click.ClickException."""
    try:
        started: dict[str, Any] = api.post("comparisons/", json=wanted)
    except Refused as refused:
        if refused.status != CONFLICT or (running := _find_running(api, wanted)) is None:
            raise
        click.echo(f"Comparison {running['id']} of these versions is running already: this is its state.", err=True)
        if wanted["promote_if_better"] and not running["promote_if_better"]:
            click.echo("It was started without --promote, so it promotes nothing.", err=True)
        return running
    return started


def _find_running(api: Api, wanted: dict[str, Any]) -> dict[str, Any] | None:
    """Return the running comparison of these versions that the arena would not start again."""
    rows = api.pages("comparisons/", bot=wanted["version"]["bot"], state="running")
    asked = [(key, wanted[key]) for key in ("version", "baseline") if key in wanted]
    for row in rows:
        is_same = all(row[key][name] == value for key, named in asked for name, value in named.items())
        if is_same and row["mode"] == wanted["mode"]:
            found: dict[str, Any] = row
            return found
    return None


def _read_options(game: str, texts: tuple[str, ...]) -> dict[str, Any]:
    try:
        return read_options(find_game(game), texts)
    except (BadOptions, UnknownGame) as error:
        raise click.ClickException(str(error)) from error


def _progress(comparison: dict[str, Any]) -> str:
    llr, suffix = comparison["llr"], ""
    if (luck := _deciding_luck(comparison)) is not None:
        llr, suffix = luck["llr"], f", {llr:+.2f} with luck"
    return f"{comparison['pairs']} pairs, evidence {llr:+.2f} of ±{comparison['llr_bound']:.2f}{suffix}"


def _deciding_luck(comparison: dict[str, Any]) -> dict[str, Any] | None:
    """Return the results less luck where these decide. Older arenas know of none."""
    luck: dict[str, Any] | None = comparison.get("luck")
    return None if luck is None or luck["is_suspended"] else luck


def _sentence(comparison: dict[str, Any]) -> str:
    better, than = (f"{one['bot']} v{one['version']}" for one in (comparison["version"], comparison["baseline"]))
    lines = [
        f"{better} with {than}: {comparison['state']}. {comparison['state_reason']}".strip(),
        _progress(comparison),
    ]
    if found := (_deciding_luck(comparison) or comparison)["estimate"]:
        lines.append(f"{found['elo']:+.0f} Elo, from {found['low']:+.0f} to {found['high']:+.0f}")
    if comparison["promoted_at"]:
        lines.append("It plays on the ladders now.")
    return "\n".join([*lines, comparison["html_url"]])
