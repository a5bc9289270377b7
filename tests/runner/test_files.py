"""Folders of files that sandboxes use."""

import os
from contextlib import closing
from pathlib import Path

import pytest

from arena.runner.languages import Run, Toolchain, Tree, list_pythons
from arena.runner.sandbox import files
from arena.runner.sandbox.base import NoSandboxError
from arena.runner.sandbox.bwrap import BwrapSandbox
from arena.runner.sandbox.files import list_memory_folders, prepare_runtime
from tests.runner.conftest import QUICK, written
from tests.runner.sandboxes import find_bwrap

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give up being root")


def prepare_in(monkeypatch: pytest.MonkeyPatch, place: Path) -> Path:
    monkeypatch.setattr(files, "PARENT_FOLDERS", (str(place),))
    return files.prepare_files(files.list_library_files(), next(list_pythons()))


def test_a_folder_is_created_once_and_again_when_files_are_missing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folder = prepare_in(monkeypatch, tmp_path)
    made = folder.stat().st_ino
    assert prepare_in(monkeypatch, tmp_path).stat().st_ino == made
    (folder / files.LIBRARY / "engine" / "core.py").unlink()
    assert prepare_in(monkeypatch, tmp_path).stat().st_ino != made
    assert os.listdir(tmp_path) == [folder.name]


def test_a_folder_that_others_can_write_to_is_replaced(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    folder = prepare_in(monkeypatch, tmp_path)
    made = folder.stat().st_ino
    folder.chmod(0o777)
    assert prepare_in(monkeypatch, tmp_path).stat().st_ino != made


@as_root
def test_a_folder_of_another_user_is_replaced(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    folder = prepare_in(monkeypatch, tmp_path)
    os.chown(folder, 65533, 65533)
    assert prepare_in(monkeypatch, tmp_path).stat().st_uid == 0


@as_root
def test_tools_only_root_may_reach_are_copied_as_far_as_they_are_needed(tmp_path: Path) -> None:
    home = tmp_path / "closed"
    for path in ("bin/tool", "lib/needed/one", "lib/needed/test/two", "share/manual"):
        (home / path).parent.mkdir(parents=True, exist_ok=True)
        (home / path).write_text(path)
    (home / "bin/tool").chmod(0o755)
    home.chmod(0o700)
    tree = Tree(str(home), "/tools", ("bin/t*", "lib/needed"))
    copied = files.make_readable(Toolchain("1", Run(("/tools/bin/tool",), trees=(tree,)))).run.trees[0]
    found = {path.relative_to(copied.host).as_posix() for path in Path(copied.host).rglob("*") if path.is_file()}
    assert found - {files.MANIFEST} == {"bin/tool", "lib/needed/one"} and copied.inside == "/tools"
    assert all(os.stat(Path(copied.host, path)).st_mode & 0o005 for path in found)


def test_tools_that_everybody_may_reach_stay_where_they_are() -> None:
    toolchain = Toolchain("1", Run(("/usr/bin/true",), trees=(Tree("/usr/lib", "/tools"),)))
    assert files.make_readable(toolchain) == toolchain


def test_a_folder_that_another_process_completed_meanwhile_is_kept(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(files, "PARENT_FOLDERS", (str(tmp_path),))
    faster: list[int] = []

    def build(folder: Path) -> None:
        (folder / "file").write_text("same")

    def build_slowly(folder: Path) -> None:
        build(folder)
        faster.append(files.find_or_create_folder("key", build).stat().st_ino)

    assert [files.find_or_create_folder("key", build_slowly).stat().st_ino] == faster


def test_bots_see_the_compiled_engine_where_there_is_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    ours = (
        "engine/core.py",
        "engine/games/chess/play.py",
        "engine/games/chess/play.abi.so",
        "pennant_engine__mypyc.abi.so",
    )
    for name in (*ours, "another__mypyc.abi.so", "engine/games/chess/README.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    monkeypatch.setattr(files, "find_engine_folder", lambda: tmp_path)
    names = ("pennant_kit", "pennant_start", "pennant_warm_start", "pennant_cold_start")
    kit = {f"{files.LIBRARY}/{name}.py" for name in names}
    assert files.list_library_files().keys() - kit == {f"{files.LIBRARY}/{name}" for name in ours}


# What bots of each language see of this machine: the files their language runs on, in memory.


@pytest.fixture(scope="module")
def box() -> BwrapSandbox:
    try:
        found = find_bwrap()
    except NoSandboxError as missing:
        pytest.skip(f"no bubblewrap: {missing}")
    assert isinstance(found, BwrapSandbox)
    if not list_memory_folders():
        pytest.skip("no folder in memory allows programs")
    return found


def test_a_bot_sees_its_interpreter_and_no_other_program(box: BwrapSandbox) -> None:
    source = "import os\ninput()\nprint(*sorted(os.listdir('/usr/bin') + os.listdir('/bin')), flush=True)"
    with closing(box.start(written(source), QUICK)) as bot:
        seen = bot.ask(b"\n", 2).decode().split()
    python = os.path.basename(box.languages["python"].run.argv[0])
    assert set(seen) - {python} == {"prlimit", "sh"}


def test_all_files_it_sees_are_in_memory(box: BwrapSandbox) -> None:
    with closing(box.start(written("input()\nprint(1, flush=True)\ninput()"), QUICK)) as bot:
        bot.ask(b"\n", 2)
        mounts = Path(f"/proc/{bot.pid}/mountinfo").read_text().splitlines()
    assert {line.partition(" - ")[2].split()[0] for line in mounts} == {"tmpfs"}


def test_a_changed_file_gets_a_folder_of_its_own(box: BwrapSandbox, open_folder: Path) -> None:
    run = box.languages["python"].run
    word = open_folder / "word"
    made = []
    for number, text in enumerate(("one", "two")):
        word.write_text(text)
        os.utime(word, (number, number))
        tree = Tree(str(open_folder), "/words", ("word",))
        runtime = prepare_runtime(type(run)(("/words/word",), trees=(tree,)), ("/bin/sh",))
        assert runtime is not None
        made.append(runtime.folder)
    assert [(folder / "words/word").read_text() for folder in made] == ["one", "two"]
