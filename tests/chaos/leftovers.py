"""Files and control groups of sandboxes on this machine that no process uses any more."""

from pathlib import Path

from arena.matches.runner_process import RunnerProcess
from arena.runner.sandbox.cgroup import GROUP_NAME_PREFIX
from arena.runner.sandbox.rootfs import PARENT_FOLDERS

PATTERNS = ("pennant-building-*", "pennant-slots-*/[0-9]*[0-9]", "pennant-slots-*/[0-9]")


def clean_up() -> None:
    """Start a runner process, which removes the control groups of those that were killed, and end it."""
    runner = RunnerProcess()
    runner.report()
    runner.close()


def find_sandbox_folders() -> set[str]:
    """Other arenas' count, too: what is new must be looked at again where others run on this machine."""
    found = [path for parent in PARENT_FOLDERS for pattern in PATTERNS for path in Path(parent).glob(pattern)]
    found += [group for group in Path("/sys/fs/cgroup").rglob(f"{GROUP_NAME_PREFIX}*") if _is_abandoned(group)]
    return {str(path) for path in found}


def _is_abandoned(group: Path) -> bool:
    return not Path("/proc", group.name.removeprefix(GROUP_NAME_PREFIX)).exists()
