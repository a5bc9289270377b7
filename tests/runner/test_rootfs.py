"""Folders of files that sandboxes use."""

import os
from pathlib import Path

import pytest

from arena.runner.languages.base import Run, Toolchain, Tree
from arena.runner.languages.python import list_interpreters
from arena.runner.sandbox import rootfs

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give up being root")


def prepare_in(monkeypatch: pytest.MonkeyPatch, place: Path) -> Path:
    monkeypatch.setattr(rootfs, "PARENT_FOLDERS", (str(place),))
    return rootfs.prepare_files(rootfs.list_library_files(), next(list_interpreters()))


def test_a_folder_is_created_once_and_again_when_files_are_missing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folder = prepare_in(monkeypatch, tmp_path)
    made = folder.stat().st_ino
    assert prepare_in(monkeypatch, tmp_path).stat().st_ino == made
    (folder / rootfs.LIBRARY / "engine" / "core.py").unlink()
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
    copied = rootfs.make_readable(Toolchain("1", Run(("/tools/bin/tool",), trees=(tree,)))).run.trees[0]
    found = {path.relative_to(copied.host).as_posix() for path in Path(copied.host).rglob("*") if path.is_file()}
    assert found - {rootfs.MANIFEST} == {"bin/tool", "lib/needed/one"} and copied.inside == "/tools"
    assert all(os.stat(Path(copied.host, path)).st_mode & 0o005 for path in found)


def test_tools_that_everybody_may_reach_stay_where_they_are() -> None:
    toolchain = Toolchain("1", Run(("/usr/bin/true",), trees=(Tree("/usr/lib", "/tools"),)))
    assert rootfs.make_readable(toolchain) == toolchain


def test_a_folder_that_another_process_completed_meanwhile_is_kept(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(rootfs, "PARENT_FOLDERS", (str(tmp_path),))
    faster: list[int] = []

    def build(folder: Path) -> None:
        (folder / "file").write_text("same")

    def build_slowly(folder: Path) -> None:
        build(folder)
        faster.append(rootfs.find_or_create_folder("key", build).stat().st_ino)

    assert [rootfs.find_or_create_folder("key", build_slowly).stat().st_ino] == faster


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
    monkeypatch.setattr(rootfs, "PACKAGE_ROOT", tmp_path)
    kit = {f"{rootfs.LIBRARY}/{name}.py" for name in ("pennant_kit", "pennant_warm_start")}
    assert rootfs.list_library_files().keys() - kit == {f"{rootfs.LIBRARY}/{name}" for name in ours}
