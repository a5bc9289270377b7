"""The base class of all resources, conditional requests, and the fields that several resources share."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter
from typing import Any, NoReturn

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response, patch_cache_control, patch_vary_headers
from django.utils.http import quote_etag
from django.views.decorators.http import conditional_page
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import MethodNotAllowed, NotFound, ValidationError
from rest_framework.pagination import BasePagination
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import (
    BooleanField,
    CharField,
    DictField,
    Field,
    FileField,
    FloatField,
    IntegerField,
    JSONField,
    ListField,
    Serializer,
    SlugField,
)
from rest_framework.viewsets import GenericViewSet

from arena.api.requests import (
    CURSOR_PARAMETER,
    LIMIT_PARAMETER,
    CursorPaging,
    is_owner,
    require_unrestricted_token,
    require_user,
)
from arena.bots import queries
from arena.bots.models import Bot, BotVersion
from arena.contests.ladders.queries import find_variant_name
from arena.core.errors import ArenaError
from arena.core.handover import PREFIX, find_channel
from arena.core.http import NEWEST_FIRST
from arena.core.messages import gettext as _
from arena.core.messages import gettext_lazy, read_message, render_message
from arena.matches.filters import HasRules
from arena.matches.workers import parse_upload
from arena.people.accounts.models import User
from arena.runner.archive import Upload, format_size
from engine.message import Message, gettext_noop, message
from engine.series import GAMES_RANGE, POINTS_RANGE

# The base class of all resources of the API.

SERVER_START_S = 2.0
ARCHIVE_TYPE = "application/octet-stream"
"""Content type of archives. From generated clients they come as bytes: generators know no other type of these."""
BINARY_RESPONSE = {(200, ARCHIVE_TYPE): OpenApiTypes.BINARY}


@dataclass(frozen=True)
class Operation:
    """What a method of a resource reads and returns."""

    shows: type[Serializer] | None
    reads: type[Serializer] | None
    query: type[Serializer] | None
    status: int
    paging: type[BasePagination] | None
    """How its list is cut into pages; None where it isn't."""
    errors: tuple[str, ...]


def operation(
    id: str | None,
    summary: str,
    shows: Any = None,
    *,
    status: int | tuple[int, ...] = 200,
    **more: Any,
) -> Callable[[Any], Any]:
    """Return a decorator that describes a method of a resource by what it is called, reads and returns.

    Without an `id` it follows from the address. `shows` is the serializer of what is returned; in a list it stands for
    a list, which is cut into pages unless `paging` is None. `reads` is the serializer of the body, `query` that of the
    parameters in the address. `errors` are statuses that can't be told from the address; anything else is for
    `extend_schema`.
    """
    statuses = status if isinstance(status, tuple) else (status,)
    reads, query, errors = more.pop("reads", None), more.pop("query", None), more.pop("errors", ())
    paging = more.pop("paging", CursorPaging) if isinstance(shows, list) else None
    shown = shows[0] if isinstance(shows, list) else shows
    responses = dict.fromkeys(statuses, shown(many=True) if isinstance(shows, list) else shown)
    described = {"responses": responses, "request": reads, "parameters": [query] if query else []} | more

    def decorate(method: Any) -> Any:
        method = extend_schema(operation_id=id, summary=summary, **described)(method)
        method.operation = Operation(shown, reads, query, statuses[0], paging, errors)
        return method

    return decorate


class Resource(GenericViewSet):
    """A family of addresses of the API. `urls.py` says which address and method leads to which of its operations."""

    http_method_names = ["get", "head", "post", "put", "patch", "delete"]
    action_map: dict[str, str]
    queryset: QuerySet[Any] | None = None
    ordering: Sequence[str] = NEWEST_FIRST

    @classmethod
    def as_view(cls, actions: Any = None, **initkwargs: Any) -> Any:
        """Return the view. It answers conditional requests."""
        return conditional_page(super().as_view(actions, **initkwargs))

    @property
    def operation(self) -> Operation:
        """The operation of the request."""
        found: Operation = getattr(self, str(self.action)).operation
        return found

    @property
    def pagination_class(self) -> type[BasePagination] | None:  # type: ignore[override]
        """How the list of the operation is cut into pages."""
        return self.operation.paging

    @property
    def user(self) -> User:
        """The user who is signed in. Raises NotAuthenticated."""
        return require_user(self.request)

    @property
    def unrestricted_user(self) -> User:
        """The user who is signed in. Raises NotAuthenticated, or NotYours for a token for one bot."""
        return require_unrestricted_token(self.request)

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        """Return the response with headers that keep it out of shared caches unless it says otherwise."""
        response = super().finalize_response(request, response, *args, **kwargs)
        patch_vary_headers(response, ["Authorization", "Cookie"])
        if not response.has_header("Cache-Control"):
            patch_cache_control(response, private=True, no_cache=True)
        return response

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Refuse methods that the address doesn't have before anything else, and parameters that mean nothing there."""
        if (request.method or "").lower() not in self.action_map:
            raise MethodNotAllowed(request.method or "")
        super().initial(request, *args, **kwargs)
        known = list_parameters(self.operation)
        if unknown := [name for name in request.query_params if name not in known]:
            sentence = (
                _("Unknown parameter. Valid parameters: %(names)s.") % {"names": ", ".join(known)}
                if known
                else _("This address has no parameters.")
            )
            raise ValidationError({name: [sentence] for name in unknown})

    def get_serializer_class(self) -> Any:
        """Return the serializer of what the operation returns."""
        return self.operation.shows

    @cached_property
    def query(self) -> dict[str, Any]:
        """The checked parameters of the address. Raises ValidationError."""
        return self._check(self.operation.query, self.request.query_params.dict())

    def read_data(self) -> dict[str, Any]:
        """Return the checked body of the request. Raise ValidationError."""
        return self._check(self.operation.reads, self.request.data)

    def _check(self, serializer_class: type[Serializer] | None, data: Any) -> dict[str, Any]:
        assert serializer_class is not None
        serializer = serializer_class(data=data, context=self.get_serializer_context())
        serializer.is_valid(raise_exception=True)
        return dict(serializer.validated_data)

    def cut_page(self, rows: QuerySet[Any], ordering: Sequence[str] = NEWEST_FIRST) -> list[Any]:
        """Return the rows of the page that the request asks for, in an order by these columns."""
        self.ordering = ordering
        return self.paginate_queryset(rows) or []

    def respond_page(
        self,
        rows: QuerySet[Any],
        ordering: Sequence[str] = NEWEST_FIRST,
        attach: Callable[[list[Any]], object] | None = None,
    ) -> Response:
        """Return one page of the rows; `attach` reads what else their serializer needs."""
        shown = self.cut_page(rows, ordering)
        if attach:
            attach(shown)
        return self.respond_lines(shown)

    def respond_lines(self, lines: Sequence[Any]) -> Response:
        """Return the lines of the page that was cut."""
        return self.get_paginated_response(self.get_serializer(lines, many=True).data)

    def respond(self, row: Any, status: int | None = None) -> Response:
        """Return one row."""
        return Response(self.get_serializer(row).data, status=status or self.operation.status)


def list_parameters(described: Operation) -> list[str]:
    """Return the names of the parameters that an address may have."""
    names = list(described.query().fields) if described.query is not None else []
    return [*names, CURSOR_PARAMETER, LIMIT_PARAMETER] if described.paging else names


class UnknownAddress(Resource):
    """Answer every address that is not one of the API's."""

    schema = None

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Refuse the request, whatever its method."""
        self.refuse(request)

    def refuse(self, request: Request) -> NoReturn:
        """Raise NotFound."""
        raise NotFound(_("There's nothing at this address. All addresses end with a slash."))


class RemoteServerMissing(ArenaError):
    """A request that is for the server of remote bots has come to the web."""

    status = 503


class ElsewhereServed(UnknownAddress):
    """Answer addresses of the server of remote bots, where neither a proxy nor `up` has sent the request to it."""

    def refuse(self, request: Request) -> NoReturn:
        """Raise RemoteServerMissing."""
        if find_channel() is not None:
            problem = gettext_noop("The remote-bot server isn't running. Try again in a moment.")
            raise RemoteServerMissing(message(problem), retry_after=SERVER_START_S)
        problem = gettext_noop(
            "Remote bots can't connect: this arena's proxy has to send %(path)s to the remote-bot server. See \"Remote "
            "bots\" in the manual's page on operating an arena."
        )
        raise RemoteServerMissing(message(problem, path=PREFIX))


def build_absolute_url(request: HttpRequest | Request, path: str) -> str:
    """Return the address of a path, with scheme and host."""
    return str(request.build_absolute_uri(path))


# Answer conditional requests without building the response (ETag, If-None-Match, 304).
#
# `Resource` gives every response to a GET an ETag of its content. Where the tag is known beforehand, as for what never
# changes, `respond_unless_known` saves the work, too.


def respond_unless_known(request: Request, tag: str, build: Callable[[], HttpResponse]) -> HttpResponseBase:
    """Return the response that `build` makes, or 304 where the client has what `tag` stands for."""
    etag = quote_etag(tag)
    response = get_conditional_response(request._request, etag=etag)
    if response is None:
        response = build()
        response["ETag"] = etag
    return response


# Serializer fields of the API's own.


class ChoiceField(serializers.ChoiceField):
    """Take one of some values. The error for any other lists them."""

    default_error_messages = {"invalid_choice": gettext_lazy("“{input}” isn't one of: {choices}.")}

    def fail(self, key: str, **values: Any) -> NoReturn:
        """Raise the error of that key. Raise ValidationError."""
        super().fail(key, choices=", ".join(map(str, self.choices)), **values)


class MessageText(CharField):
    """Show a message as text in the reader's language, and no message as an empty text."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"read_only": True, **options})

    def get_attribute(self, instance: Any) -> Any:
        """Return the message, or an empty text where there is none."""
        return super().get_attribute(instance) or ""

    def to_representation(self, value: Message | str) -> str:
        """Return the text."""
        return render_message(value) if isinstance(value, Message) else value


class PrivateMessageText(MessageText):
    """Show a message to the owner of the bot only, and an empty text to everybody else."""

    def __init__(self, bot_source: str, **options: Any) -> None:
        """Take the attribute path from the row to the bot as `bot_source`."""
        self.bot_source = bot_source
        super().__init__(**options)

    def get_attribute(self, instance: Any) -> Any:
        """Return the message if the reader is the owner."""
        bot = attrgetter(self.bot_source)(instance)
        return super().get_attribute(instance) if is_owner(self.context["request"], bot) else ""


@extend_schema_field(
    {
        "type": "object",
        "nullable": True,
        "properties": {name: {"type": "string"} for name in ("message", "sent", "request", "stderr")},
    }
)
class FaultField(JSONField):
    """Show a fault with its message as text in the reader's language."""

    def to_representation(self, value: Any) -> Any:
        """Return the fault."""
        message = read_message(value.get("message"))
        return {**value, "message": render_message(message) if message else ""}


# References in requests and responses: a version by its bot and number, a page by its address.

MAX_INTEGER_COLUMN_VALUE = 2**31 - 1
"""The largest number that a column of every database holds."""


@extend_schema_field(OpenApiTypes.URI)
class HtmlUrlField(Field):
    """The address of the page about a row: its `get_absolute_url` with the name of the host."""

    def __init__(self) -> None:
        super().__init__(source="get_absolute_url", read_only=True, help_text="Address of the page for people.")

    def to_representation(self, path: str) -> str:
        """Return the address with scheme and host."""
        return str(self.context["request"].build_absolute_uri(path))


@extend_schema_field(ListField(child=CharField()))
class AuthorsField(Field):
    """The usernames of a bot's authors. Its source is the bot."""

    def __init__(self, **options: Any) -> None:
        super().__init__(read_only=True, help_text="Usernames of the bot's authors, the lead first.", **options)

    def to_representation(self, bot: Bot) -> list[str]:
        """Return the usernames."""
        return bot.author_names


class VersionSerializer(Serializer):
    """A reference to a version of a bot."""

    bot = CharField(source="bot.slug", help_text="The bot's slug.")
    name = CharField(source="bot.name", help_text="The bot's name.")
    authors = AuthorsField(source="bot")
    version = IntegerField(source="number", help_text="Version number, starting at 1.")


class NamedVersionSerializer(Serializer):
    """A reference to a version in a request."""

    bot = SlugField(help_text="The bot's slug.")
    version = IntegerField(
        required=False,
        min_value=1,
        max_value=MAX_INTEGER_COLUMN_VALUE,
        help_text="Version number. Defaults to the newest accepted version.",
    )


def version_or_404(request: Request, named: dict[str, Any]) -> BotVersion:
    """Return the version that a `NamedVersionSerializer` names, if the reader may see it. Raise NotFound."""
    slug, number = named["bot"], named.get("version")
    if number is None:
        if found := queries.find_newest_accepted_version(request.user, slug):
            return found
        raise NotFound(_("No bot with the address %(slug)s has an accepted version.") % {"slug": slug})
    if found := queries.find_version(request.user, slug, number):
        return found
    raise NotFound(_("No bot with the address %(slug)s has a version %(number)d.") % {"number": number, "slug": slug})


# The rules of matches and contests: changes of an edition's options in requests, and their name in responses.


class OptionsField(JSONField):
    """All rule options in force."""

    def __init__(self) -> None:
        super().__init__(read_only=True, help_text="All rule options in force.")


class ChangedOptionsField(JSONField):
    """The rule options that differ from the edition's."""

    def __init__(self) -> None:
        super().__init__(
            read_only=True, help_text="Rule options that differ from the edition's, with their values; often empty."
        )


@extend_schema_field(OpenApiTypes.STR)
class VariantField(Field):
    """The name of an edition with its changed options."""

    def __init__(self) -> None:
        super().__init__(
            source="*",
            read_only=True,
            help_text="Name of the edition and its changed options, in the reader's language.",
        )

    def to_representation(self, played: HasRules) -> str:
        """Return the name."""
        return render_message(find_variant_name(played))


class NewOptionsField(DictField):
    """Rule options in a request."""

    def __init__(self) -> None:
        super().__init__(
            required=False,
            help_text='Rule options and their values, such as {"scout": "at-once"}. Omitted options have the '
            "edition's values. If the options match another edition, that edition is played.",
        )


class SeriesSerializer(Serializer):
    """Length of a series of games: one of the two is null or omitted."""

    games = IntegerField(
        required=False,
        allow_null=True,
        min_value=GAMES_RANGE[0],
        max_value=GAMES_RANGE[-1],
        help_text="Number of games after which the series ends.",
    )
    points = IntegerField(
        required=False,
        allow_null=True,
        min_value=POINTS_RANGE[0],
        max_value=POINTS_RANGE[-1],
        help_text="Series score at which the series ends.",
    )


# Read and check an upload, before any row is locked.

IDEMPOTENCY_HEADER = "Idempotency-Key"
MAX_IDEMPOTENCY_KEY_LENGTH = 100


class UploadSerializer(Serializer):
    """An uploaded version."""

    program = FileField(
        allow_empty_file=True,
        help_text=f"One file, or a zip with all the bot's files. At most {format_size(settings.MAX_UPLOAD_BYTES)}.",
    )
    hold = BooleanField(
        default=False,
        help_text="Whether to keep the version on hold once it's accepted, until you promote it to the ladders.",
    )

    def validate_program(self, sent: UploadedFile) -> Upload:
        """Return the files. Raise ValidationError."""
        try:
            return parse_upload(sent)
        except ArenaError as error:
            raise ValidationError(render_message(error.message)) from None


def read_idempotency_key(request: Request) -> str:
    """Return the key of an upload, empty without one. Raise ValidationError."""
    key = request.headers.get(IDEMPOTENCY_HEADER, "").strip()
    if len(key) > MAX_IDEMPOTENCY_KEY_LENGTH or not (key.isascii() and key.isprintable()):
        sentence = _("Use at most %(max)d printable ASCII characters.") % {"max": MAX_IDEMPOTENCY_KEY_LENGTH}
        raise ValidationError({IDEMPOTENCY_HEADER: [sentence]})
    return key


# The adjustment of comparisons for luck, and estimated differences.


class EstimateSerializer(Serializer):
    """Estimated difference with its 95% interval. If the test stops early, the difference looks larger than it is."""

    elo = FloatField(help_text="Estimated difference in Elo.")
    low = FloatField(help_text="Lower end of the 95% interval, in Elo.")
    high = FloatField(help_text="Upper end of the 95% interval, in Elo.")
    likelihood = FloatField(help_text="Likelihood that the version is better, from 0 to 1.")


class ValueFunctionSerializer(Serializer):
    """Basis of the adjustment for luck, published before the first match."""

    version = CharField(help_text="Version of the value function.")
    hash = CharField(help_text="SHA-256 of its weights.")
    luck_share = FloatField(help_text="Share of the luck that's subtracted from a result.")
    cards_per_draw = IntegerField(help_text="Maximum number of cards with which a draw is compared.")


class LuckSerializer(Serializer):
    """A comparison's results minus luck. They decide, unless the adjustment is suspended."""

    value_function = ValueFunctionSerializer(help_text="Value function that measures luck.")
    llr = FloatField(help_text="Log-likelihood ratio of the results minus luck.")
    estimate = EstimateSerializer(
        allow_null=True, help_text="Difference estimated from the results minus luck; null before the second pair."
    )
    adjusted_pairs = IntegerField(help_text="Number of pairs with measured luck; others count unadjusted.")
    is_suspended = BooleanField(
        help_text="Whether the comparison's `llr` decides instead, because one bot's luck is implausible."
    )
