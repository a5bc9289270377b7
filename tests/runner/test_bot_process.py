"""A bot is charged for its time and runs only while it is asked."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from arena.runner.program import Limits, TimeSpent, Verdict
from arena.runner.sandbox.base import (
    BotExitedError,
    BotOverflowError,
    BotProcess,
    BotTimeoutError,
    NoSandboxError,
    Sandbox,
)
from tests.runner.conftest import FIRST, QUICK, PlayToy, written
from tests.runner.processes import busy_processes
from tests.runner.sandboxes import SANDBOXES

COMPUTE = """
import json, sys, time
for line in sys.stdin:
    end = time.process_time() + float(line)
    while time.process_time() < end:
        pass
    print("done", flush=True)
"""
SLEEP = "import sys, time\nfor line in sys.stdin:\n    time.sleep(float(line))\n    print('done', flush=True)"
SPIN_MEANWHILE = """
import sys, threading, time

def spin():
    while True:
        pass

threading.Thread(target=spin, daemon=True).start()
for line in sys.stdin:
    print("done", flush=True)
"""


@pytest.fixture(scope="module", params=SANDBOXES)
def box(request: pytest.FixtureRequest) -> Sandbox:
    try:
        return SANDBOXES[request.param]()
    except NoSandboxError as missing:
        pytest.skip(f"{request.param}: {missing}")


@contextmanager
def started(sandbox: Sandbox, source: str, limits: Limits = QUICK) -> Iterator[BotProcess]:
    process = sandbox.start(written(source), limits)
    try:
        yield process
    finally:
        process.close()


def state_of(bot: BotProcess) -> str:
    """Return the state of a process: R running, S sleeping, T stopped."""
    return Path(f"/proc/{bot.pid}/stat").read_text().rpartition(")")[2].split()[0]


def spent(bot: BotProcess) -> TimeSpent:
    return TimeSpent(bot.wall_s * 1000, bot.cpu_s * 1000, bot.late_s * 1000)


def test_a_bot_is_stopped_from_each_answer_to_the_next_request(box: Sandbox) -> None:
    with started(box, SPIN_MEANWHILE) as bot:
        for _ in range(5):
            assert bot.ask(b"0\n", 2) == b"done"
            deadline = time.monotonic() + 1
            while state_of(bot) != "T":
                assert time.monotonic() < deadline


def test_a_stopped_bot_uses_nothing(sandbox: Sandbox) -> None:
    with started(sandbox, SPIN_MEANWHILE) as bot:
        bot.ask(b"0\n", 2)
        time.sleep(0.3)
        bot.ask(b"0\n", 2)
        assert bot.cpu_s < 0.1


def test_a_bot_that_dodged_the_stop_is_out_of_time(box: Sandbox) -> None:
    with started(box, SPIN_MEANWHILE) as bot:
        bot.ask(b"0\n", 2)
        pid = bot.pid
        assert pid is not None
        enough = time.clock_gettime((~pid << 3) | 2) + 0.1
        os.kill(pid, signal.SIGCONT)
        while time.clock_gettime((~pid << 3) | 2) < enough:
            time.sleep(0.01)
        with pytest.raises(BotTimeoutError, match="ms of CPU time between requests"):
            bot.ask(b"0\n", 2)


def test_what_a_bot_computes_is_what_it_says_it_computed(box: Sandbox) -> None:
    with started(box, COMPUTE) as bot:
        bot.ask(b"0\n", 2)
        for seconds in (0.05, 0.2):
            bot.ask(str(seconds).encode() + b"\n", 2)
            assert seconds <= bot.cpu_s < seconds + 0.02
            assert spent(bot).cost_ms == pytest.approx(bot.cpu_s * 1000)


def test_the_limit_is_of_processor_time(sandbox: Sandbox) -> None:
    with started(sandbox, COMPUTE) as bot:
        bot.ask(b"0\n", 2)
        with pytest.raises(BotTimeoutError) as raised:
            bot.ask(b"9\n", 0.2)
        assert str(raised.value) == "no complete line within 200 ms of CPU time"


def test_a_bot_that_sleeps_may_take_twice_as_long(sandbox: Sandbox) -> None:
    with started(sandbox, SLEEP) as bot:
        bot.ask(b"0\n", 2)
        assert bot.ask(b"0.3\n", 0.2) == b"done"
        assert bot.wall_s >= 0.3 and bot.cpu_s < 0.1 and spent(bot).cost_ms < 200
        with pytest.raises(BotTimeoutError) as raised:
            bot.ask(b"9\n", 0.2)
        assert str(raised.value).startswith("no complete line within 400 ms (waiting counts half")


def test_the_cpu_time_of_all_threads_counts(sandbox: Sandbox) -> None:
    hashing = """
    import hashlib, sys, threading, time
    DATA = bytes(1 << 20)

    def hash_on(end):
        while time.process_time() < end:
            hashlib.sha256(DATA)

    for line in sys.stdin:
        end = time.process_time() + float(line)
        threads = [threading.Thread(target=hash_on, args=[end]) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        print("done", flush=True)
    """
    with started(sandbox, hashing) as bot:
        bot.ask(b"0\n", 2)
        bot.ask(b"0.3\n", 2)
        assert 0.3 <= bot.cpu_s < 0.4


def test_a_bot_that_writes_instead_of_reading_is_stopped_early(sandbox: Sandbox) -> None:
    with started(sandbox, "import os\nwhile True: os.write(1, b'x\\n' * 30_000)") as bot:
        with pytest.raises(BotOverflowError, match="before it read the request"):
            bot.ask(b"?" * 400_000 + b"\n", 2)


def test_the_author_is_told_of_a_newline_that_is_missing(sandbox: Sandbox) -> None:
    with started(sandbox, "input()\nprint('almost', end='')") as bot:
        with pytest.raises(BotExitedError) as raised:
            bot.ask(b"?\n", 2)
        assert str(raised.value) == "the bot exited with code 0; its last line had no newline"
        assert raised.value.sent == b"almost"


@pytest.mark.parametrize("fd", [1, 2])
def test_lines_in_drops_arrive(sandbox: Sandbox, fd: int) -> None:
    drip = f"import os\ninput()\nfor _ in range(20_000): os.write({fd}, b'x')\nos.write(1, b'\\n')\ninput()"
    with started(sandbox, drip) as bot:
        assert len(bot.ask(b"?\n", 2)) == (20_000 if fd == 1 else 0)


def test_a_flood_after_the_end_is_cut_off(sandbox: Sandbox) -> None:
    bot = sandbox.start(
        written("import os\ninput()\nprint(1, flush=True)\nwhile True: os.write(1, bytes(65536))"), QUICK
    )
    bot.ask(b"?\n", 2)
    bot.dismiss(b"goodbye\n")
    bot.close(3600)


@pytest.fixture
def on_one_core() -> Iterator[None]:
    """Run all children of this thread on one core."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(before)})
    yield
    os.sched_setaffinity(0, before)


@pytest.mark.usefixtures("on_one_core")
def test_on_a_crowded_machine_nobody_pays_for_the_crowd(box: Sandbox) -> None:
    with started(box, COMPUTE) as bot:
        bot.ask(b"0\n", 5)
        with busy_processes(4):
            bot.ask(b"0.15\n", 0.25)
        assert bot.wall_s > 2 * 0.25 and bot.late_s > 0.2
        assert 150 <= spent(bot).cost_ms < 250


@pytest.mark.usefixtures("on_one_core")
def test_a_bot_of_many_threads_is_stopped_on_a_crowded_machine_too(box: Sandbox) -> None:
    threads = SPIN_MEANWHILE.replace("threading.Thread", "for _ in range(4): threading.Thread")
    with started(box, threads) as bot:
        bot.ask(b"0\n", 5)
        with busy_processes(4):
            for _ in range(3):
                bot.ask(b"0\n", 5)
                time.sleep(0.05)
            pid = bot.pid
            assert pid is not None
            before = time.clock_gettime((~pid << 3) | 2)
            time.sleep(0.2)
            assert time.clock_gettime((~pid << 3) | 2) < before + 0.01


@pytest.mark.usefixtures("on_one_core")
def test_a_record_tells_where_the_machine_was_late(play_toy: PlayToy) -> None:
    busy = written(
        """
        import time
        from pennant_kit import run

        def choose(message):
            end = time.process_time() + 0.1
            while time.process_time() < end:
                pass
            return "say 1"

        run(choose)
        """
    )
    with busy_processes(2):
        leg = play_toy(busy, FIRST, limits=Limits(start_ms=5000, move_ms=500, bank_ms=1000, memory_mb=64))
    assert leg.record["result"]["verdicts"] == ["ok", "ok"]
    entry = leg.record["actions"][0]
    assert 10 <= entry["late_ms"] <= entry["ms"] - entry["cpu_ms"] + 1


def test_sleeping_on_a_quiet_machine_is_not_lateness(sandbox: Sandbox) -> None:
    with started(sandbox, SLEEP) as bot:
        bot.ask(b"0\n", 2)
        bot.ask(b"0.3\n", 2)
        assert bot.late_s < 0.15


def test_a_start_has_its_limit_in_processor_time_too(play_toy: PlayToy) -> None:
    late = written("while True: pass")
    leg = play_toy(late, FIRST, limits=Limits(start_ms=300, move_ms=500, bank_ms=1000, memory_mb=64))
    assert leg.record["result"]["verdicts"] == [Verdict.START, "ok"]
    assert leg.faults[0] is not None
    assert str(leg.faults[0].message) == "the bot didn't start: no complete line within 300 ms of CPU time"
