"""Folders of our own outside the checkout with what sandboxes are built from.

A worker that is root gives up its rights before it builds a sandbox, and the checkout may lie where only root may look.
So the bot kit, the engine, the bubblewrap that came as a Python package, and if need be the interpreter are copied to
where everybody may read and only this user may write. A folder is built aside, renamed, and never changed after that.
"""

import hashlib
import json
import os
import shutil
import stat
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from arena.runner.languages.base import Toolchain, Tree, on_host
from arena.runner.sandbox.base import NoSandboxError

ROOM = Path(__file__).resolve().parents[3]
"""The folder that holds the packages arena, bots and engine."""
PLACES = ("/var/tmp", "/tmp", "/dev/shm")
LIBRARY = "library"
FORGOTTEN_S = 30 * 24 * 3600
LIST = "list.json"
"""What a finished folder holds: size by path."""
COMPILE = """
import compileall, py_compile, sys
unchecked = py_compile.PycInvalidationMode.UNCHECKED_HASH
compileall.compile_dir(sys.argv[1], ddir="/kit", quiet=2, invalidation_mode=unchecked)
"""
NEEDLESS = shutil.ignore_patterns("site-packages", "test", "idlelib", "tkinter", "ensurepip", "config-*", "*.a")
"""Parts of an interpreter's library that no bot imports."""


def library_files() -> dict[str, Path]:
    """Return what a bot may import, the kit and the engine, and what runs in a sandbox before its bot is there."""
    files = {
        f"{LIBRARY}/pennant_kit.py": ROOM / "bots" / "kit" / "pennant_kit.py",
        f"{LIBRARY}/pennant_warm_start.py": Path(__file__).with_name("warm_start.py"),
    }
    for source in sorted((ROOM / "engine").rglob("*.py")):
        files[f"{LIBRARY}/{source.relative_to(ROOM).as_posix()}"] = source
    return files


def stage_files(files: Mapping[str, Path], python: Toolchain) -> Path:
    """Return a folder with these files, the library compiled for this interpreter. Raises NoSandboxError."""
    interpreter = on_host(python.run.argv[0], python.run.trees)
    contents = {path: source.read_bytes() for path, source in files.items()}

    def build(folder: Path) -> None:
        for path, content in contents.items():
            copy = folder / path
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(content)
            copy.chmod(files[path].stat().st_mode)
        _compile(folder / LIBRARY, interpreter, python)

    return staged([interpreter, python.version, contents], build)


def within_reach(toolchain: Toolchain) -> Toolchain:
    """Return the same tools where any user can read them: root's own may lie where only root may look."""
    run = replace(toolchain.run, trees=_trees_within_reach(toolchain.run.trees))
    build = toolchain.build
    return replace(toolchain, run=run, build=build and replace(build, trees=_trees_within_reach(build.trees)))


def _trees_within_reach(trees: Iterable[Tree]) -> tuple[Tree, ...]:
    return tuple(_tree_within_reach(tree) for tree in trees)


def _tree_within_reach(tree: Tree) -> Tree:
    host = Path(tree.host)
    if tree.make is not None:
        made = staged([tree.host, host.stat().st_mtime_ns, tree.inside], tree.make)
        return replace(tree, host=str(made), make=None)
    if os.geteuid() != 0 or _open_to_all(host):
        return tree
    return replace(tree, host=str(_copied(tree)))


def _copied(tree: Tree) -> Path:
    top = Path(tree.host)
    parts = sorted({path for part in tree.parts for path in top.glob(part)})

    def build(folder: Path) -> None:
        for path in parts:
            copy = folder / path.relative_to(top)
            copy.parent.mkdir(parents=True, exist_ok=True)
            if path.is_dir():
                shutil.copytree(path, copy, ignore=NEEDLESS)
            else:
                shutil.copy2(path, copy)

    return staged([tree.host, [(str(path), path.stat().st_mtime_ns) for path in parts]], build)


def _open_to_all(path: Path) -> bool:
    return all(folder.stat().st_mode & stat.S_IXOTH for folder in (path, *path.parents))


def _compile(folder: Path, interpreter: str, python: Toolchain) -> None:
    libraries = on_host(python.run.environment.get("LD_LIBRARY_PATH", ""), python.run.trees)
    subprocess.run(
        [interpreter, "-I", "-S", "-c", COMPILE, str(folder)],
        env={"PATH": "/usr/bin:/bin", "LD_LIBRARY_PATH": libraries},
        check=False,
        timeout=120,
        capture_output=True,
    )


def staged(key: object, build: Callable[[Path], None]) -> Path:
    """Return the folder for this key, made now or found as it was made before. Raises NoSandboxError."""
    name = f"pennant-{os.geteuid()}-{hashlib.sha256(repr(key).encode()).hexdigest()[:20]}"
    reasons = []
    for place in PLACES:
        try:
            if os.statvfs(place).f_flag & os.ST_NOEXEC:
                reasons.append(f"{place} does not allow programs")
            else:
                return _in_place(Path(place, name), build)
        except OSError as error:
            reasons.append(f"{place}: {error}")
    raise NoSandboxError(f"There is no folder to lay out what bots may read ({'; '.join(reasons)}).")


def _in_place(target: Path, build: Callable[[Path], None]) -> Path:
    if _is_whole(target):
        os.utime(target)
        return target
    _clear_away(target.parent)
    building = Path(tempfile.mkdtemp(prefix="pennant-building-", dir=target.parent))
    try:
        stage = building / "stage"
        stage.mkdir()
        build(stage)
        _finish(stage)
        if os.path.lexists(target):
            os.rename(target, building / "replaced")
        os.rename(stage, target)
    except OSError:
        if not _is_whole(target):  # else another process was faster
            raise
    finally:
        shutil.rmtree(building, ignore_errors=True)
    return target


def _clear_away(place: Path) -> None:
    """Folders of ours that nobody has asked for in a long time: an older engine's, say."""
    for folder in place.glob(f"pennant-{os.geteuid()}-*"):
        if _only_ours(folder) and folder.stat().st_mtime < time.time() - FORGOTTEN_S:
            shutil.rmtree(folder, ignore_errors=True)


def _finish(stage: Path) -> None:
    """Readable by all, writable by nobody but us, with a list of what is there."""
    sizes = {}
    for folder, _, names in os.walk(stage):
        os.chmod(folder, 0o755)
        for name in names:
            path = Path(folder, name)
            path.chmod(0o555 if path.stat().st_mode & stat.S_IXUSR else 0o444)
            sizes[path.relative_to(stage).as_posix()] = path.stat().st_size
    (stage / LIST).write_text(json.dumps(sizes))
    (stage / LIST).chmod(0o444)


def _is_whole(target: Path) -> bool:
    """Whether the folder is ours alone to write, and nothing was tidied away from it."""
    try:
        if not _only_ours(target):
            return False
        sizes = json.loads((target / LIST).read_text())
        return all((target / path).stat().st_size == size for path, size in sizes.items())
    except (OSError, ValueError):
        return False


def _only_ours(folder: Path) -> bool:
    found = folder.lstat()
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & 0o022
