"""The HTTP side of remote bots: long polls, answers and goodbyes in one asyncio loop, and who may send them.

uvicorn and h11 read and write HTTP. Here are the limits that they leave out, the routes, and the end: a poll that waits
is two tasks and no thread. What is played stands in `hub.py`.
"""

import asyncio
import logging
import math
import signal
import socket
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from time import monotonic
from typing import Any
from urllib.parse import parse_qs

import orjson
from cachetools import TTLCache
from django.conf import settings
from django.db import InterfaceError, OperationalError, close_old_connections, connections
from django.db.models import Q
from django.http import HttpRequest
from django.utils.timezone import now
from django.utils.translation import override
from uvicorn import Config
from uvicorn import Server as HttpServer
from uvicorn.protocols.http.h11_impl import H11Protocol

from arena.bots.models import Bot, Token
from arena.bots.teams import TOKEN_LAST_USE_RESOLUTION, TOKEN_TEXT_PREFIX, hash_token
from arena.core.errors import ArenaError, build_error, first_line
from arena.core.handover import PREFIX, receive_connections
from arena.core.http import find_client_network
from arena.core.messages import render_message
from arena.matches.remote.hub import Envelope, Hub
from arena.matches.remote.models import RemoteSeat
from arena.people.accounts.services import STAFF_NEED_SECOND_FACTOR, lacks_required_second_factor
from arena.runner.protocol import MAX_LINE_BYTES, format_binary
from engine.core import Json
from engine.message import Message, gettext_noop, message

logger = logging.getLogger(__name__)

POLL_S = 25.0
"""How long a poll waits for a message. Proxies and mobile networks cut what says nothing for a minute."""
HEAD_TIMEOUT_S = 10.0
BODY_TIMEOUT_S = 10.0
KEEP_ALIVE_S = 130
"""As for the web: proxies close idle connections earlier, so none asks by one that is just being closed."""
STOP_TIMEOUT_S = 8
"""Time for answers that are being stored when the server stops."""
UNSENT_TIMEOUT_MS = 30_000
"""A client that takes nothing of its response for this long is gone."""
MAX_HEAD_BYTES = 16 * 1024
MAX_BODY_BYTES = 2 * MAX_LINE_BYTES + 4096
"""A line and its envelope: in JSON, each quotation mark of the line takes two bytes."""
MAX_CONNECTIONS = 2000
MAX_ROOM = 8
ROOMS = [str(room) for room in range(MAX_ROOM + 1)]
"""With room for no leg, a bot finishes those that it has."""
MAX_REQUESTS_PER_BOT = MAX_ROOM + 2
"""Requests of one bot that are being answered: an answer for each leg, a poll, and the one that replaces it."""
MAX_WRONG_TOKENS_PER_MINUTE = 120
"""Per address. Only these ask the database."""
MAX_REPLAYED_PER_MINUTE = 20_000
"""Decisions that are replayed for fresh processes of a stateful bot. They take some 4 s of this process."""
MAX_NAME_LENGTH = 200
RETRY_AFTER_S = 2.0


# Say what is wrong with a request.


class Refused(ArenaError):
    """A request can't be answered."""

    def __init__(self, status: int, problem: Message, *, retry_after: float | None = None) -> None:
        super().__init__(problem, retry_after=retry_after)
        self.status = status


def refuse(status: int, template: str, *, retry_after: float | None = None, **values: str | int) -> Refused:
    """Return the error with this status and sentence."""
    return Refused(status, message(template, **values), retry_after=retry_after)


STOPPING = gettext_noop("The arena is restarting. Try again in a moment.")
DATABASE_FAILED = gettext_noop("The database doesn't answer. Try again in a moment.")
FAILED = gettext_noop("The arena failed to answer. The error was logged.")
WRONG_TOKEN = gettext_noop("This token is invalid or has been revoked.")
NO_TOKEN = gettext_noop("Send a token in the header Authorization: Bearer pnt_….")
NO_BOT = gettext_noop("There's no bot with the address %(bot)s.")


# Know who may play for a bot: a token's text and a bot are looked up once, and checked again while they are in use.
#
# One thread asks the database about all that wait, so 500 bots that connect at once take a few queries.

GRANT_CHECK_INTERVAL_S = 8.0
"""A revoked token, a suspended author or a stopped bot is noticed after this time at most, also by a waiting poll."""
GRANT_KEPT_S = 60.0
MAX_KNOWN_KEYS = 4096

GrantKey = tuple[str, str]
"""A token's hash and a bot's slug."""


@dataclass(slots=True)
class Grant:
    """A bot that a token may play for."""

    bot: int
    used_at: float = 0.0
    """By the monotonic clock."""


def look_up(keys: Collection[GrantKey]) -> dict[GrantKey, Grant | ArenaError]:
    """Return for each token and bot the grant, or why there is none, and note the tokens' use. Reads the database."""
    close_old_connections()
    valid = Token.objects.valid().filter(digest__in={digest for digest, _ in keys}, owner__is_active=True)
    tokens = {token.digest: token for token in valid.select_related("owner")}
    bots = {bot.slug: bot for bot in Bot.objects.filter(slug__in={slug for _, slug in keys}).select_related("owner")}
    long_ago = Q(last_used_at=None) | Q(last_used_at__lt=now() - TOKEN_LAST_USE_RESOLUTION)
    if unnoted := [token.pk for token in tokens.values() if _is_use_old(token)]:
        Token.objects.filter(long_ago, pk__in=unnoted).update(last_used_at=now())
    return {(digest, slug): _decide(tokens.get(digest), bots.get(slug), slug) for digest, slug in keys}


def _is_use_old(token: Token) -> bool:
    return token.last_used_at is None or token.last_used_at < now() - TOKEN_LAST_USE_RESOLUTION


def _decide(token: Token | None, bot: Bot | None, slug: str) -> Grant | ArenaError:
    if token is None:
        return refuse(401, WRONG_TOKEN)
    if bot is None or not (bot.has_author(token.owner) or Bot.objects.visible_to(token.owner).contains(bot)):
        return refuse(404, NO_BOT, bot=slug)
    problem = _find_obstacle(token, bot)
    return Grant(bot.pk) if problem is None else Refused(403, message(problem, bot=bot.name))


def _find_obstacle(token: Token, bot: Bot) -> str | None:
    """Return the sentence that says why a token may not play for a bot that its owner sees, or None."""
    if not bot.has_author(token.owner):
        return gettext_noop("%(bot)s isn't your bot.")
    if token.bot_id not in (None, bot.pk):
        return gettext_noop("This token doesn't give access to %(bot)s.")
    if not bot.is_remote:
        return gettext_noop("%(bot)s isn't a remote bot: the arena runs it.")
    if token.owner.suspended_at is not None or bot.owner.suspended_at is not None:
        return gettext_noop("The arena's staff suspended an author of %(bot)s.")
    if bot.stopped_at is not None and (bot.is_stopped_by_staff or not _has_unfinished_legs(bot)):
        return gettext_noop("%(bot)s is stopped and doesn't play.")
    return STAFF_NEED_SECOND_FACTOR if lacks_required_second_factor(token.owner) else None


def _has_unfinished_legs(bot: Bot) -> bool:
    """Return whether a bot still has legs: its owner's wish to retire it isn't one to lose them."""
    return RemoteSeat.objects.filter(bot=bot, has_end=False).exists()


class Gate:
    """The grants in use, and what was refused lately."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="grants")
        self._grants: dict[GrantKey, Grant] = {}
        self._refused: TTLCache[GrantKey, ArenaError] = TTLCache(MAX_KNOWN_KEYS, GRANT_CHECK_INTERVAL_S)
        self._wanted: dict[GrantKey, asyncio.Future[Grant | ArenaError]] = {}
        self._round: asyncio.Task[None] | None = None

    async def admit(self, token: str, slug: str, strangers: "Bucket") -> tuple[GrantKey, Grant]:
        """Return the grant of a token for a bot. Raises ArenaError, for an unknown token once `strangers` is empty."""
        key = (hash_token(token), slug)
        found: Grant | ArenaError | None = self._grants.get(key) or self._refused.get(key)
        if found is None:
            if not token.startswith(TOKEN_TEXT_PREFIX):
                raise refuse(401, WRONG_TOKEN)
            # One query asks about all bots that connect, and PostgreSQL refuses it for a NUL in any name.
            if len(slug) > MAX_NAME_LENGTH or not slug.isprintable():
                raise refuse(404, NO_BOT, bot=slug[:MAX_NAME_LENGTH])
            strangers.check()
            found = await self._ask(key)
            if isinstance(found, ArenaError):
                strangers.take()
        if isinstance(found, ArenaError):
            raise found
        found.used_at = monotonic()
        return key, found

    def check(self, key: GrantKey) -> None:
        """Note that a grant is in use. Raises ArenaError where it holds no longer."""
        grant = self._grants.get(key)
        if grant is None:
            raise self._refused.get(key) or refuse(401, WRONG_TOKEN)
        grant.used_at = monotonic()

    async def _ask(self, key: GrantKey) -> Grant | ArenaError:
        answer = self._wanted.get(key)
        if answer is None:
            answer = self._wanted[key] = asyncio.get_running_loop().create_future()
        if self._round is None:
            self._round = asyncio.create_task(self._ask_for_all())
        return await asyncio.shield(answer)

    async def _ask_for_all(self) -> None:
        while self._wanted:
            wanted, self._wanted = self._wanted, {}
            try:
                found = await self._look_up(wanted)
            except Exception as error:
                for answer in wanted.values():
                    answer.set_exception(error)
                    answer.exception()  # the one who asked may be gone
                continue
            for key, answer in wanted.items():
                self._store(key, found[key])
                answer.set_result(found[key])
        self._round = None

    async def check_again(self) -> None:
        """Drop what nobody uses any more, and what holds no longer."""
        recent = monotonic() - GRANT_KEPT_S
        self._grants = {key: grant for key, grant in self._grants.items() if grant.used_at > recent}
        if self._grants:
            for key, found in (await self._look_up(list(self._grants))).items():
                self._store(key, found)

    def _store(self, key: GrantKey, found: Grant | ArenaError) -> None:
        known = self._grants.get(key)
        if isinstance(found, ArenaError):
            self._grants.pop(key, None)
            self._refused[key] = found
        elif known is None or known.bot != found.bot:
            found.used_at = monotonic()
            self._grants[key] = found

    async def _look_up(self, keys: Collection[GrantKey]) -> dict[GrantKey, Grant | ArenaError]:
        return await asyncio.get_running_loop().run_in_executor(self._thread, look_up, keys)

    async def close(self) -> None:
        """End the thread and its connection to the database."""
        await asyncio.get_running_loop().run_in_executor(self._thread, connections.close_all)
        self._thread.shutdown()


# Limit what one client may ask for.


class Bucket:
    """A limit of requests a minute. A burst can use up the allowance of a whole minute."""

    def __init__(self, per_minute: int) -> None:
        self._per_minute, self._left, self._at = per_minute, float(per_minute), monotonic()

    def check(self) -> None:
        """Raise Refused where another request would be one too many."""
        at = monotonic()
        self._left = min(self._per_minute, self._left + (at - self._at) * self._per_minute / 60)
        self._at = at
        if self._left < 1:
            wait_s = max(1, math.ceil((1 - self._left) * 60 / self._per_minute))
            problem = gettext_noop("Too many requests; try again in %(seconds)s s.")
            raise refuse(429, problem, retry_after=wait_s, seconds=wait_s)

    def take(self, count: int = 1) -> None:
        """Count requests."""
        self._left -= count


class Limits:
    """The buckets of bots and addresses, and the requests and connections that each has open."""

    def __init__(self) -> None:
        self._buckets: TTLCache[object, Bucket] = TTLCache(MAX_KNOWN_KEYS, 120)
        self.held: Counter[object] = Counter()

    def find_bucket(self, key: object, per_minute: int) -> Bucket:
        """Return the bucket of a bot or an address."""
        bucket = self._buckets.get(key)
        if bucket is None:
            bucket = Bucket(per_minute)
        self._buckets[key] = bucket  # it is kept for as long as it is used
        return bucket

    def hold(self, key: object) -> int:
        """Count something open for a bot or an address, and return how many there are."""
        self.held[key] += 1
        return self.held[key]

    def release(self, key: object) -> None:
        """Count one less."""
        self.held[key] -= 1
        if self.held[key] <= 0:
            del self.held[key]


def find_network(peer: str, headers: Mapping[bytes, bytes]) -> str:
    """Return what the requests of one client are counted by, as the site does."""
    request = HttpRequest()
    request.META = {"REMOTE_ADDR": peer}
    if b"x-forwarded-for" in headers:
        request.META["HTTP_X_FORWARDED_FOR"] = headers[b"x-forwarded-for"].decode("latin-1")
    return find_client_network(request)


class Connection(H11Protocol):
    """A connection whose requests have to arrive in time, and of which there are only so many."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Count it, and wait for a request's head."""
        super().connection_made(transport)
        self.app_state = {"connection": self, **self.app_state}
        self._deadline: asyncio.TimerHandle | None = None
        self.app_of_bots: RemoteBots = self.config.loaded_app
        self.network = find_network(self.client[0] if self.client else "", {})
        self.is_one_too_many = False
        if not settings.PROXIES:  # else all come from the proxy, and their requests are counted
            most = settings.REMOTE_CONNECTIONS_PER_ADDRESS
            self.is_one_too_many = self.app_of_bots.limits.hold(("connections", self.network)) > most
        with suppress(OSError):
            transport.get_extra_info("socket").setsockopt(
                socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, UNSENT_TIMEOUT_MS
            )
        if len(self.connections) > MAX_CONNECTIONS:
            transport.abort()
        else:
            self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget it."""
        self._stop_waiting()
        if not settings.PROXIES:
            self.app_of_bots.limits.release(("connections", self.network))
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read on; from a request's first byte, its head has to be complete in time."""
        if not self.is_answering and self._deadline is None:
            self._await_head()
        super().data_received(data)
        if self.is_answering:
            self._stop_waiting()

    def on_response_complete(self) -> None:
        """Go on with the next request, of which a part may have arrived already."""
        super().on_response_complete()
        if not self.is_answering and self._deadline is None and self.conn.trailing_data[0]:
            self._await_head()

    @property
    def is_answering(self) -> bool:
        """Return whether a request's head has been read, and its response isn't complete."""
        return self.cycle is not None and not self.cycle.response_complete

    def _await_head(self) -> None:
        self._deadline = self.loop.call_later(HEAD_TIMEOUT_S, self.transport.abort)

    def _stop_waiting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None


# Answer requests.

Scope = Mapping[str, Any]
Header = tuple[bytes, bytes]
CLOSE: Header = (b"connection", b"close")
CLOSING = (400, 401, 408, 413, 500, 503)
"""Statuses that close the connection: the rest of a wrong request could still arrive on it."""
CODES = {
    **{400: "malformed", 401: "authentication_failed", 403: "not_yours", 404: "not_found", 405: "method_not_allowed"},
    **{408: "timeout", 409: "conflict", 413: "too_large", 429: "throttled", 500: "failed", 503: "unavailable"},
}


@dataclass(frozen=True, slots=True)
class Response:
    """An HTTP response."""

    status: int
    content: Any = None
    headers: tuple[Header, ...] = ()

    async def send(self, send: Any, *, closes: bool) -> None:
        """Write it; `closes` ends the connection afterwards."""
        body = b"" if self.content is None else orjson.dumps(self.content)
        headers = [*self.headers, (b"cache-control", b"no-store")]
        if self.content is not None:
            headers.append((b"content-type", b"application/json"))
        if self.status != 204:
            headers.append((b"content-length", str(len(body)).encode()))
        if closes and CLOSE not in headers:
            headers.append(CLOSE)
        await send({"type": "http.response.start", "status": self.status, "headers": headers})
        await send({"type": "http.response.body", "body": body})


@dataclass(eq=False, slots=True)
class Poll:
    """A request that waits for messages."""

    key: GrantKey
    is_gone: bool = False
    """Whether the client has closed its connection."""


@dataclass(slots=True)
class Request:
    """A request whose head has been read."""

    scope: Scope
    receive: Any
    headers: dict[bytes, bytes] = field(init=False)

    def __post_init__(self) -> None:
        self.headers = dict(self.scope["headers"])

    @property
    def connection(self) -> Connection:
        """Return the connection by which it came."""
        connection: Connection = self.scope["state"]["connection"]
        return connection

    @property
    def is_handed_over(self) -> bool:
        """Return whether the web has passed its connection."""
        return bool(self.scope["state"].get("is_handed_over"))

    @property
    def route(self) -> str:
        """Return the method and the path."""
        return f"{self.scope['method']} {self.scope['path']}"

    @property
    def language(self) -> str:
        """Return the reader's language."""
        wanted = self.headers.get(b"accept-language", b"").decode("latin-1").lower()
        return next((code for code, _ in settings.LANGUAGES if wanted.startswith(code)), settings.LANGUAGE_CODE)

    def read_token(self) -> str:
        """Return the token's text. Raises Refused."""
        scheme, _, text = self.headers.get(b"authorization", b"").decode("latin-1").partition(" ")
        if scheme.lower() != "bearer" or not text.strip():
            raise refuse(401, NO_TOKEN)
        return text.strip()

    async def read_fields(self, *names: str) -> list[str]:
        """Return these texts from the JSON of the body. Raises Refused."""
        try:
            content = orjson.loads(await self._read_body())
        except orjson.JSONDecodeError:
            raise refuse(400, gettext_noop("The request's body isn't valid JSON.")) from None
        found = []
        for name in names:
            value = content.get(name) if isinstance(content, dict) else None
            if not isinstance(value, str) or (name != "line" and len(value) > MAX_NAME_LENGTH):
                raise refuse(400, gettext_noop('The request\'s body needs "%(name)s" as text.'), name=name)
            found.append(value)
        return found

    async def _read_body(self) -> bytes:
        too_large = refuse(
            413,
            gettext_noop("The request is too large: a line is at most %(limit)s."),
            limit=format_binary(MAX_LINE_BYTES),
        )
        length = self.headers.get(b"content-length", b"0")
        if len(length) > 9 or int(length) > MAX_BODY_BYTES:  # h11 has checked that these are digits
            raise too_large
        body, has_more = bytearray(), True
        try:
            async with asyncio.timeout(BODY_TIMEOUT_S):
                while has_more:
                    part = await self.receive()
                    if part["type"] == "http.disconnect":
                        raise ConnectionResetError
                    body += part["body"]
                    has_more = part["more_body"]
                    if len(body) > MAX_BODY_BYTES:
                        raise too_large
        except TimeoutError:
            raise refuse(408, gettext_noop("The request's body didn't arrive in time.")) from None
        return bytes(body)

    def read_query(self) -> dict[str, str]:
        """Return the parameters of the address, the last of each name. Raises Refused."""
        if len(self.scope["query_string"]) > MAX_HEAD_BYTES:  # h11 only looks at a head that isn't complete
            raise refuse(400, gettext_noop("The request's address is too long."))
        try:
            read = parse_qs(self.scope["query_string"].decode("ascii"), keep_blank_values=True, max_num_fields=20)
        except ValueError:
            raise refuse(400, gettext_noop("The request's address can't be read.")) from None
        return {name: values[-1] for name, values in read.items()}


class RemoteBots:
    """The ASGI application: three routes, and the state that their requests share."""

    def __init__(self, hub: Hub, *, poll_s: float = POLL_S) -> None:
        self.hub, self.poll_s = hub, poll_s
        self.gate, self.limits = Gate(), Limits()
        self.is_stopping = False
        self._polls: dict[int, Poll] = {}
        """The newest poll of each bot that has one."""
        self._routes = {
            f"GET {PREFIX}messages/": self._fetch_messages,
            f"POST {PREFIX}answers/": self._take_answer,
            f"POST {PREFIX}goodbye/": self._say_goodbye,
            "GET /health/": self._tell_health,
        }

    async def __call__(self, scope: Scope, receive: Any, send: Any) -> None:
        """Answer a request."""
        request = Request(scope, receive)
        network = request.connection.network
        if settings.PROXIES:  # each of whose connections brings requests of many
            network = find_network(scope["client"][0] if scope["client"] else "", request.headers)
        counted = ("requests", network)
        try:
            open_ones = self.limits.hold(counted)
            response = await self._answer(request, network, open_ones)
        except ConnectionResetError:
            return
        finally:
            self.limits.release(counted)
        # A proxy's connections come with requests for pages, too, once they are kept.
        is_shared = request.is_handed_over and b"x-forwarded-for" in request.headers
        closes = response.status in CLOSING or request.connection.is_one_too_many or is_shared
        await response.send(send, closes=closes)

    async def _answer(self, request: Request, network: str, open_ones: int) -> Response:
        handle = self._routes.get(request.route)
        if handle is None or (request.is_handed_over and handle == self._tell_health):
            return self._answer_other(request)
        try:
            if self.is_stopping:
                raise refuse(503, STOPPING, retry_after=RETRY_AFTER_S)
            if request.connection.is_one_too_many or open_ones > settings.REMOTE_CONNECTIONS_PER_ADDRESS:
                problem = gettext_noop("Your network already has %(most)s connections, the maximum. Close one first.")
                most = settings.REMOTE_CONNECTIONS_PER_ADDRESS
                raise refuse(429, problem, retry_after=RETRY_AFTER_S, most=most)
            return await handle(request, network)
        except ArenaError as error:
            return _build_error_response(error, request)
        except (InterfaceError, OperationalError) as error:
            logger.warning(
                "A request of a remote bot was answered with 503, as the database failed: %s", first_line(error)
            )
            return _build_error_response(refuse(503, DATABASE_FAILED, retry_after=RETRY_AFTER_S), request)
        except ConnectionResetError:
            raise
        except Exception:
            logger.exception("A request of a remote bot failed")
            return _build_error_response(refuse(500, FAILED), request)

    def _answer_other(self, request: Request) -> Response:
        """Answer a request for another address.

        By a connection that the web has passed, a client asks for it where it keeps connections: on a new one, the web
        answers.
        """
        path = "/" + request.scope["raw_path"].decode("latin-1").lstrip("/")  # `//HOST` would be another site
        if request.is_handed_over and not path.startswith(PREFIX):
            query = request.scope["query_string"].decode("latin-1")
            location = f"{path}?{query}" if query else path
            return Response(307, headers=((b"location", location.encode("latin-1")), CLOSE))
        methods = {route.partition(" ")[0] for route in self._routes if route.endswith(f" {request.scope['path']}")}
        if methods:
            problem = refuse(405, gettext_noop("This address only takes %(method)s."), method="".join(methods))
            return _build_error_response(problem, request)
        return _build_error_response(refuse(404, gettext_noop("There's nothing at this address.")), request)

    async def _tell_health(self, request: Request, network: str) -> Response:
        return Response(200, {"status": "ok"})

    async def _admit(self, request: Request, slug: str, network: str) -> tuple[GrantKey, Grant]:
        strangers = self.limits.find_bucket(("strangers", network), MAX_WRONG_TOKENS_PER_MINUTE)
        key, grant = await self.gate.admit(request.read_token(), slug, strangers)
        messages = self.limits.find_bucket(("bot", grant.bot), settings.REMOTE_MESSAGES_PER_MINUTE)
        messages.check()
        messages.take()
        return key, grant

    @contextmanager
    def _counted(self, grant: Grant) -> Iterator[None]:
        """Count a request of a bot while it is answered. Raises Refused where it has too many."""
        counted = ("bot", grant.bot)
        try:
            if self.limits.hold(counted) > MAX_REQUESTS_PER_BOT:
                problem = gettext_noop("This bot already has %(most)s open requests, the maximum.")
                raise refuse(429, problem, retry_after=RETRY_AFTER_S, most=MAX_REQUESTS_PER_BOT)
            yield
        finally:
            self.limits.release(counted)

    # Poll.

    async def _fetch_messages(self, request: Request, network: str) -> Response:
        query = request.read_query()
        room = query.get("room", "1")
        if not query.get("bot") or room not in ROOMS:
            problem = gettext_noop("The address needs the parameters bot and room, a number from 0 to %(most)s.")
            raise refuse(400, problem, most=MAX_ROOM)
        have = dict(_split_have(query.get("have", "")))
        fresh = [leg for leg in query.get("fresh", "").split(",") if leg]
        key, grant = await self._admit(request, query["bot"], network)
        with self._counted(grant):
            return await self._wait(request, key, grant, int(room), have, fresh)

    async def _wait(
        self, request: Request, key: GrantKey, grant: Grant, room: int, have: Mapping[str, str], fresh: Collection[str]
    ) -> Response:
        """Wait for a message that the client doesn't have: until there is one, a newer poll comes, or time is up."""
        poll, changed = Poll(key), self.hub.waiter(grant.bot)
        if grant.bot in self._polls:
            changed.set()  # the older one of this bot ends
            self.hub.leave(grant.bot)
        self._polls[grant.bot] = poll
        self.hub.come(grant.bot, room)
        watch = asyncio.create_task(_note_disconnect(request, poll, changed))
        deadline = asyncio.get_running_loop().time() + self.poll_s
        try:
            while self._polls.get(grant.bot) is poll and not self.is_stopping:
                if poll.is_gone:
                    raise ConnectionResetError
                self.gate.check(key)
                changed.clear()
                envelopes, legs = self._collect(grant.bot, have, fresh)
                if envelopes or set(have) - set(legs):
                    return Response(200, _build_messages(envelopes, legs))
                try:
                    async with asyncio.timeout_at(deadline):
                        await changed.wait()
                except TimeoutError:
                    break
            return Response(204)
        finally:
            watch.cancel()
            if self._polls.get(grant.bot) is poll:
                del self._polls[grant.bot]
                self.hub.leave(grant.bot)

    def _collect(self, bot: int, have: Mapping[str, str], fresh: Collection[str]) -> tuple[list[Envelope], list[str]]:
        """Return a bot's new messages and its legs. Raises Refused where too much was replayed for it lately."""
        replayed = self.limits.find_bucket(("replayed", bot), MAX_REPLAYED_PER_MINUTE)
        replayed.check()
        envelopes, legs = self.hub.collect(bot, have, fresh)
        replayed.take(_count_replayed(envelopes))
        return envelopes, legs

    # Answer.

    async def _take_answer(self, request: Request, network: str) -> Response:
        slug, leg, key, line = await request.read_fields("bot", "leg", "key", "line")
        if len(line.encode(errors="surrogatepass")) > MAX_LINE_BYTES:
            problem = gettext_noop("The line is longer than %(limit)s.")
            raise refuse(413, problem, limit=format_binary(MAX_LINE_BYTES))
        _, grant = await self._admit(request, slug, network)
        with self._counted(grant):
            taken = await self.hub.answer(grant.bot, leg, key, line)
        return Response(200, {"status": "refused", "reason": taken.reason} if taken.is_refused else {"status": "taken"})

    async def _say_goodbye(self, request: Request, network: str) -> Response:
        (slug,) = await request.read_fields("bot")
        _, grant = await self._admit(request, slug, network)
        if self._polls.pop(grant.bot, None) is not None:
            self.hub.waiter(grant.bot).set()
        self.hub.leave(grant.bot, at_once=True)
        return Response(200, {"status": "offline"})

    # Look after what waits.

    async def keep_checking(self) -> None:
        """Check all grants in use now and then, and end the polls of those that hold no longer."""
        while True:
            await asyncio.sleep(GRANT_CHECK_INTERVAL_S)
            for poll in self._polls.values():
                with suppress(ArenaError):
                    self.gate.check(poll.key)
            try:
                await self.gate.check_again()
            except (InterfaceError, OperationalError) as error:
                logger.warning("The tokens of remote bots could not be checked: %s", first_line(error))
            except Exception:  # without this loop, a revoked token would stay valid
                logger.exception("The tokens of remote bots could not be checked")
            for bot, poll in self._polls.items():
                try:
                    self.gate.check(poll.key)
                except ArenaError:
                    self.hub.waiter(bot).set()

    def stop(self) -> None:
        """End all polls with 204 and answer nothing new."""
        self.is_stopping = True
        for bot in list(self._polls):
            self.hub.waiter(bot).set()

    async def close(self) -> None:
        """Close the connection to the database."""
        await self.gate.close()


async def _note_disconnect(request: Request, poll: Poll, changed: asyncio.Event) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
    poll.is_gone = True
    changed.set()


def _count_replayed(envelopes: Iterable[Envelope]) -> int:
    """Return how many decisions were replayed to find the earlier turns among these messages."""
    return sum({each.leg: int(each.message["n"]) for each in envelopes if each.answered is not None}.values())


def _split_have(text: str) -> Iterator[tuple[str, str]]:
    for part in text.split(","):
        leg, found, key = part.partition(":")
        if found:
            yield leg, key


def _build_messages(envelopes: Iterable[Any], legs: list[str]) -> Json:
    sent = datetime.now(UTC).isoformat(timespec="milliseconds")
    messages = []
    for each in envelopes:
        content = {"leg": each.leg, "key": each.key, "message": each.message, "sent": sent}
        messages.append(content if each.answered is None else content | {"answered": each.answered})
    return {"messages": messages, "legs": legs}


def _build_error_response(error: ArenaError, request: Request) -> Response:
    with override(request.language):
        sentence = render_message(error.message)
    content = {"detail": sentence} | build_error(CODES.get(error.status, "refused"), sentence)
    headers: tuple[Header, ...] = ()
    if error.retry_after is not None:
        headers += ((b"retry-after", str(max(1, math.ceil(error.retry_after))).encode()),)
    if error.status == 401:
        headers += ((b"www-authenticate", b'Bearer realm="api"'),)
    return Response(error.status, content, headers)


# Run the server: on sockets of its own, or with the connections that the web passes.


class Server(HttpServer):
    """uvicorn's server, which ends with the loop of the hub, and takes connections that are open already."""

    def __init__(self, bots: RemoteBots, *, handed_over: socket.socket | None = None) -> None:
        super().__init__(
            Config(
                bots,
                http=Connection,
                ws="none",
                lifespan="off",
                loop="asyncio",
                interface="asgi3",
                workers=1,
                log_config=None,
                log_level=logging.ERROR,
                access_log=False,
                proxy_headers=False,
                server_header=False,
                timeout_keep_alive=KEEP_ALIVE_S,
                timeout_graceful_shutdown=STOP_TIMEOUT_S,
                h11_max_incomplete_event_size=MAX_HEAD_BYTES,
            )
        )
        self.bots, self.handed_over = bots, handed_over
        self._tasks: set[asyncio.Task[Any]] = set()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start the hub, and listen."""
        await self.bots.hub.start()
        self._keep(self.bots.keep_checking())
        await super().startup(sockets or [])
        if self.handed_over is not None:
            self.handed_over.setblocking(False)
            asyncio.get_running_loop().add_reader(self.handed_over, self._take_connections)

    def _take_connections(self) -> None:
        assert self.handed_over is not None
        for taken in receive_connections(self.handed_over):
            taken.setblocking(False)
            self._keep(asyncio.get_running_loop().connect_accepted_socket(self._build_connection, taken))

    def _build_connection(self) -> Connection:
        return Connection(self.config, self.server_state, {"is_handed_over": True})

    def _keep(self, work: Any) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End all polls, wait for answers that are being stored, and stop the hub."""
        if self.handed_over is not None:
            asyncio.get_running_loop().remove_reader(self.handed_over)
        self.bots.stop()
        await super().shutdown(sockets)
        for task in self._tasks:
            task.cancel()
        await self.bots.hub.stop()
        await self.bots.close()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """End at a signal with 0; uvicorn would raise the signal again."""
        with suppress(ValueError, RuntimeError):  # in another thread than the main one, there are none
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                asyncio.get_running_loop().add_signal_handler(number, self.handle_exit, number, None)
        yield
