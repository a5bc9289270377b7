"""Describe the API in OpenAPI 3, generated from the resources, with examples, and render that as a page."""

import json
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import build_bearer_security_scheme_object, get_doc
from drf_spectacular.utils import OpenApiExample, OpenApiResponse, extend_schema_serializer
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import CharField, DictField, ListField, Serializer

from arena.api.frame import Resource
from arena.api.requests import BySession
from arena.core.errors import build_error

# Describe the API in OpenAPI 3, generated from the resources.
#
# What all operations have in common is added here: error responses and the Retry-After header.

ERROR_CODES_AND_TEXTS = {
    "400": ("invalid", "A field of the request or a parameter of the address is invalid."),
    "401": ("not_authenticated", "No token or session, or an invalid token."),
    "403": ("not_yours", "Not allowed for this user or token, or a session's request without its CSRF token."),
    "404": ("not_found", "Not found."),
    "409": ("conflict", "The request contradicts what is stored already."),
    "413": ("too_large", "The request is too large."),
    "415": ("unsupported_media_type", "The content type is not supported."),
    "422": ("key_reused", "The Idempotency-Key was used for another request."),
    "429": ("throttled", "Too many requests, or a quota is spent."),
}
"""Code and meaning of each error, by status."""
SESSION_SCHEME = "session"
STATUSES_OF_ALL_REQUESTS = ("401", "429")
STATUSES_OF_WRITES = ("400", "403", "409", "413", "415")
RETRY_AFTER_HEADER = {
    "Retry-After": {
        "schema": {"type": "integer", "minimum": 1},
        "description": "Seconds after which another try may succeed, where they are known.",
    }
}


class ErrorDetailSerializer(Serializer):
    """An error."""

    code = CharField(help_text="Stable code, for programs.")
    message = CharField(help_text="Sentence in the reader's language, for people.")
    fields = DictField(  # type: ignore[assignment]
        child=ListField(child=CharField()), required=False, help_text="Sentences by the name of the invalid field."
    )


class ErrorSerializer(Serializer):
    """The body of every error response."""

    error = ErrorDetailSerializer()


class SchemaWithErrors(AutoSchema):
    """Describe every operation with its error responses, each with an example."""

    def get_operation_id(self) -> str:
        """Return the name of the operation without the version of the API."""
        return super().get_operation_id().removeprefix("api_v1_")

    def get_description(self) -> str:  # type: ignore[override]
        """Return the docstring of the resource, but not the one it inherits, which is for developers."""
        description = super().get_description()
        return "" if description == get_doc(Resource) else description

    def get_auth(self) -> list[dict[str, Any]]:
        """Return the ways to authenticate."""
        return [{SESSION_SCHEME: []}] if BySession in self.view.permission_classes else super().get_auth()

    def _get_response_bodies(self, direction: Any = "response") -> dict[str, Any]:
        bodies = super()._get_response_bodies(direction)
        for status in self._error_statuses():
            if status not in bodies:
                bodies[status] = self._get_response_for_code(describe_error_response(status), status)
        bodies["429"]["headers"] = RETRY_AFTER_HEADER
        return bodies

    def _error_statuses(self) -> list[str]:
        found = {*STATUSES_OF_ALL_REQUESTS}
        is_writing = self.method not in SAFE_METHODS
        if is_writing:
            found.update(STATUSES_OF_WRITES)
        if "{" in self.path or BySession in self.view.permission_classes:
            found.add("403")
        has_query = getattr(self.view, "query_class", None) is not None
        if "{" in self.path or is_writing or has_query:
            found.add("404")
        if has_query or self._get_pagination_parameters():
            found.add("400")
        return sorted(found)


def describe_error_response(status: str) -> OpenApiResponse:
    """Return the description of the error with this status."""
    code, meaning = ERROR_CODES_AND_TEXTS[status]
    fields = {"name": ["This field is required."]} if status == "400" else None
    example = OpenApiExample(code, build_error(code, meaning, fields), status_codes=[status], response_only=True)
    return OpenApiResponse(ErrorSerializer, meaning, [example])


class BearerScheme(OpenApiAuthenticationExtension):
    """Describe authentication by a token."""

    target_class = "arena.api.requests.ByToken"
    name = "token"

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, Any]:
        """Return the security scheme."""
        return build_bearer_security_scheme_object("Authorization", "Bearer") | {
            "description": "A token made on the page Tokens: `Authorization: Bearer pnt_…`."
        }


class SessionScheme(OpenApiAuthenticationExtension):
    """Describe authentication by the site's session."""

    target_class = "arena.api.requests.ByCookie"
    name = SESSION_SCHEME

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, Any]:
        """Return the security scheme."""
        return {
            "type": "apiKey",
            "in": "cookie",
            "name": "sessionid",
            "description": "The session of the site. Requests that write need the CSRF token, too.",
        }


@cache
def build_api_schema() -> dict[str, Any]:
    """Return the schema, which depends on nothing but the code."""
    schema: dict[str, Any] = SchemaGenerator().get_schema(request=None, public=True)
    return schema


class Schema(Resource):
    """The schema of the API, in JSON."""

    schema = None
    authentication_classes = ()

    def get(self, request: Request) -> Response:
        """Return the schema."""
        return Response(build_api_schema(), content_type="application/vnd.oai.openapi+json")


# Render the schema of the API as a page: a command to copy and an example response for every operation.
#
# The page is rendered on the server from `api_schema()`, needs no script and has the look of the site.

JSON_MEDIA_TYPE = "application/json"
FORM_MEDIA_TYPE = "multipart/form-data"
HTTP_METHODS = ("get", "post", "put", "patch", "delete")
PARAMETER_PLACES = ("path", "query", "header", "body")
"""The parts of a request that fields are sent in, in the order in which they are listed."""
MAX_COMMAND_PARTS_IN_ONE_LINE = 2
"""A command with more parts is wrapped."""
SAMPLE_VALUES_BY_TYPE: dict[str, Any] = {"integer": 1, "number": 1.0, "boolean": True, "array": [], "object": {}}
"""Example values in commands, by type; the example of a text is the name of the field."""
JsonSchema = dict[str, Any]


@dataclass(frozen=True)
class Field:
    """A parameter of an operation, or a field of its body."""

    name: str
    place: str
    """One of PARAMETER_PLACES."""
    kind: str
    is_required: bool
    meaning: str


@dataclass(frozen=True)
class Operation:
    """An operation, ready for the template."""

    id: str
    tag: str
    method: str
    path: str
    summary: str
    meaning: str
    authentication: str
    """Empty where none is needed, "token", or "session" where only a person on the site may do it."""
    fields: list[Field]
    status: str
    """Status of the example response."""
    example: str
    """An example response; empty where it isn't JSON."""
    errors: list[tuple[str, str]]
    """Status and meaning."""
    command: str
    """A shell command that uses $PENNANT_URL and $PENNANT_TOKEN; empty where a token isn't accepted."""


def show_api_docs(request: HttpRequest) -> HttpResponse:
    """Render the page."""
    about = build_api_schema()["info"]["description"]
    site = request.build_absolute_uri("/").rstrip("/")
    return render(request, "api/docs.html", {"about": about, "groups": group_operations(), "site": site})


@cache
def group_operations() -> list[tuple[str, list[Operation]]]:
    """Return the operations by subject, in the order of their addresses."""
    return [(tag, list(group)) for tag, group in groupby(list_operations(), key=lambda one: one.tag)]


def list_operations() -> Iterator[Operation]:
    """Yield all operations."""
    for path, item in build_api_schema()["paths"].items():
        for method in HTTP_METHODS:
            if method in item:
                yield read_operation(path, method, item[method])


def read_operation(path: str, method: str, schema: JsonSchema) -> Operation:
    """Return the operation that the schema describes."""
    sent = schema.get("requestBody", {}).get("content", {})
    media = next(iter(sent), "")
    body = read_body_fields(sent[media]["schema"]) if media else []
    parameters = sorted(
        map(read_parameter, schema.get("parameters", [])), key=lambda field: PARAMETER_PLACES.index(field.place)
    )
    fields = [*parameters, *body]
    responses = schema["responses"]
    status = min(responses)
    security = schema.get("security", [{}])
    authentication = "" if {} in security else next(iter(security[0]))
    return Operation(
        id=schema["operationId"],
        tag=schema["tags"][0],
        method=method.upper(),
        path=path,
        summary=schema["summary"],
        meaning=schema.get("description", ""),
        authentication=authentication,
        fields=fields,
        status=status,
        example=read_response_example(responses[status]),
        errors=[(code, response["description"]) for code, response in sorted(responses.items()) if code >= "400"],
        command=build_shell_command(method, path, media, fields, authentication),
    )


def read_parameter(schema: JsonSchema) -> Field:
    """Return the field that describes a parameter."""
    return Field(
        schema["name"],
        schema["in"],
        describe_value_type(schema["schema"]),
        schema.get("required", False),
        schema.get("description", ""),
    )


def read_body_fields(schema: JsonSchema) -> list[Field]:
    """Return the fields of a body."""
    schema = resolve_reference(schema)
    required = schema.get("required", [])
    return [
        Field(name, "body", describe_value_type(inner), name in required, inner.get("description", ""))
        for name, inner in schema["properties"].items()
    ]


def describe_value_type(schema: JsonSchema) -> str:
    """Return the type of a value, or the values of an enumeration."""
    schema = resolve_reference(schema)
    if "enum" in schema:
        return " | ".join(map(str, schema["enum"]))
    return "file" if schema.get("format") == "binary" else schema.get("type", "object")


def resolve_reference(schema: JsonSchema) -> JsonSchema:
    """Return the schema that a reference points to, or the schema itself where it is none."""
    only = schema.get("allOf", [schema])[0]
    if "$ref" not in only:
        return schema
    found: JsonSchema = build_api_schema()["components"]["schemas"][only["$ref"].rsplit("/", 1)[1]]
    return found


def read_response_example(response: JsonSchema) -> str:
    """Return the first example of a response as JSON, or an empty text."""
    examples = response.get("content", {}).get(JSON_MEDIA_TYPE, {}).get("examples", {})
    if not examples:
        return ""
    return json.dumps(next(iter(examples.values()))["value"], indent=2, ensure_ascii=False)


def build_shell_command(method: str, path: str, media: str, fields: list[Field], authentication: str) -> str:
    """Return the shell command for an operation."""
    if authentication == SESSION_SCHEME:
        return ""
    parts = ["curl"] if method == "get" else [f"curl -X {method.upper()}"]
    if authentication == "token":
        parts.append('-H "Authorization: Bearer $PENNANT_TOKEN"')
    body = [field for field in fields if field.place == "body" and field.is_required]
    if media == FORM_MEDIA_TYPE:
        parts += [f"-F {field.name}=@bot.zip" for field in body]
    elif media:
        sent = {field.name: SAMPLE_VALUES_BY_TYPE.get(field.kind, field.kind.split(" | ")[0]) for field in body}
        parts += [f'-H "Content-Type: {JSON_MEDIA_TYPE}"', f"-d {shlex.quote(json.dumps(sent))}"]
    parts.append(f'"$PENNANT_URL{path}"')
    return (" " if len(parts) <= MAX_COMMAND_PARTS_IN_ONE_LINE else " \\\n  ").join(parts)


# Example requests and responses for the schema of the API.

EXAMPLE_HOST = "https://arena.example.org"
EXAMPLE_OPTIONS: dict[str, Any] = {
    "colours": "ROYGBP",
    "copies": 1,
    "flags": 9,
    "envelopment": 5,
    "breakthrough": True,
    "tactics": 10,
    "claims": "any",
    "leader_limit": True,
    "pass": "no-troop",
    "tiles": "none",
    "scout": "at-once",
}
EXAMPLE_CHANGED_OPTIONS = {"scout": "at-once"}
EXAMPLE_VARIANT_FIELDS = {"changed_options": EXAMPLE_CHANGED_OPTIONS, "variant": "Standard, the Scout draws at once"}
EXAMPLE_MATCH: dict[str, Any] = {
    "id": 4711,
    "html_url": f"{EXAMPLE_HOST}/matches/4711/",
    "game": "battleline",
    "edition": "standard",
    "changed_options": {},
    "variant": "Standard",
    "state": "finished",
    "kind": "ladder",
    "ladder": {
        "game": "battleline",
        "edition": "standard",
        "season": 1,
        "group": None,
        "number": 1203,
        "sequence": 1199,
        "is_cancelled": False,
    },
    "state_reason": "",
    "series": None,
    "cancelled_at": None,
    "created_at": "2026-11-21T18:00:00Z",
    "started_at": "2026-11-21T18:00:02Z",
    "finished_at": "2026-11-21T18:00:09Z",
    "participants": [
        {
            "index": 0,
            "bot": "kingfisher",
            "name": "Kingfisher",
            "authors": ["ana"],
            "version": 3,
            "points": 1.0,
            "series_score": None,
            "rating": {"before": 1611.2, "after": 1618.9, "deviation": 38.4},
        },
        {
            "index": 1,
            "bot": "heron",
            "name": "Heron",
            "authors": ["ben"],
            "version": 7,
            "points": 0.0,
            "series_score": None,
            "rating": {"before": 1634.0, "after": 1627.5, "deviation": 35.1},
        },
    ],
}
EXAMPLE_MATCH_DETAIL = EXAMPLE_MATCH | {
    "options": EXAMPLE_OPTIONS | {"scout": "one-by-one"},
    "rules_version": 1,
    "limits": {"move_ms": 1000},
    "waiting": None,
    "legs": [
        {
            "number": 1,
            "seating": [0, 1],
            "deal_hash": "8c2f0d6f4c0f5a1be6a3f7d0f3f4b0f1f2a90d1e5c1b7f7d2e6f5a4b3c2d1e0f",
            "record_hash": "f3b9a1f4c2be0d1f7f8a6b5c4d3e2f100f1e2d3c4b5a69788796a5b4c3d2e1f0",
            "reason": "five flags",
            "decisions": 97,
            "seats": [
                {"seat": 0, "participant": 0, "place": 1, "score": 5.0, "verdict": "ok"},
                {"seat": 1, "participant": 1, "place": 2, "score": 3.0, "verdict": "ok"},
            ],
            "record": f"{EXAMPLE_HOST}/api/v1/matches/4711/legs/1/record/",
            "analysis": f"{EXAMPLE_HOST}/api/v1/matches/4711/legs/1/analysis/",
        }
    ],
}
EXAMPLE_PARTICIPANTS = EXAMPLE_MATCH["participants"]
EXAMPLE_CHALLENGE = (
    EXAMPLE_MATCH
    | EXAMPLE_VARIANT_FIELDS
    | {"kind": "challenge", "ladder": None, "participants": [part | {"rating": None} for part in EXAMPLE_PARTICIPANTS]}
)
EXAMPLE_STANDING = {
    "rank": 2,
    "rank_low": 1,
    "rank_high": 3,
    "group": 1,
    "bot": "kingfisher",
    "name": "Kingfisher",
    "authors": ["ana"],
    "version": 3,
    "language": "python",
    "rating": 1618.9,
    "deviation": 38.4,
    "margin_95": 75.3,
    "is_ranked": True,
    "is_anchor": False,
    "matches": 64,
    "opponents": 12,
    "points": 37.5,
    "rated_at": "2026-11-21T18:00:10Z",
}
EXAMPLE_OWN_VERSION, EXAMPLE_OPPONENT = {"bot": "kingfisher", "version": 3}, {"bot": "heron"}
EXAMPLE_NEW_CHALLENGE = {
    "version": EXAMPLE_OWN_VERSION,
    "opponent": EXAMPLE_OPPONENT,
    "options": EXAMPLE_CHANGED_OPTIONS,
    "series": None,
}
EXAMPLE_NEW_COMPARISON = {
    "version": EXAMPLE_OWN_VERSION,
    "mode": "head_to_head",
    "preset": "default",
    "promote_if_better": True,
    "adjust_for_luck": True,
}
EXAMPLE_VALUE_FUNCTION = {
    "version": "1",
    "hash": "9d0b8f6c1e2a4d73b5c6f7089a1b2c3d4e5f60718293a4b5c6d7e8f901a2b3c4",
    "luck_share": 0.75,
    "cards_per_draw": 8,
}
EXAMPLE_COMPARISON = {
    "id": 12,
    "html_url": f"{EXAMPLE_HOST}/comparisons/12/",
    "owner": "ana",
    "game": "battleline",
    "edition": "standard",
    "options": EXAMPLE_OPTIONS,
    **EXAMPLE_VARIANT_FIELDS,
    "version": {"bot": "kingfisher", "name": "Kingfisher", "authors": ["ana"], "version": 4},
    "baseline": {"bot": "kingfisher", "name": "Kingfisher", "authors": ["ana"], "version": 3},
    "mode": "head_to_head",
    "state": "running",
    "state_reason": "",
    "state_detail": "",
    "elo0": 0.0,
    "elo1": 20.0,
    "llr": 1.3,
    "llr_bound": 2.944439,
    "pairs": 96,
    "max_pairs": 5000,
    "pentanomial": [14, 0, 44, 0, 38],
    "result_counts": None,
    "estimate": {"elo": 88.7, "low": 39.5, "high": 141.5, "likelihood": 0.9998},
    "luck": {
        "value_function": EXAMPLE_VALUE_FUNCTION,
        "llr": 1.6,
        "estimate": {"elo": 85.1, "low": 41.9, "high": 131.0, "likelihood": 0.9999},
        "adjusted_pairs": 96,
        "is_suspended": False,
    },
    "promote_if_better": True,
    "created_at": "2026-11-21T18:00:00Z",
    "decided_at": None,
    "promoted_at": None,
}
EXAMPLE_NEW_WEBHOOK = {"url": "https://ci.example.org/pennant", "events": ["trial.finished", "comparison.decided"]}
EXAMPLE_WAITING_TIME = {"ahead": 3, "seconds": 21.0, "reason": "3 matches come before it."}
EXAMPLE_QUEUE = {
    "running": 2,
    "waiting": 4,
    "own": [
        {
            "match": EXAMPLE_MATCH
            | {
                "state": "queued",
                "started_at": None,
                "finished_at": None,
                "ladder": EXAMPLE_MATCH["ladder"] | {"sequence": None},
                "participants": [part | {"points": None, "rating": None} for part in EXAMPLE_PARTICIPANTS],
            },
            "waiting": EXAMPLE_WAITING_TIME,
        }
    ],
}


EXAMPLE_NEW_TOURNAMENT = {
    "title": "Autumn Cup",
    "game": "battleline",
    "edition": "standard",
    "options": EXAMPLE_CHANGED_OPTIONS,
    "settings": {"format": "swiss", "matches_per_pairing": 3},
    "entries_close_at": "2026-11-22T18:00:00Z",
}
EXAMPLE_TOURNAMENT = {
    "slug": "autumn-cup",
    "html_url": f"{EXAMPLE_HOST}/tournaments/autumn-cup/",
    "title": "Autumn Cup",
    "description": "",
    "organiser": "olga",
    "game": "battleline",
    "edition": "standard",
    "options": EXAMPLE_OPTIONS,
    **EXAMPLE_VARIANT_FIELDS,
    "settings": {
        "format": "swiss",
        "rounds": None,
        "matches_per_pairing": 3,
        "max_tiebreak_matches": 2,
        "scoring": "wins",
        "groups": 2,
        "advance_per_group": 2,
        "knockout_size": 4,
        "third_place_match": False,
        "seats": 2,
        "series": None,
    },
    "is_rated": False,
    "is_low_priority": False,
    "entries_close_at": "2026-11-22T18:00:00Z",
    "max_entrants": 64,
    "max_entrants_per_author": 1,
    "group": None,
    "visibility": "public",
    "entry_rule": "anyone",
    "entry_code": None,
    "are_entries_moderated": False,
    "state": "running",
    "state_reason": "",
    "entrants": 8,
    "rounds_started": 1,
    "rounds_planned": 4,
    "phases": [{"number": 1, "key": "swiss", "rounds_planned": 4}],
    "seconds_left": 240.0,
    "seconds_left_low": 180.0,
    "seconds_left_high": 300.0,
    "whole_clock_seconds": None,
    "seconds_left_reason": "",
    "commitment": "4c1f7d0c5b6a39e2f5b1d3a7c9e8f60112233445566778899aabbccddeeff001",
    "forecast": {"1": {"bot": "kingfisher", "win": 0.41, "podium": 0.83, "place": 2.1}},
    "forecast_reason": "",
    "forecast_after_round": 0,
    "created_at": "2026-11-21T18:00:00Z",
    "started_at": "2026-11-22T18:01:10Z",
    "finished_at": None,
}
EXAMPLE_REASON = {"reason": "A machine is down."}
EXAMPLE_PAIRING_DECISION = {"outcome": "win", "winner": "kingfisher", "reason": "The other machine burnt."}
EXAMPLE_ORGANISER = {"username": "mari"}
EXAMPLE_ORGANISER_ACT = {
    "at": "2026-11-22T18:11:32Z",
    "by": "olga",
    "act": "pairing.decide",
    "text": "Round 1, Kingfisher – Heron: decided, Kingfisher wins",
    "reason": "The other machine burnt.",
    "is_public": True,
}
EXAMPLE_TOURNAMENT_ENTRY = {"bot": "kingfisher"}
EXAMPLE_DISQUALIFICATION = {"bot": "kingfisher", "reason": "It plays with a book of another bot."}
EXAMPLE_ENTRANT = {
    "number": 1,
    "version": {"bot": "kingfisher", "name": "Kingfisher", "authors": ["ana"], "version": 4},
    "updates_automatically": True,
    "state": "ready",
    "state_reason": "",
    "state_detail": "",
    "check_match": 4712,
    "rating": 1618.9,
    "left_in_round": None,
    "place": None,
    "created_at": "2026-11-21T18:30:00Z",
}
EXAMPLE_TOURNAMENT_ROUND = {
    "number": 1,
    "phase": 1,
    "attempt": 0,
    "is_latest_attempt": True,
    "replay_reason": "",
    "started_at": "2026-11-22T18:01:10Z",
    "finished_at": None,
    "pairings": [
        {
            "board": 1,
            "name": "",
            "must_decide": False,
            "is_over": True,
            "played": True,
            "given_points": None,
            "given_reason": "",
            "seats": [
                {"number": 1, "bot": "kingfisher", "points": 1.0, "game_points": 10.0},
                {"number": 5, "bot": "heron", "points": 0.0, "game_points": 6.0},
            ],
            "matches": [{"match": 4720, "number": 1, "state": "finished", "counts": True}],
        }
    ],
}
EXAMPLE_TABLE_LINE = {
    "place": 1,
    "number": 1,
    "bot": "kingfisher",
    "name": "Kingfisher",
    "authors": ["ana"],
    "version": 4,
    "score": 1.0,
    "points": 1.0,
    "game_points": 10.0,
    "played": 1,
    "wins": 1,
    "draws": 0,
    "losses": 0,
    "byes": 0,
    "direct": None,
    "buchholz": 0.0,
    "buchholz_cut_1": 0.0,
    "sonneborn_berger": 0.0,
    "lot": 3,
    "is_out": False,
    "reached_round": 0,
}
EXAMPLE_CROSSTABLE_LINE = {
    "number": 1,
    "bot": "kingfisher",
    "meetings": [{"number": 5, "round": 1, "points": 1.0, "played": True}],
}
EXAMPLE_TOURNAMENT_DEALS = {
    "game": "battleline",
    "edition": "standard",
    "season": 1,
    "options": EXAMPLE_OPTIONS,
    "rules_version": 1,
    "commitment": EXAMPLE_TOURNAMENT["commitment"],
    "secret": None,
}
EXAMPLE_DEALT_MATCH = {
    "number": 100101,
    "match": 4720,
    "state": "queued",
    "deal_hashes": [EXAMPLE_MATCH_DETAIL["legs"][0]["deal_hash"]],
}


def response_example(name: str, value: dict[str, Any]) -> Any:
    """Return a decorator that adds an example response to a serializer."""
    return extend_schema_serializer(examples=[OpenApiExample(name, value, response_only=True)])


def request_example(name: str, value: dict[str, Any]) -> Any:
    """Return a decorator that adds an example request to a serializer."""
    return extend_schema_serializer(examples=[OpenApiExample(name, value, request_only=True)])


# Examples of live games in the description of the API.

EXAMPLE_HINT = {
    "at": 4,
    "state": "done",
    "choices": [{"action": "play R7 3", "chance": 0.612}, {"action": "play B5 4", "chance": 0.581}],
}
EXAMPLE_NEW_LIVE_GAME = {"game": "battleline", "edition": "standard", "seats": ["me", "heron"]}
EXAMPLE_LIVE_GAME: dict[str, Any] = {
    "slug": "4J2mP0c9xQ7LrT1a",
    "html_url": f"{EXAMPLE_HOST}/play/4J2mP0c9xQ7LrT1a/",
    "game": "battleline",
    "edition": "standard",
    "changed_options": {},
    "state": "playing",
    "state_reason": "",
    "created_at": "2026-11-21T18:00:00Z",
    "finished_at": None,
    "has_hints": True,
    "seat_to_act": 0,
    "reason": "",
    "seats": [
        {
            "seat": 0,
            "bot": None,
            "version": None,
            "person": "ana",
            "is_free": False,
            "place": None,
            "score": None,
            "verdict": "ok",
        },
        {
            "seat": 1,
            "bot": "heron",
            "version": 7,
            "person": None,
            "is_free": False,
            "place": None,
            "score": None,
            "verdict": "ok",
        },
    ],
    "seat": 0,
    "at": 1,
    "view": {"decision": "finish", "turn": 1, "to_move": 0, "hand": ["G6", "B8", "O3", "Y1", "P9", "fog"]},
    "events": [
        {"event": "deal", "seat": 0, "hand": ["B5", "G6", "B8", "O3", "Y1", "P9", "fog"]},
        {"seat": 0, "action": "play B5 1"},
    ],
    "legal": ["draw troop", "draw tactic"],
    "open": None,
    "draft": ["play B5 1"],
    "links": [],
}
