"""What each request passes: who asks, how often, with how much, in which pages; failures have one JSON shape."""

import io
import logging
import math
import re
from typing import IO, Any, TypeGuard, TypeVar

from django.conf import settings
from django.core import signing
from django.core.exceptions import FieldDoesNotExist, PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.db import InterfaceError, OperationalError
from django.db.models import Model
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import patch_vary_headers
from rest_framework import exceptions
from rest_framework.authentication import BaseAuthentication, SessionAuthentication
from rest_framework.exceptions import AuthenticationFailed, NotAuthenticated, ParseError, ValidationError
from rest_framework.pagination import BasePagination
from rest_framework.parsers import JSONParser
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.throttling import SimpleRateThrottle
from rest_framework.utils.urls import remove_query_param, replace_query_param

from arena.bots.models import Bot, Token
from arena.bots.queries import find_visible_bot
from arena.bots.teams import check_author, find_token
from arena.core.errors import ArenaError, GameNotInstalled, NotYours, build_error, describe_missing_game, first_line
from arena.core.http import NEWEST_FIRST, Handler, find_client_network, forbid_caching, slice_rows
from arena.core.messages import gettext as _
from arena.core.messages import gettext_lazy, render_message
from arena.people.accounts.models import User
from arena.people.accounts.services import STAFF_NEED_SECOND_FACTOR, lacks_required_second_factor
from engine.message import gettext_noop, message
from engine.registry import UnknownGame

# Turn every failure of a request into one JSON shape.
#
#     {"error": {"code": "not_found", "message": "A sentence.", "fields": {"name": ["A sentence."]}}}
#
# `code` is for programs and `message` is a sentence in the reader's language; `fields` is present only where single
# fields are to blame. Views raise exceptions and never build an error response. An `ArenaError` has its class's name
# as its code.

log = logging.getLogger(__name__)

DATABASE_RETRY_AFTER_S = 5.0
NON_FIELD_ERRORS_KEY = "non_field_errors"

Row = TypeVar("Row")


def require_row(row: Row | None, message: str) -> Row:
    """Return the row. Raise NotFound with this message where there is none."""
    if row is None:
        raise exceptions.NotFound(message)
    return row


def handle_exception(error: Exception, context: dict[str, Any]) -> Response | None:
    """Return the response to a request that raised, or None where the fault is the arena's."""
    error = _translate_error(error)
    if isinstance(error, InterfaceError | OperationalError):
        return _build_database_response(error)
    if isinstance(error, ArenaError):
        sentence = render_message(error.message)
        fields = {name: [sentence] for name in error.fields}
        return _build_error_response(error.status, get_error_code(error), sentence, error.retry_after, fields)
    if isinstance(error, exceptions.ValidationError):
        return _build_invalid_fields_response(error)
    if isinstance(error, RequestDataTooBig):
        return _build_error_response(413, "too_large", _("The request is too large."))
    if isinstance(error, SuspiciousOperation):
        return _build_error_response(400, "malformed", _("The request can't be read."))
    if not isinstance(error, exceptions.APIException):
        return None
    return _convert_framework_error(error)


def _build_database_response(error: Exception) -> Response:
    """Build the response to a request that the database failed, which may be sent again as it is."""
    log.warning("A request was answered with 503, as the database failed: %s", first_line(error))
    message = _("The error was logged. No matches or uploads were lost; try again in a moment.")
    return _build_error_response(503, "database_failed", message, DATABASE_RETRY_AFTER_S)


def _translate_error(error: Exception) -> Exception:
    """Return our error in place of the engine's or Django's that says the same; any other as it is."""
    if isinstance(error, UnknownGame):
        return GameNotInstalled(describe_missing_game(error.key))
    if isinstance(error, Http404):
        return exceptions.NotFound(_("There's nothing at this address."))
    if isinstance(error, PermissionDenied):
        return exceptions.PermissionDenied(_("You aren't allowed to do this."))
    return error


def _build_error_response(
    status: int,
    code: str,
    message: str,
    retry_after_s: float | None = None,
    fields: dict[str, list[str]] | None = None,
) -> Response:
    """Build the error response. `retry_after_s` becomes the Retry-After header."""
    headers = {} if retry_after_s is None else {"Retry-After": str(max(1, math.ceil(retry_after_s)))}
    return Response(build_error(code, message, fields), status=status, headers=headers)


def _convert_framework_error(error: exceptions.APIException) -> Response:
    code, message = error.default_code, str(error.detail)
    retry_after_s = getattr(error, "wait", None)
    if isinstance(error, exceptions.ParseError):
        code, message = "malformed", f"{message.removesuffix('.')}."
    elif isinstance(error, exceptions.Throttled):
        seconds = max(1, math.ceil(retry_after_s or 1))
        message = _("Too many requests; try again in %(seconds)d s.") % {"seconds": seconds}
    elif message.startswith("CSRF"):
        code = "csrf_failed"
    response = _build_error_response(error.status_code, code, message, retry_after_s)
    if header := getattr(error, "auth_header", None):
        response["WWW-Authenticate"] = header
    return response


def _build_invalid_fields_response(error: exceptions.ValidationError) -> Response:
    """List what is wrong by field. Fields inside of others have dotted names."""
    detail = error.detail if isinstance(error.detail, dict) else {NON_FIELD_ERRORS_KEY: error.detail}
    fields = dict(_flatten_field_errors(detail))
    general = fields.pop(NON_FIELD_ERRORS_KEY, [])
    message = " ".join(general) or _("Invalid: %(fields)s.") % {"fields": ", ".join(fields)}
    return Response(build_error("invalid", message, fields), status=400)


def _flatten_field_errors(detail: Any, path: str = "") -> list[tuple[str, list[str]]]:
    if isinstance(detail, dict):
        return [
            pair for name, inner in detail.items() for pair in _flatten_field_errors(inner, f"{path}.{name}".strip("."))
        ]
    if any(isinstance(inner, dict | list) for inner in detail):
        numbered = enumerate(detail)
        return [
            pair
            for index, inner in numbered
            if inner
            for pair in _flatten_field_errors(inner, f"{path}.{index}".strip("."))
        ]
    return [(path or NON_FIELD_ERRORS_KEY, [str(sentence) for sentence in detail])]


def get_error_code(error: ArenaError) -> str:
    """Return the code of an error: "not_yours" for `NotYours`, "refused" for a plain `ArenaError`."""
    if type(error) is ArenaError:
        return "refused"
    return re.sub(r"(?<!^)(?=[A-Z])", "_", type(error).__name__).lower()


# Let pages of other sites read what is public.
#
# `*` lets no browser show an answer to a request with cookies, so cookies of other sites' requests are dropped before
# anything looks at them: who reads from elsewhere is nobody. A token isn't admitted from elsewhere either, for it may
# write, too, and doesn't belong in a page of others. The scheme and host of the request itself are ours.

SHARED_PREFIX = "/api/v1/"
SHARED_METHODS = ("GET", "HEAD")
PREFLIGHT_HEADERS = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Methods": ", ".join(SHARED_METHODS),
    "Access-Control-Allow-Headers": "Accept, Accept-Language, If-None-Match",
    "Access-Control-Max-Age": "86400",
}


def share_public_reads(get_response: Handler) -> Handler:
    """Return middleware for requests of the API that pages of other sites make. It stands before the session's."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        if not request.path.startswith(SHARED_PREFIX):
            return get_response(request)
        if request.method == "OPTIONS" and "Access-Control-Request-Method" in request.headers:
            return HttpResponse(status=204, headers=PREFLIGHT_HEADERS)
        if request.method not in SHARED_METHODS:
            return get_response(request)
        if request.headers.get("Origin") not in (None, f"{request.scheme}://{request.get_host()}"):
            request.COOKIES = {}
            request.META.pop("HTTP_COOKIE", None)
        response = get_response(request)
        patch_vary_headers(response, ["Origin"])
        if "Authorization" not in request.headers:
            response.headers["Access-Control-Allow-Origin"] = "*"
            response.headers["Access-Control-Expose-Headers"] = "ETag, Retry-After"
        return response

    return middleware


# Authenticate the request: a script by a token, `Authorization: Bearer pnt_…`, or a person by the site's session.
#
# Everybody may read what is public; every view of the API requires an account for writing. A view that requires more
# uses one of these: `own_bot_or_404` for what only a bot's owner may do, `BySession` for what no token may do.
# `request.auth` is the token, None for a session.

AUTHENTICATION_SCHEME = "Bearer"


class ByToken(BaseAuthentication):
    """Authenticate by the token in the Authorization header. Staff need the same second factor as on the site."""

    def authenticate(self, request: Request) -> tuple[User, Token] | None:
        """Return the token and its owner, or None without a token. Raise AuthenticationFailed or NotYours."""
        scheme, _space, text = request.headers.get("Authorization", "").partition(" ")
        if scheme.lower() != AUTHENTICATION_SCHEME.lower():
            return None
        token = find_token(text.strip())
        if token is None:
            raise AuthenticationFailed(_("This token is invalid or has been revoked."))
        withhold_staff_powers(request, token.owner)
        return token.owner, token

    def authenticate_header(self, request: Request) -> str:
        """Return the value of the WWW-Authenticate header."""
        return f'{AUTHENTICATION_SCHEME} realm="api"'


class ByCookie(SessionAuthentication):
    """Authenticate by the site's session. Staff need the second factor here, too."""

    def authenticate(self, request: Request) -> tuple[Any, None] | None:
        """Return the user, or None where nobody is signed in. Raise NotYours for staff without a second factor."""
        known = super().authenticate(request)
        if known is not None:
            withhold_staff_powers(request, known[0])
        return known


def withhold_staff_powers(request: Request, user: User) -> None:
    """Let staff without the second factor that they need only read, and only what other authors may.

    Raise NotYours where they write.
    """
    if lacks_required_second_factor(user):
        if request.method not in SAFE_METHODS:
            raise NotYours(message(STAFF_NEED_SECOND_FACTOR))
        user.is_staff = user.is_superuser = False  # for this request, which stores nothing


class BySession(BasePermission):
    """Allow only people who are signed in on the site, not tokens."""

    message = gettext_lazy("You can't do this with a token: sign in on the site.")

    def has_permission(self, request: Request, view: object) -> bool:
        """Return whether a person is signed in."""
        return request.user.is_authenticated and request.auth is None


def require_user(request: Request) -> User:
    """Return the user who is signed in. Raise NotAuthenticated where nobody is."""
    if not isinstance(request.user, User):
        raise NotAuthenticated
    return request.user


def is_signed_in(user: object) -> TypeGuard[User]:
    """Return whether somebody is signed in."""
    return isinstance(user, User)


def find_bot_of_token(request: Request) -> int | None:
    """Return the key of the one bot that the token is for; None for other tokens and for sessions."""
    token: Any = request.auth
    return None if token is None else token.bot_id


def is_owner(request: Request, bot: Bot) -> bool:
    """Return whether the request may see and do what the bot's authors may."""
    if not bot.has_author(request.user):
        return False
    return find_bot_of_token(request) in (None, bot.pk)


def check_owner(request: Request, bot: Bot) -> None:
    """Raise NotAuthenticated for the public, NotYours for other users and for a token for another bot."""
    check_author(bot, require_user(request))
    if not is_owner(request, bot):
        raise NotYours(message(gettext_noop("This token doesn't give access to %(bot)s."), bot=bot.name))


def require_unrestricted_token(request: Request) -> User:
    """Return the user who is signed in. Raise NotAuthenticated for the public, NotYours for a token for one bot."""
    user = require_user(request)
    if find_bot_of_token(request) is not None:
        raise NotYours(
            message(gettext_noop("This token is limited to one bot, but this request affects all your bots."))
        )
    return user


def bot_or_404(request: Request, slug: str) -> Bot:
    """Return the bot if the reader may see it. Raise NotFound. One for a group is never cached."""
    bot = require_row(
        find_visible_bot(request.user, slug), _("There's no bot with the address %(slug)s.") % {"slug": slug}
    )
    if bot.group_id is not None:
        forbid_caching(request)
    return bot


def own_bot_or_404(request: Request, slug: str) -> Bot:
    """Return the bot if the request may act for its owner. Raise NotFound, NotAuthenticated or NotYours."""
    bot = bot_or_404(request, slug)
    check_owner(request, bot)
    return bot


# Limit requests per minute: for each token, each person, and each network where nobody is signed in.
#
# Reading and writing are counted separately. Over the limit the response is 429 with Retry-After. While Redis is away
# each process counts by itself.


class CountedRequests(SimpleRateThrottle):
    """Count the requests of each token, person or address. Subclasses say which requests and how many are allowed."""

    def __init__(self) -> None:
        """Leave the rate open: it depends on the request."""

    def scope_of(self, request: Request) -> str:
        """Return the name under which the request is counted."""
        raise NotImplementedError

    def read_rate(self) -> str:
        """Return the limit and its unit, as `60/min`."""
        raise NotImplementedError

    def allow_request(self, request: Request, view: Any) -> bool:
        """Count the request and return whether it is within the limit."""
        self.scope = self.scope_of(request)
        self.rate = self.read_rate()
        self.num_requests, self.duration = self.parse_rate(self.rate)
        return super().allow_request(request, view)

    def get_cache_key(self, request: Request, view: Any) -> str:
        """Return the key under which the requests are counted."""
        return self.cache_format % {"scope": self.scope, "ident": self.client_of(request)}

    def client_of(self, request: Request) -> str:
        """Return a key for the token, the user or the address."""
        if request.auth is not None:
            return f"token-{request.auth.pk}"
        if request.user.is_authenticated:
            return f"user-{request.user.pk}"
        return f"from-{find_client_network(request)}"


class PerMinute(CountedRequests):
    """Allow as many requests per minute as the setting API_PER_MINUTE says."""

    def scope_of(self, request: Request) -> str:
        """Return the key of API_PER_MINUTE that applies to the request."""
        if not request.user.is_authenticated:
            return "nobody"
        return "read" if request.method in SAFE_METHODS else "write"

    def read_rate(self) -> str:
        """Return the limit and its unit."""
        return f"{settings.API_PER_MINUTE[str(self.scope)]}/min"


# Limit the size of JSON requests. Programs are uploaded as forms, which have limits of their own.

MAX_JSON_BYTES = 64 * 1024


class SmallJSON(JSONParser):
    """Parse JSON of at most `MAX_JSON_BYTES`."""

    def parse(self, stream: IO[Any], media_type: str | None = None, parser_context: Any = None) -> Any:
        """Return the parsed content. Raise RequestDataTooBig or ParseError."""
        content = stream.read(MAX_JSON_BYTES + 1)
        if len(content) > MAX_JSON_BYTES:
            raise RequestDataTooBig
        try:
            return super().parse(io.BytesIO(content), media_type, parser_context)
        except RecursionError:
            raise ParseError(_("The JSON is nested too deeply.")) from None


# Page through long lists: `{"results": […], "next": address or null, "previous": address or null}`.
#
# A view names the columns of its order in `ordering`; see `arena.core.http`. Cursors are signed, so their content
# can be trusted, and they are valid for one list only. A view that can narrow down the rows in which a page is found
# has a method `narrow`.

CURSOR_PARAMETER = "cursor"
LIMIT_PARAMETER = "limit"


class CursorPaging(BasePagination):
    """Cursor pagination by the key of a row, forwards and backwards."""

    default_limit = 25
    max_limit = 200

    def paginate_queryset(self, queryset: Any, request: Request, view: Any = None) -> list[Any]:
        """Return the rows of the page that the request names. Raise ValidationError."""
        self.request, self.model = request, queryset.model
        self.ordering = tuple(getattr(view, "ordering", NEWEST_FIRST))
        limit = self._read_limit()
        backwards, values = self._read_cursor()
        if narrow := getattr(view, "narrow", None):
            queryset = narrow(queryset, limit + 1, backwards, values and values[-1])
        self.page = slice_rows(queryset, limit, ordering=self.ordering, start=values, backwards=backwards)
        return self.page.rows

    def get_paginated_response(self, data: list[Any]) -> Response:
        """Return the page with the addresses of its neighbours."""
        page = self.page
        first, last = (page.rows[0], page.rows[-1]) if page.rows else (None, None)
        return Response(
            {
                "results": data,
                "next": self._build_link(last, False) if page.has_next and last else None,
                "previous": self._build_link(first, True) if page.has_previous and first else None,
            }
        )

    def _read_limit(self) -> int:
        text = self.request.query_params.get(LIMIT_PARAMETER)
        if text is None:
            return self.default_limit
        if not (text.isascii() and text.isdigit() and len(text) < 6 and 1 <= int(text) <= self.max_limit):
            raise ValidationError(
                {LIMIT_PARAMETER: [_("Enter a whole number from 1 to %(max)d.") % {"max": self.max_limit}]}
            )
        return int(text)

    def _read_cursor(self) -> tuple[bool, list[Any] | None]:
        """Return whether to go backwards, and the key of the row to start from; None for the first page."""
        text = self.request.query_params.get(CURSOR_PARAMETER)
        if text is None:
            return False, None
        try:
            backwards, values = self._signer.unsign_object(text)
        except (signing.BadSignature, UnicodeError):
            raise ValidationError(
                {CURSOR_PARAMETER: [_("Use a cursor from `next` or `previous` of the same list.")]}
            ) from None
        return backwards, [self._parse(name, value) for name, value in zip(self.ordering, values, strict=True)]

    def _build_link(self, row: Model, backwards: bool) -> str:
        values = [_read_column(row, name.lstrip("-")) for name in self.ordering]
        plain = [value if isinstance(value, bool | int | float) else str(value) for value in values]
        address = remove_query_param(self.request.build_absolute_uri(), CURSOR_PARAMETER)
        return replace_query_param(address, CURSOR_PARAMETER, self._signer.sign_object([backwards, plain]))

    @property
    def _signer(self) -> signing.Signer:
        return signing.Signer(salt=f"{self.request.path} {' '.join(self.ordering)}")

    def _parse(self, name: str, value: Any) -> Any:
        """Return the value as its column has it. Times are text in a cursor."""
        try:
            field = self.model._meta.pk if name.lstrip("-") == "pk" else self.model._meta.get_field(name.lstrip("-"))
        except FieldDoesNotExist:
            return value
        return field.to_python(value)

    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        """Return the schema of a page."""
        example = f"https://arena.example.org/api/v1/matches/?{CURSOR_PARAMETER}=WzAsWzEyMDddXQ:x3Bq"
        link = {"type": "string", "format": "uri", "nullable": True, "example": example}
        return {
            "type": "object",
            "required": ["results", "next", "previous"],
            "properties": {"results": schema, "next": link, "previous": link | {"example": None}},
        }

    def get_schema_operation_parameters(self, view: Any) -> list[dict[str, Any]]:
        """Return the parameters of a list."""
        cursor = {"type": "string"}
        limit = {"type": "integer", "minimum": 1, "maximum": self.max_limit, "default": self.default_limit}
        return [
            {
                "name": CURSOR_PARAMETER,
                "in": "query",
                "schema": cursor,
                "description": "Cursor from `next` or `previous`.",
            },
            {
                "name": LIMIT_PARAMETER,
                "in": "query",
                "schema": limit,
                "description": f"Maximum number of rows, from 1 to {self.max_limit}. Defaults to {self.default_limit}.",
            },
        ]


def _read_column(row: Model, path: str) -> Any:
    value: Any = row
    for part in path.split("__"):
        value = getattr(value, part)
    return value
