"""Connect a worker and its runner process: JSON over a pair of pipes, and nothing else in common."""

import os
import select
from collections.abc import Sequence
from time import monotonic
from typing import cast

import msgspec

from arena.runner.live_turn import Position, TurnReport, TurnSpec
from arena.runner.match import LegProgress, MatchReport, MatchSpec
from arena.runner.program import Program
from engine.core import Json
from engine.message import Message

# Encode and decode the messages between a worker and its runner process as JSON.

FEW_LANGUAGES = "--few-languages"
"""The argument of a runner process that tests a language when a bot in it comes, instead of all of them at its start:
several on one machine needn't test all."""


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


class EndKept(Tagged, frozen=True):
    """Request to end the processes that wait for the next turns of these tables."""

    tables: tuple[str, ...]


class Analyse(Tagged, frozen=True):
    """Request for the coarse pass of an analysis, from a record."""

    record: Json


class FindHint(Tagged, frozen=True):
    """Request for the best choices of the seat that is to act in a live game."""

    position: Position


class Build(Tagged, frozen=True):
    """Request to build a program from its source."""

    program: Program


class Examined(Tagged, frozen=True):
    """The report on this machine: sent first, when more languages were tested, and as the answer to Examine."""

    report: Json
    """A `Report` of `arena.runner.sandbox.base`, as JSON."""


class Busy(Tagged, frozen=True):
    """The sign of life of a runner process that has said nothing else for a while, whatever it is doing."""


class Progress(Tagged, frozen=True):
    """The progress of the present match, sent about once a second."""

    underway: LegProgress


class Played(Tagged, frozen=True):
    """The report of a match that was played."""

    report: MatchReport


class TurnAnswered(Tagged, frozen=True):
    """The report of a turn of a live game."""

    report: TurnReport


class KeptEnded(Tagged, frozen=True):
    """The processes of live games were ended."""


class Analysed(Tagged, frozen=True):
    """The analysis, and the processor time that it took."""

    result: Json
    cpu_ms: float


class HintFound(Tagged, frozen=True):
    """The best actions with the chance after each, the best first, and the processor time that it took.

    None where no hint can be given.
    """

    choices: Sequence[Json] | None
    cpu_ms: float


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


Request = Examine | Play | AnswerTurn | EndKept | Analyse | FindHint | Build
Answer = (
    Examined | Busy | Progress | Played | TurnAnswered | KeptEnded | Analysed | HintFound | Built | NotBuilt | Failed
)

_decoder = msgspec.json.Decoder(Request | Answer)
encode = msgspec.json.Encoder(enc_hook=dict).encode
"""Return a message as bytes; mappings of any kind are sent as objects."""


def decode(content: bytes) -> Request | Answer:
    """Return the message that was encoded as `content`. Raises BadMessageError."""
    try:
        return cast(Request | Answer, _decoder.decode(content))
    except msgspec.DecodeError as error:
        raise BadMessageError(f"not a message of this protocol: {error}") from error


# Send messages over a pair of pipes: a length in four bytes, big-endian, then that many bytes.

LENGTH_PREFIX_BYTES = 4
MAX_MESSAGE_BYTES = 1024 * 1024 * 1024
"""Enough for eight programs of 64 MiB in base64, the largest that an arena can be set to take."""
MESSAGE_CHUNK_BYTES = 1024 * 1024


class ChannelClosedError(Exception):
    """The other end is closed."""


class ChannelTimeoutError(Exception):
    """Nothing could be read or written in the given time."""


class Channel:
    """One end of a pair of pipes. The caller closes the descriptors."""

    def __init__(self, reading: int, writing: int) -> None:
        self.reading = reading
        self.writing = writing
        self._read = bytearray()
        os.set_blocking(reading, False)
        os.set_blocking(writing, False)

    def send(self, message: Request | Answer, timeout_s: float | None = None) -> None:
        """Send a message. Raises ChannelClosedError and ChannelTimeoutError."""
        body = encode(message)
        left = memoryview(len(body).to_bytes(LENGTH_PREFIX_BYTES, "big") + body)
        deadline = None if timeout_s is None else monotonic() + timeout_s
        while left:
            try:
                left = left[os.write(self.writing, left[:MESSAGE_CHUNK_BYTES]) :]
            except BlockingIOError:
                _wait_for(self.writing, select.POLLOUT, deadline)
            except BrokenPipeError:
                raise ChannelClosedError("the other end reads no more") from None

    def receive(self, timeout_s: float | None = None) -> Request | Answer:
        """Return the next message. Raises ChannelClosedError, ChannelTimeoutError, BadMessageError."""
        deadline = None if timeout_s is None else monotonic() + timeout_s
        while (message := self._next()) is None:
            try:
                chunk = os.read(self.reading, MESSAGE_CHUNK_BYTES)
            except BlockingIOError:
                _wait_for(self.reading, select.POLLIN, deadline)
                continue
            if not chunk:
                raise ChannelClosedError("the other end writes no more")
            self._read += chunk
        return message

    def is_readable(self, timeout_s: float) -> bool:
        """Wait up to `timeout_s` and return whether a message, or the end, can be received."""
        if self._read:
            return True
        poll = select.poll()
        poll.register(self.reading, select.POLLIN)
        return bool(poll.poll(timeout_s * 1000))

    def _next(self) -> Request | Answer | None:
        size = int.from_bytes(self._read[:LENGTH_PREFIX_BYTES], "big")
        if size > MAX_MESSAGE_BYTES:
            raise BadMessageError(f"a message of {size} bytes")
        if len(self._read) < LENGTH_PREFIX_BYTES + size or len(self._read) < LENGTH_PREFIX_BYTES:
            return None
        body = bytes(self._read[LENGTH_PREFIX_BYTES : LENGTH_PREFIX_BYTES + size])
        del self._read[: LENGTH_PREFIX_BYTES + size]
        return decode(body)


def _wait_for(fd: int, event: int, deadline: float | None) -> None:
    poll = select.poll()
    poll.register(fd, event)
    left = None if deadline is None else (deadline - monotonic()) * 1000
    if (left is not None and left <= 0) or not poll.poll(left):
        raise ChannelTimeoutError("nothing could be read or written in time")
