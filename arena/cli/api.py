"""A client of an arena's API; `pennant team`, `group`, `record` and `download` show and fetch what an arena has."""

import gzip
import json
import os
import time
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from math import inf
from pathlib import Path
from typing import Any
from urllib.parse import quote, urljoin, urlsplit

import click
import httpx
import orjson
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn

from arena.cli import MachineError, writing
from arena.runner.protocol import make_visible

# A client of an arena's API, with or without a token.

ROOT = "/api/v1/"
TIMEOUT_S = 30.0
RETRY_BUDGET_S = 300.0
"""Total time to wait for an arena that limits the rate of requests."""
RETRYABLE_STATUSES = (429, 503)
GATEWAY_ERRORS = (502, 504)
"""Statuses of a gateway, which doesn't know whether the arena processed the request."""
POLLING_TRIES = 60
"""Attempts, one per second: enough for an arena that restarts."""
FIRST_POLL_INTERVAL_S, MAX_POLL_INTERVAL_S = 1.0, 15.0
UNAUTHORIZED, NOT_FOUND = 401, 404


class ArenaRequestError(MachineError):
    """The arena can't be asked, so that the answer to a question is not known."""


class Refused(ArenaRequestError):
    """The arena, or what answers at its address, refused a request. `message` says why."""

    def __init__(
        self, status: int, message: str, fields: dict[str, list[str]] | None = None, *, is_from_api: bool = True
    ) -> None:
        """Describe the refusal. `fields` has the errors of each field."""
        lines = [f"{name}: {' '.join(sentences)}" for name, sentences in (fields or {}).items()]
        super().__init__("\n".join([message, *lines]))
        self.status = status
        self.is_from_api = is_from_api

    @property
    def is_missing(self) -> bool:
        """Return whether the arena doesn't have what was asked for. A wrong address doesn't say that."""
        return self.status == NOT_FOUND and self.is_from_api


@dataclass
class Api:
    """A client for use within one command. `url` is the arena's address, without the path of the API."""

    url: str
    token: str = ""
    tries: int = 3
    """How often an answer is asked for that got lost on the way, where asking twice does no harm."""
    patience_s: float = RETRY_BUDGET_S
    """How long to wait for an arena that is busy."""
    waited_s: float = field(default=0.0, init=False)

    @cached_property
    def client(self) -> httpx.Client:
        """Return the HTTP client, made at the first request."""
        headers = {"Accept": "application/json", "User-Agent": "pennant"}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        client = httpx.Client(headers=headers, timeout=TIMEOUT_S)
        click.get_current_context().call_on_close(client.close)
        return client

    def get(self, path: str, **query: Any) -> Any:
        """Return the JSON at a path."""
        return self.ask("GET", path, params=query or None)

    def post(self, path: str, **content: Any) -> Any:
        """Return the JSON answer to a POST request."""
        return self.ask("POST", path, **content)

    def pages(self, path: str, **query: Any) -> Iterator[Any]:
        """Yield all rows of a paged list."""
        following: str | None = path
        while following:
            page = self.get(following, **query)
            if not isinstance(page, dict) or not isinstance(page.get("results"), list):
                raise ArenaRequestError(f"{self.url} has no list at {following}")
            yield from page["results"]
            following, query = page.get("next"), {}

    def download(self, path: str) -> bytes:
        """Return the bytes of a file at a path. Raises click.ClickException."""
        return self.request("GET", path).content

    def save(self, path: str, target: Path) -> None:
        """Write the file at a path to disk while it arrives: it may be larger than memory.

        Raises click.ClickException or OSError.
        """
        address, tries = self._address(path), self.tries
        while True:
            try:
                with self.client.stream("GET", address) as answer:
                    if answer.is_success:
                        self.waited_s = 0.0
                        _write_answer(answer, target)
                        return
                    answer.read()
            except httpx.HTTPError as error:
                tries -= 1
                if not tries:
                    raise ArenaRequestError(f"{self.url} can't be reached: {error}") from error
                time.sleep(1)
            else:
                if answer.status_code not in RETRYABLE_STATUSES + GATEWAY_ERRORS or not self._wait(answer):
                    self._check(answer)

    def ask(self, method: str, path: str, **content: Any) -> Any:
        """Return the answer's JSON, or None where it has none.

        Waits where the arena asks for it. Raises click.ClickException.
        """
        return _content(self.request(method, path, **content))

    def request(self, method: str, path: str, **content: Any) -> httpx.Response:
        """Return the answer to a request that succeeded, as `ask` does."""
        address = self._address(path)
        is_safe = method == "GET" or "Idempotency-Key" in content.get("headers", {})
        retried = RETRYABLE_STATUSES + GATEWAY_ERRORS if is_safe else RETRYABLE_STATUSES
        while True:
            answer = self._send(method, address, self.tries if is_safe else 1, **content)
            if answer.status_code not in retried or not self._wait(answer):
                self.waited_s = 0.0
                self._check(answer)
                return answer

    def _send(self, method: str, address: str, tries: int, **content: Any) -> httpx.Response:
        while True:
            try:
                return self.client.request(method, address, **content)
            except httpx.HTTPError as error:
                tries -= 1
                if not tries:
                    raise ArenaRequestError(f"{self.url} can't be reached: {error}") from error
                time.sleep(1)

    def _address(self, path: str) -> str:
        """Return the URL of a path below the API's root, or of an address the arena returned.

        The result is always on the arena's own host: the token is sent nowhere else, and the arena may be behind a
        proxy it doesn't know of.
        """
        scheme, host = urlsplit(self.url)[:2]
        return urlsplit(urljoin(self.url + ROOT, path))._replace(scheme=scheme, netloc=host).geturl()

    def _check(self, answer: httpx.Response) -> None:
        """Raise Refused where the arena refuses a request."""
        if answer.is_success:
            return
        try:
            content = orjson.loads(answer.content)
        except ValueError:
            content = None
        error = content.get("error") if isinstance(content, dict) else None
        if not isinstance(error, dict):
            problem = f"{answer.url} returned {answer.status_code} {answer.reason_phrase}."
            raise Refused(answer.status_code, problem, is_from_api=False)
        told = make_visible(str(error.get("message", "")))
        if answer.status_code == UNAUTHORIZED:
            told += f" Create a token at {self.url}/tokens/ and set PENNANT_TOKEN to it."
        raise Refused(answer.status_code, told, error.get("fields"))

    def _wait(self, answer: httpx.Response) -> bool:
        """Wait as long as the arena asks for. Return False if that would exceed `patience_s`."""
        retry_after = answer.headers.get("Retry-After", "")
        seconds = max(1.0, float(retry_after)) if retry_after.isdecimal() else 5.0
        if self.waited_s + seconds > self.patience_s:
            return False
        self.waited_s += seconds
        click.echo(f"The arena is busy. Trying again in {seconds:.0f} s.", err=True)
        time.sleep(seconds)
        return True


def _write_answer(answer: httpx.Response, target: Path) -> None:
    with target.open("wb") as file:
        for part in answer.iter_bytes():
            file.write(part)


def _content(answer: httpx.Response) -> Any:
    try:
        content = orjson.loads(answer.content) if answer.content else None
    except ValueError:
        raise ArenaRequestError(f"{answer.url} isn't part of an arena's API.") from None
    return content


def find_api(*, url: str | None = None, needs_token: bool = True) -> Api:
    """Return the arena at `url` or of PENNANT_URL, with the token of PENNANT_TOKEN. Raises click.ClickException."""
    url = (url or os.environ.get("PENNANT_URL", "")).rstrip("/")
    token = os.environ.get("PENNANT_TOKEN", "")
    if not url:
        raise click.ClickException("Which arena? Set PENNANT_URL, as in PENNANT_URL=https://arena.example")
    if not url.startswith(("http://", "https://")):
        raise click.ClickException(f"The arena's address is {url!r}, but should begin with https:// or http://")
    if needs_token and not token:
        raise click.ClickException(f"Create a token at {url}/tokens/ and set PENNANT_TOKEN to it.")
    return Api(url, token)


def follow(
    api: Api, path: str, is_over: Callable[[Any], bool], describe: Callable[[Any], str], limit_s: float = inf
) -> Any:
    """Poll until `is_over` or for `limit_s`, print progress on stderr, and return the last answer."""
    api.tries = POLLING_TRIES
    printed, pause, deadline = "", FIRST_POLL_INTERVAL_S, time.monotonic() + limit_s
    while not is_over(seen := api.get(path)):
        if time.monotonic() >= deadline:
            minutes = f"No result after {limit_s / 60:g} minutes."
            raise ArenaRequestError(f"{minutes} To wait longer: --wait-limit MINUTES")
        if (sentence := describe(seen)) != printed:
            click.echo(sentence, err=True)
            printed = sentence
        time.sleep(pause)
        pause = min(MAX_POLL_INTERVAL_S, 1.3 * pause)
    return seen


# `pennant team`, `group`, `record` and `download`: show and fetch what an arena has.

# `pennant download`: fetch the records of many matches into one file.

EXPORT_PATH = "records/export/"
CUT_OFF = "the arena ended the download early; run the command again to continue"


@dataclass(frozen=True, slots=True)
class Position:
    """Where a download goes on: after the match `after`, of those that ended at `since` or later."""

    since: str | None = None
    after: int = 0

    @property
    def query(self) -> dict[str, Any]:
        """Return it as parameters of a request."""
        return {} if self.since is None else {"since": self.since, "after": self.after}


@click.command("download")
@click.option("--bot", metavar="BOT", help="Only matches of this bot.")
@click.option("--opponent", metavar="BOT", help="Only matches of --bot against this one.")
@click.option("--result", type=click.Choice(("won", "lost", "drawn")), help="Only matches with this result for --bot.")
@click.option(
    "--fault", metavar="VERDICT", help="Only matches with this fault, such as crash, or any; by --bot if given."
)
@click.option(
    "--min-rating",
    type=int,
    help="Only rated matches in which the other bots were rated at least this high beforehand.",
)
@click.option(
    "--max-rating",
    type=int,
    help="Only rated matches in which the other bots were rated no higher than this beforehand.",
)
@click.option(
    "--ladder",
    metavar="GAME/EDITION[/CLOCK]",
    help="Only matches of this edition, or of an open ladder, as in battleline/standard/open.",
)
@click.option("--season", metavar="NUMBER", type=click.IntRange(min=1), help="Only rated matches of this season.")
@click.option(
    "--since", metavar="DATE", type=click.DateTime(), help="Only matches that ended at or after this time, in UTC."
)
@click.option(
    "--until", metavar="DATE", type=click.DateTime(), help="Only matches that ended before this time, in UTC."
)
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("records.jsonl.gz"),
    show_default=True,
    help="File to write. If the file exists, the download continues where it left off.",
)
def download(since: datetime | None, out: Path, **filters: Any) -> None:
    """Download an arena's public records as gzipped JSON lines.

    Set PENNANT_URL to the arena. Each line contains a record, its match, leg and hash, and the time when the match
    ended. `pennant verify` checks the whole file. Run the same command later to add new records.
    """
    api = find_api(needs_token=False)
    query = build_query(**filters)
    start = Position(f"{since.isoformat()}Z") if since else Position()
    with writing(out):
        position = find_end(out) or start
        count = 0
        with Progress(SpinnerColumn(), TextColumn("{task.description}"), console=Console(stderr=True)) as progress:
            task = progress.add_task("asking")
            for content, number in fetch_parts(api, query, position):
                with out.open("ab") as file:
                    file.write(content)
                count += number
                progress.update(task, description=f"{count} records")
    click.echo(f"{out}: {count} new records" if count else f"{out}: nothing new")


def build_query(ladder: str | None, season: int | None, until: datetime | None, **others: Any) -> dict[str, Any]:
    """Return the filters as parameters of a request. Raises click.UsageError."""
    query = {name: value for name, value in others.items() if value is not None}
    for name in ("opponent", "result"):
        if name in query and "bot" not in query:
            raise click.UsageError(f"--{name} needs a bot: add --bot")
    if ladder is not None:
        names = ladder.split("/")
        if len(names) not in (2, 3):
            raise click.UsageError("--ladder takes GAME/EDITION, as in battleline/standard")
        query |= dict(zip(("game", "edition", "clock"), names, strict=False))
    if season is not None:
        if ladder is None:
            raise click.UsageError("--season needs a ladder: add --ladder")
        query["season"] = season
    return query | ({"until": f"{until.isoformat()}Z"} if until else {})


def fetch_parts(api: Api, query: dict[str, Any], position: Position) -> Iterator[tuple[bytes, int]]:
    """Yield compressed lines without the last, which is the arena's own, and their number, a request at a time."""
    while True:
        answer = api.request("GET", EXPORT_PATH, params=query | position.query)
        *lines, last = read_lines(answer.content)
        if lines:
            yield gzip.compress(b"".join(lines)), len(lines)
        following = orjson.loads(last).get("next")
        if following is None:
            return
        position = Position(following["since"], following["after"])


def read_lines(content: bytes) -> list[bytes]:
    """Return the lines of an answer, the last of which says that it is whole. Raises ArenaError."""
    try:
        lines = gzip.decompress(content).splitlines(keepends=True)
    except (OSError, EOFError, zlib.error) as error:
        raise ArenaRequestError(f"{CUT_OFF}: {error}") from error
    if not lines or not lines[-1].startswith(b'{"end":true'):
        raise ArenaRequestError(CUT_OFF)
    return lines


def find_end(file: Path) -> Position | None:
    """Return the position after the last record of a file; None if there is none. Raises click.ClickException."""
    if not file.exists():
        return None
    last = b""
    try:
        with gzip.open(file) as lines:
            for line in lines:
                last = line
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise click.ClickException(f"{file} isn't a download, or was cut off: {error}") from error
    if not last:
        return None
    record = orjson.loads(last)
    return Position(record["finished_at"], record["match"])


# `pennant record`: fetch the records of matches on an arena.


@click.command()
@click.argument("match", type=click.IntRange(min=1))
@click.argument("leg", type=click.IntRange(min=1), required=False)
@click.option(
    "--out", type=click.Path(file_okay=False, path_type=Path), help="Write MATCH-LEG.json for each leg to this folder."
)
def record(match: int, leg: int | None, out: Path | None) -> None:
    """Download the records of a finished match or one of its legs, one JSON object per line.

    Set PENNANT_URL to the arena. `pennant verify` checks records.
    """
    api = find_api(needs_token=False)
    for number in [leg] if leg else _legs(api, match):
        found = orjson.dumps(api.get(f"matches/{match}/legs/{number}/record/"))
        if out is None:
            click.echo(found)
        else:
            click.echo(_write_file(out, f"{match}-{number}.json", found))


def _legs(api: Api, match: int) -> list[int]:
    """Return the numbers of the match's legs. Raises click.ClickException if it isn't finished."""
    details: dict[str, Any] = api.get(f"matches/{match}/")
    if details["state"] != "finished":
        raise click.ClickException(
            f"Match {match} is {details['state']}, so it has no records. {details['state_reason']}".strip()
        )
    return [leg["number"] for leg in details["legs"]]


def _write_file(folder: Path, name: str, content: bytes) -> str:
    with writing(folder / name):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content + b"\n")
    return str(folder / name)


# `pennant team`: who works on a bot.

TEAM_ACTIONS = ("invite", "remove", "lead", "accept", "refuse")


@click.command()
@click.argument("bot")
@click.option("--invite", metavar="NAME", help="Invite the author with this username.")
@click.option("--remove", metavar="NAME", help="Remove this author from the team, or withdraw the invitation.")
@click.option("--lead", metavar="NAME", help="Hand the lead to this author. You stay on the team.")
@click.option("--accept", is_flag=True, help="Accept your invitation.")
@click.option("--refuse", is_flag=True, help="Decline your invitation.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON list.")
def team(bot: str, as_json: bool, **actions: Any) -> None:
    """Show who works on the bot with the slug BOT, or change its team with one option.

    Only the lead can invite, remove and hand over the lead. To leave the team, use --remove with your own name. Set
    PENNANT_URL to the arena and PENNANT_TOKEN to your token.
    """
    chosen = {name: value for name, value in actions.items() if value}
    if len(chosen) > 1:
        raise click.UsageError(f"Choose one of {', '.join(f'--{name}' for name in TEAM_ACTIONS)}.")
    api = find_api()
    for name, value in chosen.items():
        if not _change(api, bot, name, value):
            click.echo("[]" if as_json else f"You don't work on {bot}.")
            return
    people = api.get(f"bots/{bot}/team/")["people"]
    click.echo(json.dumps(people) if as_json else "\n".join(map(_describe_member, people)))


def _change(api: Api, bot: str, action: str, value: Any) -> bool:
    """Change the team. Return whether one may still read who is on it."""
    if action == "invite":
        api.post(f"bots/{bot}/team/", json={"username": value})
    elif action == "lead":
        api.post(f"bots/{bot}/lead/", json={"username": value})
    elif action == "remove":
        is_own = api.get("me/")["username"] == value
        api.ask("DELETE", f"bots/{bot}/team/{quote(value, safe='')}/")
        return not is_own
    else:
        api.ask("POST" if action == "accept" else "DELETE", f"bots/{bot}/invitation/")
        return action == "accept"
    return True


def _describe_member(person: dict[str, Any]) -> str:
    if person["is_lead"]:
        return f"{person['username']} (lead)"
    return person["username"] if person["joined_at"] else f"{person['username']} (invited)"


# `pennant group`: show, export and delete a group.


@click.command()
@click.argument("slug")
@click.option(
    "--export",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write members, bots, tournaments and records to this zip. Owners only.",
)
@click.option("--delete", is_flag=True, help="Delete the group permanently. Owners only; asks for its name.")
@click.option("--confirm", metavar="NAME", help="With --delete: the group's name, to skip the question.")
@click.option("--json", "as_json", is_flag=True, help="Print the group as a JSON object.")
def group(slug: str, export: Path | None, delete: bool, confirm: str | None, as_json: bool) -> None:
    """Show one of your groups, export it or delete it.

    With both options, the group is exported first. The file contains real names: keep it safe. Set PENNANT_URL to the
    arena and PENNANT_TOKEN to your token.
    """
    if export is not None and export.exists():
        raise click.UsageError(f"{export} already exists.")
    api = find_api()
    found = api.get(f"groups/{slug}/")
    if export is not None:
        _export(api, slug, export)
    if delete:
        question = f"Type {found['name']} to delete the group permanently"
        name = confirm if confirm is not None else click.prompt(question, err=True)
        api.ask("DELETE", f"groups/{slug}/", params={"confirmation": name})
        click.echo(f"Deleted {found['name']}.", err=True)
    elif export is None:
        click.echo(json.dumps(found) if as_json else _describe_group(found))


def _export(api: Api, slug: str, path: Path) -> None:
    """Write the zip of a group, which nobody but its owner may read."""
    content = api.download(f"groups/{slug}/export/")
    path.touch(mode=0o600)
    path.write_bytes(content)
    click.echo(f"Wrote {path}.", err=True)


def _describe_group(found: dict[str, Any]) -> str:
    role = found["role"].replace("_", "-")
    return f"{found['name']} ({found['html_url']}), members: {found['members']}, your role: {role}"
