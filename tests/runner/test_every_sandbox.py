"""Requirements of all sandboxes, tested in each that works on this machine."""

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from arena.runner.program import Limits, Program
from arena.runner.sandbox.base import (
    BotError,
    BotExitedError,
    BotOutOfMemoryError,
    BotOverflowError,
    BotProcess,
    BotTimeoutError,
    NoSandboxError,
    Sandbox,
    SandboxError,
    UnexpectedOutputError,
)
from arena.runner.sandbox.detection import find_unsandboxed
from arena.runner.sandbox.python_start import REFUSED as PYTHON_REFUSAL
from tests.runner.conftest import QUICK, sample, written
from tests.runner.processes import list_descendants, wait_for_survivors
from tests.runner.sandboxes import SANDBOXES

ALL = {**SANDBOXES, "bare": find_unsandboxed}
ECHO = "import sys\nfor line in sys.stdin:\n    print(line, end='', flush=True)\n"


@pytest.fixture(scope="module", params=ALL)
def box(request: pytest.FixtureRequest) -> Sandbox:
    find: Callable[[], Sandbox] = ALL[request.param]
    try:
        return find()
    except NoSandboxError as missing:
        pytest.skip(f"{request.param}: {missing}")


@contextmanager
def started(box: Sandbox, program: Program | str, limits: Limits = QUICK) -> Iterator[BotProcess]:
    process = box.start(written(program) if isinstance(program, str) else program, limits)
    try:
        yield process
    finally:
        process.close()


def test_a_line_is_answered_by_a_line(box: Sandbox) -> None:
    with started(box, ECHO) as bot:
        assert [bot.ask(line, 2) for line in (b"one\n", b"two\n", b"\n")] == [b"one", b"two", b""]
        assert 0 < bot.wall_s < 2


def test_a_bot_has_the_same_umask_everywhere(box: Sandbox) -> None:
    source = "import os\ninput()\nprint(oct(os.umask(0)), flush=True)"
    for umask in (0o077, 0o000):
        before = os.umask(umask)
        try:
            with started(box, source) as bot:
                assert bot.ask(b"?\n", 2) == b"0o22"
        finally:
            os.umask(before)


def test_all_files_of_a_bot_are_beside_it(box: Sandbox) -> None:
    source = """
    import json
    from tables.book import MOVES
    with open(__file__.replace("bot.py", "data.txt")) as data:
        input()
        print(json.dumps([MOVES, data.read()]), flush=True)
    """
    files = {"tables/book.py": "MOVES = 3", "data.txt": "ü"}
    with started(box, written(source, **files)) as bot:
        assert json.loads(bot.ask(b"\n", 2)) == [3, "ü"]


def test_a_bot_may_import_the_kit_and_the_engine(box: Sandbox) -> None:
    with started(
        box, "import pennant_kit, engine.registry\ninput()\nprint(engine.registry.GAMES['battleline'].title)"
    ) as bot:
        assert bot.ask(b"\n", 2) == b"Battle Line"


EVENT_LOOPS = """
import asyncio

async def answer(number):
    await asyncio.sleep(0.001)
    return await asyncio.to_thread(lambda: number)

input()
print([asyncio.run(answer(number)) for number in range(3)], flush=True)
"""
REFUSED = {
    "a process": "import multiprocessing\ninput()\nmultiprocessing.Process(target=print).start()",
    "a queue between processes": "import multiprocessing\ninput()\nmultiprocessing.Queue()",
    "a pool of processes": "import concurrent.futures as c\ninput()\nc.ProcessPoolExecutor().submit(print).result()",
    "a program": "import subprocess\ninput()\nsubprocess.run(['ls'])",
    "a temporary file": "import tempfile\ninput()\ntempfile.TemporaryFile()",
    "a pipe": "import os\ninput()\nos.pipe()",
    "a connection": "import socket\ninput()\nsocket.create_connection(('127.0.0.1', 80))",
    "a second event loop": "import asyncio\ninput()\nkept = [asyncio.new_event_loop() for _ in range(2)]",
}


def test_event_loops_work_one_after_the_other(box: Sandbox) -> None:
    with started(box, EVENT_LOOPS) as bot:
        assert bot.ask(b"\n", 5) == b"[0, 1, 2]"


@pytest.mark.parametrize("box", SANDBOXES, indirect=True)
@pytest.mark.parametrize("what", REFUSED)
def test_what_a_bot_in_python_cannot_have_ends_with_a_sentence(box: Sandbox, what: str) -> None:
    with started(box, REFUSED[what]) as bot:
        with pytest.raises(BotExitedError):
            bot.ask(b"\n", 5)
        assert PYTHON_REFUSAL in bot.stderr().splitlines()
        assert bot.stderr().startswith("Traceback") and "bot.py" in bot.stderr().splitlines()[1]


def test_the_environment_is_not_handed_on(box: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "secret")
    with started(
        box, "import os\ninput()\nprint('DATABASE_URL' in os.environ, 'HOME' in os.environ, flush=True)"
    ) as bot:
        assert bot.ask(b"\n", 2) == b"False False"


@pytest.mark.parametrize(
    ("source", "fault"),
    [
        ("input()", BotExitedError),
        ("import os; os._exit(3)", BotExitedError),
        ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", BotExitedError),
        ("raise MemoryError", BotOutOfMemoryError),
        ("import sys; sys.exit('terminate called after throwing an instance of std::bad_alloc')", BotOutOfMemoryError),
        ("import time; time.sleep(9)", BotTimeoutError),
        ("input(); print('half', end='', flush=True); import time; time.sleep(9)", BotTimeoutError),
        ("input(); print('x' * 65537)", BotOverflowError),
        ("input()\nwhile True: print('x', end='')", BotOverflowError),
        ("import sys\nwhile True: print('x' * 999, file=sys.stderr)", BotOverflowError),
    ],
)
def test_what_is_no_line_is_a_fault(box: Sandbox, source: str, fault: type[BotError]) -> None:
    with started(box, source) as bot, pytest.raises(fault) as raised:
        bot.ask(b"?\n", 0.5)
    assert raised.type is fault and str(raised.value)


def test_a_line_of_64_kib_is_not_too_long(box: Sandbox) -> None:
    with started(box, "print('x' * 65536, flush=True)\ninput()\ninput()") as bot:
        time.sleep(0.2)
        with pytest.raises(BotOverflowError):
            bot.ask(b"?\n", 2)
    with started(box, "input()\nprint('x' * 65536, flush=True)\ninput()") as bot:
        assert bot.ask(b"?\n", 2) == b"x" * 65536


def test_what_was_said_unasked_is_never_the_next_answer(box: Sandbox) -> None:
    with started(box, "import os\ninput()\nos.write(1, b'one\\ntwo\\n')\ninput()") as bot:
        assert bot.ask(b"?\n", 2) == b"one"
        with pytest.raises(UnexpectedOutputError) as raised:
            bot.ask(b"?\n", 2)
    assert raised.value.sent == b"two\n"


def test_a_bot_that_left_after_its_answer_is_gone_at_the_next_request(box: Sandbox) -> None:
    with started(box, "import os\ninput()\nos.write(1, b'one\\n')\nos._exit(0)") as bot:
        bot.ask(b"?\n", 2)
        with pytest.raises(BotExitedError):
            bot.ask(b"?\n", 2)


def test_a_request_longer_than_a_pipe_arrives(box: Sandbox) -> None:
    with started(box, "while True: print(len(input()), flush=True)") as bot:
        for _ in range(2):
            assert bot.ask(b"x" * 500_000 + b"\n", 2) == b"500000"


def test_the_end_of_a_process_is_described(box: Sandbox) -> None:
    endings = {"import os; os._exit(3)": "exited with code 3", "import os; os.abort()": "was killed by SIGABRT"}
    for source, ending in endings.items():
        with started(box, source) as bot, pytest.raises(BotExitedError, match=ending):
            bot.ask(b"?\n", 2)


def test_the_log_is_whole_after_close(box: Sandbox) -> None:
    bot = box.start(
        written("import sys\ninput()\nprint(1, flush=True)\nfor line in sys.stdin: sys.stderr.write(line)"), QUICK
    )
    bot.ask(b"?\n", 2)
    bot.dismiss(b"goodbye\n")
    bot.close(1.0)
    assert bot.stderr() == "goodbye\n"


@pytest.mark.parametrize("name", ["spins", "flood-stdout", "closes-stdout"])
def test_nothing_of_a_bot_lives_on(box: Sandbox, name: str) -> None:
    check_nothing_lives_on(box, name)


def test_no_process_that_a_bot_started_lives_on(sandbox: Sandbox) -> None:
    check_nothing_lives_on(sandbox, "forks")


def check_nothing_lives_on(box: Sandbox, name: str) -> None:
    before = list_descendants(os.getpid())
    bot = box.start(sample(f"faulty/{name}"), QUICK)
    try:
        bot.ask(b'{"type": "hello"}\n', 2)
        with suppress(BotError):
            bot.ask(b'{"type": "turn", "n": 0, "legal": ["pass"]}\n', 0.3)
        processes = list_descendants(os.getpid(), apart_from=before)
    finally:
        bot.close()
    assert processes
    assert not wait_for_survivors(processes)


def test_closing_leaves_no_descriptor_open(box: Sandbox) -> None:
    before = os.listdir("/proc/self/fd")
    for _ in range(3):
        with started(box, ECHO) as bot:
            bot.ask(b"?\n", 2)
            bot.dismiss(None)
            bot.close(0.5)
    assert len(os.listdir("/proc/self/fd")) == len(before)


def test_having_no_descriptors_left_is_our_failure(box: Sandbox) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    before = os.listdir("/proc/self/fd")
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (len(before) + 1, hard))
        with pytest.raises(SandboxError):
            box.start(written(ECHO), QUICK)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert len(os.listdir("/proc/self/fd")) == len(before)


KILLED = """
import sys, time
from arena.runner.program import Limits
from arena.runner.sandbox.detection import find_unsandboxed
from tests.runner.sandboxes import SANDBOXES
from tests.runner.conftest import sample
box = {**SANDBOXES, "bare": find_unsandboxed}[sys.argv[1]]()
bots = []
for waiting, name in enumerate(sys.argv[2:]):
    box.fill_warm_pool("python", Limits(), 2 * waiting)
    bots.append(box.start(sample(f"faulty/{name}"), Limits()))
for bot in bots:
    bot.ask(b'{"type": "hello"}\\n', 5)
    bot.ask(b'{"type": "turn", "n": 0, "legal": ["pass"]}\\n', 5)
print("ready", flush=True)
time.sleep(60)
"""


def test_bots_die_with_a_killed_runner(box: Sandbox, tmp_path: Path) -> None:
    names = ["crashes"] if box.name == "bare" else ["forks", "crashes"]
    root = Path(__file__).parents[2]
    runner = subprocess.Popen(
        [sys.executable, "-c", KILLED, box.name, *names],
        cwd=root,
        env={**os.environ, "TMPDIR": str(tmp_path)},
        stdout=subprocess.PIPE,
        text=True,
    )
    with runner:
        assert runner.stdout is not None and runner.stdout.readline() == "ready\n"
        processes = list_descendants(runner.pid)
        runner.kill()
    assert len(processes) > len(names) or box.name == "bare"
    assert not wait_for_survivors(processes)


def test_memory_is_counted_whatever_may_be_done_with_it(box: Sandbox) -> None:
    source = """
    import ctypes, mmap
    libc = ctypes.CDLL(None)
    kept = []
    for line in iter(input, "stop"):
        for part in range(16):
            kept.append(mmap.mmap(-1, 1 << 20, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS))
            kept[-1].write(b"x" * (1 << 20))
            libc.mprotect(ctypes.c_void_p(ctypes.addressof(ctypes.c_char.from_buffer(kept[-1]))), 1 << 20, 1)
        print(len(kept), flush=True)
    """
    with started(box, source) as bot:
        if box.level == "bare":
            assert [bot.ask(b"more\n", 2) for _ in range(10)][-1] == b"160"
            return
        with pytest.raises(BotOutOfMemoryError) as raised:
            for _ in range(10):
                bot.ask(b"more\n", 2)
    assert "MiB of memory; the limit is 96 MiB" in str(raised.value)


@pytest.mark.parametrize("box", SANDBOXES, indirect=True)  # without a sandbox, memory has no limit
def test_a_bot_that_fills_memory_at_the_end_is_killed_at_once(box: Sandbox) -> None:
    source = """
    import sys
    for line in sys.stdin:
        print("ready", flush=True)
    import ctypes, mmap, time
    libc = ctypes.CDLL(None)
    kept = []
    while len(kept) < 150:
        kept.append(mmap.mmap(-1, 1 << 20, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS))
        kept[-1].write(b"x" * (1 << 20))
        libc.mprotect(ctypes.c_void_p(ctypes.addressof(ctypes.c_char.from_buffer(kept[-1]))), 1 << 20, 1)
    time.sleep(10)
    """
    with started(box, source) as bot:
        bot.ask(b"hello\n", 2)
        bot.dismiss(None)
        begun = time.perf_counter()
        bot.close(5.0)
        assert time.perf_counter() - begun < 2.5
