"""Encode and decode the messages between a worker and its runner process: structs in, equal structs out, as JSON."""

from typing import cast

import msgspec

from arena.runner.leg import Underway
from arena.runner.match import MatchReport, MatchSpec
from arena.runner.program import Program
from engine.core import Json
from engine.message import Message


class BadMessageError(ValueError):
    """Bytes that are no message of ours."""


class Tagged(msgspec.Struct, frozen=True, tag=True, forbid_unknown_fields=True):
    """The base of all messages: the name of the class is sent with the fields."""


class Examine(Tagged, frozen=True):
    """Ask to find out again what this machine can do."""


class Play(Tagged, frozen=True):
    """Ask to play a match."""

    spec: MatchSpec


class Build(Tagged, frozen=True):
    """Ask to build a program from its source."""

    program: Program


class Examined(Tagged, frozen=True):
    """What this machine can do: the first message, the answer to Examine, and sent whenever more is found out."""

    report: Json
    """A `Report` of `arena.runner.sandbox.levels`, as JSON."""


class Progress(Tagged, frozen=True):
    """How far the match is that is being played. Sent about once a second."""

    underway: Underway


class Played(Tagged, frozen=True):
    """The report of a match that was played."""

    report: MatchReport


class Built(Tagged, frozen=True):
    """The program as it is run, and the compiler's log."""

    program: Program
    log: str


class NotBuilt(Tagged, frozen=True):
    """The source could not be built: why, and the compiler's log."""

    reason: Message
    log: str


class Failed(Tagged, frozen=True):
    """The arena failed, and no bot is at fault."""

    error: str


Request = Examine | Play | Build
Answer = Examined | Progress | Played | Built | NotBuilt | Failed

_decoder = msgspec.json.Decoder(Request | Answer)
encode = msgspec.json.Encoder(enc_hook=dict).encode
"""Return a message as bytes; mappings of any kind are sent as objects."""


def decode(content: bytes) -> Request | Answer:
    """Return the message that was encoded as `content`. Raises BadMessageError."""
    try:
        return cast(Request | Answer, _decoder.decode(content))
    except msgspec.DecodeError as error:
        raise BadMessageError(f"no message of ours: {error}") from error
