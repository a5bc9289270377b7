"""What the owner of a bot reads of a fault or of a build is told in the reader's language: whatever the runner says."""

import os
import signal
from textwrap import dedent

import pytest
from django.utils.translation import override

from arena.bots.services import create_bot, reject_build, submit_version
from arena.matches.services import queue_match
from arena.pages.phrases import faults, said
from arena.runner.clock import Clock, OutOfTime, Spent
from arena.runner.limits import Limits
from arena.runner.program import Program
from arena.runner.protocol import MalformedAnswer, Table, parse_answer, parse_ready
from arena.runner.sandbox import build, find_bare
from arena.runner.sandbox.base import BotFault, BuildFailed
from arena.runner.sandbox.process import describe_exit
from arena.runner.seat import SeatPlay, StartFailed
from tests.arena.pages.spoken import calls, check_told, never_said, returns, texts, without_form
from tests.conftest import EXITS_AT_ONCE

RUNNER = "arena/runner"
PIPES, PROCESS, BUILD = (f"{RUNNER}/sandbox/{name}.py" for name in ("pipes", "process", "build"))
FORMS = faults.ANSWERS + faults.ENDINGS + faults.TIMES + faults.BUILDS
LIMITS = Limits(start_ms=4000)
TABLE = Table("battleline", "standard", {}, 2, "", LIMITS)
LINES = (
    b"hello",
    b"",
    b"7",
    b"\xff",
    b"[" * 30 + b"]" * 30,
    b'{"action": "pass"',
    b'{"action": 7}',
    b'{"action": "%s"}' % (b"x" * 1001),
    b'{"action": "a\\nb"}',
    b'{"action": "pass", "action": "pass"}',
    b'{"action": "pass", "it\'s \\"so\\"": 1, "it\'s \\"so\\"": 2}',
    b'{"action": "pass", "n": 123456789012345678901234567890}',
    b'{"action": "pass", "n": %s1%s}' % (b"[" * 25, b"]" * 25),
    b"x" * 70_000,
    b'{"action": [%s1]}' % (b"1," * 3000),
)
"""Lines that are no answer."""
BOTS = {
    "exits": "raise SystemExit(3)",
    "raises": "raise ValueError('it is \"so\"; (7)')",
    "is killed": "import os, signal; os.kill(os.getpid(), signal.SIGKILL)",
    "half a line": "import sys; sys.stdout.write('{'); sys.stdout.flush(); raise SystemExit('gone')",
    "out of memory": "raise MemoryError",
    "hangs up": "import os, time; os.close(1); time.sleep(9)",
    "another line": "print('hello')",
    "much": "print('x' * 100_000)",
    "much to stderr": "import sys, time; sys.stderr.write('x' * 2_000_000); time.sleep(9)",
}


def what_bots_are_blamed_for() -> list[str]:
    kinds = [OutOfTime, MalformedAnswer, StartFailed, *BotFault.__subclasses__()]
    sentences = [sentence for kind in kinds for sentence in calls(kind.__name__, 0, RUNNER)]
    late = [ending for ending in sentences if ending.startswith("within ")]
    begun = [f"{failed} {ending}" for failed in calls("_wait", 1, PIPES) for ending in late]
    return [sentence for sentence in sentences if sentence not in late] + begun


def what_builds_fail_by() -> list[str]:
    reasons = returns("_watch|excess", BUILD) + [text for text in texts(BUILD) if text.startswith("The compiler ")]
    return [reason for reason in reasons if reason]


def test_whatever_a_bot_is_blamed_for_has_a_form() -> None:
    sentences = what_bots_are_blamed_for()
    assert len(sentences) > 25
    assert without_form(sentences, FORMS) == []


def test_whatever_a_build_fails_by_has_a_form() -> None:
    assert len(what_builds_fail_by()) >= 7
    assert without_form(what_builds_fail_by(), faults.BUILDS) == []


def test_there_is_no_form_of_what_nobody_says() -> None:
    suffixes = [f"…{text}" for text in texts(PROCESS) if text.startswith("; its ")]
    spoken = what_bots_are_blamed_for() + what_builds_fail_by() + suffixes + texts(f"{RUNNER}/clock.py")
    assert never_said(FORMS, spoken) == []


@pytest.mark.parametrize("line", LINES, ids=range(len(LINES)))
def test_a_line_that_is_no_answer(line: bytes) -> None:
    for parse in (parse_answer, parse_ready):
        with pytest.raises(MalformedAnswer) as caught:
            parse(line)
        check_told(str(caught.value))
        check_told(f"the bot did not start: {caught.value}")


@pytest.mark.parametrize(("wall", "late"), [(900, 0), (3000, 0), (3000, 40)])
@pytest.mark.parametrize("bank", [30_000, 100])
def test_an_answer_that_cost_too_much(wall: float, late: float, bank: float) -> None:
    clock = Clock(400 if bank > 1000 else 5000, bank)
    with pytest.raises(OutOfTime) as caught:
        clock.charge(Spent(wall, 800.4, late))
    assert len(check_told(str(caught.value))) == 2


def test_every_way_to_end() -> None:
    for code in range(-signal.NSIG, 256):
        ending = describe_exit(code)
        for sentence in (f"the bot {ending}", f"the bot ran out of memory and {ending}", f"The compiler {ending}."):
            check_told(sentence)


@pytest.mark.parametrize("name", BOTS)
def test_a_bot_that_fails(name: str) -> None:
    play = SeatPlay(0, Program("bot", 1, {"bot.py": dedent(BOTS[name]).encode()}), LIMITS)
    try:
        with pytest.raises(StartFailed) as caught:
            play.start(find_bare(), TABLE)
    finally:
        play.close()
    assert len(check_told(str(caught.value))) > 1


@pytest.mark.parametrize(("stopped", "code"), [("", 1), ("", -9), ("", 0)])
def test_a_source_that_is_not_built(stopped: str, code: int) -> None:
    log = "bot.c:1:1: error: unknown type name 'flag'\n"
    done = build.Built(b"", log, stopped, code, True)
    with pytest.raises(BuildFailed) as caught:
        done.program(Program("bot", 1, {"bot.c": b""}, "c"), "bot", code)
    first, last = str(caught.value).split("\n")
    check_told(last)
    with override("hu"):
        assert said(caught.value) == f"{first}\n{said(last)}"


@pytest.mark.parametrize(("wall_s", "memory", "cpu_s"), [(99, 0, 0), (1, 0, 99), (1, 2**40, 1)])
def test_a_build_that_takes_too_much(wall_s: float, memory: int, cpu_s: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "used", lambda top: (memory, cpu_s))
    check_told(build.excess(os.getpid(), wall_s))


def test_the_owner_reads_of_faults_in_hungarian(ana, ben, make_version, play, reader) -> None:
    versions = [make_version(ana, "Quitter", EXITS_AT_ONCE), make_version(ben, "Heron")]
    match = queue_match(versions=versions, game="battleline", edition="standard")
    assert play(match)
    for address in ("/bots/quitter/", "/bots/quitter/faults/", f"/matches/{match.pk}/"):
        english, hungarian = (reader(ana).get(address, headers={"Accept-Language": one}).text for one in ("en", "hu"))
        assert "The bot did not start: the bot exited with code 0" in english
        assert "A bot nem indult el: a bot kilépett (kód: 0); a naplójának a vége: „I give up”" in hungarian
    assert "<b>Nem indult el.</b>" in hungarian


def test_the_owner_reads_in_hungarian_how_a_build_ended(ana, reader) -> None:
    bot = create_bot(owner=ana, name="Quitter", game="battleline")
    version, _ = submit_version(owner=ana, bot=bot, files={"bot.c": b"flag"})
    assert reject_build(version=version, log="bot.c:1: error\nThe compiler exited with code 1.")
    page = reader(ana).get(version.get_absolute_url(), headers={"Accept-Language": "hu"}).text
    assert "bot.c:1: error\nA fordító kilépett (kód: 1).</pre>" in page
