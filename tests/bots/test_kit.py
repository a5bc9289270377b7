"""The kit as bots use it: a process of its own, lines in, lines out."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

KIT = Path(__file__).parents[2] / "bots" / "kit"
HELLO = {"type": "hello", "protocol": 1, "seat": 0}
TURN = {"type": "turn", "n": 0, "legal": ["play R7 3", "pass"]}
END = {"type": "end", "places": [1, 2]}


def talk(bot: str, *messages: dict[str, object]) -> tuple[list[dict[str, object]], str, int]:
    """The bot's answers, its log and its exit code."""
    done = subprocess.run(
        [sys.executable, "-S", "-c", f"from pennant_kit import run\n{bot}"],
        input="".join(json.dumps(message) + "\n" for message in messages),
        env={"PYTHONPATH": str(KIT)},
        capture_output=True,
        text=True,
        check=False,
    )
    return [json.loads(line) for line in done.stdout.splitlines()], done.stderr, done.returncode


def test_an_action_is_wrapped_and_a_whole_answer_is_sent_as_it_is() -> None:
    answers, _, code = talk("run(lambda message: message['legal'][0])", HELLO, TURN, TURN, END)
    assert answers == [{"type": "ready"}, {"action": "play R7 3"}, {"action": "play R7 3"}]
    assert code == 0
    answers, _, _ = talk("run(lambda message: {'action': 'pass', 'note': 'ü', 'eval': 0.5})", TURN)
    assert answers == [{"action": "pass", "note": "ü", "eval": 0.5}]


def test_unknown_messages_are_passed_over() -> None:
    answers, _, code = talk("run(lambda message: 'pass')", HELLO, {"type": "news"}, {"n": 1}, TURN)
    assert answers == [{"type": "ready"}, {"action": "pass"}]
    assert code == 0


def test_a_refused_answer_can_be_heard_and_is_not_drawn_again() -> None:
    bot = (
        "import random, sys\nhear = lambda message: print(message['reason'], file=sys.stderr)\n"
        "run(lambda message: str(random.random()), refused=hear)"
    )
    refused = {"type": "refused", "n": 0, "reason": "not legal"}
    hello = {**HELLO, "seed": 7}
    answers, log, code = talk(bot, hello, TURN, TURN, refused, TURN, {**TURN, "n": 2})
    first, again, after_refusal, other = [one["action"] for one in answers[1:]]
    assert first == again and len({first, after_refusal, other}) == 3
    assert (log, code) == ("not legal\n", 0)


def test_hello_and_end_can_be_heard() -> None:
    bot = "import sys\nhear = lambda message: print(message['type'], file=sys.stderr)\nrun(None, hello=hear, end=hear)"
    answers, log, _ = talk(bot, HELLO, END)
    assert answers == [{"type": "ready"}]
    assert log.split() == ["hello", "end"]


def test_a_bot_says_what_it_does_without() -> None:
    answers, _, _ = talk("run(None, ready={'legal': False})", HELLO)
    assert answers == [{"type": "ready", "legal": False}]


def test_an_exception_goes_into_the_log_and_ends_the_bot() -> None:
    answers, log, code = talk("run(lambda message: 1 / 0)", HELLO, TURN, TURN)
    assert answers == [{"type": "ready"}]
    assert log.rstrip().endswith("ZeroDivisionError: division by zero")
    assert code != 0


@pytest.mark.parametrize("chosen", ["None", "{'card': 'R7'}", "['pass']", "{'action': None}"])
def test_what_is_no_action_is_said_at_once(chosen: str) -> None:
    answers, log, _ = talk(f"run(lambda message: {chosen})", HELLO, TURN)
    assert answers == [{"type": "ready"}]
    assert log.rstrip().endswith(
        f"TypeError: return an action, such as 'play R7 3', or a dict with \"action\", not {chosen}"
    )


def test_each_answer_is_sent_at_once() -> None:
    with subprocess.Popen(
        [sys.executable, "-S", "-c", "from pennant_kit import run\nrun(lambda message: 'pass')"],
        env={"PYTHONPATH": str(KIT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as bot:
        assert bot.stdin is not None and bot.stdout is not None
        for message in (HELLO, TURN, TURN):
            bot.stdin.write(json.dumps(message) + "\n")
            bot.stdin.flush()
            assert bot.stdout.readline()
        bot.stdin.close()


def test_the_kit_imports_nothing_but_json() -> None:
    loaded = "import json, sys; before = set(sys.modules); import pennant_kit; print(set(sys.modules) - before)"
    done = subprocess.run(
        [sys.executable, "-S", "-c", loaded], env={"PYTHONPATH": str(KIT)}, capture_output=True, text=True, check=True
    )
    assert done.stdout == "{'pennant_kit'}\n"
