"""An arena goes on from its backup, and nothing else becomes one."""

import json
import re
import stat
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from arena.operations.management.prepare import lock_data_folder
from tests.empty_database import copy_empty_database
from tests.full import default_and_full
from tests.story.installation import Installation

Change = Callable[[dict[str, Any]], object]
PASSWORD = re.compile(r"Admin account: admin, password (\S+)")
ENTRIES = "select id, rating, deviation, matches, points, opponents from ladders_entry order by id"
TABLES = ("accounts_user", "bots_bot", "bots_blob", "matches_match", "matches_leg", "ladders_laddermatch")


def count_rows(arena: Installation) -> dict[str, int]:
    return {table: arena.query(f"select count(*) from {table}")[0][0] for table in TABLES}


def manifest_of(backup: Path) -> dict[str, Any]:
    with zipfile.ZipFile(backup) as zipped:
        return json.loads(zipped.read("manifest.json"))


def change_manifest(backup: Path, target: Path, change: Change) -> Path:
    manifest = manifest_of(backup)
    change(manifest)
    with zipfile.ZipFile(backup) as old, zipfile.ZipFile(target, "w") as new:
        for name in old.namelist():
            new.writestr(name, json.dumps(manifest) if name == "manifest.json" else old.read(name))
    return target


def claim_more_bots(manifest: dict[str, Any]) -> None:
    manifest["contents"]["counts"]["bots_bot"] += 1


def is_signed_in(arena: Installation, password: str) -> bool:
    return arena.run("tests.story.signing_in", "admin", password).strip() == "admin"


@pytest.mark.full
def test_an_arena_goes_on_from_its_backup(arena: Installation, fresh: Installation, tmp_path: Path) -> None:
    with arena.up() as up:
        up.wait_for(lambda: "Pennant is at" in up.said() and len(arena.rated()) >= 4)
        at_work, at_rest = tmp_path / "at work", tmp_path / "at rest"
        assert "users" in arena.manage("backup", str(at_work))
        counts = manifest_of(at_work)["contents"]["counts"]
        up.wait_for(lambda: count_rows(arena)["matches_match"] > counts["matches_match"])
    password = PASSWORD.search(up.said())
    assert password is not None
    assert stat.S_IMODE(at_work.stat().st_mode) == 0o600
    assert {path.name for path in tmp_path.iterdir() if path.name.startswith(".at")} == set()

    fresh.manage("migrate", "--verbosity=0")
    assert "Restored the arena" in fresh.manage("restore", str(at_work))
    assert counts["matches_match"] >= 4
    assert counts.items() >= {name: number for name, number in count_rows(fresh).items() if name != "bots_blob"}.items()
    check_ratings(fresh)
    assert is_signed_in(fresh, password[1])
    assert (fresh.data / "secret").read_text() == (arena.data / "secret").read_text()
    assert stat.S_IMODE((fresh.data / "secret").stat().st_mode) == 0o600

    arena.manage("backup", str(at_rest))
    check_replacing(arena, fresh, at_rest)
    with fresh.up() as again:
        matches = len(fresh.rated())
        again.wait_for(lambda: len(fresh.rated()) > matches)


def check_replacing(arena: Installation, fresh: Installation, backup: Path) -> None:
    """What has happened is lost only where that is asked for, and not to a backup that turns out to be wrong."""
    assert "is not empty" in fresh.refuses("restore", str(backup))
    assert "Nothing was changed" in fresh.refuses("restore", str(backup), "--replace", answer="n\n")
    before = count_rows(fresh)
    assert "Restored" in fresh.manage("restore", str(backup), "--replace", "--yes")
    assert count_rows(fresh) == count_rows(arena) != before
    assert fresh.query(ENTRIES) == arena.query(ENTRIES)

    wrong = change_manifest(backup, backup.with_name("wrong"), claim_more_bots)
    assert "doesn't have the expected rows" in fresh.refuses("restore", str(wrong), "--replace", "--yes")
    assert fresh.query(ENTRIES) == arena.query(ENTRIES)
    check_ratings(fresh)


def check_ratings(arena: Installation) -> None:
    """What stands is what the ledger comes to."""
    stands = arena.query(ENTRIES)
    assert any(matches for *_, matches, _, _ in stands)
    assert "lines" in arena.manage("recompute_ratings")
    for entry, before in zip(arena.query(ENTRIES), stands, strict=True):
        assert entry == pytest.approx(before, abs=1e-6)


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory, empty_database: Path) -> Installation:
    source = Installation(tmp_path_factory.mktemp("source"))
    copy_empty_database(empty_database, source.data)
    source.manage("prepare")
    return source


@pytest.fixture(scope="module")
def backup(source: Installation) -> Path:
    source.manage("backup", str(source.data / "backup"))
    return source.data / "backup"


@pytest.fixture
def target(tmp_path: Path) -> Installation:
    return Installation(tmp_path)


def test_a_backup_is_restored_whole(
    source: Installation, backup: Path, target: Installation, empty_database: Path
) -> None:
    copy_empty_database(empty_database, target.data)
    assert "Restored the arena" in target.manage("restore", str(backup))
    assert count_rows(target) == count_rows(source)
    assert target.query(ENTRIES) == source.query(ENTRIES)
    assert (target.data / "secret").read_text() == (source.data / "secret").read_text()


class TestWhatIsRefused:
    def test_a_backup_is_not_written_over(self, source: Installation, backup: Path) -> None:
        content = backup.read_bytes()
        assert "exists already" in source.refuses("backup", str(backup))
        assert backup.read_bytes() == content
        assert "can't be written" in source.refuses("backup", str(source.data / "no folder" / "backup"))

    @pytest.mark.full
    def test_what_is_damaged_or_something_else_changes_nothing(
        self, source: Installation, backup: Path, target: Installation
    ) -> None:
        target.manage("migrate", "--verbosity=0")
        content, file = backup.read_bytes(), target.data / "file"
        secret, counts = (target.data / "secret").read_text(), count_rows(target)
        middle = len(content) // 3
        changed = content[:middle] + b"other bytes" * 50 + content[middle + 550 :]
        for foreign in (content[:-200], content[: len(content) // 2], b"", b"no zip", changed):
            file.write_bytes(foreign)
            assert "damaged" in target.refuses("restore", str(file))
        assert "can't be read" in target.refuses("restore", str(target.data / "nothing"))
        assert (target.data / "secret").read_text() == secret
        assert count_rows(target) == counts
        assert not list(target.data.glob("restore-*"))

    @pytest.mark.parametrize(
        ("change", "sentence"),
        default_and_full(
            [(lambda manifest: manifest["contents"]["migrations"].append("bots.9999_later"), "from a newer arena")],
            [
                (lambda manifest: manifest.update(version="99.0"), "from a newer arena (version 99.0"),
                (lambda manifest: manifest.update(format=2), "from a newer arena"),
                (lambda manifest: manifest.update(engine="postgresql"), "can't be restored into sqlite"),
                (lambda manifest: manifest["digests"].update({"../elsewhere": "0"}), "doesn't list a backup's files"),
            ],
        ),
    )
    def test_what_this_arena_can_not_go_on_with_is_refused(
        self, backup: Path, target: Installation, change: Change, sentence: str
    ) -> None:
        changed = change_manifest(backup, target.data / "changed", change)
        assert sentence in target.refuses("restore", str(changed))
        assert target.query("select name from sqlite_master") == []

    def test_an_arena_that_runs_is_not_replaced(self, backup: Path, target: Installation) -> None:
        with closing(lock_data_folder(target.data / "up.lock")):
            assert "Another `up` is using the data" in target.refuses("restore", str(backup), "--replace", "--yes")
        assert target.query("select name from sqlite_master") == []

    @pytest.mark.full
    def test_another_secret_key_is_pointed_out(
        self, backup: Path, target: Installation, capfd: pytest.CaptureFixture[str]
    ) -> None:
        target.secret = "another secret key, from the environment"
        assert "Restored" in target.manage("restore", str(backup))
        assert "SECRET_KEY_FALLBACKS" in capfd.readouterr().err
        assert (target.data / "secret").read_text() == (backup.parent / "secret").read_text()
