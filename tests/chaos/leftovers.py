"""Files and control groups of sandboxes on this machine that no process uses any more."""

from pathlib import Path

from arena.matches.runner_process import RunnerProcess
from arena.runner.sandbox.files import GROUP_NAME_PREFIX, PARENT_FOLDERS, find_owner

PATTERNS = ("pennant-building-*", "pennant-slots-*/[0-9]*[0-9]", "pennant-slots-*/[0-9]")


def clean_up() -> None:
    """Start a runner process, which removes the control groups of those that were killed, and end it."""
    runner = RunnerProcess()
    runner.report()
    runner.close()


def find_sandbox_folders() -> set[str]:
    """Other arenas' count, too: what is new must be looked at again where others run on this machine."""
    found = [path for parent in PARENT_FOLDERS for pattern in PATTERNS for path in Path(parent).glob(pattern)]
    groups = [group for home in _list_group_homes() for group in home.glob(f"{GROUP_NAME_PREFIX}*")]
    return {str(path) for path in [*found, *filter(_is_abandoned, groups)]}


def _list_group_homes() -> list[Path]:
    """The control groups of this process in which runner processes limit memory: of version 1, and of version 2."""
    groups = [line.split(":", 2)[1:] for line in Path("/proc/self/cgroup").read_text().splitlines()]
    names = {"memory": "memory", "": ""}
    return [Path("/sys/fs/cgroup", names[name], path.lstrip("/")) for name, path in groups if name in names]


def _is_abandoned(group: Path) -> bool:
    return not Path("/proc", str(find_owner(group))).exists()
