"""Accept the surface as is now."""

import os
import tempfile
from pathlib import Path

import django
import psycopg

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
django.setup()

from tests.servers import postgres  # noqa: E402
from tests.surface.surface import (  # noqa: E402
    NEW,
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
    unpack,
)


def main() -> None:
    for name, write in TEXTS.items():
        (STORED / name).write_text(write())
    for name in (NEW, *SQLITE):
        with tempfile.TemporaryDirectory() as folder:
            data = Path(folder)
            if name != NEW:
                unpack(name, data)
            manage(data, "manage.py", "prepare")
            (STORED / name_rows(name)).write_text(count_rows(data / "db.sqlite3"))
            if name == NEW:
                (STORED / "schema-sqlite.txt").write_text(read_sqlite_schema(data / "db.sqlite3"))
            if name == WITH_PAGES:
                (STORED / "pages.txt").write_text(fetch_pages(data))
    with postgres() as server, tempfile.TemporaryDirectory() as folder:
        with psycopg.connect(f"{server}/postgres", autocommit=True) as connection:
            connection.execute("create database surface")
        manage(Path(folder), "manage.py", "migrate", "--verbosity", "0", database=f"{server}/surface")
        (STORED / "schema-postgresql.txt").write_text(read_postgresql_schema(f"{server}/surface"))


main()
