import json

import pytest

from arena.runner.decision import FAULTS, VERDICTS
from arena.runner.limits import Limits
from arena.runner.sandbox.base import BotError
from arena.runner.verdict import Verdict
from tests.runner.conftest import FIRST, LAST, QUICK, SAMPLES, PlayToy, sample, written

EXPECTED = {
    "silent": Verdict.START,
    "exits": Verdict.START,
    "garbage": Verdict.MALFORMED,
    "illegal": Verdict.MALFORMED,
    "spins": Verdict.TIMEOUT,
    "half-line": Verdict.TIMEOUT,
    "slow-drip": Verdict.TIMEOUT,
    "closes-stdout": Verdict.TIMEOUT,
    "crashes": Verdict.CRASH,
    "memory-hog": Verdict.MEMORY,
    "flood-stdout": Verdict.OUTPUT,
    "flood-stderr": Verdict.OUTPUT,
    "long-line": Verdict.OUTPUT,
    "out-of-turn": Verdict.MALFORMED,
    "forks": Verdict.OK,
}
"""The illegal sample plays Battle Line, whose actions the toy game doesn't know."""


@pytest.mark.parametrize(("name", "verdict"), EXPECTED.items())
def test_every_faulty_sample_gets_its_verdict(play_toy: PlayToy, name: str, verdict: Verdict) -> None:
    leg = play_toy(sample(f"faulty/{name}"), FIRST)
    result = leg.record["result"]
    assert result["verdicts"] == [verdict, "ok"]
    fault = leg.faults[0]
    if verdict is Verdict.OK:
        assert fault is None
    else:
        assert fault is not None and fault.verdict is verdict and fault.message
        assert (result["places"], result["reason"]) == ([2, 1], verdict)
        assert leg.record["actions"][-1] == {"seat": 0, "action": "forfeit", "verdict": verdict}


def test_every_faulty_sample_is_expected_to_do_something() -> None:
    from_disk = {path.parent.name for path in (SAMPLES / "faulty").glob("*/bot.py")}
    assert from_disk == set(EXPECTED)


def test_every_fault_of_a_bot_is_in_the_table() -> None:
    assert all(issubclass(kind, FAULTS) for kind in BotError.__subclasses__())
    assert set(VERDICTS.values()) == set(Verdict) - {Verdict.OK}


def test_an_action_the_rules_forbid_is_illegal(play_toy: PlayToy) -> None:
    leg = play_toy(FIRST, written('from pennant_kit import run\nrun(lambda message: "say 7")'))
    fault = leg.faults[1]
    assert fault is not None and fault.verdict is Verdict.ILLEGAL
    assert str(fault.message) == "7 may not be said here"
    assert fault.sent == '{"action": "say 7"}'
    assert fault.request is not None and fault.request["legal"] == ["say 1", "say 2"]


def test_the_owner_is_told_what_was_legal_even_where_the_bot_was_not(play_toy: PlayToy) -> None:
    leg = play_toy(FIRST, written('from pennant_kit import run\nrun(lambda message: "say 7", ready={"legal": False})'))
    assert leg.faults[1] is not None and leg.faults[1].request is not None
    assert leg.faults[1].request["legal"] == ["say 1", "say 2"]


def test_decisions_without_a_choice_are_taken_without_asking(play_toy: PlayToy) -> None:
    leg = play_toy(FIRST, LAST)
    assert [(entry["seat"], entry["action"], entry.get("auto")) for entry in leg.record["actions"]] == [
        (0, "say 1", None),
        (1, "say 2", None),
        (0, "say 3", True),
        (1, "say 3", True),
        (0, "say 1", None),
        (1, "say 2", None),
        (0, "say 1", None),
        (1, "say 2", None),
    ]
    assert leg.answers == (3, 3)
    assert all(("ms" in entry) != ("auto" in entry) for entry in leg.record["actions"])
    assert leg.record["result"] == {"places": [2, 1], "scores": [6, 9], "reason": "said", "verdicts": ["ok", "ok"]}


LOGGER = """
import json, sys
from pennant_kit import run

def log(message):
    print(json.dumps(message), file=sys.stderr)

def choose(message):
    log(message)
    return message["legal"][-1] if "legal" in message else "say 2"

run(choose, ready=READY, hello=log, end=log)
"""


def heard(stderr: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in stderr.splitlines()]


def test_a_bot_hears_everything_once_and_in_order(play_toy: PlayToy) -> None:
    leg = play_toy(FIRST, written(LOGGER.replace("READY", "{}")))
    hello, *turns, end = heard(leg.stderr[1])
    assert hello["type"] == "hello" and hello["deal_hash"] == leg.record["deal_hash"]
    assert [turn["n"] for turn in turns] == [1, 5, 7]
    assert all(turn["legal"] == ["say 1", "say 2"] and turn["view"] for turn in turns)
    assert (end["places"], end["verdicts"]) == ([2, 1], ["ok", "ok"])
    events = [event for message in (*turns, end) for event in message["events"]]  # type: ignore[attr-defined]
    assert [event["action"] for event in events] == [entry["action"] for entry in leg.record["actions"]]


def test_a_bot_that_wants_no_lists_and_views_is_sent_none(play_toy: PlayToy) -> None:
    leg = play_toy(FIRST, written(LOGGER.replace("READY", '{"legal": False, "view": False}')))
    _, *turns, _ = heard(leg.stderr[1])
    assert all("legal" not in turn and "view" not in turn and "events" in turn for turn in turns)
    assert leg.record["result"]["scores"] == [6, 9]


def test_notes_and_evals_go_into_the_record(play_toy: PlayToy) -> None:
    noted = written(
        """
        from pennant_kit import run
        run(lambda message: {"action": "say 1", "note": "hm", "eval": -0.123456} if message["n"] else "say 1")
        """
    )
    first, *_, last = play_toy(noted, FIRST).record["actions"][:-1]
    assert "note" not in first and "eval" not in first
    assert (last["note"], last["eval"]) == ("hm", -0.1235)


def test_the_first_of_two_that_fails_to_start_loses_and_the_other_is_not_started(play_toy: PlayToy) -> None:
    leg = play_toy(sample("faulty/exits"), sample("faulty/silent"))
    assert leg.record["result"]["verdicts"] == ["start", "ok"]
    assert leg.record["actions"] == [{"seat": 0, "action": "forfeit", "verdict": "start"}]


def test_of_three_the_offender_goes_out_when_asked_and_the_others_play_on(play_toy: PlayToy) -> None:
    leg = play_toy(FIRST, sample("faulty/crashes"), LAST)
    assert leg.record["result"] == {
        "places": [2, 3, 1],
        "scores": [6, 5, 9],
        "reason": "said",
        "verdicts": ["ok", "crash", "ok"],
    }
    assert leg.record["actions"][10] == {"seat": 1, "action": "forfeit", "verdict": "crash"}


def test_of_three_one_that_did_not_start_goes_out_at_its_first_turn(play_toy: PlayToy) -> None:
    leg = play_toy(FIRST, LAST, sample("faulty/exits"))
    assert leg.record["result"]["verdicts"] == ["ok", "ok", "start"]
    assert leg.record["actions"][2] == {"seat": 2, "action": "forfeit", "verdict": "start"}


def test_requests_longer_than_a_pipe_reach_a_stopped_bot(play_toy: PlayToy) -> None:
    assert play_toy(FIRST, LAST, padding=300_000).record["result"]["verdicts"] == ["ok", "ok"]


def test_a_bot_that_reads_nothing_runs_out_of_time(play_toy: PlayToy) -> None:
    deaf = written('import time\nprint(\'{"type": "ready"}\', flush=True)\ntime.sleep(3600)')
    leg = play_toy(deaf, FIRST, padding=300_000)
    assert leg.faults[0] is not None and str(leg.faults[0].message) == "the question was not read within 1000 ms"


def test_an_empty_bank_is_a_timeout(play_toy: PlayToy) -> None:
    slow = written(
        """
        import time
        from pennant_kit import run

        def choose(message):
            time.sleep(0.3)
            return "say 1"

        run(choose)
        """
    )
    leg = play_toy(slow, FIRST, limits=Limits(start_ms=2000, move_ms=500, bank_ms=200, memory_mb=64))
    assert leg.faults[0] is not None and leg.faults[0].verdict is Verdict.TIMEOUT
    assert leg.answers[0] == 1
    assert leg.faults[0].request is not None and leg.faults[0].request["bank_ms"] < 120


def test_time_and_cpu_time_are_told_apart(play_toy: PlayToy) -> None:
    bots = """
    import time
    from pennant_kit import run

    def choose(message):
        end = CLOCK() + 0.1
        while CLOCK() < end:
            PAUSE
        return "say 1"

    run(choose)
    """
    busy = written(bots.replace("CLOCK", "time.process_time").replace("PAUSE", "pass"))
    idle = written(bots.replace("CLOCK", "time.monotonic").replace("PAUSE", "time.sleep(0.01)"))
    busy_entry, idle_entry = play_toy(busy, idle).record["actions"][:2]
    assert 95 <= busy_entry["cpu_ms"] <= 1.2 * busy_entry["ms"]  # two clocks of the kernel, which differ under load
    assert idle_entry["ms"] >= 100 and idle_entry["cpu_ms"] < 20


def test_a_bot_is_stopped_while_it_is_not_asked(play_toy: PlayToy) -> None:
    ponderer = written(
        """
        import sys, threading, time
        from pennant_kit import run

        counted = 0

        def count():
            global counted
            while True:
                time.sleep(0.001)
                counted += 1

        def choose(message):
            print(counted, file=sys.stderr)
            return "say 1"

        threading.Thread(target=count, daemon=True).start()
        run(choose)
        """
    )
    waiter = written(
        "import time\nfrom pennant_kit import run\nrun(lambda message: time.sleep(0.2) or message['legal'][0])"
    )
    counts = [int(line) for line in play_toy(ponderer, waiter).stderr[0].splitlines()]
    assert counts[-1] - counts[0] < 100


def test_whatever_happens_after_the_result_is_no_verdict(play_toy: PlayToy) -> None:
    lingerer = written(
        """
        import sys, time
        from pennant_kit import run

        def end(message):
            print("x" * 100000, flush=True)
            print("was told", file=sys.stderr)
            time.sleep(3600)

        run(lambda message: "say 1", end=end)
        """
    )
    leg = play_toy(lingerer, written("from pennant_kit import run\nrun(lambda message: 'say 1', end=lambda _: 1 / 0)"))
    assert leg.record["result"]["verdicts"] == ["ok", "ok"]
    assert leg.stderr[0] == "was told\n"
    assert "ZeroDivisionError" in leg.stderr[1]


def test_the_last_of_the_log_is_kept(play_toy: PlayToy) -> None:
    chatty = written(
        """
        import sys
        from pennant_kit import run

        def choose(message):
            print("\\0" + "." * 100_000 + str(message["n"]), file=sys.stderr)
            return "say 1"

        run(choose)
        """
    )
    leg = play_toy(chatty, FIRST)
    assert leg.record["result"]["verdicts"] == ["ok", "ok"]
    assert len(leg.stderr[0]) == 64 * 1024 and leg.stderr[0].endswith("...6\n")


def test_what_a_bot_sent_is_kept_short_and_printable(play_toy: PlayToy) -> None:
    rude = written(
        'input()\nprint(\'{"type": "ready"}\', flush=True)\ninput()\nprint(chr(0) + "x" * 50000, flush=True)'
    )
    fault = play_toy(rude, FIRST).faults[0]
    assert fault is not None and fault.sent is not None
    assert len(fault.sent) <= 2001 and fault.sent.startswith("\\x00xxx")


def test_limits_are_those_a_bot_is_told(play_toy: PlayToy) -> None:
    leg = play_toy(written(LOGGER.replace("READY", "{}")), FIRST)
    assert heard(leg.stderr[0])[0]["limits"] == {
        "start_ms": QUICK.start_ms,
        "move_ms": QUICK.move_ms,
        "bank_ms": QUICK.bank_ms,
        "memory_mb": QUICK.memory_mb,
    }
