"""A launcher that can't apply all restrictions never becomes a bot, and gives no verdict."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from arena.runner.languages import LANGUAGES, NATIVE_RUN, Build, Toolchain
from arena.runner.program import Program
from arena.runner.sandbox.base import BotExitedError, SandboxError
from arena.runner.sandbox.detection import find_language_fault
from arena.runner.sandbox.exec_bot import FAILURE_EXIT_CODE, Job
from arena.runner.sandbox.files import compute_resident_limit, count_threads_of_user
from arena.runner.sandbox.landlock import OWN_PYTHON, LandlockProcess, LandlockSandbox, kernel_abi
from tests.runner.conftest import QUICK, written
from tests.runner.landlock.attempt_runner import landlock_sandbox
from tests.runner.landlock.ordinary_user import PROJECT_ROOT

ECHO = "while True: print(input(), flush=True)"
Broken = Callable[[Job], None]


@pytest.fixture(scope="module")
def box() -> LandlockSandbox:
    if kernel_abi() < 1:
        pytest.skip("this kernel has no Landlock")
    return landlock_sandbox(kernel_abi())


@pytest.fixture(params=["by its own interpreter", "by an interpreter of the arena's"])
def launched(request: pytest.FixtureRequest, box: LandlockSandbox) -> Iterator[Callable[[Broken], LandlockProcess]]:
    """Return a function that starts a launcher with a changed job."""
    run = box.languages["python"].run
    inside = request.param == "by its own interpreter"
    processes = []

    def launch(change: Broken) -> LandlockProcess:
        process = box._take_launcher(box._python_command(run) if inside else OWN_PYTHON, run)
        processes.append(process)
        slot = box._prepare_slot(written(ECHO))
        job = box._build_job(run, QUICK, slot, process.launcher_pid)
        job.script = job.argv[-1] if inside else ""
        change(job)
        process.launch(job, slot, compute_resident_limit(QUICK, run))
        return process

    yield launch
    for process in processes:
        process.close()


def changed(**fields: object) -> Broken:
    return lambda job: vars(job).update(fields)


BROKEN: dict[str, Broken] = {
    "RLIMIT_CLOUDS": changed(limits={"clouds": 1}),
    "not permitted|not allowed": changed(limits={"nofile": 1 << 40}),
    "a bot never runs as root": changed(user=0),
    "the arena is gone": changed(parent=1),
    "a ruleset of Landlock: Invalid argument": changed(ruleset=bytes([0] * 7 + [128])),
    "a ruleset of Landlock: No message": changed(ruleset=bytes(8)),
    "a rule of Landlock for /: Invalid argument": lambda job: job.rules.append(("/", 1 << 62)),
    "No such file or directory: '/nowhere'": lambda job: job.rules.append(("/nowhere", 1)),
    "No such file or directory: '/nowhere/bot'": changed(folder="/nowhere/bot"),
    "the filter of system calls: Invalid argument": changed(filter=bytes(8)),
    "No such file or directory: '/usr/bin/nowhere'": changed(argv=["/usr/bin/nowhere"], script=""),
    "Permission denied": changed(argv=["/etc/passwd"], script=""),
    "'argv'": lambda job: vars(job).pop("argv"),
    "no attribute 'script'": lambda job: vars(job).clear(),
}
"""Changes of a job, by the launcher's error message."""


@pytest.mark.parametrize("said", BROKEN)
def test_a_step_that_fails_is_our_failure(launched: Callable[[Broken], LandlockProcess], said: str) -> None:
    with pytest.raises(SandboxError, match=f"did not get as far as the bot: .*({said})"):
        launched(BROKEN[said]).ask(b"?\n", 5)


def test_a_job_as_it_should_be_becomes_a_bot(launched: Callable[[Broken], LandlockProcess]) -> None:
    assert launched(changed()).ask(b"?\n", 5) == b"?"


SEES = """
import json, os, signal, sys
known = ("__name__", "__doc__", "__package__", "__spec__", "__annotations__", "__file__", "__cached__")
seen = {
    "path": sys.path, "argv": sys.argv, "orig_argv": sys.orig_argv, "flags": list(sys.flags),
    "environment": dict(os.environ),
    "names": sorted(globals()), "main": [repr(globals()[name]) for name in known if name in globals()],
    "loader": [type(__loader__).__name__, __loader__.path], "builtins": repr(__builtins__),
    "itself": vars(sys.modules["__main__"]) is globals(), "folder": os.getcwd(), "open": os.listdir("."),
    "signals": [str(signal.getsignal(number)) for number in range(1, 32)], "imported": "launch" in sys.modules,
    "executable": sys.executable, "switches": [sys._xoptions, sys.warnoptions],
}
while True:
    input()
    print(json.dumps(seen).replace(os.getcwd(), "/bot"), flush=True)
"""
"""A program that reports everything about the way it was started."""
ENDINGS = {
    "an exception": "def f(): raise ValueError('no')\nf()",
    "a syntax error": "1 +",
    "an exit": "raise SystemExit(3)",
    "words on exit": "raise SystemExit('enough')",
    "an exception at exit": "import atexit\natexit.register(lambda: 1 / 0)",
    "an exception in a thread": "import threading\nthreading.Thread(target=lambda: 1 / 0).start()",
    "the end": "pass",
}


def both(box: LandlockSandbox, source: str) -> list[LandlockProcess]:
    """Return a bot run by the launcher's interpreter, and one by a new interpreter since a file shadows a module."""
    bots = [box.start(written(source, **files), QUICK) for files in ({}, {"struct.py": ""})]
    assert [bot.python == OWN_PYTHON for bot in bots] == [False, True]
    return bots


def test_a_program_in_python_can_not_tell_which_interpreter_it_was_given(box: LandlockSandbox) -> None:
    told = []
    for bot in both(box, SEES):
        told.append(json.loads(bot.ask(b"?\n", 5)))
        told[-1]["open"] = sorted(set(told[-1]["open"]) - {"struct.py"})
        bot.close()
    assert told[0] == told[1]


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_program_in_python_ends_the_same_way_in_both(box: LandlockSandbox, ending: str) -> None:
    ends = []
    for bot in both(box, ENDINGS[ending]):
        with pytest.raises(BotExitedError) as exited:
            bot.ask(b"?\n", 5)
        bot.close()
        ends.append(re.sub(r"(/\S+/slots|/\S*pennant-slots)[-/\d]+|0x\w+", "", f"{exited.value} {bot.stderr()}"))
    assert ends[0] == ends[1]
    assert "exec_bot" not in ends[0]


def test_a_launcher_that_dies_is_our_failure(box: LandlockSandbox) -> None:
    box.fill_warm_pool("python", QUICK, 1)
    (warm,) = box._warm_pool
    os.kill(warm.launcher_pid, signal.SIGSTOP)
    bot = box.start(written(ECHO), QUICK)
    assert bot is warm
    os.kill(bot.launcher_pid, signal.SIGKILL)
    try:
        with pytest.raises(SandboxError, match="did not get as far as the bot"):
            bot.ask(b"?\n", 5)
    finally:
        bot.close()


def test_a_bot_can_not_make_its_own_end_ours(box: LandlockSandbox) -> None:
    source = f"""
    import os
    for fd in range(3, 64):
        try:
            os.write(fd, b"broken")
        except OSError:
            pass
    os._exit({FAILURE_EXIT_CODE})
    """
    bot = box.start(written(source), QUICK)
    try:
        with pytest.raises(BotExitedError, match=f"exited with code {FAILURE_EXIT_CODE}"):
            bot.ask(b"?\n", 5)
    finally:
        bot.close()


def test_a_warm_launcher_that_died_is_passed_over(box: LandlockSandbox) -> None:
    box.fill_warm_pool("python", QUICK, 2)
    dead, living = box._warm_pool[-1], box._warm_pool[0]
    os.kill(dead.launcher_pid, signal.SIGKILL)
    os.waitid(os.P_PID, dead.launcher_pid, os.WEXITED | os.WNOWAIT)
    bot = box.start(written(ECHO), QUICK)
    try:
        assert bot is living and bot.ask(b"?\n", 5) == b"?"
    finally:
        bot.close()
    assert not box._warm_pool


def test_a_warm_launcher_that_died_is_replaced(box: LandlockSandbox) -> None:
    other = replace(box)
    other.fill_warm_pool("python", QUICK, 1)
    (dead,) = other._warm_pool
    os.kill(dead.launcher_pid, signal.SIGKILL)
    os.waitid(os.P_PID, dead.launcher_pid, os.WEXITED | os.WNOWAIT)
    other.fill_warm_pool("python", QUICK, 1)
    (living,) = other._warm_pool
    assert living is not dead and living.is_waiting
    other.close()


def test_launchers_wait_for_one_kind_of_program(box: LandlockSandbox) -> None:
    script = LANGUAGES["executable"].find()
    assert script is not None
    other = replace(box, languages={**box.languages, "executable": script})
    for language in ("python", "executable", "python"):
        other.fill_warm_pool(language, QUICK, 1)
    assert [launcher.python == OWN_PYTHON for launcher in other._warm_pool] == [False, True]
    waiting = list(other._warm_pool)
    bot = other.start(Program("canary", 1, LANGUAGES["executable"].canary, "executable"), QUICK)
    try:
        assert bot is waiting[1] and bot.ask(b"?\n", 5) == b'{"type":"ready"}'
    finally:
        bot.close()
        other.close()


def test_nothing_warm_outlives_the_sandbox(box: LandlockSandbox) -> None:
    other = replace(box)
    other.fill_warm_pool("python", QUICK, 2)
    numbers = [launcher.launcher_pid for launcher in other._warm_pool]
    other.close()
    assert [number for number in numbers if Path("/proc", str(number)).exists()] == []


def test_what_needs_a_compiler_is_refused(box: LandlockSandbox) -> None:
    python = box.languages["python"]
    other = replace(box, languages={"python": replace(python, build=Build("true", "bot"))})
    with pytest.raises(SandboxError, match="can't be built"):
        other.build(written(ECHO))
    assert box.build(written(ECHO)) == (written(ECHO), "")


@pytest.mark.parametrize("key", ["python", "javascript", "executable"])
def test_languages_that_need_no_building_run_with_landlock(box: LandlockSandbox, key: str) -> None:
    toolchain = LANGUAGES[key].find()
    if toolchain is None:
        pytest.skip(str(LANGUAGES[key].advice))
    assert find_language_fault(replace(box, languages={key: toolchain}), key) is None


@pytest.mark.parametrize("content", [b"", b"text", b"\x7fELF", b"#!/nowhere\n", b"#!/etc/passwd\n", b"#!/usr\n"])
def test_a_program_that_can_not_be_run_is_the_bots_fault(box: LandlockSandbox, content: bytes) -> None:
    native = replace(box, languages={"executable": Toolchain("", NATIVE_RUN)})
    with closing(native.start(Program("broken", 1, {"bot": content}, "executable"), QUICK)) as bot:
        with pytest.raises(BotExitedError, match="exited with code 126"):
            bot.ask(b"?\n", 2)


def test_an_interpreter_of_the_arena_itself_can_be_handed_over(box: LandlockSandbox, python_at_home: Toolchain) -> None:
    assert find_language_fault(replace(box, languages={"python": python_at_home}), "python") is None


def test_all_threads_of_a_user_are_counted(box: LandlockSandbox) -> None:
    source = """
    import threading, time
    for _ in range(4):
        threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
    while True:
        print(input(), flush=True)
    """
    bot = box.start(written(source), QUICK)
    try:
        bot.ask(b"?\n", 5)
        user = Path("/proc", str(bot.launcher_pid)).stat().st_uid
        assert count_threads_of_user(user) == 5 if box.level == "C" else count_threads_of_user(user) > 5
    finally:
        bot.close()


def test_a_bound_lower_than_ours_stays() -> None:
    ask = "from arena.runner.sandbox.files import cap_limit; print(cap_limit('nofile', 64), cap_limit('nofile', 40))"
    done = subprocess.run(
        ["/usr/bin/prlimit", "--nofile=50", "--", sys.executable, "-c", ask],
        cwd=PROJECT_ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["50", "40"]
