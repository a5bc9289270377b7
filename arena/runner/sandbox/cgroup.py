"""Limit a runner process and all its bots together with a control group, beside the limits of each bot.

The new group lies below the present one, so that limits from outside still apply. It needs root with version 1, and a
delegated group with version 2. Kernel documentation: admin-guide/cgroup-v1/memory.rst and cgroup-v2.rst.
"""

import contextlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from arena.runner.sandbox.rlimits import MIB

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
                if not Path("/proc", folder.name.removeprefix(GROUP_NAME_PREFIX)).exists():
                    folder.rmdir()


def _distinct(folders: ControllerFolders) -> set[Path]:
    return set(folders.values())


def _write(file: Path, value: object) -> None:
    file.write_text(f"{value}\n")


def _write_if_possible(file: Path, value: object) -> None:
    with contextlib.suppress(OSError):
        _write(file, value)
