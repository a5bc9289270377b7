"""A client of an arena's API, with or without a token."""

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

import click
import httpx
import orjson

from arena.runner.text import make_visible

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


EXIT_ARENA_ERROR = 3
"""The exit code where an arena refuses a request or can't be reached, so that the answer to a question is not known."""
UNAUTHORIZED = 401


class ArenaError(click.ClickException):
    """The arena can't be asked."""

    exit_code = EXIT_ARENA_ERROR


class Refused(ArenaError):
    """The arena refused a request. `message` says why, `fields` has the errors of each field."""

    def __init__(self, status: int, message: str, fields: dict[str, list[str]] | None = None) -> None:
        lines = [f"{name}: {' '.join(sentences)}" for name, sentences in (fields or {}).items()]
        super().__init__("\n".join([message, *lines]))
        self.status = status


@dataclass
class Api:
    """A client for use within one command. `url` is the arena's address, without the path of the API."""

    url: str
    token: str = ""
    tries: int = 3
    """How often an answer is asked for that got lost on the way, where asking twice does no harm."""
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
                raise ArenaError(f"{self.url} has no list at {following}")
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
                        _write(answer, target)
                        return
                    answer.read()
            except httpx.HTTPError as error:
                tries -= 1
                if not tries:
                    raise ArenaError(f"{self.url} can't be reached: {error}") from error
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
                    raise ArenaError(f"{self.url} can't be reached: {error}") from error
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
            raise Refused(answer.status_code, f"{answer.url} answers {answer.status_code} {answer.reason_phrase}.")
        told = make_visible(str(error.get("message", "")))
        if answer.status_code == UNAUTHORIZED:
            told += f" Create a token at {self.url}/tokens/ and set PENNANT_TOKEN to it."
        raise Refused(answer.status_code, told, error.get("fields"))

    def _wait(self, answer: httpx.Response) -> bool:
        """Wait as long as the arena asks for. Return False if that would exceed RETRY_BUDGET_S."""
        retry_after = answer.headers.get("Retry-After", "")
        seconds = max(1.0, float(retry_after)) if retry_after.isdecimal() else 5.0
        if self.waited_s + seconds > RETRY_BUDGET_S:
            return False
        self.waited_s += seconds
        click.echo(f"The arena is busy; trying again in {seconds:.0f} s.", err=True)
        time.sleep(seconds)
        return True


def _write(answer: httpx.Response, target: Path) -> None:
    with target.open("wb") as file:
        for part in answer.iter_bytes():
            file.write(part)


def _content(answer: httpx.Response) -> Any:
    try:
        content = orjson.loads(answer.content) if answer.content else None
    except ValueError:
        raise ArenaError(f"{answer.url} is not part of an arena's API.") from None
    return content


def find_api(*, needs_token: bool = True) -> Api:
    """Return the arena of PENNANT_URL, with the token of PENNANT_TOKEN. Raises click.ClickException."""
    url, token = os.environ.get("PENNANT_URL", "").rstrip("/"), os.environ.get("PENNANT_TOKEN", "")
    if not url:
        raise click.ClickException("Which arena? Set PENNANT_URL, as in PENNANT_URL=https://arena.example")
    if not url.startswith(("http://", "https://")):
        raise click.ClickException(f"PENNANT_URL is {url!r}, and should begin with https:// or http://")
    if needs_token and not token:
        raise click.ClickException(f"Create a token at {url}/tokens/ and set PENNANT_TOKEN to it.")
    return Api(url, token)


def follow(api: Api, path: str, is_over: Callable[[Any], bool], describe: Callable[[Any], str]) -> Any:
    """Poll until `is_over`, print progress on stderr, and return the last answer."""
    api.tries = POLLING_TRIES
    printed, pause = "", FIRST_POLL_INTERVAL_S
    while not is_over(seen := api.get(path)):
        if (sentence := describe(seen)) != printed:
            click.echo(sentence, err=True)
            printed = sentence
        time.sleep(pause)
        pause = min(MAX_POLL_INTERVAL_S, 1.3 * pause)
    return seen
