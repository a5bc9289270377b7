"""Processes of one machine that play matches don't share a core while another one is free."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.runner.cores import claim_core, pin_to_free_core

ROOT = Path(__file__).resolve().parents[2]
CLAIM = """
import sys
from pathlib import Path
from arena.runner.cores import claim_core
print(claim_core([3, 5], Path(sys.argv[1])), flush=True)
input()
"""


def start_other(folder: Path) -> tuple[subprocess.Popen[str], int]:
    """Start another process that claims core 3 or 5, and return it with its core."""
    command = [sys.executable, "-c", CLAIM, str(folder)]
    process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    return process, int(process.stdout.readline())


def test_processes_that_begin_at_the_same_core_get_different_ones_until_none_is_left(tmp_path: Path) -> None:
    assert [claim_core([3, 5], tmp_path) for _ in range(5)] == [3, 5, 3, 5, 3]
    assert claim_core([5, 3], tmp_path) == 5


def test_the_core_of_a_killed_process_is_free(tmp_path: Path) -> None:
    first, its_core = start_other(tmp_path)
    with first:
        second, core_beside = start_other(tmp_path)
        with second:
            assert (its_core, core_beside) == (3, 5)
            first.kill()
            first.wait()
            assert claim_core([5, 3], tmp_path) == 3
            second.kill()


def test_programs_that_it_starts_do_not_hold_its_claim(tmp_path: Path) -> None:
    claim_core([3], tmp_path)
    held = subprocess.run(["ls", "-l", "/proc/self/fd"], capture_output=True, text=True, close_fds=False).stdout
    assert "/proc/" in held and "core-3-0" not in held


@pytest.mark.parametrize("make_unusable", [Path.touch, lambda folder: folder.symlink_to("/")], ids=["file", "link"])
def test_without_a_folder_of_ones_own_the_first_core_is_taken(
    tmp_path: Path, make_unusable: Callable[[Path], None]
) -> None:
    make_unusable(tmp_path / f"pennant-cores-{os.geteuid()}")
    assert [claim_core([3, 5], tmp_path) for _ in range(2)] == [3, 3]


def test_a_process_is_kept_on_the_core_it_claims(tmp_path: Path) -> None:
    usable = os.sched_getaffinity(0)
    try:
        core = pin_to_free_core(len(usable), tmp_path)
        assert core == min(usable) and os.sched_getaffinity(0) == {core}
    finally:
        os.sched_setaffinity(0, usable)
