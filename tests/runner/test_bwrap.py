"""The restrictions of bubblewrap, with and without the warm pool."""

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from arena.runner.languages import Toolchain, Tree
from arena.runner.program import Limits, Program
from arena.runner.sandbox.base import BotExitedError, BotOutOfMemoryError, BotProcess, NoSandboxError, SandboxError
from arena.runner.sandbox.bwrap import SANDBOX_USER_ID, BwrapSandbox
from arena.runner.sandbox.files import MAX_THREADS
from tests.runner.conftest import QUICK, sample, written
from tests.runner.sandboxes import find_bwrap

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give up being root")
Said = Callable[..., str]


@pytest.fixture(scope="module")
def box() -> BwrapSandbox:
    try:
        return find_bwrap()
    except NoSandboxError as missing:
        pytest.skip(f"bwrap: {missing}")


def asked(bot: BotProcess) -> str:
    """Return the answer of a bot that is asked once."""
    try:
        return bot.ask(b"?\n", 3).decode()
    finally:
        bot.close()


@pytest.fixture(params=["started for it", "warm"])
def said(request: pytest.FixtureRequest, box: BwrapSandbox) -> Said:
    """Return a function that runs a source and returns its first answer."""

    def start(source: str, limits: Limits = QUICK, **files: str) -> str:
        if request.param == "warm":
            box.fill_warm_pool("python", limits, 1)
        bot = box.start(written(source, **files), limits)
        assert type(bot).__name__ == ("WarmProcess" if request.param == "warm" else "BwrapProcess")
        return asked(bot)

    return start


def test_a_bot_sees_nothing_but_itself_and_what_it_runs_on(said: Said) -> None:
    seen = set(said("import os\ninput()\nprint(*os.listdir('/'), flush=True)\ninput()").split())
    assert seen <= {"bin", "lib", "lib64", "lib32", "usr", "bot", "kit", "python"}


@pytest.mark.parametrize("warm", [0, 1])
def test_a_bot_is_nobody_and_may_gain_nothing(box: BwrapSandbox, warm: int) -> None:
    box.fill_warm_pool("python", QUICK, warm)
    bot = box.start(written("while True: print(input(), flush=True)"), QUICK)
    try:
        bot.ask(b"?\n", 2)
        lines = Path(f"/proc/{bot.pid}/status").read_text().splitlines()
    finally:
        bot.close()
    status = {key: value.split() for key, _, value in (line.partition(":") for line in lines)}
    assert all(int(status[f"Cap{kind}"][0], 16) == 0 for kind in ("Inh", "Prm", "Eff", "Amb"))
    assert status["NoNewPrivs"] == ["1"] and status["Seccomp"] == ["2"] and status["Groups"] == []
    assert status["Uid"] == ([str(SANDBOX_USER_ID)] if os.geteuid() == 0 else [str(os.geteuid())]) * 4
    assert status["NSpid"][1:] == ["2"]


def test_a_bot_can_change_nothing(said: Said) -> None:
    source = """
    import os
    input()
    changed = []
    def attempt(name, change, *arguments):
        try:
            change(*arguments)
            changed.append(name)
        except OSError:
            pass
    for folder in ("", "/bot", "/bot/tables", "/kit", "/kit/engine", "/usr", "/usr/bin", "/usr/lib", "/tmp", "/dev"):
        attempt(folder, os.mkdir, folder + "/x")
        attempt(folder, os.symlink, "/bot", folder + "/y")
        attempt(folder, open, folder + "/z", "w")
    for path in (__file__, "/bot/tables/book.py", "/kit/pennant_kit.py"):
        attempt(path, open, path, "r+")
        attempt(path, os.chmod, path, 0o777)
        attempt(path, os.unlink, path)
        attempt(path, os.truncate, path, 0)
        attempt(path, os.utime, path)
        attempt(path, os.rename, path, path + "x")
    attempt("/bot", os.chmod, "/bot", 0o777)
    print(changed, flush=True)
    """
    assert said(source, **{"tables/book.py": "MOVES = 3"}) == "[]"


def test_nothing_but_three_pipes_is_open(said: Said) -> None:
    source = """
    import os, stat
    input()
    kinds = {}
    for fd in range(64):
        try:
            kinds[fd] = stat.S_ISFIFO(os.fstat(fd).st_mode)
        except OSError:
            pass
    print(kinds, flush=True)
    """
    assert said(source) == "{0: True, 1: True, 2: True, 62: False, 63: False}", "its streams and its pair of sockets"


def test_memory_is_limited_as_told(said: Said) -> None:
    source = "input()\nblock = bytearray({0} * 1024 * 1024)\nprint(len(block) >> 20, flush=True)"
    assert said(source.format(100), Limits(memory_mb=128)) == "100"
    with pytest.raises(BotOutOfMemoryError):
        said(source.format(160), Limits(memory_mb=128))


def test_there_are_threads_up_to_a_number_and_no_processes(said: Said) -> None:
    source = """
    import os, threading
    input()
    try:
        os.fork()
    except PermissionError as error:
        print(error.strerror, end=" ")
    never = threading.Event()
    threading.stack_size(65536)
    for started in range(1000):
        try:
            threading.Thread(target=never.wait, daemon=True).start()
        except RuntimeError:
            break
    print(started, flush=True)
    os._exit(0)
    """
    *refused, threads = said(source).split()
    assert " ".join(refused) == "Operation not permitted"
    assert MAX_THREADS - 8 < int(threads) < MAX_THREADS


def test_a_bot_that_spins_unwatched_is_ended_by_the_kernel(said: Said) -> None:
    source = "import resource\ninput()\nprint(resource.getrlimit(resource.RLIMIT_CPU), flush=True)"
    assert said(source, Limits(start_ms=1500, bank_ms=1000)) == "(33, 33)"


def test_what_bots_import_is_compiled_ahead(said: Said, box: BwrapSandbox) -> None:
    source = (
        "import pennant_kit, engine.core\ninput()\nprint(pennant_kit.__cached__, engine.core.__cached__, flush=True)"
    )
    for cached in said(source).split():
        assert (Path(box.library) / Path(cached).relative_to("/kit")).is_file()


def test_bubblewrap_that_fails_is_our_failure(box: BwrapSandbox, tmp_path: Path) -> None:
    for broken in (
        replace(box, library=str(tmp_path / "gone")),
        replace(box, bwrap="/bin/false"),
        replace(box, setpriv=None, bwrap="/nowhere/bwrap"),
        replace(box, prlimit="/usr/bin/nowhere"),
    ):
        with pytest.raises(SandboxError):
            asked(broken.start(written("print(input(), flush=True)"), QUICK))


def test_a_bot_that_fails_at_once_is_its_own_failure(said: Said) -> None:
    with pytest.raises(BotExitedError) as raised:
        said("1 +")
    assert "SyntaxError" in raised.value.stderr


def test_a_language_that_is_not_here_is_our_failure(box: BwrapSandbox) -> None:
    program = Program("ferris", 1, {"bot.rs": b"fn main() {}"}, "rust")
    with pytest.raises(SandboxError, match="rust"):
        box.start(program, QUICK)
    with pytest.raises(SandboxError, match="rust"):
        box.build(program)


def test_an_interpreter_out_of_sight_is_handed_over_open(box: BwrapSandbox, python_at_home: Toolchain) -> None:
    other = replace(box, languages={"python": python_at_home}, runtimes={})
    assert asked(other.start(written("import sys\ninput()\nprint(sys.prefix, flush=True)"), QUICK)) == "/python"
    other.fill_warm_pool("python", QUICK, 1)
    assert asked(other.start(written("import sys\ninput()\nprint(sys.prefix, flush=True)"), QUICK)) == "/python"


def running(box: BwrapSandbox, **changes: object) -> BwrapSandbox:
    """Return the same sandbox with Python run in another way."""
    python = box.languages["python"]
    return replace(box, languages={"python": replace(python, run=replace(python.run, **changes))}, runtimes={})


def test_a_tree_of_a_language_is_there_to_be_read(box: BwrapSandbox, open_folder: Path) -> None:
    (open_folder / "word").write_text("apple")
    (open_folder / "word").chmod(0o644)
    other = running(box, trees=(*box.languages["python"].run.trees, Tree(str(open_folder), "/etc/words")))
    source = """
    import os
    input()
    try:
        open("/etc/words/other", "w")
    except OSError as error:
        print(open("/etc/words/word").read(), error.strerror, os.listdir("/etc"), flush=True)
    """
    assert asked(other.start(written(source), QUICK)) == "apple Read-only file system ['words']"


def test_a_program_is_told_its_memory_where_its_language_asks(box: BwrapSandbox) -> None:
    argv = box.languages["python"].run.argv
    other = running(box, argv=(*argv, "-Xmx{memory_mb}m", "{}"))
    assert asked(other.start(written("import sys\ninput()\nprint(sys.argv[1:], flush=True)"), QUICK)) == (
        f"['-Xmx{QUICK.memory_mb}m', '{{}}']"
    )


def test_there_is_no_proc(box: BwrapSandbox) -> None:
    with pytest.raises(BotExitedError) as raised:
        asked(box.start(written("import os\ninput()\nprint(os.listdir('/proc'), flush=True)"), QUICK))
    assert "No such file or directory: '/proc'" in raised.value.stderr


def test_address_space_is_bounded_by_what_a_runtime_reserves(box: BwrapSandbox) -> None:
    source = "import resource\ninput()\nprint(resource.getrlimit(resource.RLIMIT_AS)[1] >> 20, flush=True)"
    assert asked(box.start(written(source), QUICK)) == str(QUICK.memory_mb + 256)
    assert asked(running(box, reserved_mb=1024).start(written(source), QUICK)) == str(QUICK.memory_mb + 1024)


def test_a_sample_runs(box: BwrapSandbox) -> None:
    bot = box.start(sample("random"), QUICK)
    try:
        assert bot.ask(b'{"type": "hello"}\n', 2) == b'{"type": "ready"}'
    finally:
        bot.close()


def test_an_environment_is_what_a_language_adds_to_what_everybody_has(box: BwrapSandbox) -> None:
    other = running(box, environment={"PYTHONPATH": "/kit", "COLOUR": "green"})
    source = "import os\ninput()\nprint(sorted(os.environ.items()), flush=True)"
    answer = asked(other.start(written(source), QUICK))
    assert answer == str(
        [("COLOUR", "green"), ("LANG", "C.UTF-8"), ("PATH", "/usr/bin:/bin"), ("PWD", "/bot"), ("PYTHONPATH", "/kit")]
    )


def test_the_pair_of_sockets_gets_to_its_place_from_any_numbers() -> None:
    """In a busy arena, the numbers that its process has free may be those of the place."""
    code = """
import os, socket
from arena.runner.sandbox.python_start import PAIR, keep_pair
for numbers in ((40, 41), PAIR, PAIR[::-1], (40, PAIR[0]), (PAIR[1], 40)):
    inodes = []
    for end, number in zip(socket.socketpair(), numbers):
        inodes.append(os.fstat(os.dup2(end.fileno(), number)).st_ino)
        end.close()
    keep_pair(*numbers)
    assert [os.fstat(fd).st_ino for fd in PAIR] == inodes, numbers
    assert not any(os.get_inheritable(fd) for fd in PAIR)
    assert os.dup(0) < 40
"""
    subprocess.run([sys.executable, "-c", code], check=True)
