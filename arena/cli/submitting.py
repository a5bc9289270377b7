"""`pennant submit`, `pennant status` and `pennant compare`: bots on an arena."""

import json
import re
import secrets
import sys
import unicodedata
import zipfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from io import BytesIO
from math import ceil
from pathlib import Path
from typing import Any

import click
import orjson
from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

from arena.cli import EXIT_MACHINE
from arena.cli.api import NOT_FOUND, ROOT, Api, Refused, find_api, follow
from arena.cli.bot_paths import note_files_beside, read_options, rule_option
from arena.cli.files import describe_evidence
from arena.runner.archive import LARGEST_UPLOAD, name_left_out, read_upload
from arena.runner.program import LEFT_OUT_NAMES, BadProgramError, is_left_out, read_program
from engine.registry import GAMES, find_game

# `pennant submit` and `pennant status`: bots on an arena.

CREATED = 201
DEFAULT_WAIT_MINUTES = 30
ROUGH_FROM_S = 90
SLUG_PATTERN = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


@click.command()
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--bot", metavar="SLUG", help="The bot's slug: heron in /bots/heron/. [default: PATH's name]")
@click.option("--game", metavar="KEY", help=f"Create the bot for this game if it doesn't exist: {', '.join(GAMES)}.")
@click.option("--hold", is_flag=True, help="Keep the accepted version off all ladders until you promote it.")
@click.option(
    "--wait",
    is_flag=True,
    help="Wait for the trial, including its legs in other editions. The exit code is 1 if the version is rejected.",
)
@click.option(
    "--wait-limit",
    metavar="MINUTES",
    type=click.FloatRange(min=0),
    default=DEFAULT_WAIT_MINUTES,
    show_default=True,
    help="Time limit for --wait. The exit code is 3 if it passes without a result.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def submit(  # noqa: PLR0913 - a parameter an option
    path: Path, bot: str | None, game: str | None, hold: bool, wait: bool, wait_limit: float, as_json: bool
) -> None:
    """Upload a version of a bot: a file, a folder or a zip file.

    Set PENNANT_URL to the arena and PENNANT_TOKEN to your token. Uploading the same files again doesn't create a new
    version.
    """
    name, content = _read(path)
    api = find_api()
    bot = _find_slug(api, bot, find_name(path.resolve()), game)
    answer = api.request(
        "POST",
        f"bots/{bot}/versions/",
        files={"program": (name, content)},
        data={"hold": "true" if hold else "false"},
        headers={"Idempotency-Key": secrets.token_hex(16)},
    )
    version = orjson.loads(answer.content)
    if answer.status_code != CREATED:
        click.echo(f"Unchanged: version {version['number']} has the same files, so nothing was uploaded.", err=True)
    if wait:
        version = follow(api, version["url"], _is_decided, _describe_progress, 60 * wait_limit)
    click.echo(json.dumps(version) if as_json else _describe_version(version))
    sys.exit(1 if wait and version["state"] != "accepted" else 0)


@click.command()
@click.argument("bot", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON list.")
def status(bot: str | None, as_json: bool) -> None:
    """Show the versions and ratings of all your bots, or of the bot with the slug BOT.

    Set PENNANT_URL to the arena and PENNANT_TOKEN to your token.
    """
    api = find_api(needs_token=bot is None)
    bots = [_show_bot(api, bot)] if bot else [api.get(f"bots/{slug}/") for slug in api.get("me/")["bots"]]
    if as_json:
        click.echo(json.dumps(bots))
    else:
        Console(highlight=False, markup=False).print(_table(bots))


def _show_bot(api: Api, bot: str) -> dict[str, Any]:
    """Return a bot. Raise Refused, with the names of one's own bots where there is none."""
    try:
        found: dict[str, Any] = api.get(f"bots/{bot}/")
    except Refused as refused:
        if not refused.is_missing:
            raise
        raise Refused(NOT_FOUND, refused.message + _list_own_bots(api)) from refused
    return found


def _list_own_bots(api: Api) -> str:
    """Return a sentence with the slugs of one's own bots; an empty text without a token, or without bots."""
    own = api.get("me/")["bots"] if api.token else []
    return f" Your bots: {', '.join(own)}." if own else ""


def find_name(path: Path) -> str:
    """Return the name of a bot at an absolute path: that of its folder, or of a file that isn't just called bot."""
    return path.parent.name if path.is_file() and path.stem == "bot" else path.stem


def make_slug(text: str) -> str:
    """Return the slug that an arena gives a name of ASCII letters."""
    return "-".join(re.findall("[a-z0-9]+", text.lower()))


def _find_slug(api: Api, bot: str | None, file_name: str, game: str | None) -> str:
    """Return the slug of the bot that was named, or has the name of the file. Create it if it doesn't exist.

    Only the arena knows how letters beyond ASCII are spelt in a slug. Raises click.ClickException.
    """
    name = unicodedata.normalize("NFC", bot or file_name)
    if not name.isascii():
        return _find_named_bot(api, name) or _create_named_bot(api, name, game)
    slug = bot or make_slug(file_name)
    _ensure_bot_exists(api, slug, game)
    return slug


def _find_named_bot(api: Api, name: str) -> str | None:
    """Return the slug of one's own bot of this name, or None."""
    own = api.get("me/")["bots"]
    return next((slug for slug in own if api.get(f"bots/{slug}/")["name"].casefold() == name.casefold()), None)


def _create_named_bot(api: Api, name: str, game: str | None) -> str:
    """Create a bot of this name, and return its slug. Raises click.ClickException without a game."""
    if game is None:
        hint = f" To create it, name its game: --game {next(iter(GAMES))}. To upload to another bot: --bot SLUG"
        raise click.ClickException(f"You don't have a bot called {name}.{_list_own_bots(api)}{hint}")
    slug: str = api.post("bots/", json={"name": name, "game": game})["slug"]
    click.echo(f"Created {name}. Its slug is {slug}.", err=True)
    return slug


def _ensure_bot_exists(api: Api, bot: str, game: str | None) -> None:
    """Create the bot if it doesn't exist. Raises click.ClickException."""
    if not SLUG_PATTERN.fullmatch(bot):
        near = make_slug(bot)
        hint = f": --bot {near}?" if near else ""
        raise click.ClickException(f"{bot!r} isn't a slug; use lower-case letters, digits and single hyphens{hint}")
    try:
        known = api.get(f"bots/{bot}/")
    except Refused as refused:
        if not refused.is_missing:
            raise
        if game is None:
            hint = f" To create it, name its game: --game {next(iter(GAMES))}"
            raise click.ClickException(refused.message + _list_own_bots(api) + hint) from refused
        made = api.post("bots/", json={"name": bot, "game": game})["slug"]
        if made != bot:
            raise click.ClickException(f"The bot was created with the slug {made}. Use --bot {made}") from refused
    else:
        if game is not None and known["game"] != game:
            raise click.ClickException(f"{bot} plays {known['game']}, not {game}. Nothing was changed.")


def _read(path: Path) -> tuple[str, bytes]:
    """Return the name and content of what is uploaded. Raises BadProgramError and click.ClickException."""
    try:
        if path.suffix.lower() == ".zip":
            content = path.read_bytes()
            with suppress(BadProgramError):  # the arena says what is wrong with it
                _report_left_out(read_upload(path.name, content, LARGEST_UPLOAD).left_out)
            return path.name, content
        program = read_program(path)
        note_files_beside(path, program)
        files = program.files
        if path.is_dir():
            paths = [one.relative_to(path).as_posix() for one in path.rglob("*") if one.is_file()]
            _report_left_out(sorted(filter(is_left_out, paths)))
    except OSError as error:
        raise click.ClickException(f"{path} can't be read: {error.strerror or error}") from error
    if len(files) == 1:
        return next(iter(files.items()))
    return "bot.zip", _zipped(files)


def _report_left_out(paths: Sequence[str]) -> None:
    if paths:
        files, more = name_left_out(paths)
        files += f" and {more} more" if more else ""
        click.echo(f"Skipped: {files} (names starting with a dot, {', '.join(LEFT_OUT_NAMES)}).", err=True)


def _zipped(files: Mapping[str, bytes]) -> bytes:
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as zipped:
        for name in sorted(files):
            zipped.writestr(name, files[name])
    return buffer.getvalue()


def _is_decided(version: dict[str, Any]) -> bool:
    """Return whether it is known on which ladders a version plays. Older arenas know of no editions."""
    return version["is_final"] and not any(_is_open(trial) for trial in version.get("editions", ()))


def _is_open(trial: dict[str, Any]) -> bool:
    return trial["has_passed"] is None and trial["state"] != "void"


def _describe_progress(version: dict[str, Any]) -> str:
    waiting = (version["trial"] or {}).get("waiting")
    seen = f"{version['bot']} v{version['number']}: {version['state'].replace('_', ' ')}" + _describe_waiting(waiting)
    left = sum(map(_is_open, version.get("editions", ())))
    return f"{seen}. Trial legs in other editions: {left} left" if left else seen


def _describe_waiting(waiting: dict[str, Any] | None) -> str:
    """Return the place in the queue and the expected time, in steps that are worth a line."""
    if waiting is None:
        return ""
    seconds = waiting.get("seconds")
    expected = "" if seconds is None else f", starts in about {_round_time(seconds)}"
    return f", {waiting['ahead']} before it{expected}. {waiting['reason']}"


def _round_time(seconds: float) -> str:
    return f"{max(1, ceil(seconds / 10)) * 10} s" if seconds < ROUGH_FROM_S else f"{ceil(seconds / 60)} min"


def _describe_version(version: dict[str, Any]) -> str:
    parts = [
        f"{version['bot']} v{version['number']} is {_state(version)}.",
        version["state_reason"],
        version["state_detail"],
        version.get("hold_reason"),
        *map(_describe_edition, version.get("editions", ())),
        version["html_url"],
    ]
    return "\n".join(filter(None, parts))


def _describe_edition(trial: dict[str, Any]) -> str:
    if trial["has_passed"] is None:
        return f"{trial['edition']}: not tested yet"
    if trial["has_passed"]:
        return f"{trial['edition']}: passed"
    detail = trial["detail"][:1].upper() + trial["detail"][1:]
    return " ".join(filter(None, [f"{trial['edition']}: not on this ladder.", trial["reason"], detail]))


def _state(version: dict[str, Any]) -> str:
    return "accepted and on hold" if version["state"] == "accepted" and version["is_on_hold"] else version["state"]


def _table(bots: list[dict[str, Any]]) -> Table:
    """Return a table with a row for each ladder entry, or one row for a bot on no ladder. Uncertain ranks are `?`."""
    table = Table(box=SIMPLE, padding=(0, 1, 0, 0))
    for heading, is_folded in (("bot", True), ("latest", True), ("edition", False), ("plays", True)):
        table.add_column(heading, overflow="fold", no_wrap=not is_folded)
    for heading in ("rating", "place", "matches"):
        table.add_column(heading, justify="right", no_wrap=True)
    for bot in bots:
        newest = bot["latest_version"] and f"v{bot['latest_version']['number']} {bot['latest_version']['state']}"
        rows = [_entry_row(entry) for entry in bot["entries"]] or [()]
        table.add_row(bot["slug"], newest or "none", *rows[0])
        for row in rows[1:]:
            table.add_row("", "", *row)
    return table


ENTRY_STATES = {"suspended": "paused"}
"""Words of the pages for states of the API."""


def _entry_row(entry: dict[str, Any]) -> tuple[str, ...]:
    state = "" if entry["state"] == "active" else f" {ENTRY_STATES.get(entry['state'], entry['state'])}"
    ranks = f"{entry['rank_low']}–{entry['rank_high']}" if entry["rank_low"] else "?"
    return (
        entry["edition"],
        f"v{entry['version']}{state}",
        f"{entry['rating']:.0f} ± {entry['margin_95']:.0f}",
        ranks,
        str(entry["matches"]),
    )


# `pennant compare`: find out whether a version is better.

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
            self.fail(f"{value!r} isn't BOT or BOT/NUMBER, such as kingfisher or kingfisher/3", param, ctx)
        return {"bot": named[1]} | ({"version": int(named[2])} if named[2] else {})


@click.command()
@click.argument("version", metavar="A", type=Version())
@click.argument("baseline", metavar="[B]", type=Version(), required=False)
@click.option(
    "--mode",
    type=click.Choice(MODES),
    default=MODES[0],
    show_default=True,
    help="Whether the versions play each other or the same opponents.",
)
@click.option(
    "--preset", type=click.Choice(PRESETS), default="default", show_default=True, help="Strictness of the test."
)
@click.option("--edition", help="Edition to play. [default: the game's first]")
@rule_option
@click.option(
    "--less-luck",
    is_flag=True,
    help="Subtract luck from the results, so that fewer matches are needed. Not available in all editions.",
)
@click.option("--promote", is_flag=True, help="Promote A to the ladders if it's better.")
@click.option("--wait", is_flag=True, help="Wait for the result. The exit code is 0 if A is better, otherwise 1.")
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
    """Test whether version A is better than B, or than the version before it.

    A version is BOT/NUMBER, or BOT for its latest accepted version. The arena plays unrated pairs of matches until the
    result is certain. If the test ends early, the difference looks larger than it is. If these versions are already
    being compared, that comparison is shown. Exit codes: 0 better (or started, without --wait), 1 not better or
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
        wanted["options"] = read_options(find_game(api.get(f"bots/{version['bot']}/")["game"]), rule_options)
    comparison = _start_or_attach(api, wanted)
    if wait:
        address = f"{ROOT}comparisons/{comparison['id']}/"
        comparison = follow(api, address, lambda seen: seen["state"] != "running", _describe_evidence)
    click.echo(json.dumps(comparison) if as_json else _describe_comparison(comparison))
    sys.exit(EXIT_CODES.get(comparison["state"], EXIT_MACHINE) if wait else 0)


def _start_or_attach(api: Api, wanted: dict[str, Any]) -> dict[str, Any]:
    """Return a new comparison, or the running one of the same versions. Raises click.ClickException."""
    try:
        started: dict[str, Any] = api.post("comparisons/", json=wanted)
    except Refused as refused:
        if refused.status != CONFLICT or (running := _find_running(api, wanted)) is None:
            raise
        click.echo(f"Comparison {running['id']} of these versions is already running. Its state:", err=True)
        if wanted["promote_if_better"] and not running["promote_if_better"]:
            click.echo("It was started without --promote, so nothing will be promoted.", err=True)
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


def _describe_evidence(comparison: dict[str, Any]) -> str:
    llr, suffix = comparison["llr"], ""
    if (luck := _deciding_luck(comparison)) is not None:
        llr, suffix = luck["llr"], f", {llr:+.2f} with luck"
    return f"{comparison['pairs']} pairs, {describe_evidence(llr, comparison['llr_bound'])}{suffix}"


def _deciding_luck(comparison: dict[str, Any]) -> dict[str, Any] | None:
    """Return the results less luck where these decide. Older arenas know of none."""
    luck: dict[str, Any] | None = comparison.get("luck")
    return None if luck is None or luck["is_suspended"] else luck


def _describe_comparison(comparison: dict[str, Any]) -> str:
    better, than = (f"{one['bot']} v{one['version']}" for one in (comparison["version"], comparison["baseline"]))
    lines = [
        f"{better} with {than}: {comparison['state']}. {comparison['state_reason']}".strip(),
        _describe_evidence(comparison),
    ]
    if found := (_deciding_luck(comparison) or comparison)["estimate"]:
        lines.append(f"{found['elo']:+.0f} Elo, from {found['low']:+.0f} to {found['high']:+.0f}")
    if comparison["promoted_at"]:
        lines.append("Now on the ladders.")
    return "\n".join([*lines, comparison["html_url"]])
