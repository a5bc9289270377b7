from dataclasses import asdict
from types import MappingProxyType
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.runner import wire
from arena.runner.leg import LegProgress, LegReport
from arena.runner.limits import Limits
from arena.runner.live_turn import TurnReport, TurnSpec
from arena.runner.match import MatchReport, MatchSpec
from arena.runner.program import Program
from arena.runner.seat import Fault
from arena.runner.verdict import Verdict
from arena.runner.wire import BadMessageError, decode, encode
from engine.message import Message
from engine.series import SeriesLength

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
)
TURN_REPORTS = st.builds(
    TurnReport,
    entries=st.lists(JSON, max_size=2),
    fault=st.none() | FAULTS,
    stderr=TEXT,
    bank_ms=st.floats(0, 1e6),
    cpu_ms=st.floats(0, 1e6),
    changed_answers=st.integers(0, 99),
)
MESSAGES = st.one_of(
    st.just(wire.Examine()),
    st.builds(wire.AnswerTurn, TURNS),
    st.builds(wire.TurnAnswered, TURN_REPORTS),
    st.builds(wire.Progress, st.builds(LegProgress, st.integers(1, 4), st.lists(JSON), tuples(st.integers(0, 3)))),
    st.builds(wire.Examined, JSON),
    st.builds(wire.Play, SPECS),
    st.builds(wire.Build, PROGRAMS),
    st.builds(wire.Played, st.builds(MatchReport, tuples(LEGS), st.booleans())),
    st.builds(wire.Built, PROGRAMS, TEXT),
    st.builds(wire.NotBuilt, REASONS, TEXT),
    st.builds(wire.Failed, TEXT),
)


@given(MESSAGES)
def test_what_is_sent_is_what_arrives(message: wire.Request | wire.Answer) -> None:
    assert decode(encode(message)) == message


def test_every_kind_of_message_is_tried_here() -> None:
    assert len(get_args(wire.Request | wire.Answer)) == len(MESSAGES.original_strategies)


@given(FAULTS)
def test_types_are_kept(fault: Fault) -> None:
    leg = LegReport((0,), {}, ("",), (fault,), (0.0,), (0,), (0.0,), (0.0,))
    received = decode(encode(wire.Played(MatchReport((leg,)))))
    assert isinstance(received, wire.Played)
    (arrived,) = received.report.legs[0].faults
    assert isinstance(arrived, Fault) and type(arrived.verdict) is Verdict
    assert asdict(arrived) == asdict(fault)


def test_any_mapping_of_files_can_be_sent() -> None:
    program = Program("k", 1, MappingProxyType({"bot.py": b"\0\xff"}))
    received = decode(encode(wire.Build(program)))
    assert isinstance(received, wire.Build) and received.program.files == {"bot.py": b"\0\xff"}


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
        encode(wire.Play(SPEC)).replace(b'{"games":3,"points":null}', b'{"games":30,"points":null}'),
    ],
)
def test_anything_else_is_refused(content: bytes) -> None:
    with pytest.raises(BadMessageError):
        decode(content)
