"""Prepare the files that bots see, and limit the memory, processes and files that they can have."""

import contextlib
import ctypes
import hashlib
import json
import mmap
import os
import resource
import shutil
import stat
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from pathlib import Path

from arena.runner.compiled_engine import find_engine_folder
from arena.runner.data_files import KIT_FOLDER
from arena.runner.languages import PackageSet, Run, Toolchain, Tree, find_on_host
from arena.runner.program import Limits
from arena.runner.sandbox.base import BotOutOfMemoryError, NoSandboxError
from engine.message import gettext_noop, message
from engine.registry import PACKAGES

# Copy the files that sandboxes are made of to folders outside the checkout.
#
# A worker that runs as root drops its privileges before it creates a sandbox, and the checkout may be readable by root
# alone. Therefore the bot kit, the engine, the bubblewrap of the Python package and, if necessary, the interpreter are
# copied to a folder that everybody may read and only the current user may write. A folder is prepared under another
# name, renamed, and never changed afterwards.

PARENT_FOLDERS = ("/var/tmp", "/tmp", "/dev/shm")
LIBRARY = "library"
ENGINE_FILE_PATTERNS = ("engine/**/*.py", "engine/**/*.json", "engine/**/*.so", "pennant_engine__mypyc.*.so")
"""The engine: its modules and their data, those of them that are compiled, and the library of all compiled ones."""
UNUSED_FOLDER_TIMEOUT_S = 30 * 24 * 3600
PACKAGES_PREFIX = "packages-"
UNUSED_PACKAGES_TIMEOUT_S = 3 * 3600
"""An earlier set of packages takes memory: workers look at theirs every hour, and no match lasts as long."""
MANIFEST = "list.json"
"""File in a finished folder with the size of every other file by path."""
BYTECODE_SCRIPT = """
import compileall, py_compile, sys
unchecked = py_compile.PycInvalidationMode.UNCHECKED_HASH
compileall.compile_dir(sys.argv[1], ddir="/kit", quiet=2, invalidation_mode=unchecked)
"""
IGNORE_UNUSED = shutil.ignore_patterns("site-packages", "test", "idlelib", "tkinter", "ensurepip", "config-*", "*.a")
"""Parts of an interpreter's library that no bot imports."""


def list_library_files() -> dict[str, Path]:
    """Return by path the files that a bot may import: kit, engine and rules, and what starts a bot in Python."""
    starts = {"start": "python_start", "warm_start": "warm_start", "cold_start": "cold_start"}
    files = {f"{LIBRARY}/pennant_kit.py": KIT_FOLDER / "pennant_kit.py"}
    files |= {f"{LIBRARY}/pennant_{name}.py": Path(__file__).with_name(f"{own}.py") for name, own in starts.items()}
    folder = find_engine_folder()
    for source in sorted(path for pattern in ENGINE_FILE_PATTERNS for path in folder.glob(pattern)):
        files[f"{LIBRARY}/{source.relative_to(folder).as_posix()}"] = source
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
        [interpreter, "-I", "-S", "-c", BYTECODE_SCRIPT, str(folder)],
        env={"PATH": "/usr/bin:/bin", "LD_LIBRARY_PATH": libraries},
        check=False,
        timeout=120,
        capture_output=True,
    )


def find_or_create_folder(
    key: object, build: Callable[[Path], None], parents: Sequence[str] | None = None, prefix: str = ""
) -> Path:
    """Return the folder for this key in one of `parents`, by default PARENT_FOLDERS, and build it if it doesn't exist.

    Raises NoSandboxError.
    """
    name = f"pennant-{os.geteuid()}-{prefix}{hashlib.sha256(repr(key).encode()).hexdigest()[:20]}"
    reasons = []
    for parent in PARENT_FOLDERS if parents is None else parents:
        try:
            if os.statvfs(parent).f_flag & os.ST_NOEXEC:
                reasons.append(f"{parent} does not allow programs")
            else:
                return _find_or_build(Path(parent, name), build)
        except OSError as error:
            reasons.append(f"{parent}: {error}")
    template = gettext_noop("There's no folder for the files that bots can read (%(reasons)s).")
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


def _remove_unused(parent: Path, prefix: str = "", timeout_s: float = UNUSED_FOLDER_TIMEOUT_S) -> None:
    """Remove folders that were not used for a long time, such as those of an older engine."""
    for folder in parent.glob(f"pennant-{os.geteuid()}-{prefix}*"):
        if _is_writable_by_us_only(folder) and folder.stat().st_mtime < time.time() - timeout_s:
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


# Keep what bots see of this machine in memory: the interpreter and libraries of their language, and nothing else.
#
# On a disk, whether a file is in memory and which names were looked up in vain tell a later bot what an earlier one
# did. Files of a tmpfs are in memory always, and it remembers no names that don't exist. See tmpfs(5).

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


def prepare_packages(found: PackageSet, *, in_memory: bool) -> Path:
    """Return the folder with a set of packages as bots see it, in memory or where all users can read it.

    Raises NoSandboxError where there is no room for it.
    """
    if not in_memory and (os.geteuid() != 0 or _is_open_to_all(found.folder)):
        return found.folder
    parents = list_memory_folders() if in_memory else PARENT_FOLDERS
    for parent in parents:
        _remove_unused(Path(parent), PACKAGES_PREFIX, UNUSED_PACKAGES_TIMEOUT_S)

    def build(folder: Path) -> None:
        shutil.copytree(found.folder, folder, dirs_exist_ok=True)

    return find_or_create_folder([found.hash], build, parents, prefix=PACKAGES_PREFIX)


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


# Compute the resource limits of bots, which are the same in all sandboxes.

MIB = 1024 * 1024
MAX_STACK_BYTES = 8 * MIB
MAX_THREADS = 32
MAX_TASKS_OF_USER = 1 << 16
"""Limit of all processes of the arena's user where a control group counts the threads of a bot by itself."""
RESIDENT_MARGIN_BYTES = 32 * MIB
"""Resident memory beyond the memory limit, for the stack and for what libraries change of their files."""
CPU_SPARE_S = 30
"""Margin of the kernel's CPU limit over that of the clocks. It ends bots that no runner process waits for."""
FIXED_LIMITS = {
    "core": 1,  # with 0 a core_pattern that is a program would still run
    "fsize": 0,
    "memlock": 65536,
    "msgqueue": 0,
    "nice": 0,
    "nofile": 64,
    "nproc": MAX_THREADS,
    "rtprio": 0,
    "sigpending": 64,
}


def compute_limits(limits: Limits, run: Run) -> dict[str, int]:
    """Return hard and soft limits by the names of `prlimit`, in bytes, seconds and counts."""
    memory = (limits.memory_mb + run.spare_mb) * MIB
    sizes = {
        "data": memory + run.set_aside_mb * MIB,
        "stack": min(MAX_STACK_BYTES, memory),
        "as": memory + run.reserved_mb * MIB,
        "cpu": ceil((limits.start_ms + limits.bank_ms) / 1000) + CPU_SPARE_S,
    }
    return {name: cap_limit(name, bound) for name, bound in (FIXED_LIMITS | sizes).items()}


def compute_resident_limit(limits: Limits, run: Run) -> int:
    """Return the bytes that a bot may hold in memory, whatever it may still do with them."""
    return (limits.memory_mb + run.spare_mb) * MIB + RESIDENT_MARGIN_BYTES


def cap_limit(name: str, bound: int) -> int:
    """Return the limit, or the hard limit of this process if that is lower."""
    hard = resource.getrlimit(getattr(resource, f"RLIMIT_{name.upper()}"))[1]
    return bound if hard == resource.RLIM_INFINITY else min(bound, hard)


def count_threads_of_user(user: int) -> int:
    """Return the number of threads of a user, which the kernel limits together."""
    found = 0
    for entry in os.scandir("/proc"):
        with contextlib.suppress(OSError):
            if entry.name.isdecimal():
                status = dict(line.split(":", 1) for line in Path(entry, "status").read_text().splitlines())
                found += int(status["Threads"]) if int(status["Uid"].split()[0]) == user else 0
    return found


# Limit a runner process and all its bots together with a control group, beside the limits of each bot.
#
# The new group lies below the present one, so that limits from outside still apply. It needs root with version 1, and
# a delegated group with version 2. Kernel documentation: admin-guide/cgroup-v1/memory.rst and cgroup-v2.rst.

GROUP_NAME_PREFIX = "pennant-"
CONTROLLERS = ("memory", "pids")
DELEGATION_ATTRIBUTES = ("user.delegate", "trusted.delegate")
"""Extended attributes by which systemd marks delegated groups."""
ControllerFolders = Mapping[str, Path]
"""Folders by controller: two with version 1, the same one twice with version 2."""


@dataclass(slots=True)
class ControlGroup:
    """A control group that limits everything a runner process starts."""

    homes: ControllerFolders
    folders: ControllerFolders
    memory_mb: int = 0

    def set_limits(self, memory_mb: int, tasks: int) -> None:
        """Raise the limits of all processes together. They are never lowered, as the memory may be in use."""
        if memory_mb <= self.memory_mb:
            return
        self.memory_mb = memory_mb
        memory = self.folders["memory"]
        if memory == self.folders["pids"]:
            _write(memory / "memory.max", memory_mb * MIB)
            _write_if_possible(memory / "memory.swap.max", 0)
        else:
            with_swap = memory / "memory.memsw.limit_in_bytes"
            _write_if_possible(with_swap, -1)
            _write(memory / "memory.limit_in_bytes", memory_mb * MIB)
            _write_if_possible(with_swap, memory_mb * MIB)
        _write(self.folders["pids"] / "pids.max", tasks)

    def leave(self) -> None:
        """Leave the group and remove it. If a process remains in it, the next runner process removes it."""
        for home in _distinct(self.homes):
            _write_if_possible(home / "cgroup.procs", os.getpid())
        for folder in _distinct(self.folders):
            with contextlib.suppress(OSError):
                folder.rmdir()


@dataclass(frozen=True, slots=True)
class BotGroup:
    """A control group of one bot, beside that of its runner process: there a group with processes can't have another.

    Its tasks are counted by themselves, whoever else has the same user.
    """

    folder: Path

    def remove(self) -> None:
        """Remove the group, once its bot has ended. If that fails, the next runner process removes it."""
        with contextlib.suppress(OSError):
            self.folder.rmdir()


def move_to_own_group(pid: int, tasks: int, memory_bytes: int, proc: Path = Path("/proc/self")) -> BotGroup | None:
    """Move a process to a group of its own with so many tasks at most; None if this runner process is in no such group.

    With version 2 the group that limits the memory of all bots together is left, so this one limits it, too.
    """
    home = _find_home_of_pids((proc / "cgroup").read_text(), (proc / "mountinfo").read_text())
    if home is None:
        return None
    group = BotGroup(home / f"{GROUP_NAME_PREFIX}{os.getpid()}-{pid}")
    try:
        group.folder.mkdir()
        _write(group.folder / "pids.max", tasks)
        if (group.folder / "memory.max").exists():
            _write(group.folder / "memory.max", memory_bytes)
            _write_if_possible(group.folder / "memory.swap.max", 0)
        _write(group.folder / "cgroup.procs", pid)
    except OSError:
        group.remove()
        return None
    return group


def read_own_task_limit(pid: int, proc: Path = Path("/proc/self")) -> int | None:
    """Return the number of tasks that a bot's own group allows; None if it has none."""
    home = _find_home_of_pids((proc / "cgroup").read_text(), (proc / "mountinfo").read_text())
    folder = home and home / f"{GROUP_NAME_PREFIX}{os.getpid()}-{pid}"
    try:
        if folder is None or str(pid) not in (folder / "cgroup.procs").read_text().split():
            return None
        return int((folder / "pids.max").read_text())
    except (OSError, ValueError):
        return None


def _find_home_of_pids(groups: str, mounts: str) -> Path | None:
    """Return the folder in which the group of this runner process lies that counts tasks; None if it isn't in one."""
    own = {name: path for _, names, path in _parse_groups(groups) for name in names.split(",")}
    points = _parse_mounts(mounts)
    for name in ("pids", ""):
        folder = _path_below(points[name], own[name]) if name in points and name in own else None
        if folder is not None and folder.name == f"{GROUP_NAME_PREFIX}{os.getpid()}":
            return folder.parent
    return None


def find_owner(group: Path) -> int | None:
    """Return the id of the runner process that has made a group, for itself or for a bot; None for other groups."""
    number = group.name.removeprefix(GROUP_NAME_PREFIX).partition("-")[0]
    return int(number) if number.isdecimal() else None


def enter_new_group(proc: Path = Path("/proc/self")) -> ControlGroup | None:
    """Return a new group with this process in it; None if this machine doesn't allow one."""
    for homes in _list_parents((proc / "cgroup").read_text(), (proc / "mountinfo").read_text()):
        _remove_stale_groups(homes)
        group = ControlGroup(homes, {name: home / f"{GROUP_NAME_PREFIX}{os.getpid()}" for name, home in homes.items()})
        try:
            for folder in _distinct(group.folders):
                folder.mkdir()
            for folder in _distinct(group.folders):
                _write(folder / "cgroup.procs", os.getpid())
        except OSError:
            group.leave()
        else:
            return group
    return None


def _list_parents(groups: str, mounts: str) -> Iterator[ControllerFolders]:
    """Yield the groups below which a group could be created, the most suitable first."""
    own = {name: path for _, names, path in _parse_groups(groups) for name in names.split(",")}
    folders = {name: _path_below(mount, own[name]) for name, mount in _parse_mounts(mounts).items() if name in own}
    if all(name in folders for name in CONTROLLERS):
        yield {name: folders[name] for name in CONTROLLERS}
    unified = folders.get("")
    for home in () if unified is None else (unified, unified.parent):
        if (home == unified or _is_delegated(home)) and _enable_controllers(home):
            yield dict.fromkeys(CONTROLLERS, home)


def _parse_groups(groups: str) -> Iterator[tuple[str, str, str]]:
    """Yield hierarchy, controllers and path of each group, see cgroups(7). Version 2 names no controllers."""
    for line in groups.splitlines():
        hierarchy, names, path = line.split(":", 2)
        yield hierarchy, names, path


def _parse_mounts(mounts: str) -> dict[str, tuple[str, str]]:
    """Return root and mount point of each controller's hierarchy, see proc_pid_mountinfo(5)."""
    found = {}
    for line in mounts.splitlines():
        fields, _, rest = line.partition(" - ")
        kind, _, options = rest.split(" ", 2)
        root, point = fields.split()[3:5]
        if kind == "cgroup":
            found.update(dict.fromkeys(options.split(","), (root, point)))
        elif kind == "cgroup2":
            found[""] = (root, point)
    return found


def _path_below(mount: tuple[str, str], path: str) -> Path:
    root, point = mount
    return Path(point, os.path.relpath(path, root))


def _is_delegated(home: Path) -> bool:
    for name in DELEGATION_ATTRIBUTES:
        with contextlib.suppress(OSError):
            if os.getxattr(home, name) == b"1":
                return True
    return False


def _enable_controllers(home: Path) -> bool:
    """Enable the controllers in groups below, and return whether that worked: a group with processes can't do it."""
    try:
        _write(home / "cgroup.subtree_control", " ".join(f"+{name}" for name in CONTROLLERS))
    except OSError:
        return False
    return True


def _remove_stale_groups(homes: ControllerFolders) -> None:
    """Remove the groups of runner processes that have ended."""
    for home in _distinct(homes):
        for folder in home.glob(f"{GROUP_NAME_PREFIX}*"):
            with contextlib.suppress(OSError):
                if (owner := find_owner(folder)) is not None and not Path("/proc", str(owner)).exists():
                    folder.rmdir()


def _distinct(folders: ControllerFolders) -> set[Path]:
    return set(folders.values())


def _write(file: Path, value: object) -> None:
    file.write_text(f"{value}\n")


def _write_if_possible(file: Path, value: object) -> None:
    with contextlib.suppress(OSError):
        _write(file, value)


# Read how much memory a bot really holds.
#
# The kernel's limits count address space and writable memory (RLIMIT_AS, RLIMIT_DATA), so a program evades them by
# filling memory and giving up the permission to write to it. Resident pages that belong to no file are counted here
# whatever their permissions.

PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
MAX_STATM_LENGTH = 256


class ResidentMemory:
    """The resident memory of one process, compared with its limit."""

    def __init__(self, limit_bytes: float) -> None:
        self.limit_bytes = limit_bytes
        self._statm: int | None = None
        """A descriptor of /proc/PID/statm, see proc_pid_statm(5)."""

    def follow(self, pid: int) -> None:
        """Watch the process with this id."""
        self.close()
        with contextlib.suppress(OSError):
            self._statm = os.open(f"/proc/{pid}/statm", os.O_RDONLY | os.O_CLOEXEC)

    def read_bytes(self) -> int:
        """Return the bytes that the process holds; 0 if it has ended or is not known yet."""
        if self._statm is None:
            return 0
        try:
            _size, resident, of_files, *_ = os.pread(self._statm, MAX_STATM_LENGTH, 0).split()
        except (OSError, ValueError):
            return 0
        return (int(resident) - int(of_files)) * PAGE_BYTES

    def is_exceeded(self) -> bool:
        """Return whether the process holds more than its limit."""
        return self.read_bytes() > self.limit_bytes

    def check(self) -> None:
        """Raise BotOutOfMemoryError if the process holds more than its limit."""
        held = self.read_bytes()
        if held > self.limit_bytes:
            template = gettext_noop("the bot used %(held)s MiB of memory; the limit is %(limit)s MiB")
            raise BotOutOfMemoryError(message(template, held=held // MIB, limit=int(self.limit_bytes) // MIB))

    def close(self) -> None:
        """Stop watching."""
        if self._statm is not None:
            os.close(self._statm)
            self._statm = None


# Lock files that bots see in memory, so that they never move to swap space. See mlock(2).

SWAPS = Path("/proc/swaps")
"""A headline, and a line for each swap area."""
MAP_FAILED = ctypes.c_void_p(-1).value
_libc = ctypes.CDLL(None, use_errno=True)
_libc.mmap.restype = ctypes.c_void_p
_libc.mmap.argtypes = (ctypes.c_void_p, *(ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long))
_libc.mlock.argtypes = (ctypes.c_void_p, ctypes.c_size_t)
_locked: set[tuple[int, int]] = set()
"""Device and inode of each file that this process has locked. They stay mapped until it ends."""


def has_swap() -> bool:
    """Return whether this machine has swap space."""
    return len(SWAPS.read_text().splitlines()) > 1


def lock_folders(folders: Iterable[Path]) -> bool:
    """Lock all files below these folders for as long as this process lives, and return whether that was possible.

    It takes CAP_IPC_LOCK, or a resource limit `memlock` of the size of all files.
    """
    files = (Path(top, name) for folder in folders for top, _, names in os.walk(folder) for name in names)
    return all(_lock_file(path) for path in files)


def _lock_file(path: Path) -> bool:
    with path.open("rb") as file:
        status = os.fstat(file.fileno())
        key = status.st_dev, status.st_ino
        if key in _locked or not status.st_size:
            return True
        address = _libc.mmap(None, status.st_size, mmap.PROT_READ, mmap.MAP_SHARED, file.fileno(), 0)
    if address == MAP_FAILED or _libc.mlock(address, status.st_size) != 0:
        return False
    _locked.add(key)
    return True
