"""A launcher whose walls don't all stand never becomes a bot, and that is nobody's verdict."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from arena.runner.languages import LANGUAGES
from arena.runner.languages.base import Build
from arena.runner.languages.python import interpreters
from arena.runner.sandbox.base import BotExited, SandboxFailure
from arena.runner.sandbox.bounds import tasks_of
from arena.runner.sandbox.canary import fault_of
from arena.runner.sandbox.fence import FenceProcess, FenceSandbox
from arena.runner.sandbox.landlock import kernel_abi
from arena.runner.sandbox.launch import FAILED, Job
from arena.runner.sandbox.stage import within_reach
from tests.runner.conftest import QUICK, written
from tests.runner.fence.asking import fence
from tests.runner.fence.ordinary import ROOM

ECHO = "while True: print(input(), flush=True)"
Broken = Callable[[Job], None]


@pytest.fixture(scope="module")
def box() -> FenceSandbox:
    if kernel_abi() < 1:
        pytest.skip("this kernel has no Landlock")
    return fence(kernel_abi())


@pytest.fixture
def launched(box: FenceSandbox, tmp_path: Path) -> Iterator[Callable[[Broken], FenceProcess]]:
    """A launcher that was given a job in which something is not as it should be."""
    processes = []

    def launch(change: Broken) -> FenceProcess:
        process = FenceProcess()
        processes.append(process)
        slot = box._laid_out(written(ECHO))
        job = box._job(box.languages["python"].run, QUICK, slot, process.number)
        change(job)
        process.launch(job, slot)
        return process

    yield launch
    for process in processes:
        process.close()


def changed(**fields: object) -> Broken:
    return lambda job: vars(job).update(fields)


BROKEN: dict[str, Broken] = {
    "RLIMIT_CLOUDS": changed(bounds={"clouds": 1}),
    "not permitted|not allowed": changed(bounds={"nofile": 1 << 40}),
    "a bot never runs as root": changed(user=0),
    "the arena is gone": changed(parent=1),
    "a ruleset of Landlock: Invalid argument": changed(ruleset=bytes([0] * 7 + [128])),
    "a ruleset of Landlock: No message": changed(ruleset=bytes(8)),
    "a rule of Landlock for /: Invalid argument": lambda job: job.rules.append(("/", 1 << 62)),
    "No such file or directory: '/nowhere'": lambda job: job.rules.append(("/nowhere", 1)),
    "No such file or directory: '/nowhere/bot'": changed(folder="/nowhere/bot"),
    "the filter of system calls: Invalid argument": changed(filter=bytes(8)),
    "No such file or directory": changed(argv=["/usr/bin/nowhere"]),
    "Permission denied": changed(argv=["/etc/passwd"]),
    "'argv'": lambda job: vars(job).pop("argv"),
    "no attribute 'bounds'": lambda job: vars(job).clear(),
}
"""What the launcher says of it, and what was changed."""


@pytest.mark.parametrize("said", BROKEN)
def test_a_step_that_fails_is_our_failure(launched: Callable[[Broken], FenceProcess], said: str) -> None:
    with pytest.raises(SandboxFailure, match=f"did not get as far as the bot: .*({said})"):
        launched(BROKEN[said]).ask(b"?\n", 5)


def test_a_job_as_it_should_be_becomes_a_bot(launched: Callable[[Broken], FenceProcess]) -> None:
    assert launched(changed()).ask(b"?\n", 5) == b"?"


def test_a_launcher_that_dies_is_our_failure(box: FenceSandbox) -> None:
    box.park("python", QUICK, 1)
    (parked,) = box._parked
    os.kill(parked.number, signal.SIGSTOP)
    bot = box.start(written(ECHO), QUICK)
    assert bot is parked
    os.kill(bot.number, signal.SIGKILL)
    try:
        with pytest.raises(SandboxFailure, match="did not get as far as the bot"):
            bot.ask(b"?\n", 5)
    finally:
        bot.close()


def test_a_bot_can_not_make_its_own_end_ours(box: FenceSandbox) -> None:
    source = f"""
    import os
    for fd in range(3, 64):
        try:
            os.write(fd, b"broken")
        except OSError:
            pass
    os._exit({FAILED})
    """
    bot = box.start(written(source), QUICK)
    try:
        with pytest.raises(BotExited, match=f"exited with code {FAILED}"):
            bot.ask(b"?\n", 5)
    finally:
        bot.close()


def test_a_parked_launcher_that_died_is_passed_over(box: FenceSandbox) -> None:
    box.park("python", QUICK, 2)
    dead, living = box._parked[-1], box._parked[0]
    os.kill(dead.number, signal.SIGKILL)
    os.waitid(os.P_PID, dead.number, os.WEXITED | os.WNOWAIT)
    bot = box.start(written(ECHO), QUICK)
    try:
        assert bot is living and bot.ask(b"?\n", 5) == b"?"
    finally:
        bot.close()
    assert not box._parked


def test_a_parked_launcher_that_died_is_replaced(box: FenceSandbox) -> None:
    other = replace(box)
    other.park("python", QUICK, 1)
    (dead,) = other._parked
    os.kill(dead.number, signal.SIGKILL)
    os.waitid(os.P_PID, dead.number, os.WEXITED | os.WNOWAIT)
    other.park("python", QUICK, 1)
    (living,) = other._parked
    assert living is not dead and living.waits
    other.close()


def test_nothing_parked_outlives_the_sandbox(box: FenceSandbox) -> None:
    other = replace(box)
    other.park("python", QUICK, 2)
    numbers = [parked.number for parked in other._parked]
    other.close()
    assert [number for number in numbers if Path("/proc", str(number)).exists()] == []


def test_what_needs_a_compiler_is_refused(box: FenceSandbox) -> None:
    python = box.languages["python"]
    other = replace(box, languages={"python": replace(python, build=Build("true", "bot"))})
    with pytest.raises(SandboxFailure, match="can't be built"):
        other.build(written(ECHO))
    assert box.build(written(ECHO)) == (written(ECHO), "")


@pytest.mark.parametrize("key", ["python", "javascript", "executable"])
def test_languages_that_need_no_building_run_behind_a_fence(box: FenceSandbox, key: str) -> None:
    toolchain = LANGUAGES[key].find()
    if toolchain is None:
        pytest.skip(LANGUAGES[key].advice)
    assert fault_of(replace(box, languages={key: toolchain}), key) is None


def test_an_interpreter_of_the_arena_itself_can_be_handed_over(box: FenceSandbox) -> None:
    own = [within_reach(found) for found in interpreters() if found.run.trees]
    if not own:
        pytest.skip("this Python is the system's own")
    assert fault_of(replace(box, languages={"python": own[0]}), "python") is None


def test_all_threads_of_a_user_are_counted(box: FenceSandbox) -> None:
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
        user = Path("/proc", str(bot.number)).stat().st_uid
        assert tasks_of(user) == 5 if box.level == "C" else tasks_of(user) > 5
    finally:
        bot.close()


def test_a_bound_lower_than_ours_stays() -> None:
    ask = "from arena.runner.sandbox.bounds import allowed; print(allowed('nofile', 64), allowed('nofile', 40))"
    done = subprocess.run(
        ["/usr/bin/prlimit", "--nofile=50", "--", sys.executable, "-c", ask],
        cwd=ROOM,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["50", "40"]
