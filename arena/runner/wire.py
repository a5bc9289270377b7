"""Encode and decode the messages between a worker and its runner process as JSON."""

from typing import cast

import msgspec

from arena.runner.leg import LegProgress
from arena.runner.live_turn import TurnReport, TurnSpec
from arena.runner.match import MatchReport, MatchSpec
from arena.runner.program import Program
from engine.core import Json
from engine.message import Message


class BadMessageError(ValueError):
    """The bytes are not a message of this protocol."""


class Tagged(msgspec.Struct, frozen=True, tag=True, forbid_unknown_fields=True):
    """The base of all messages: the name of the class is sent with the fields."""


class Examine(Tagged, frozen=True):
    """Request to examine this machine again."""


class Play(Tagged, frozen=True):
    """Request to play a match."""

    spec: MatchSpec


class AnswerTurn(Tagged, frozen=True):
    """Request to have a bot play a turn of a live game."""

    spec: TurnSpec


class Build(Tagged, frozen=True):
    """Request to build a program from its source."""

    program: Program


class Examined(Tagged, frozen=True):
    """The report on this machine: sent first, when more languages were tested, and as the answer to Examine."""

    report: Json
    """A `Report` of `arena.runner.sandbox.levels`, as JSON."""


class Progress(Tagged, frozen=True):
    """The progress of the present match, sent about once a second."""

    underway: LegProgress


class Played(Tagged, frozen=True):
    """The report of a match that was played."""

    report: MatchReport


class TurnAnswered(Tagged, frozen=True):
    """The report of a turn of a live game."""

    report: TurnReport


class Built(Tagged, frozen=True):
    """The built program and the compiler's log."""

    program: Program
    log: str


class NotBuilt(Tagged, frozen=True):
    """The reason why a source could not be built, and the compiler's log."""

    reason: Message
    log: str


class Failed(Tagged, frozen=True):
    """The arena failed; no bot is at fault."""

    error: str


Request = Examine | Play | AnswerTurn | Build
Answer = Examined | Progress | Played | TurnAnswered | Built | NotBuilt | Failed

_decoder = msgspec.json.Decoder(Request | Answer)
encode = msgspec.json.Encoder(enc_hook=dict).encode
"""Return a message as bytes; mappings of any kind are sent as objects."""


def decode(content: bytes) -> Request | Answer:
    """Return the message that was encoded as `content`. Raises BadMessageError."""
    try:
        return cast(Request | Answer, _decoder.decode(content))
    except msgspec.DecodeError as error:
        raise BadMessageError(f"not a message of this protocol: {error}") from error
