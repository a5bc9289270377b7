import os
import threading
from collections.abc import Iterator
from dataclasses import asdict
from types import MappingProxyType
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.runner import channel
from arena.runner.channel import (
    MAX_MESSAGE_BYTES,
    BadMessageError,
    Build,
    Channel,
    ChannelClosedError,
    ChannelTimeoutError,
    Examine,
    Failed,
    Progress,
    decode,
    encode,
)
from arena.runner.live_turn import Position, TurnReport, TurnSpec
from arena.runner.match import Fault, LegProgress, LegReport, MatchReport, MatchSpec
from arena.runner.program import Limits, Program, Verdict
from engine.message import Message
from engine.series import SeriesLength

PROGRESS = Progress(LegProgress(1, [{"seat": 0, "action": "pass"}], (0, 1)))


@pytest.fixture
def pipes() -> Iterator[list[int]]:
    """Two pipes: the ends to read and to write of one, then of the other."""
    ends = [*os.pipe(), *os.pipe()]
    yield ends
    for end in ends:
        if end >= 0:
            os.close(end)


@pytest.fixture
def here(pipes: list[int]) -> Channel:
    return Channel(pipes[0], pipes[3])


@pytest.fixture
def there(pipes: list[int]) -> Channel:
    return Channel(pipes[2], pipes[1])


def test_messages_arrive_in_order(here: Channel, there: Channel) -> None:
    for message in (Examine(), PROGRESS, Failed("no")):
        there.send(message)
    assert [here.receive(1.0) for _ in range(3)] == [Examine(), PROGRESS, Failed("no")]


def test_a_message_larger_than_a_pipe_arrives(here: Channel, there: Channel) -> None:
    large = Build(Program("large", 1, {"bot.py": os.urandom(5_000_000)}))
    writer = threading.Thread(target=there.send, args=(large,))
    writer.start()
    assert here.receive(20.0) == large
    writer.join()


def test_a_message_in_pieces_is_waited_for(pipes: list[int], here: Channel) -> None:
    os.write(pipes[1], b"\0\0")
    with pytest.raises(ChannelTimeoutError):
        here.receive(0.01)
    os.write(pipes[1], b"\0\x12" + b'{"type":"Examine"}'[:5])
    with pytest.raises(ChannelTimeoutError):
        here.receive(0.01)
    os.write(pipes[1], b'{"type":"Examine"}'[5:])
    assert here.receive(1.0) == Examine()


def test_a_message_that_is_not_read_times_out(there: Channel) -> None:
    with pytest.raises(ChannelTimeoutError):
        there.send(Build(Program("large", 1, {"bot.py": bytes(1_000_000)})), 0.05)


def test_the_end_is_told_on_both_ways(pipes: list[int], here: Channel) -> None:
    for end in (1, 2):
        os.close(pipes[end])
        pipes[end] = -1
    with pytest.raises(ChannelClosedError):
        here.receive(1.0)
    with pytest.raises(ChannelClosedError):
        here.send(PROGRESS)


def test_a_message_or_the_end_makes_a_channel_readable(pipes: list[int], here: Channel, there: Channel) -> None:
    assert not here.is_readable(0)
    there.send(PROGRESS)
    there.send(PROGRESS)
    assert here.is_readable(0)
    here.receive(1.0)
    assert here.is_readable(0)
    here.receive(1.0)
    assert not here.is_readable(0)
    os.close(pipes[1])
    pipes[1] = -1
    assert here.is_readable(0)


def test_an_impossible_length_is_refused_at_once(pipes: list[int], here: Channel) -> None:
    os.write(pipes[1], (MAX_MESSAGE_BYTES + 1).to_bytes(4, "big"))
    with pytest.raises(BadMessageError):
        here.receive(1.0)


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
NUMBERS = st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False)
JSON = st.dictionaries(
    TEXT,
    st.recursive(
        st.none() | st.booleans() | NUMBERS | TEXT,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
        max_leaves=8,
    ),
    max_size=4,
)
PROGRAMS = st.builds(
    Program,
    name=TEXT,
    version=st.integers(1, 99),
    files=st.binary(max_size=200).map(lambda content: {"bot.py": content, "data/weights": content[::-1]}),
)
LIMITS = st.builds(Limits, *[st.integers(1, 10**6)] * 4)


def tuples(items: st.SearchStrategy[Any]) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.lists(items, max_size=3).map(tuple)


SPECS = st.builds(
    MatchSpec,
    game=TEXT,
    edition=TEXT,
    options=JSON,
    deal=JSON,
    salts=tuples(TEXT),
    limits=LIMITS,
    programs=tuples(PROGRAMS),
    series=st.none() | st.builds(SeriesLength, games=st.integers(1, 15)),
    later_deals=tuples(JSON),
)
SPEC = MatchSpec("g", "e", {}, {}, ("a",), Limits(), (), SeriesLength(games=3))
VALUES = TEXT | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False)
REASONS = st.builds(
    Message,
    TEXT,
    st.dictionaries(TEXT, VALUES | st.builds(Message, TEXT, st.dictionaries(TEXT, VALUES))),
)
FAULTS = st.builds(Fault, st.sampled_from(Verdict), REASONS, st.none() | TEXT, st.none() | JSON, TEXT)
LEGS = st.builds(
    LegReport,
    seating=tuples(st.integers(0, 3)),
    record=JSON,
    stderr=tuples(TEXT),
    faults=tuples(st.none() | FAULTS),
    spent_ms=tuples(st.floats(0, 1e6)),
    answers=tuples(st.integers(0, 500)),
    elapsed_ms=tuples(st.floats(0, 1e6)),
    waited_ms=tuples(st.floats(0, 1e6)),
)
TURNS = st.builds(
    TurnSpec,
    game=TEXT,
    edition=TEXT,
    options=JSON,
    deal=JSON,
    salt=TEXT,
    seats=st.integers(2, 4),
    actions=st.lists(JSON, max_size=3),
    limits=LIMITS,
    seat=st.integers(0, 3),
    program=PROGRAMS,
    bank_ms=st.floats(0, 1e6),
    table=TEXT,
)
POSITIONS = st.builds(
    Position,
    game=TEXT,
    edition=TEXT,
    options=JSON,
    deal=JSON,
    seats=st.integers(2, 4),
    actions=st.lists(JSON, max_size=3),
)
TURN_REPORTS = st.builds(
    TurnReport,
    entries=st.lists(JSON, max_size=2),
    fault=st.none() | FAULTS,
    stderr=TEXT,
    bank_ms=st.floats(0, 1e6),
    cpu_ms=st.floats(0, 1e6),
    changed_answers=st.integers(0, 99),
    to_act=st.none() | st.integers(0, 3),
    is_kept=st.booleans(),
)
MESSAGES = st.one_of(
    st.just(channel.Examine()),
    st.builds(channel.AnswerTurn, TURNS),
    st.builds(channel.TurnAnswered, TURN_REPORTS),
    st.builds(channel.Progress, st.builds(LegProgress, st.integers(1, 4), st.lists(JSON), tuples(st.integers(0, 3)))),
    st.builds(channel.Examined, JSON),
    st.builds(channel.Play, SPECS),
    st.builds(channel.Build, PROGRAMS),
    st.builds(channel.Played, st.builds(MatchReport, tuples(LEGS), st.booleans())),
    st.builds(channel.Built, PROGRAMS, TEXT),
    st.builds(channel.NotBuilt, REASONS, TEXT),
    st.builds(channel.Failed, TEXT),
    st.builds(channel.EndKept, tuples(TEXT)),
    st.just(channel.KeptEnded()),
    st.just(channel.Busy()),
    st.builds(channel.Analyse, JSON),
    st.builds(channel.Analysed, JSON, st.floats(0, 1e6)),
    st.builds(channel.FindHint, POSITIONS),
    st.builds(channel.HintFound, st.none() | st.lists(JSON, max_size=2), st.floats(0, 1e6)),
)


@given(MESSAGES)
def test_what_is_sent_is_what_arrives(message: channel.Request | channel.Answer) -> None:
    assert decode(encode(message)) == message


def test_every_kind_of_message_is_tried_here() -> None:
    assert len(get_args(channel.Request | channel.Answer)) == len(MESSAGES.original_strategies)


@given(FAULTS)
def test_types_are_kept(fault: Fault) -> None:
    leg = LegReport((0,), {}, ("",), (fault,), (0.0,), (0,), (0.0,), (0.0,))
    received = decode(encode(channel.Played(MatchReport((leg,)))))
    assert isinstance(received, channel.Played)
    (arrived,) = received.report.legs[0].faults
    assert isinstance(arrived, Fault) and type(arrived.verdict) is Verdict
    assert asdict(arrived) == asdict(fault)


def test_any_mapping_of_files_can_be_sent() -> None:
    program = Program("k", 1, MappingProxyType({"bot.py": b"\0\xff"}))
    received = decode(encode(channel.Build(program)))
    assert isinstance(received, channel.Build) and received.program.files == {"bot.py": b"\0\xff"}


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{}",
        b"null",
        b'"Examine"',
        b'{"type": "Examine", "languages": []}',
        b'{"type": "Progress", "underway": {"leg": 1, "actions": 3}}',
        b'{"type": "Nothing"}',
        b'{"type": "Failed"}',
        b'{"type": "Build", "program": {"name": "k", "version": 1, "files": {}, "language": "python"}}',
        b'{"type": "Build", "program": {"name": "k", "version": 1, "files": {"bot.py": "?"}, "language": "python"}}',
        b'{"type": "Played", "report": {"legs": 3}}',
        b'{"type": "Play", "spec": null}',
        encode(channel.Play(SPEC)).replace(b'{"games":3,"points":null}', b'{"games":30,"points":null}'),
    ],
)
def test_anything_else_is_refused(content: bytes) -> None:
    with pytest.raises(BadMessageError):
        decode(content)
