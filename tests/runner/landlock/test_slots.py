"""A slot belongs to one bot at a time, and nothing remains of the one before."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from arena.runner.sandbox import landlock
from arena.runner.sandbox.base import SandboxError
from arena.runner.sandbox.landlock import FIRST_SLOT_USER_ID, Slots
from tests.runner.landlock.ordinary_user import PROJECT_ROOT

FILES = {"bot.py": b"pass", "lib/deep/data": b"\0"}
HOLDER = """
import sys, time
from pathlib import Path
from arena.runner.sandbox import landlock
landlock.MAX_SLOTS = 2
slot = landlock.Slots(Path(sys.argv[1])).take()
slot.write_files({"bot.py": b"left behind"})
print(slot.number, flush=True)
time.sleep(60)
"""
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give bots users of their own")


@pytest.fixture
def two(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(landlock, "MAX_SLOTS", 2)


def test_a_slot_is_taken_once_until_it_is_released(two: None, tmp_path: Path) -> None:
    here, elsewhere = Slots(tmp_path), Slots(tmp_path)
    first, second = here.take(), elsewhere.take()
    assert {first.number, second.number} == {0, 1}
    assert {first.user_id, second.user_id} == {FIRST_SLOT_USER_ID, FIRST_SLOT_USER_ID + 1}
    with pytest.raises(SandboxError, match="all 2 slots"):
        here.take()
    first.release()
    assert elsewhere.take().number == first.number


def test_the_slot_used_longest_ago_comes_first(tmp_path: Path) -> None:
    slots_here = Slots(tmp_path)
    taken = []
    for _ in range(3):
        slot = slots_here.take()
        taken.append(slot.number)
        slot.release()
    assert taken == [taken[0], (taken[0] + 1) % landlock.MAX_SLOTS, (taken[0] + 2) % landlock.MAX_SLOTS]


def test_files_lie_there_for_the_bot_and_can_be_written_by_nobody(tmp_path: Path) -> None:
    slot = Slots(tmp_path).take()
    slot.write_files(FILES)
    found = {path.relative_to(slot.folder).as_posix(): path for path in slot.folder.rglob("*") if path.is_file()}
    assert {name: path.read_bytes() for name, path in found.items()} == FILES
    assert {path.stat().st_mode & 0o777 for path in found.values()} == {0o555}
    assert all(path.stat().st_uid == os.geteuid() for path in (slot.folder, *slot.folder.rglob("*")))
    slot.release()
    assert not slot.folder.exists()


@as_root
def test_only_the_user_of_a_slot_may_enter_it(tmp_path: Path) -> None:
    for folder in (tmp_path, *tmp_path.parents):
        if folder.stat().st_uid == 0 and folder != Path("/"):
            folder.chmod(folder.stat().st_mode | 0o011)
    slot = Slots(tmp_path).take()
    slot.write_files(FILES)

    def reads(user: int) -> bool:
        become = ["/usr/bin/setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", "--"]
        done = subprocess.run([*become, "/bin/cat", slot.folder / "lib/deep/data"], capture_output=True, check=False)
        return done.stdout == FILES["lib/deep/data"]

    assert reads(slot.user_id) and not reads(slot.user_id + 1)


def test_a_killed_arena_leaves_its_slot_free_and_its_files_to_be_removed(two: None, tmp_path: Path) -> None:
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, tmp_path], cwd=PROJECT_ROOT, stdout=subprocess.PIPE, text=True
    )
    with holder:
        assert holder.stdout is not None
        number = int(holder.stdout.readline())
        slots_here = Slots(tmp_path)
        assert slots_here.take().number != number
        holder.send_signal(signal.SIGKILL)
        holder.wait()
    assert (tmp_path / f"pennant-slots-{os.geteuid()}" / str(number) / "bot.py").exists()
    slot = slots_here.take()
    assert slot.number == number and not slot.folder.exists()


@as_root
def test_a_folder_of_another_user_is_not_used(tmp_path: Path) -> None:
    slots_here = tmp_path / "pennant-slots-0"
    slots_here.mkdir()
    os.chown(slots_here, 65533, 65533)
    with pytest.raises(SandboxError, match="somebody else"):
        Slots(tmp_path).take()


def test_a_link_instead_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / f"pennant-slots-{os.geteuid()}").symlink_to("elsewhere")
    with pytest.raises(SandboxError, match="somebody else"):
        Slots(tmp_path).take()
