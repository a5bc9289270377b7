"""A control group for a player and all it starts: one more bound around bots that are bounded one by one already.

It lies below the group that the process is in, so that bounds set from outside hold on. It is there only where this
machine lets us make one: as root with version 1, in a group that was delegated to us with version 2. Kernel
documentation: admin-guide/cgroup-v1/memory.rst and cgroup-v2.rst.
"""

import contextlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from arena.runner.sandbox.rlimits import MIB

PREFIX = "pennant-"
CONTROLLERS = ("memory", "pids")
DELEGATED = ("user.delegate", "trusted.delegate")
"""How systemd marks groups whose insides are somebody else's."""
Folders = Mapping[str, Path]
"""By controller: two folders with version 1, the same one twice with version 2."""


@dataclass(slots=True)
class Group:
    """A control group that limits everything a runner process starts."""

    homes: Folders
    folders: Folders
    memory_mb: int = 0

    def bound(self, memory_mb: int, tasks: int) -> None:
        """For everything in it together. Never made tighter: the kernel can't take away what is in use."""
        if memory_mb <= self.memory_mb:
            return
        self.memory_mb = memory_mb
        memory = self.folders["memory"]
        if memory == self.folders["pids"]:
            _write(memory / "memory.max", memory_mb * MIB)
            _write_if_there(memory / "memory.swap.max", 0)
        else:
            with_swap = memory / "memory.memsw.limit_in_bytes"
            _write_if_there(with_swap, -1)
            _write(memory / "memory.limit_in_bytes", memory_mb * MIB)
            _write_if_there(with_swap, memory_mb * MIB)
        _write(self.folders["pids"] / "pids.max", tasks)

    def leave(self) -> None:
        """Out of it and away with it. What still runs in it keeps it there, until the next player clears it away."""
        for home in _each(self.homes):
            _write_if_there(home / "cgroup.procs", os.getpid())
        for folder in _each(self.folders):
            with contextlib.suppress(OSError):
                folder.rmdir()


def enter(proc: Path = Path("/proc/self")) -> Group | None:
    """Return a new group with this process in it; None where this machine doesn't allow one."""
    for homes in _homes((proc / "cgroup").read_text(), (proc / "mountinfo").read_text()):
        _clear_away(homes)
        group = Group(homes, {name: home / f"{PREFIX}{os.getpid()}" for name, home in homes.items()})
        try:
            for folder in _each(group.folders):
                folder.mkdir()
            for folder in _each(group.folders):
                _write(folder / "cgroup.procs", os.getpid())
        except OSError:
            group.leave()
        else:
            return group
    return None


def _homes(groups: str, mounts: str) -> Iterator[Folders]:
    """Where a group could be made, the most suitable first."""
    own = {name: path for _, names, path in _lines(groups) for name in names.split(",")}
    folders = {name: _below(mount, own[name]) for name, mount in _mounts(mounts).items() if name in own}
    if all(name in folders for name in CONTROLLERS):
        yield {name: folders[name] for name in CONTROLLERS}
    unified = folders.get("")
    for home in () if unified is None else (unified, unified.parent):
        if (home == unified or _is_delegated(home)) and _offers(home):
            yield dict.fromkeys(CONTROLLERS, home)


def _lines(groups: str) -> Iterator[tuple[str, str, str]]:
    """Hierarchy, controllers and path: cgroups(7). Version 2 has no name there."""
    for line in groups.splitlines():
        hierarchy, names, path = line.split(":", 2)
        yield hierarchy, names, path


def _mounts(mounts: str) -> dict[str, tuple[str, str]]:
    """Root and mount point of each controller's hierarchy: proc_pid_mountinfo(5)."""
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


def _below(mount: tuple[str, str], path: str) -> Path:
    root, point = mount
    return Path(point, os.path.relpath(path, root))


def _is_delegated(home: Path) -> bool:
    for name in DELEGATED:
        with contextlib.suppress(OSError):
            if os.getxattr(home, name) == b"1":
                return True
    return False


def _offers(home: Path) -> bool:
    """Whether groups below have the controllers, now at the latest. A group that has processes itself can't do that."""
    try:
        _write(home / "cgroup.subtree_control", " ".join(f"+{name}" for name in CONTROLLERS))
    except OSError:
        return False
    return True


def _clear_away(homes: Folders) -> None:
    """Remove the groups of runner processes that are gone. One that lives may not be in its group yet."""
    for home in _each(homes):
        for folder in home.glob(f"{PREFIX}*"):
            with contextlib.suppress(OSError):
                if not Path("/proc", folder.name.removeprefix(PREFIX)).exists():
                    folder.rmdir()


def _each(folders: Folders) -> set[Path]:
    return set(folders.values())


def _write(file: Path, value: object) -> None:
    file.write_text(f"{value}\n")


def _write_if_there(file: Path, value: object) -> None:
    with contextlib.suppress(OSError):
        _write(file, value)
