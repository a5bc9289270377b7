"""Bots in the warm pool run as in other sandboxes, and its failures give no verdict."""

import copy
import json
import os
import shutil
import signal
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path

import pytest

from arena.runner.program import Limits, Program
from arena.runner.sandbox.base import BotExitedError, NoSandboxError, SandboxError
from arena.runner.sandbox.bwrap import IMPORTS_MB, MAX_PROGRAM_BYTES, BwrapSandbox, WarmProcess, is_suitable
from arena.runner.sandbox.detection import LIMITS, self_test
from tests.runner.conftest import QUICK, sample, written
from tests.runner.processes import Started, wait_for_survivors
from tests.runner.sandboxes import find_bwrap

ECHO = "while True: print(input(), flush=True)"
LOOKS_ROUND = """
import __main__, json, os, resource, stat, sys
from tables.book import MOVES

def tried(change, *arguments):
    try:
        return repr(change(*arguments))
    except OSError as error:
        return repr(error)

def around():
    yield sorted((name, repr(value).split(" at 0x")[0]) for name, value in vars(__main__).items())
    yield sys.argv, sys.path, sys.orig_argv, repr(sys.flags), sys._xoptions, sys.warnoptions
    yield __builtins__ is sys.modules["builtins"], __spec__, __loader__.path, sys.excepthook is sys.__excepthook__
    yield os.getcwd(), sorted(os.listdir(".")), sorted(os.listdir("/")), sorted(os.environ.items())
    for path in ("/", "/bot", "/bot/bot.py", "/bot/tables", "/bot/tables/book.py", "/kit"):
        yield path, stat.filemode(os.stat(path).st_mode), os.stat(path).st_uid
    same = {name for name in dir(resource) if name.startswith("RLIMIT_")} - {"RLIMIT_DATA", "RLIMIT_AS"}
    yield [(name, resource.getrlimit(getattr(resource, name))) for name in sorted(same)]
    yield os.getpid(), os.getppid(), os.getpgrp(), os.getuid(), os.getgroups(), os.umask(0o22)
    yield tried(open, "new", "w"), tried(open, __file__, "a"), tried(os.unlink, __file__), tried(os.mkdir, "new")
    yield tried(os.chmod, __file__, 0o777), tried(os.utime, __file__), tried(os.fork), tried(os.rename, __file__, "x")
    yield sys.stdin.encoding, sys.stdout.line_buffering, sys.getrecursionlimit(), sys.gettrace()

input()
print(json.dumps(list(around())), flush=True)
input()

def fails():
    try:
        {}["first"]
    except KeyError:
        raise ValueError("second")

fails()
"""


@pytest.fixture(scope="module")
def box() -> BwrapSandbox:
    try:
        return find_bwrap()
    except NoSandboxError as missing:
        pytest.skip(f"bwrap: {missing}")


@pytest.fixture(autouse=True)
def nobody_waits_after_a_test(box: BwrapSandbox) -> Iterator[None]:
    yield
    box.close()


def warm(box: BwrapSandbox, program: Program, limits: Limits = QUICK) -> WarmProcess:
    box.fill_warm_pool("python", limits, 1)
    bot = box.start(program, limits)
    assert isinstance(bot, WarmProcess)
    return bot


def test_a_bot_can_not_tell_that_its_sandbox_waited(box: BwrapSandbox) -> None:
    seen = []
    for start in (box.start, lambda program, limits: warm(box, program, limits)):
        with closing(start(written(LOOKS_ROUND, **{"tables/book.py": "MOVES = 3", "data.txt": "ü"}), QUICK)) as bot:
            answer = json.loads(bot.ask(b"?\n", 2))
            with pytest.raises(BotExitedError) as raised:
                bot.ask(b"?\n", 2)
        seen.append((answer, bot.stderr(), str(raised.value), raised.value.stderr))
    assert seen[0] == seen[1]
    assert seen[0][1].startswith("Traceback") and seen[0][3] == "ValueError: second"


@pytest.mark.parametrize(
    "source", ["1 +", "raise SystemExit('so long')", "import nothing", "exit(3)", b"# coding: latin-1\n\xe4 = 1; 1/0"]
)
def test_bots_that_end_at_once_end_the_same(box: BwrapSandbox, source: str | bytes) -> None:
    program = Program("ends", 1, {"bot.py": source if isinstance(source, bytes) else source.encode()})
    endings = []
    for bot in (box.start(program, QUICK), warm(box, program)):
        with closing(bot), pytest.raises(BotExitedError) as raised:
            bot.ask(b"?\n", 2)
        endings.append((str(raised.value), bot.stderr()))
    assert endings[0] == endings[1]


def test_all_layers_hold_around_a_bot_that_was_waited_for(box: BwrapSandbox) -> None:
    box.fill_warm_pool("python", LIMITS, 1)
    fallen = [layer for layer in self_test(box) if not layer.holds]
    assert not box._warm_pool.take((LIMITS, ()), sample("random"), b"")
    assert [str(layer.what) for layer in fallen] == ["not limited: data, as"]
    source = "import resource as r\ninput()\nprint(*[r.getrlimit(x)[1] >> 20 for x in (r.RLIMIT_DATA, r.RLIMIT_AS)])"
    with closing(warm(box, written(source))) as bot:
        memory = 64 + IMPORTS_MB
        reserved = box.languages["python"].run.reserved_mb
        assert bot.ask(b"?\n", 2).split() == [b"%d" % memory, b"%d" % (memory + reserved)]


def test_each_is_used_once_and_the_next_is_started_for_its_bot(box: BwrapSandbox) -> None:
    box.fill_warm_pool("python", QUICK, 2)
    bots = [box.start(written(ECHO), QUICK) for _ in range(3)]
    for bot in bots:
        with closing(bot):
            assert bot.ask(b"?\n", 2) == b"?"
    assert [isinstance(bot, WarmProcess) for bot in bots] == [True, True, False]


@pytest.mark.parametrize(
    "path", ["probe", "probe/x", "-x", "new\nline", " ", "a\\b", "\u202e", "n" * 200, "d/" * 99 + "d"]
)
def test_no_name_of_a_file_keeps_a_sandbox_from_becoming_its_bot(box: BwrapSandbox, path: str) -> None:
    box.fill_warm_pool("python", QUICK, 1)
    with closing(box.start(written(ECHO, **{path: ""}), QUICK)) as bot:
        assert isinstance(bot, WarmProcess)
        assert bot.ask(b"here\n", 2) == b"here"


def test_only_one_with_the_same_limits_will_do(box: BwrapSandbox) -> None:
    box.fill_warm_pool("python", replace(QUICK, memory_mb=128), 1)
    bot = box.start(written(ECHO), QUICK)
    bot.close()
    assert not isinstance(bot, WarmProcess)


def test_what_was_used_while_waiting_is_not_the_bots(box: BwrapSandbox, list_started: Started) -> None:
    source = "import time\nspent = time.process_time()\ninput()\nprint(spent, flush=True)"
    box.fill_warm_pool("python", QUICK, 1)
    wait_until_idle(list_started())
    with closing(warm(box, written(source))) as bot:
        assert bot.cpu_s < float(bot.ask(b"?\n", 2))


def wait_until_idle(processes: set[tuple[int, int]]) -> None:
    def used() -> int:
        return sum(int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) for pid, _ in processes)

    deadline, before = time.monotonic() + 5, -1
    while used() != before and time.monotonic() < deadline:
        before = used()
        time.sleep(0.05)


@pytest.mark.parametrize("path", ["json.py", "engine/rules.py", "pennant_kit.py", "random/__init__.py", "heapq.so"])
def test_a_bot_that_hides_what_is_imported_ahead_has_a_sandbox_of_its_own(path: str) -> None:
    assert is_suitable(sample("random"))
    assert not is_suitable(written("", **{path: ""}))


def test_a_large_bot_has_a_sandbox_of_its_own() -> None:
    assert not is_suitable(Program("large", 1, {"bot.py": b"", "book": b"x" * (MAX_PROGRAM_BYTES + 1)}))


def kill_all(processes: set[tuple[int, int]]) -> None:
    for pid, _ in processes:
        with suppress(ProcessLookupError):  # the end of one ends the others of its sandbox
            os.kill(pid, signal.SIGKILL)
    assert not wait_for_survivors(processes)


def test_one_that_died_while_it_waited_is_passed_over(box: BwrapSandbox, list_started: Started) -> None:
    box.fill_warm_pool("python", QUICK, 2)
    kill_all(list_started())
    bot = box.start(written(ECHO), QUICK)
    try:
        assert bot.ask(b"?\n", 2) == b"?" and not isinstance(bot, WarmProcess)
    finally:
        bot.close()


def test_one_that_died_while_it_waited_is_replaced(box: BwrapSandbox, list_started: Started) -> None:
    box.fill_warm_pool("python", QUICK, 1)
    kill_all(list_started())
    warm(box, written(ECHO)).close()


BROKEN_SCRIPTS = {
    "leaves the folder open": ("LIBC.mount(", "LIBC.prctl(PR_GET_DUMPABLE, "),
    "keeps its rights": ("LIBC.capset(header, held)", "0"),
    "puts no filter on": ("LIBC.prctl(SET_SECCOMP, FILTER, ctypes.byref(program), 0, 0)", "0"),
    "puts a filter on that refuses nothing": (
        "require(LIBC.prctl(GET_SECCOMP",
        "LIBC.unshare = lambda flags: 0\n    require(LIBC.prctl(GET_SECCOMP",
    ),
    "fails": ("write_files(contents)", "write_files(contents, 1)"),
    "hangs": ("write_files(contents)", "os.read(0, 1), os.read(0, 65536), os.read(0, 1)"),
    "ends": ("drop_write_access()\n    install_filter", "os._exit(0)\n    install_filter"),
}


@pytest.mark.parametrize("how", BROKEN_SCRIPTS)
def test_a_start_script_without_a_restriction_becomes_no_bot(box: BwrapSandbox, open_folder: Path, how: str) -> None:
    found, changed = BROKEN_SCRIPTS[how]
    library = shutil.copytree(box.library, open_folder / "library")
    loader = library / "pennant_warm_start.py"
    source = loader.read_text()
    assert source.count(found) == 1
    loader.chmod(0o644)
    loader.write_text(source.replace(found, changed))
    with closing(warm(replace(box, library=str(library)), written("print('I am out', flush=True)"))) as bot:
        with pytest.raises(SandboxError, match="did not become a bot"):
            bot.ask(b"?\n", 0.5)


def test_a_sandbox_that_goes_to_another_process_leaves_those_that_wait_behind(box: BwrapSandbox) -> None:
    box.fill_warm_pool("python", QUICK, 1)
    other = copy.deepcopy(box)
    bot = other.start(written(ECHO), QUICK)
    bot.close()
    assert not isinstance(bot, WarmProcess)
    warm(box, written(ECHO)).close()


def test_nothing_waits_on_when_the_sandbox_is_closed(box: BwrapSandbox, list_started: Started) -> None:
    before = os.listdir("/proc/self/fd")
    box.fill_warm_pool("python", QUICK, 3)
    waiting = list_started()
    box.close()
    assert len(waiting) >= 3 and not wait_for_survivors(waiting)
    assert len(os.listdir("/proc/self/fd")) == len(before)


def test_other_languages_are_not_kept_warm(box: BwrapSandbox, list_started: Started) -> None:
    box.fill_warm_pool("java", QUICK, 1)
    assert not list_started()
