"""What bots see of this machine stays in memory where there is swap space."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from arena.runner.sandbox import files

LOCKED = """
import resource, sys
from pathlib import Path
from arena.runner.sandbox.files import lock_folders
if sys.argv[2] != "-1":
    resource.setrlimit(resource.RLIMIT_MEMLOCK, (int(sys.argv[2]),) * 2)
done = [lock_folders([Path(sys.argv[1])]) for _ in range(2)]
status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
print(*done, status["VmLck"].split()[0])
"""


def lock(folder: Path, limit: int, *prefix: str) -> list[str]:
    command = [*prefix, sys.executable, "-c", LOCKED, str(folder), str(limit)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env={"PYTHONPATH": os.getcwd()})
    return done.stdout.split()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "library.so").write_bytes(b"x" * 300_000)
    (tmp_path / "module.py").write_bytes(b"x" * 4096)
    (tmp_path / "empty.py").touch()
    return tmp_path


def test_all_files_of_a_folder_are_locked_once(folder: Path) -> None:
    expected = str((303_104 + 4096) // 1024)
    assert lock(folder, 1 << 20) == ["True", "True", expected]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give up being root")
def test_without_the_limit_it_says_so(folder: Path) -> None:
    assert lock(folder, 100_000, "setpriv", "--bounding-set=-ipc_lock", "--inh-caps=-ipc_lock")[0] == "False"


def test_swap_space_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    swaps = tmp_path / "swaps"
    monkeypatch.setattr(files, "SWAPS", swaps)
    for lines, found in (
        ("Filename Type Size Used Priority\n", False),
        ("Filename\n/dev/sda2 partition 1 0 -2\n", True),
    ):
        swaps.write_text(lines)
        assert files.has_swap() is found
