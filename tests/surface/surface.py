"""What others rely on, as text: addresses, the API, commands, settings, messages, tasks and tables.

`stored` holds the texts as they were accepted; `test_surface.py` compares. An intended change is written there by

    uv run python -m tests.surface

and stands in the commit with its reason.
"""

import ast
import json
import lzma
import os
import re
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import click
import psycopg
from django.core.management import get_commands, load_command_class
from django.urls import URLPattern, URLResolver, get_resolver

from arena.api.schema import build_api_schema
from arena.celery import app
from arena.cli import main
from arena.core.environment_table import write_example
from arena.runner.protocol import MESSAGES, build_message_schema
from engine.registry import BUILT_IN_GAMES

ROOT = Path(__file__).parents[2]
STORED = Path(__file__).with_name("stored")
DATABASES = Path(__file__).with_name("databases")
"""Small databases, each with a season that was played and closed, of code that is in use somewhere. `.sql` is for
PostgreSQL."""
SQLITE = sorted(path.name for path in DATABASES.glob("*.sqlite3.xz"))
POSTGRESQL = sorted(path.name for path in DATABASES.glob("*.sql.xz"))
WITH_PAGES = "0.2.0-before.sqlite3.xz"
"""The database whose pages are compared: an upgrade changes nothing that they show."""
NEW = "new"
SAME_IN_A_DUMP = re.compile(r"::(character varying|text)(\[\])?|[()]")
"""What PostgreSQL writes elsewhere in a condition that was dumped and restored."""


def name_rows(name: str) -> str:
    """The stored text that has the numbers of rows of a database."""
    return f"rows-{name.removesuffix('.sqlite3.xz')}.txt"


def write_openapi() -> str:
    return json.dumps(build_api_schema(), indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def write_routes() -> str:
    return "".join(sorted(f"{path}  {name or '-'}\n" for path, name in list_routes("/", get_resolver())))


def list_routes(path: str, resolver: URLResolver) -> Iterator[tuple[str, str | None]]:
    for entry in resolver.url_patterns:
        here = path + str(entry.pattern)
        if isinstance(entry, URLPattern):
            yield here, entry.name
        else:
            yield from list_routes(here, entry)


def write_commands() -> str:
    """The help of every management command of the arena."""
    os.environ["COLUMNS"] = "100"
    pages = []
    for name, package in sorted(get_commands().items()):
        if package == "arena" or package.startswith("arena."):
            parser = load_command_class(package, name).create_parser("manage.py", name)
            pages.append(f"== {name}\n{parser.format_help()}")
    return "\n".join(pages)


def write_pennant() -> str:
    """The help of the whole tree of `pennant`."""
    return "\n".join(list_help("pennant", main, None))


def list_help(path: str, command: click.Command, above: click.Context | None) -> Iterator[str]:
    command._help_option = None  # click keeps that of the first call, which may have had no group above
    settings = {"terminal_width": 100, "max_content_width": 100, **command.context_settings}
    context = click.Context(command, info_name=path, parent=above, **settings)
    yield f"== {path}\n{command.get_help(context)}\n"
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from list_help(name, below, context)


def write_settings() -> str:
    return write_example()


def write_messages() -> str:
    """The schemas of all messages between arena and bot."""
    schemas = {
        f"{game.key} {name}": build_message_schema(game, name) for game in BUILT_IN_GAMES.values() for name in MESSAGES
    }
    return json.dumps(schemas, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def write_tasks() -> str:
    """Names of Celery's tasks, each with its queue, and the schedule."""
    app.loader.import_default_modules()
    names = sorted(name for name in app.tasks if not name.startswith("celery."))
    lines = [f"{name}  {app.amqp.router.route({}, name)['queue'].name}" for name in names]
    lines += [
        f"{name}: {entry['task']} {entry['schedule']} {entry.get('args', ())} {entry.get('options', {})}"
        for name, entry in sorted(app.conf.beat_schedule.items())
    ]
    return "\n".join(lines) + "\n"


def write_templates() -> str:
    """All texts that may have been stored with a row in any release, as templates of messages.

    None is left out when the code has it no more. One that no row can have may be taken out of the list by hand.
    """
    found = set(map(json.loads, (STORED / "templates.txt").read_text().splitlines()))
    for folder in ("engine", "arena"):
        for path in (ROOT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "gettext_noop":
                    assert isinstance(node.args[0], ast.Constant)
                    found.add(str(node.args[0].value))
    return "".join(json.dumps(text, ensure_ascii=False) + "\n" for text in sorted(found))


TEXTS: dict[str, Callable[[], str]] = {
    "openapi.json": write_openapi,
    "routes.txt": write_routes,
    "commands.txt": write_commands,
    "pennant.txt": write_pennant,
    "settings.txt": write_settings,
    "messages.json": write_messages,
    "tasks.txt": write_tasks,
    "templates.txt": write_templates,
}


def read_sqlite_schema(database: Path) -> str:
    """Every table and index of a database of SQLite. The order of columns is left out: it depends on the history."""
    with closing(sqlite3.connect(database)) as connection:
        found = connection.execute("select sql from sqlite_master where sql is not null and name not like 'sqlite_%'")
        return "".join(sorted(f"{order_columns(sql)}\n" for (sql,) in found))


def order_columns(sql: str) -> str:
    """The statement that makes a table, with its columns and constraints in alphabetical order."""
    head, bracket, rest = sql.partition("(")
    if not head.startswith("CREATE TABLE"):
        return sql
    parts, depth, start = [], 0, 0
    for at, sign in enumerate(rest):
        depth += {"(": 1, ")": -1}.get(sign, 0)
        if (sign == "," and depth == 0) or depth < 0:
            parts.append(rest[start:at].strip())
            start = at + 1
    return head + bracket + ", ".join(sorted(parts)) + ")"


def read_postgresql_schema(url: str) -> str:
    """Every column, index and constraint of a database of PostgreSQL."""
    asked = (
        "select format('%s.%s %s %s %s', table_name, column_name, data_type, coalesce(character_maximum_length, 0), "
        "is_nullable) from information_schema.columns where table_schema = 'public'",
        "select indexdef from pg_indexes where schemaname = 'public'",
        "select format('%s %s %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) from pg_constraint "
        "where connamespace = 'public'::regnamespace",
    )
    with psycopg.connect(url) as connection:
        lines = [line for sql in asked for line in sorted(row[0] for row in connection.execute(sql))]
    return "".join(f"{SAME_IN_A_DUMP.sub('', line)}\n" for line in lines)


def count_rows(database: Path) -> str:
    with closing(sqlite3.connect(database)) as connection:
        names = [name for (name,) in connection.execute("select name from sqlite_master where type = 'table'")]
        counts = {name: connection.execute(f'select count(*) from "{name}"').fetchone()[0] for name in names}
    unstable = ("sqlite_sequence", "django_migrations", "django_content_type", "auth_permission")
    return "".join(f"{name} {counts[name]}\n" for name in sorted(counts) if name not in unstable)


def unpack(name: str, folder: Path) -> Path:
    """Unpack one of DATABASES into a folder, as the site names it there."""
    target = folder / ("db.sqlite3" if ".sqlite3" in name else "dump.sql")
    target.write_bytes(lzma.decompress((DATABASES / name).read_bytes()))
    return target


def manage(folder: Path, *words: str, database: str = "") -> str:
    """Run a management command with its data in this folder, and return what it says."""
    env = {key: value for key, value in os.environ.items() if key not in ("DATABASE_URL", "REDIS_URL")}
    env |= {
        "PENNANT_DATA": str(folder),
        "SECRET_KEY": "always the same",
        "DJANGO_SETTINGS_MODULE": "arena.settings",
        "PYTHONPATH": str(ROOT),
    }
    env |= {"DATABASE_URL": database} if database else {}
    done = subprocess.run([sys.executable, *words], cwd=ROOT, env=env, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


def fetch_pages(folder: Path) -> str:
    """Return the hashes of all pages, and write the closed season into the folder."""
    found = json.loads(manage(folder, "-m", "tests.surface.pages", str(folder)))
    return "".join(f"{address}  {digest}\n" for address, digest in found.items())


def restore_postgresql(name: str, url: str, folder: Path) -> None:
    """Put one of DATABASES into an empty database of PostgreSQL."""
    psql = next(iter(sorted(Path("/usr/lib/postgresql").glob("*/bin/psql"), reverse=True)))
    command = [str(psql), "--quiet", "--set", "ON_ERROR_STOP=1", "--file", str(unpack(name, folder)), url]
    subprocess.run(command, check=True, capture_output=True, timeout=300)
