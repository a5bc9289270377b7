"""Copy the files that sandboxes are made of to folders outside the checkout.

A worker that runs as root drops its privileges before it creates a sandbox, and the checkout may be readable by root
alone. Therefore the bot kit, the engine, the bubblewrap of the Python package and, if necessary, the interpreter are
copied to a folder that everybody may read and only the current user may write. A folder is prepared under another name,
renamed, and never changed afterwards.
"""

import hashlib
import json
import os
import shutil
import stat
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from arena.runner.data_files import KIT_FOLDER, PACKAGE_ROOT
from arena.runner.languages.base import Toolchain, Tree, find_on_host
from arena.runner.sandbox.base import NoSandboxError
from engine.message import gettext_noop, message
from engine.registry import PACKAGES

PARENT_FOLDERS = ("/var/tmp", "/tmp", "/dev/shm")
LIBRARY = "library"
ENGINE_FILE_PATTERNS = ("engine/**/*.py", "engine/**/*.json", "engine/**/*.so", "pennant_engine__mypyc.*.so")
"""The engine: its modules and their data, those of them that are compiled, and the library of all compiled ones."""
UNUSED_FOLDER_TIMEOUT_S = 30 * 24 * 3600
MANIFEST = "list.json"
"""File in a finished folder with the size of every other file by path."""
COMPILE_SCRIPT = """
import compileall, py_compile, sys
unchecked = py_compile.PycInvalidationMode.UNCHECKED_HASH
compileall.compile_dir(sys.argv[1], ddir="/kit", quiet=2, invalidation_mode=unchecked)
"""
IGNORE_UNUSED = shutil.ignore_patterns("site-packages", "test", "idlelib", "tkinter", "ensurepip", "config-*", "*.a")
"""Parts of an interpreter's library that no bot imports."""


def list_library_files() -> dict[str, Path]:
    """Return by path the files that a bot may import: kit, engine and rules, and the script of the warm pool."""
    files = {
        f"{LIBRARY}/pennant_kit.py": KIT_FOLDER / "pennant_kit.py",
        f"{LIBRARY}/pennant_warm_start.py": Path(__file__).with_name("warm_start.py"),
    }
    for source in sorted(path for pattern in ENGINE_FILE_PATTERNS for path in PACKAGE_ROOT.glob(pattern)):
        files[f"{LIBRARY}/{source.relative_to(PACKAGE_ROOT).as_posix()}"] = source
    for package in PACKAGES.values():
        files |= {f"{LIBRARY}/{path}": source for path, source in package.rule_files.items()}
    return files


def prepare_files(files: Mapping[str, Path], python: Toolchain, parents: Sequence[str] | None = None) -> Path:
    """Return a folder with these files, the library compiled for this interpreter.

    It lies in one of `parents`, by default PARENT_FOLDERS. Raises NoSandboxError.
    """
    interpreter = find_on_host(python.run.argv[0], python.run.trees)
    contents = {path: source.read_bytes() for path, source in files.items()}

    def build(folder: Path) -> None:
        for path, content in contents.items():
            copy = folder / path
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(content)
            copy.chmod(files[path].stat().st_mode)
        _compile(folder / LIBRARY, interpreter, python)

    return find_or_create_folder([interpreter, python.version, contents], build, parents)


def make_readable(toolchain: Toolchain) -> Toolchain:
    """Return the same tools in folders that all users can read, since folders of root may be readable by root alone."""
    run = replace(toolchain.run, trees=_make_trees_readable(toolchain.run.trees))
    build = toolchain.build
    return replace(toolchain, run=run, build=build and replace(build, trees=_make_trees_readable(build.trees)))


def _make_trees_readable(trees: Iterable[Tree]) -> tuple[Tree, ...]:
    return tuple(_make_tree_readable(tree) for tree in trees)


def _make_tree_readable(tree: Tree) -> Tree:
    host = Path(tree.host)
    if tree.make is not None:
        made = find_or_create_folder([tree.host, host.stat().st_mtime_ns, tree.inside], tree.make)
        return replace(tree, host=str(made), make=None)
    if os.geteuid() != 0 or _is_open_to_all(host):
        return tree
    return replace(tree, host=str(_copy_tree(tree)))


def _copy_tree(tree: Tree) -> Path:
    top = Path(tree.host)
    parts = sorted({path for part in tree.parts for path in top.glob(part)})

    def build(folder: Path) -> None:
        for path in parts:
            copy = folder / path.relative_to(top)
            copy.parent.mkdir(parents=True, exist_ok=True)
            if path.is_dir():
                shutil.copytree(path, copy, ignore=IGNORE_UNUSED)
            else:
                shutil.copy2(path, copy)

    return find_or_create_folder([tree.host, [(str(path), path.stat().st_mtime_ns) for path in parts]], build)


def _is_open_to_all(path: Path) -> bool:
    return all(folder.stat().st_mode & stat.S_IXOTH for folder in (path, *path.parents))


def _compile(folder: Path, interpreter: str, python: Toolchain) -> None:
    libraries = find_on_host(python.run.environment.get("LD_LIBRARY_PATH", ""), python.run.trees)
    subprocess.run(
        [interpreter, "-I", "-S", "-c", COMPILE_SCRIPT, str(folder)],
        env={"PATH": "/usr/bin:/bin", "LD_LIBRARY_PATH": libraries},
        check=False,
        timeout=120,
        capture_output=True,
    )


def find_or_create_folder(key: object, build: Callable[[Path], None], parents: Sequence[str] | None = None) -> Path:
    """Return the folder for this key in one of `parents`, by default PARENT_FOLDERS, and build it if it doesn't exist.

    Raises NoSandboxError.
    """
    name = f"pennant-{os.geteuid()}-{hashlib.sha256(repr(key).encode()).hexdigest()[:20]}"
    reasons = []
    for parent in PARENT_FOLDERS if parents is None else parents:
        try:
            if os.statvfs(parent).f_flag & os.ST_NOEXEC:
                reasons.append(f"{parent} does not allow programs")
            else:
                return _find_or_build(Path(parent, name), build)
        except OSError as error:
            reasons.append(f"{parent}: {error}")
    template = gettext_noop("There is no folder for the files that bots may read (%(reasons)s).")
    raise NoSandboxError(message(template, reasons="; ".join(reasons)))


def _find_or_build(target: Path, build: Callable[[Path], None]) -> Path:
    if _is_complete(target):
        os.utime(target)
        return target
    _remove_unused(target.parent)
    building = Path(tempfile.mkdtemp(prefix="pennant-building-", dir=target.parent))
    try:
        created = building / "created"
        created.mkdir()
        build(created)
        _finish(created)
        if not _is_complete(target):  # another process may have been faster, and its bots use these files
            if os.path.lexists(target):
                os.rename(target, building / "replaced")
            os.rename(created, target)
    except OSError:
        if not _is_complete(target):  # else another process was faster
            raise
    finally:
        shutil.rmtree(building, ignore_errors=True)
    return target


def _remove_unused(parent: Path) -> None:
    """Remove folders that were not used for a long time, such as those of an older engine."""
    for folder in parent.glob(f"pennant-{os.geteuid()}-*"):
        if _is_writable_by_us_only(folder) and folder.stat().st_mtime < time.time() - UNUSED_FOLDER_TIMEOUT_S:
            shutil.rmtree(folder, ignore_errors=True)


def _finish(created: Path) -> None:
    """Make the files readable by everybody and writable by nobody else, and write the manifest."""
    sizes = {}
    for folder, _, names in os.walk(created):
        os.chmod(folder, 0o755)
        for name in names:
            path = Path(folder, name)
            path.chmod(0o555 if path.stat().st_mode & stat.S_IXUSR else 0o444)
            sizes[path.relative_to(created).as_posix()] = path.stat().st_size
    (created / MANIFEST).write_text(json.dumps(sizes))
    (created / MANIFEST).chmod(0o444)


def _is_complete(target: Path) -> bool:
    """Return whether nobody else can write to the folder and no file is missing from it."""
    try:
        if not _is_writable_by_us_only(target):
            return False
        sizes = json.loads((target / MANIFEST).read_text())
        return all((target / path).stat().st_size == size for path, size in sizes.items())
    except (OSError, ValueError):
        return False


def _is_writable_by_us_only(folder: Path) -> bool:
    found = folder.lstat()
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & 0o022
