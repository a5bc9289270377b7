"""A worker has as many processes as its cores, and no more than its memory suffices for."""

import os
from pathlib import Path

import pytest

from arena.core import environment
from arena.core.environment import MIB, count_worker_processes, find_memory_limit

MACHINE = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def write(root: Path, files: dict[str, str]) -> None:
    for path, content in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(content)


@pytest.mark.parametrize(
    ("groups", "files", "expected"),
    [
        ("0::/\n", {"memory.max": "4194304\n"}, 4194304),
        ("0::/\n", {"memory.max": "max\n"}, MACHINE),
        ("0::/a/b\n", {"a/b/memory.max": "max\n", "a/memory.max": "8388608\n"}, 8388608),
        ("0::/docker/1f\n", {"memory.max": "4194304\n"}, 4194304),
        ("1:cpu:/c\n2:pids,memory:/a\n", {"memory/a/memory.limit_in_bytes": "4194304\n"}, 4194304),
        ("2:memory:/docker/1f\n", {"memory/memory.limit_in_bytes": "9223372036854771712\n"}, MACHINE),
        ("2:memory:/docker/1f\n0::/\n", {"memory/memory.limit_in_bytes": "4194304\n"}, 4194304),
        ("1:cpu:/c\n", {"c/memory.max": "1\n"}, MACHINE),
    ],
)
def test_the_least_limit_of_all_groups_is_found(
    groups: str, files: dict[str, str], expected: int, tmp_path: Path
) -> None:
    write(tmp_path, {**files, "own": groups})
    assert find_memory_limit(tmp_path / "own", tmp_path) == expected


def test_without_control_groups_the_limit_is_the_memory_of_the_machine(tmp_path: Path) -> None:
    assert find_memory_limit(tmp_path / "none", tmp_path) == MACHINE


@pytest.mark.parametrize(
    ("cores", "memory_mb", "expected"), [(1, 65536, 1), (8, 4096, 2), (8, 65536, 8), (2, 512, 1), (4, 6144, 4)]
)
def test_processes_follow_cores_and_memory(
    cores: int, memory_mb: int, expected: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(cores)))
    monkeypatch.setattr(environment, "find_memory_limit", lambda: memory_mb * MIB)
    assert count_worker_processes() == expected
