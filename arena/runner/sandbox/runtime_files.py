"""Keep what bots see of this machine in memory: the interpreter and libraries of their language, and nothing else.

On a disk, whether a file is in memory and which names were looked up in vain tell a later bot what an earlier one did.
Files of a tmpfs are in memory always, and it remembers no names that don't exist. See tmpfs(5).
"""

import os
import shutil
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from arena.runner.languages.base import Run, Tree, find_on_host
from arena.runner.sandbox.base import NoSandboxError
from arena.runner.sandbox.rootfs import IGNORE_UNUSED, MANIFEST, find_or_create_folder

MEMORY_FOLDERS = ("/run/pennant", "/dev/shm")
"""Folders that may be a tmpfs that allows programs. In a container, /dev/shm usually does not."""
TMPFS_NAMES = {"tmpfs", "ramfs"}
LIBRARY_CACHE = Path("/etc/ld.so.cache")
"""File that is written anew whenever libraries of this machine change."""
LOADED_LATER = Tree("/usr", "/usr", ("lib/*/libgcc_s.so.1", "lib/locale/C.utf8"))
"""Files that the C library loads when a thread ends, and for the locale of bots."""
ELF = b"\x7fELF"
LDD_TIMEOUT_S = 60.0


@dataclass(frozen=True, slots=True)
class RuntimeFiles:
    """A folder whose contents bots of a language see at the top of their file system."""

    folder: Path

    def list_mounts(self) -> list[tuple[str, str]]:
        """Return folders of this machine, each with the path at which a bot sees it."""
        names = sorted(name for name in os.listdir(self.folder) if name != MANIFEST)
        return [(str(self.folder / name), f"/{name}") for name in names]


def list_memory_folders() -> list[str]:
    """Return those of MEMORY_FOLDERS that are in memory."""
    kinds = {}
    for line in Path("/proc/self/mounts").read_text().splitlines():
        _source, point, kind, *_ = line.split()
        kinds[point] = kind
    return [folder for folder in MEMORY_FOLDERS if kinds.get(folder) in TMPFS_NAMES]


def prepare_runtime(run: Run, tools: Sequence[str]) -> RuntimeFiles | None:
    """Return the files in memory with which a program and these tools run; None where there is no room for them."""
    parents = list_memory_folders()
    if not parents:
        return None
    files = {
        **{tool: Path(os.path.realpath(tool)) for tool in tools},
        **_list_files((LOADED_LATER, *run.system, *run.trees)),
    }
    state = sorted((inside, str(path), path.stat().st_mtime_ns) for inside, path in files.items())
    libraries = LIBRARY_CACHE.stat().st_mtime_ns if LIBRARY_CACHE.exists() else 0

    def build(folder: Path) -> None:
        search = find_on_host(run.environment.get("LD_LIBRARY_PATH", ""), run.trees)
        found = {path: Path(os.path.realpath(path)) for path in _list_libraries(files.values(), search)}
        for inside, path in {**found, **files}.items():
            copy = folder / inside.lstrip("/")
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, copy)

    try:
        return RuntimeFiles(find_or_create_folder([state, libraries], build, parents))
    except NoSandboxError:
        return None


def _list_files(trees: Iterable[Tree]) -> Mapping[str, Path]:
    """Return the files of trees on this machine, by the paths at which a bot sees them."""
    found = {}
    for tree in trees:
        for part in (path for pattern in tree.parts for path in Path(tree.host).glob(pattern)):
            for path in _walk(part):
                found[f"{tree.inside}/{path.relative_to(tree.host)}"] = path
    return found


def _walk(part: Path) -> Iterable[Path]:
    """Yield the files of a folder that a bot may need, or the file itself. Links that lead nowhere are left out."""
    if part.is_file():
        yield part
    for folder, folders, names in os.walk(part, followlinks=True):
        unused = IGNORE_UNUSED(folder, [*folders, *names])
        folders[:] = [name for name in folders if name not in unused]
        yield from (path for name in names if name not in unused and (path := Path(folder, name)).is_file())


def _list_libraries(files: Iterable[Path], search: str) -> set[str]:
    """Return the paths of the shared libraries that these files are linked with, the loader included."""
    binaries = [str(path) for path in files if _is_binary(path)]
    done = subprocess.run(
        ["ldd", *binaries],
        env={"PATH": "/usr/bin:/bin", "LD_LIBRARY_PATH": search, "LC_ALL": "C"},
        capture_output=True,
        text=True,
        timeout=LDD_TIMEOUT_S,
        check=False,  # it exits with 1 where one of them is linked with none
    )
    words = (line.split(" => ")[-1].split() for line in done.stdout.splitlines() if line.startswith("\t"))
    return {path for path, *_ in words if path.startswith("/")}


def _is_binary(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(ELF)) == ELF
