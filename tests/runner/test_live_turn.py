"""A decision of a live game: a fresh process is told everything since the deal."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.runner import live_turn
from arena.runner.live_turn import KeptBots, TurnReport, TurnSpec, answer_turn
from arena.runner.match import LegReport
from arena.runner.program import Program, Verdict
from arena.runner.sandbox.base import Sandbox
from tests.runner.conftest import FIRST, LAST, QUICK, PlayToy, sample, written

SHOWS_WHAT_IT_IS_TOLD = """
import sys
from pennant_kit import run
told = []
def answer(message):
    told.append(message)
    print(len(told), message["n"], len(message["events"]), hello["seed"], file=sys.stderr, flush=True)
    return message["legal"][0]
import json
hello = json.loads(sys.stdin.readline())
print(json.dumps({"type": "ready", "stateful": %s}), flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "turn":
        print(json.dumps({"action": answer(message)}), flush=True)
"""
AnswerToy = Callable[..., TurnReport]


@pytest.fixture
def leg(play_toy: PlayToy) -> LegReport:
    return play_toy(FIRST, LAST)


@pytest.fixture
def answer_toy(leg: LegReport, sandbox: Sandbox) -> AnswerToy:
    """Return a function that has a bot decide what the first seat decided last in a leg."""

    def answer(
        program: Program, bank_ms: float = 900.0, *, turn: int = -1, kept: KeptBots | None = None, table: str = ""
    ) -> TurnReport:
        so_far = leg.record["actions"][: list_asked(leg)[turn]]
        spec = TurnSpec("toy", "plain", {"padding": 0}, {}, "salt", 2, so_far, QUICK, 0, program, bank_ms, table)
        return answer_turn(spec, sandbox, kept=kept)

    return answer


def list_asked(leg: LegReport) -> list[int]:
    return [n for n, entry in enumerate(leg.record["actions"]) if entry["seat"] == 0 and "ms" in entry]


def test_a_fresh_process_answers_as_one_that_played_from_the_start(leg: LegReport, answer_toy: AnswerToy) -> None:
    report = answer_toy(FIRST)
    assert report.fault is None
    assert report.entries[0]["action"] == leg.record["actions"][list_asked(leg)[-1]]["action"]
    assert report.cpu_ms > 0 and report.bank_ms <= 900


def test_it_is_asked_once_and_told_everything(leg: LegReport, answer_toy: AnswerToy) -> None:
    report = answer_toy(written(SHOWS_WHAT_IT_IS_TOLD % "False"))
    (line,) = report.stderr.splitlines()
    times, number, events, seed = map(int, line.split())
    assert (times, number) == (1, list_asked(leg)[-1])
    assert events >= number
    assert seed == leg.record["seats"][0]["seed"]


def test_a_stateful_bot_is_asked_its_earlier_turns_again(leg: LegReport, answer_toy: AnswerToy) -> None:
    report = answer_toy(written(SHOWS_WHAT_IT_IS_TOLD % "True"))
    assert [int(line.split()[1]) for line in report.stderr.splitlines()] == list_asked(leg)
    assert report.changed_answers == 0


def test_changed_answers_are_counted_and_not_punished(answer_toy: AnswerToy) -> None:
    source = (SHOWS_WHAT_IT_IS_TOLD % "True").replace(
        'message["legal"][0]', '"nonsense" if len(told) == 1 else "say 1"'
    )
    report = answer_toy(written(source))
    assert report.fault is None and report.entries
    assert report.changed_answers >= 1


@pytest.mark.parametrize(("name", "verdict"), {"silent": "start", "illegal": "malformed", "exits": "start"}.items())
def test_a_fault_has_its_verdict(answer_toy: AnswerToy, name: str, verdict: Verdict) -> None:
    report = answer_toy(sample(f"faulty/{name}"))
    assert report.fault is not None and report.fault.verdict == verdict
    assert report.entries[0] == {"seat": 0, "action": "forfeit", "verdict": verdict}
    assert report.to_act is None
    json.dumps(report.fault.request)


def test_an_empty_bank_is_a_timeout(answer_toy: AnswerToy) -> None:
    source = 'import time\nfrom pennant_kit import run\nrun(lambda message: time.sleep(0.3) or message["legal"][0])'
    report = answer_toy(written(source), bank_ms=20.0)
    assert report.fault is not None and report.fault.verdict is Verdict.TIMEOUT


STARTS_SLOWLY_AND_NEVER_ANSWERS = """
import sys, time
while time.process_time() < 0.15:
    pass
sys.stdin.readline()
print('{"type": "ready"}', flush=True)
print(time.process_time(), file=sys.stderr, flush=True)
sys.stdin.readline()
time.sleep(60)
"""


def test_the_start_is_counted_once_where_no_answer_comes(answer_toy: AnswerToy) -> None:
    report = answer_toy(written(STARTS_SLOWLY_AND_NEVER_ANSWERS))
    assert report.fault is not None and report.fault.verdict == Verdict.TIMEOUT
    used_ms = 1000 * float(report.stderr)
    assert 0.5 * used_ms < report.cpu_ms < 1.5 * used_ms


class TestAKeptProcess:
    """About a bot that says how often it was asked, and how much it was told with the last request."""

    program = written(SHOWS_WHAT_IT_IS_TOLD % "True")

    def test_goes_on_with_the_next_turn_and_is_told_what_is_new(
        self, leg: LegReport, answer_toy: AnswerToy, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        kept = KeptBots()
        first = answer_toy(self.program, turn=0, kept=kept, table="1/0")
        assert first.is_kept and kept.tables == ("1/0",)
        played = leg.record["actions"][list_asked(leg)[0]]
        assert first.entries[0]["action"] == played["action"], "so the record goes on as this one does"
        kept._bots["1/0"].actions[-1:] = [played]
        second = answer_toy(self.program, turn=1, kept=kept, table="1/0")
        times, _, events, _ = map(int, second.stderr.splitlines()[-1].split())
        fresh = answer_toy(self.program, turn=1)
        assert times == 2 and second.changed_answers == 0
        assert events == int(fresh.stderr.splitlines()[-1].split()[2])
        assert second.entries[0]["action"] == fresh.entries[0]["action"]
        kept.end(["1/0"])

    def test_ends_where_its_answer_was_discarded(self, answer_toy: AnswerToy) -> None:
        kept = KeptBots()
        answer_toy(self.program, turn=1, kept=kept, table="1/0")
        pid = kept._bots["1/0"].play.process.pid
        report = answer_toy(self.program, turn=0, kept=kept, table="1/0")
        assert len(report.stderr.splitlines()) == 1, "a fresh process, which was asked once"
        assert pid is not None and not Path(f"/proc/{pid}").exists()
        kept.end(kept.tables)

    def test_is_not_shared_with_another_table_or_another_program(self, answer_toy: AnswerToy) -> None:
        kept = KeptBots()
        answer_toy(self.program, turn=0, kept=kept, table="1/0")
        answer_toy(self.program, turn=0, kept=kept, table="2/0")
        assert kept.tables == ("1/0", "2/0")
        answer_toy(FIRST, turn=1, kept=kept, table="2/0")
        assert kept.tables == ("1/0", "2/0")
        kept.end(kept.tables)

    def test_ends_after_its_time_and_with_a_fault(self, answer_toy: AnswerToy, monkeypatch: pytest.MonkeyPatch) -> None:
        kept = KeptBots()
        answer_toy(self.program, turn=0, kept=kept, table="1/0")
        kept.end_idle()
        assert len(kept) == 1
        monkeypatch.setattr(live_turn, "KEPT_FOR_S", -1.0)
        kept.end_idle()
        assert len(kept) == 0
        assert not answer_toy(written("input()"), kept=kept, table="1/0").is_kept and len(kept) == 0

    def test_is_not_kept_without_a_table(self, answer_toy: AnswerToy) -> None:
        kept = KeptBots()
        assert not answer_toy(self.program, kept=kept).is_kept and len(kept) == 0
