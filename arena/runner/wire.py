"""What a player and whoever started it say to each other, as JSON: dataclasses in, equal dataclasses out."""

import binascii
from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import dataclass, is_dataclass
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Any, get_args, get_origin, get_type_hints

import orjson

from arena.runner.leg import Underway
from arena.runner.match import MatchReport, MatchSpec
from arena.runner.program import Program
from engine.core import Json


class BadMessage(ValueError):
    """Bytes that are no message of ours."""


@dataclass(frozen=True, slots=True)
class Examine:
    """See anew what this machine can do."""


@dataclass(frozen=True, slots=True)
class Play:
    spec: MatchSpec


@dataclass(frozen=True, slots=True)
class Build:
    program: Program


@dataclass(frozen=True, slots=True)
class Examined:
    """What this machine can do. A player's first message, its answer to Examine, and whenever it found out more."""

    report: Json
    """A `Report` of `arena.runner.sandbox.levels`, as JSON."""


@dataclass(frozen=True, slots=True)
class Played:
    report: MatchReport


@dataclass(frozen=True, slots=True)
class Built:
    program: Program
    log: str


@dataclass(frozen=True, slots=True)
class NotBuilt:
    """The compiler refused the source."""

    log: str


@dataclass(frozen=True, slots=True)
class Failed:
    """Nobody's fault but the arena's."""

    error: str


Request = Examine | Play | Build
Answer = Examined | Underway | Played | Built | NotBuilt | Failed
KINDS: dict[str, type[Request | Answer]] = {kind.__name__: kind for kind in get_args(Request | Answer)}


def encode(message: Request | Answer) -> bytes:
    return orjson.dumps([type(message).__name__, message], default=_plain)


def decode(content: bytes) -> Request | Answer:
    """Raises BadMessage."""
    try:
        name, fields = orjson.loads(content)
        message: Request | Answer = _decode(KINDS[name], fields)
        return message
    except (ValueError, TypeError, KeyError, AttributeError, binascii.Error) as error:
        raise BadMessage(f"no message of ours: {type(error).__name__}: {error}") from error


def _plain(value: object) -> object:
    """What orjson does not know by itself."""
    if isinstance(value, bytes):
        return b64encode(value).decode()
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} can't be sent")


def _decode(kind: Any, value: Any) -> Any:
    """A value of the type that a field is declared to have."""
    if isinstance(kind, type) and is_dataclass(kind):
        return kind(**{name: _decode(hint, value[name]) for name, hint in _fields(kind).items()})
    origin = get_origin(kind)
    if origin is not None:
        return _decode_generic(origin, get_args(kind), value)
    if kind is bytes:
        return b64decode(value, validate=True)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind(value)
    return value


def _decode_generic(origin: Any, arguments: tuple[Any, ...], value: Any) -> Any:
    if origin is UnionType:
        (kind,) = set(arguments) - {NoneType}
        return None if value is None else _decode(kind, value)
    if origin is tuple and arguments[-1] is ...:
        return tuple(_decode(arguments[0], item) for item in value)
    if origin is list:
        return [_decode(arguments[0], item) for item in value]
    if origin is tuple:
        return tuple(_decode(kind, item) for kind, item in zip(arguments, value, strict=True))
    if arguments[-1] is Any:
        return value
    return {key: _decode(arguments[1], item) for key, item in value.items()}


@cache
def _fields(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)
