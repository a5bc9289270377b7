"""What the arena writes is its own: no other user of the machine may read it."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings

from arena.core.data_folder import restrict_data_folder
from tests.empty_database import copy_empty_database

AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")


def list_open(folder: Path) -> list[str]:
    """The files and folders that others than their owner may use."""
    paths = (Path(parent, name) for parent, folders, names in os.walk(folder) for name in (*folders, *names, ""))
    return sorted({str(path) for path in paths if path.lstat().st_mode & 0o077})


def run_program(data: Path, program: str = "") -> subprocess.CompletedProcess[str]:
    """Start a program of the site with a data folder, under the umask that machines usually have."""
    environment = {**os.environ, "PENNANT_DATA": str(data), "DJANGO_SETTINGS_MODULE": "arena.settings"}
    start = "import django; django.setup(); from django.core.management import call_command"
    return subprocess.run(
        [sys.executable, "-c", f"{start}; from arena.celery import app; {program}"],
        cwd=settings.BASE_DIR,
        env=environment,
        umask=0o022,
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )


def test_all_files_of_a_new_arena_are_its_own(tmp_path: Path, empty_database: Path) -> None:
    """Of its database, whose tables take long to make, `tests.story.test_up` says the same."""
    data = tmp_path / "data"
    data.mkdir(mode=0o700)
    copy_empty_database(empty_database, data)
    (data / "db.sqlite3").chmod(0o600)
    run_program(data, "call_command('prepare'); app.send_task('arena.tasks.sweep')")
    assert list_open(data) == []
    assert {"secret", "db.sqlite3", "broker", "static"} <= set(os.listdir(data))
    assert list((data / "broker").glob("*.msg"))


@pytest.fixture
def opened(tmp_path: Path) -> Path:
    """A data folder as it was made under the usual umask."""
    (tmp_path / "logs").mkdir(mode=0o755)
    for name in ("db.sqlite3", "db.sqlite3-wal", "logs/web.log"):
        (tmp_path / name).touch()
        (tmp_path / name).chmod(0o644)
    (tmp_path / "program").touch()
    for path in (tmp_path, tmp_path / "logs", tmp_path / "program"):
        path.chmod(0o755)
    return tmp_path


def test_an_open_folder_is_closed_at_the_start_and_that_is_said_once(opened: Path) -> None:
    said = [run_program(opened).stderr for _ in range(2)]
    sentence = f"Other users of this machine could read the data folder {opened} (drwxr-xr-x). It is closed to them now"
    assert [sentence in text for text in said] == [True, False]
    assert list_open(opened) == []
    assert stat.S_IMODE((opened / "program").stat().st_mode) == 0o700


def test_a_link_out_of_the_folder_is_left_alone(opened: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "backup"
    elsewhere.touch()
    elsewhere.chmod(0o644)
    (opened / "link").symlink_to(elsewhere)
    restrict_data_folder(opened)
    assert stat.S_IMODE(elsewhere.stat().st_mode) == 0o644


@AS_ROOT
def test_a_folder_of_somebody_else_is_left_alone_with_what_its_owner_can_do(opened: Path) -> None:
    os.chown(opened, 12345, 12345)
    assert f"chmod -R go= {opened}" in restrict_data_folder(opened)
    assert stat.S_IMODE(opened.stat().st_mode) == 0o755


def test_a_shared_folder_is_left_alone(opened: Path) -> None:
    opened.chmod(0o1777)
    assert "set PENNANT_DATA to a folder of its own" in restrict_data_folder(opened)
    assert stat.S_IMODE(opened.stat().st_mode) == 0o1777


def test_nothing_is_said_of_a_folder_that_is_not_there(tmp_path: Path) -> None:
    assert restrict_data_folder(tmp_path / "none") == ""
