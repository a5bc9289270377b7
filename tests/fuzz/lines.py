"""What a bot may write, through the reader of lines, the parser of answers, and each game's reader of actions."""

import os
import random
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path

from arena.runner.protocol import MAX_LINE_BYTES, MalformedAnswerError, parse_answer, parse_ready
from arena.runner.sandbox.base import BotOverflowError
from arena.runner.sandbox.process import EndOfOutputError, Pipes
from engine.core import IllegalAction, MalformedAction, State
from engine.registry import GAMES

CORPUS = Path(__file__).parent / "corpus" / "lines"
PIECES = 8
"""In so many pieces, at most, the bytes arrive, and none larger than this:"""
CHUNK = 4096
QUESTION = b"?" * 200_000
"""Longer than a pipe, and put before so many of the answers:"""
QUESTIONS = 0.1
DEADLINE_S = 0.05
"""CPU seconds for whatever a bot wrote."""


def check(content: bytes) -> None:
    """Raises whatever it should not."""
    for line in lines(content, random.Random(content[:16])):
        for parse in (parse_ready, parse_answer):
            try:
                answer = parse(line)
            except MalformedAnswerError as error:
                assert str(error)
            else:
                if parse is parse_answer:
                    take(answer.action)


def prepare(data: bytes) -> bytes:
    """With an odd first byte the rest is a beginning, a filling and an end: the filling is repeated up to 64 KiB."""
    kind, rest = data[:1], data[1:]
    if not kind or kind[0] % 2 == 0:
        return rest
    beginning, filling, end = (rest.split(b"\0", 2) + [b"", b""])[:3]
    times = max(0, MAX_LINE_BYTES - len(beginning) - len(end)) // max(1, len(filling))
    return beginning + filling * times + end


def lines(content: bytes, rng: random.Random) -> list[bytes]:
    """As they come out of a pipe into which the content goes in pieces; long questions are written in between."""
    cuts = [0, *sorted(rng.randrange(len(content) + 1) for _ in range(rng.randrange(PIECES))), len(content)]
    pieces = (content[start:end] for start, end in pairwise(cuts))
    chunks = (piece[start : start + CHUNK] for piece in pieces for start in range(0, len(piece), CHUNK))
    with ExitStack() as ends:
        (reading, stdin), (stdout, writing), (stderr, _quiet) = [
            (ends.enter_context(open(reading, "rb", 0)), ends.enter_context(open(writing, "wb", 0)))
            for reading, writing in (os.pipe() for _ in range(3))
        ]
        os.set_blocking(reading.fileno(), False)

        def wait_limit() -> float:
            """The other side: it reads what there is, and writes its next piece, or hangs up."""
            reading.read(len(QUESTION))
            if chunk := next(chunks, None):
                writing.write(chunk)
            else:
                writing.close()
            return 1.0

        pipes = Pipes(stdin.fileno(), stdout.fileno(), stderr.fileno())
        found: list[bytes] = []
        try:
            while True:
                if rng.random() < QUESTIONS:
                    pipes.write_rest(QUESTION, wait_limit)
                found.append(pipes.read_line(wait_limit))
                assert len(found[-1]) <= MAX_LINE_BYTES and b"\n" not in found[-1]
        except (EndOfOutputError, BotOverflowError):
            return found


def first_states() -> list[State]:
    states = []
    for game in GAMES.values():
        options = game.options(next(iter(game.editions)))
        deal = game.deal(options, game.seats[0], random.Random(1))
        states.append(game.start(options, game.seats[0], deal))
    return states


STATES = first_states()


def take(action: str) -> None:
    for state in STATES:
        try:
            move = state.parse(action)
        except (MalformedAction, IllegalAction) as error:
            assert str(error)
        else:
            assert state.text(move)
