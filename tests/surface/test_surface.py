"""What others rely on is as it was accepted. `uv run python -m tests.surface` accepts what is different now."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests.servers import postgres
from tests.surface.surface import (
    NEW,
    POSTGRESQL,
    SQLITE,
    STORED,
    TEXTS,
    WITH_PAGES,
    count_rows,
    fetch_pages,
    manage,
    name_rows,
    read_postgresql_schema,
    read_sqlite_schema,
    restore_postgresql,
    unpack,
)

pytestmark = pytest.mark.full


def read_stored(name: str) -> str:
    return (STORED / name).read_text()


@pytest.mark.parametrize("name", TEXTS)
def test_texts_are_as_they_were_accepted(name: str) -> None:
    assert TEXTS[name]() == read_stored(name)


@pytest.mark.parametrize("name", [NEW, *SQLITE])
def test_databases_of_sqlite_have_the_accepted_tables_rows_and_pages_and_their_season_verifies(
    name: str, tmp_path: Path
) -> None:
    if name != NEW:
        unpack(name, tmp_path)
    manage(tmp_path, "manage.py", "prepare")
    database = tmp_path / "db.sqlite3"
    assert read_sqlite_schema(database) == read_stored("schema-sqlite.txt")
    assert count_rows(database) == read_stored(name_rows(name))
    if name == NEW:
        return
    pages = fetch_pages(tmp_path)
    if name == WITH_PAGES:
        assert pages == read_stored("pages.txt")
    records = [str(path) for path in sorted(tmp_path.glob("*-[12].json"))]
    assert len(records) == 10
    verify = [sys.executable, "-m", "pennant.command", "verify", "--season", str(tmp_path / "season.json"), *records]
    done = subprocess.run(verify, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with postgres() as url:
        yield url


@pytest.mark.parametrize("name", [NEW, *POSTGRESQL])
def test_databases_of_postgresql_have_the_accepted_tables(name: str, server: str, tmp_path: Path) -> None:
    database = f"surface_{[NEW, *POSTGRESQL].index(name)}"
    with psycopg.connect(f"{server}/postgres", autocommit=True) as connection:
        connection.execute(f"create database {database}")
    url = f"{server}/{database}"
    if name != NEW:
        restore_postgresql(name, url, tmp_path)
    manage(tmp_path, "manage.py", "migrate", "--verbosity", "0", database=url)
    assert read_postgresql_schema(url) == read_stored("schema-postgresql.txt")
