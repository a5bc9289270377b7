"""The referee of legs with remote bots: messages for every process, answers once, clocks, and what a restart keeps."""

import json
from dataclasses import replace
from random import Random

import hypothesis.strategies as st
import pytest
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from arena.matches.remote.referee import (
    MAX_ABSENCE_MS,
    Envelope,
    LateError,
    RemoteLeg,
    RemoteLegSpec,
    RemotePlay,
)
from arena.runner import protocol
from arena.runner.live_turn import TurnSpec, answer_turn
from arena.runner.program import REMOTE_LIMITS, Limits, Program
from arena.runner.sandbox.base import Sandbox
from engine.core import Json
from engine.registry import find_game
from engine.replay import make_record, take, verify

READY = b'{"type": "ready"}'
STATEFUL = b'{"type": "ready", "stateful": true}'


def make_spec(game: str = "battleline", seats: int = 2, seed: int = 1) -> RemoteLegSpec:
    rules = find_game(game)
    edition = next(iter(rules.editions))
    options = rules.options(edition)
    deal = rules.deal(options, seats, Random(seed))
    return RemoteLegSpec("table", game, edition, options, deal, "salt", seats, REMOTE_LIMITS["open"])


def begin(spec: RemoteLegSpec, remote: tuple[int, ...] = (0, 1)) -> RemoteLeg:
    plays = [RemotePlay(seat, 100 + seat, spec.limits.bank_ms) for seat in remote]
    return RemoteLeg(spec, plays, (), 0.0)


def resume(leg: RemoteLeg, stored: int, at: float) -> RemoteLeg:
    """Return the leg as another process reads it."""
    kept = (
        *("seat", "bot", "bank_ms", "ready", "refusals", "refused_here", "refusal", "answered", "answer_hash"),
        *("away_ms", "has_end", "log", "fault"),
    )
    plays = [RemotePlay(**{name: getattr(play, name) for name in kept}) for play in leg.plays.values()]
    return RemoteLeg(leg.spec, plays, leg.entries[:stored], at)


def start(leg: RemoteLeg, line: bytes = READY) -> RemoteLeg:
    for seat in leg.plays:
        leg.collect(seat, None, 0.0)
        leg.answer(seat, "hello", line, 0.0)
    return leg


def play_on(leg: RemoteLeg, decisions: int, at: float = 0.0) -> list[tuple[int, Envelope]]:
    """Let bots play their first legal action, and return what they were asked, by seat."""
    asked: list[tuple[int, Envelope]] = []
    while not leg.is_over and len(asked) < decisions:
        seat = leg.state.to_act
        assert seat is not None
        last = max(leg.plays[seat].asked, default=None)
        (turn,) = leg.collect(seat, "hello" if last is None else f"{last}.0", at)
        asked.append((seat, turn))
        leg.answer(seat, turn.key, json.dumps({"action": turn.message["legal"][0]}).encode(), at)
    return asked


def record_of(leg: RemoteLeg) -> Json:
    assert leg.state.outcome is not None
    record = make_record(
        game=leg.game,
        edition=leg.spec.edition,
        options=leg.options,
        deal=leg.spec.deal,
        salt=leg.spec.salt,
        seats=[{"name": "a", "version": 1, "remote": True, "declared": "GPU"}] * leg.spec.seats,
        actions=leg.entries,
        outcome=leg.state.outcome,
        verdicts=leg.verdicts,
    )
    return json.loads(json.dumps(record))  # type: ignore[no-any-return]


TOLD = b"""
import json, sys
for line in sys.stdin:
    print(line, end="", file=sys.stderr, flush=True)
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "ready", "stateful": STATEFUL}), flush=True)
    elif message["type"] == "turn":
        print(json.dumps({"action": message["legal"][0]}), flush=True)
"""


@pytest.mark.parametrize("stateful", [False, True])
def test_a_new_process_is_told_what_it_is_told_in_the_sandbox(bare: Sandbox, *, stateful: bool) -> None:
    spec = replace(make_spec(), limits=Limits())
    leg = start(begin(spec), STATEFUL if stateful else READY)
    play_on(leg, 12)
    while leg.state.to_act != 0:
        play_on(leg, 1)
    source = TOLD.replace(b"STATEFUL", str(stateful).encode())
    turn = TurnSpec(
        game=spec.game,
        edition=spec.edition,
        options=spec.options,
        deal=spec.deal,
        salt=spec.salt,
        seats=2,
        actions=leg.entries,
        limits=spec.limits,
        seat=0,
        program=Program("bot", 1, {"bot.py": source}),
        bank_ms=spec.limits.bank_ms,
    )
    told = [json.loads(line) for line in answer_turn(turn, bare).stderr.splitlines()]
    found = [json.loads(protocol.encode(one.message)) for one in leg.collect(0, None, 0.0)]
    assert found == told[: len(found)] and (len(found) > 3) == stateful
    assert all(later["n"] > found[-1]["n"] for later in told[len(found) :] if later["type"] == "turn")


@pytest.mark.parametrize("seat", [0, 1])
def test_a_new_process_knows_at_once_all_that_has_happened(seat: int) -> None:
    leg = start(begin(make_spec()))
    play_on(leg, 30)
    while leg.state.to_act != seat:
        play_on(leg, 1)
    hello, turn = leg.collect(seat, None, 0.0)
    assert hello.key == "hello" and hello.message["type"] == "hello"
    assert turn.message["events"] == leg.state.events(seat, 0)
    (later,) = leg.collect(seat, "hello", 0.0)
    assert later.message == turn.message
    (new_only,) = leg.collect(seat, f"{max(leg.plays[seat].asked)}.0", 0.0)
    assert 0 < len(new_only.message["events"]) < len(turn.message["events"])
    assert leg.collect(seat, turn.key, 0.0) == []
    unknown = leg.collect(seat, "999.0", 0.0)
    assert [found.key for found in unknown] == ["hello", turn.key]


def test_a_stateful_bot_is_asked_again_what_it_was_asked() -> None:
    leg = start(begin(make_spec()), STATEFUL)
    asked = [turn for seat, turn in play_on(leg, 20) if seat == 0]
    while leg.state.to_act != 0:
        play_on(leg, 1)
    hello, *earlier, turn = leg.collect(0, None, 0.0)
    assert hello.key == "hello" and turn.answered is None
    for before, again in zip(asked, earlier, strict=True):
        assert again.key == before.key.replace(".0", ".earlier")
        assert again.message | {"bank_ms": 0} == before.message | {"bank_ms": 0}
        assert again.answered == before.message["legal"][0]
    (same,) = leg.collect(0, earlier[-1].key, 0.0)
    assert same.message == turn.message
    some = leg.collect(0, earlier[1].key, 0.0)
    assert [found.key for found in some] == [found.key for found in (*earlier[2:], turn)]


def test_a_key_that_was_never_given_stands_for_a_new_process() -> None:
    leg = start(begin(make_spec()))
    assert leg.state.to_act is not None
    for have in ("9" * 5000, "7.0", "\0", "\u0663"):
        assert [found.key for found in leg.collect(leg.state.to_act, have, 0.0)] == ["hello", "0.0"]


def test_time_counts_from_sending_to_receipt_and_is_taken_from_the_bank() -> None:
    leg = start(begin(make_spec()))
    seat = leg.state.to_act
    assert seat is not None
    leg.check_clocks(1000.0)  # nothing was sent
    (turn,) = leg.collect(seat, "hello", 1000.0)
    leg.collect(seat, "hello", 1004.0)  # sent again after a transport that failed: the clock runs on
    leg.answer(seat, turn.key, b"no", 1005.0)
    leg.check_clocks(1500.0)
    _, again = leg.collect(seat, turn.key, 1500.0)
    leg.answer(seat, again.key, json.dumps({"action": turn.message["legal"][0]}).encode(), 1507.02)
    assert leg.entries[0]["ms"] == 12020 and leg.entries[0]["refused"] == 1
    assert leg.plays[seat].bank_ms == pytest.approx(600_000 - 12_000)


@pytest.mark.parametrize("has_answered", [True, False])
def test_an_answer_that_takes_too_long_loses(has_answered: bool) -> None:
    leg = start(begin(make_spec()))
    seat = leg.state.to_act
    assert seat is not None
    (turn,) = leg.collect(seat, "hello", 0.0)
    assert not leg.check_clocks(59.9)
    if has_answered:
        leg.answer(seat, turn.key, json.dumps({"action": turn.message["legal"][0]}).encode(), 60.1)
    else:
        assert leg.check_clocks(60.1)
    assert leg.entries == [{"seat": seat, "action": "forfeit", "verdict": "timeout"}]
    verify(record_of(leg))


def test_an_empty_bank_loses() -> None:
    leg = start(begin(make_spec()))
    seat = leg.state.to_act
    assert seat is not None
    leg.plays[seat].bank_ms = 500.0
    leg.collect(seat, "hello", 0.0)
    assert not leg.check_clocks(0.5) and leg.check_clocks(0.53)
    assert leg.verdicts[seat] == "timeout" and "no answer within 0.52 s" in leg.plays[seat].log


def test_absence_is_nobodys_time_up_to_a_limit() -> None:
    leg = start(begin(make_spec()))
    seat = leg.state.to_act
    assert seat is not None
    play, other = leg.plays[seat], leg.plays[1 - seat]
    leg.leave(other.bot, 0.0, 0.0)  # it isn't awaited: its absence holds up nobody
    (turn,) = leg.collect(seat, "hello", 0.0)
    leg.check_clocks(15.0)
    leg.leave(play.bot, 10.0, 15.0)  # noticed five seconds later
    leg.check_clocks(60.0)
    leg.come(play.bot, 65.0)
    assert (play.used_ms, play.away_ms, other.away_ms) == (10_000.0, 55_000.0, 0.0)
    assert "the leg waited for 55 s" in play.log
    for began in (100.0, 200.0, 300.0, 400.0):
        play.used_ms = 0.0
        leg.skip(began)
        leg.leave(play.bot, began, began)
        assert not leg.check_clocks(began + 59)
        leg.come(play.bot, began + 59)
    leg.skip(500.0)
    leg.leave(play.bot, 500.0, 500.0)
    assert not leg.check_clocks(508.0) and leg.check_clocks(510.0)
    assert leg.verdicts[seat] == "timeout" and "away" in play.log
    with pytest.raises(LateError):
        leg.answer(seat, turn.key, b"{}", 511.0)


def test_of_four_the_others_play_on_without_one_that_did_not_start() -> None:
    spec = make_spec("battalion", 4)
    leg = begin(spec, (0, 1, 2, 3))
    for seat in (0, 1, 3):
        leg.collect(seat, None, 0.0)
        leg.answer(seat, "hello", READY, 0.0)
    leg.collect(2, None, 0.0)
    assert not any(leg.awaits(seat) for seat in (0, 1, 3)) and leg.check_clocks(60.1)
    leg = resume(leg, 0, 100.0)
    play_on(leg, 10**6, 100.0)
    assert [entry["seat"] for entry in leg.entries if "verdict" in entry] == [2]
    assert leg.verdicts == ["ok", "ok", "start", "ok"]
    record = record_of(leg)
    verify(record)
    assert record["result"]["places"][2] == 4


class RefereeMachine(RuleBasedStateMachine):
    """Bots that answer, repeat themselves, come late, go away and come back, while the arena restarts."""

    def __init__(self) -> None:
        super().__init__()
        self.at = 0.0
        self.answered: dict[tuple[int, str], bytes] = {}
        self.refused: set[tuple[int, str]] = set()

    @initialize(seed=st.integers(0, 20), game=st.sampled_from([("battleline", 2), ("battalion", 3)]))
    def begin(self, seed: int, game: tuple[str, int]) -> None:
        spec = make_spec(*game, seed=seed)
        self.leg = begin(spec, tuple(range(spec.seats)))
        self.have: dict[int, str | None] = dict.fromkeys(range(spec.seats))

    def seats(self) -> range:
        return range(self.leg.spec.seats)

    def poll(self, seat: int) -> Envelope | None:
        found = self.leg.collect(seat, self.have[seat], self.at)
        keys = [one.key for one in found]
        assert len(set(keys)) == len(keys)
        if found:
            self.have[seat] = found[-1].key
        return found[-1] if found else None

    def send(self, seat: int, key: str, line: bytes) -> None:
        decisions = len(self.leg.entries)
        taken = self.leg.answer(seat, key, line, self.at)
        assert taken.is_new and (seat, key) not in self.answered
        assert not (taken.is_refused and len(self.leg.entries) > decisions)
        self.answered[seat, key] = line
        if taken.is_refused:
            self.refused.add((seat, key))

    @rule(data=st.data(), ms=st.integers(0, 3000), is_good=st.sampled_from([True] * 9 + [False]))
    def answer(self, data: st.DataObject, ms: int, is_good: bool) -> None:
        waiting = [seat for seat in self.seats() if self.leg.awaits(seat) and self.leg.plays[seat].is_here]
        if not waiting:
            return
        seat = data.draw(st.sampled_from(waiting))
        self.poll(seat)
        self.at += ms / 1000
        line = READY
        if self.leg.plays[seat].ready is not None:
            legal = list(self.leg.state.actions())
            line = json.dumps({"action": data.draw(st.sampled_from(legal))}).encode()
        self.send(seat, self.leg.find_key(seat), line if is_good else b"bad")

    @rule(steps=st.integers(1, 40))
    def play_some(self, steps: int) -> None:
        for _ in range(steps):
            seat = self.leg.state.to_act
            if seat is None or not self.leg.awaits(seat) or self.leg.plays[seat].ready is None:
                return
            self.poll(seat)
            action = next(iter(self.leg.state.actions()))
            self.send(seat, self.leg.find_key(seat), json.dumps({"action": action}).encode())

    @precondition(lambda self: self.answered)
    @rule(data=st.data(), is_same=st.booleans())
    def repeat(self, data: st.DataObject, is_same: bool) -> None:
        seat, key = data.draw(st.sampled_from(sorted(self.answered)))
        line = self.answered[seat, key] if is_same else b'{"action": "something else"}'
        before = (len(self.leg.entries), self.leg.version)
        try:
            taken = self.leg.answer(seat, key, line, self.at)
        except LateError:
            assert not (is_same and key == self.leg.plays[seat].answered)
        else:
            assert not taken.is_new and (is_same or key == "hello")
            assert not taken.is_refused or (seat, key) in self.refused
        assert before == (len(self.leg.entries), self.leg.version)

    @rule(data=st.data(), number=st.integers(0, 200))
    def answer_something_else(self, data: st.DataObject, number: int) -> None:
        seat = data.draw(st.sampled_from(self.seats()))
        key = f"{number}.0"
        if (seat, key) in self.answered or (self.leg.awaits(seat) and self.leg.find_key(seat) == key):
            return
        with pytest.raises(LateError):
            self.leg.answer(seat, key, b'{"action": "pass"}', self.at)

    @rule(data=st.data())
    def restart_bot(self, data: st.DataObject) -> None:
        seat = data.draw(st.sampled_from(self.seats()))
        self.have[seat] = None
        self.poll(seat)

    @rule(data=st.data(), seconds=st.integers(0, 20))
    def be_away(self, data: st.DataObject, seconds: int) -> None:
        play = self.leg.plays[data.draw(st.sampled_from(self.seats()))]
        if play.is_here:
            self.leg.leave(play.bot, self.at, self.at)
        self.at += seconds
        self.leg.check_clocks(self.at)
        self.leg.come(play.bot, self.at)
        assert play.away_ms <= 6 * MAX_ABSENCE_MS

    @rule(seconds=st.integers(0, 20))
    def restart_arena(self, seconds: int) -> None:
        self.at += seconds
        banks = [play.bank_ms for play in self.leg.plays.values()]
        self.leg = resume(self.leg, len(self.leg.entries), self.at)
        assert banks == [play.bank_ms for play in self.leg.plays.values()]

    @invariant()
    def the_state_is_that_of_the_decisions(self) -> None:
        if not hasattr(self, "leg"):
            return
        state = self.leg.game.start(self.leg.options, self.leg.spec.seats, self.leg.spec.deal)
        for entry in self.leg.entries:
            take(state, entry)
        assert state.ply == self.leg.state.ply and state.to_act == self.leg.state.to_act
        for seat in self.seats():
            assert state.events(seat, 0) == self.leg.state.events(seat, 0)
        if self.leg.is_over:
            verify(record_of(self.leg))


RefereeMachine.TestCase.settings = settings(stateful_step_count=40, max_examples=15, deadline=None)
TestReferee = RefereeMachine.TestCase
