"""Write what a backup says about itself, and check whether this arena can go on with it."""

import re
from collections.abc import Callable, Iterable

import msgspec
from django.apps import apps
from django.conf import settings
from django.core.management.base import CommandError
from django.db.migrations.loader import MigrationLoader
from django.utils.crypto import salted_hmac

from arena.accounts.models import User
from arena.bots.models import Bot, BotVersion
from arena.comparisons.models import Comparison
from arena.ladders.models import Ladder, LadderMatch
from arena.matches.models import Leg, Match
from arena.notices.models import Notice
from arena.release import arena_version
from arena.tournaments.models import Tournament

FORMAT = 1
"""It grows when an older arena could not read a newer backup."""
COUNTED_MODELS = (User, Bot, BotVersion, Match, Leg, Ladder, LadderMatch, Comparison, Tournament, Notice)
Execute = Callable[[str], Iterable[tuple[object, ...]]]
"""Run a statement of SQL, and return the rows."""


class Contents(msgspec.Struct, frozen=True):
    """The contents of a database: the number of rows by table, and the migrations that were applied, as app.name."""

    counts: dict[str, int]
    migrations: list[str]


class Manifest(msgspec.Struct, frozen=True):
    """The description that lies in a backup beside the database."""

    format: int
    version: str | None
    engine: str
    created_at: str
    contents: Contents
    key_check: str
    digests: dict[str, str]
    """SHA-256 of the other files in the backup, hexadecimal, by name."""


def describe_contents(execute: Execute) -> Contents:
    """Count the rows of the main tables, and list the migrations that were applied."""
    tables = [model._meta.db_table for model in COUNTED_MODELS]
    rows = execute("select app, name from django_migrations order by app, name")
    return Contents(counts=count_rows(tables, execute), migrations=[f"{app}.{name}" for app, name in rows])


def count_rows(tables: Iterable[str], execute: Execute) -> dict[str, int]:
    """Return the number of rows of each table."""
    counts = {}
    for table in tables:
        if not table.isidentifier():
            raise CommandError(f"The backup is damaged: {table!r} is no name of a table.")
        (row,) = execute(f'select count(*) from "{table}"')
        counts[table] = int(str(row[0]))
    return counts


def check_manifest(manifest: Manifest, engine: str) -> None:
    """Check that this arena can read a backup, and go on with it on this database. Raises CommandError."""
    theirs, ours = manifest.version, arena_version()
    is_newer = bool(theirs and ours and read_version(theirs) > read_version(ours))
    if manifest.format > FORMAT or is_newer or find_unknown_migrations(manifest.contents.migrations):
        raise CommandError(
            f"The backup was made by a newer arena (version {theirs or 'unknown'}; this is {ours or 'unknown'}): "
            "update this one first."
        )
    if manifest.engine != engine:
        raise CommandError(
            f"The backup is of a database in {manifest.engine}, and can't be restored into {engine}: set DATABASE_URL."
        )


def read_version(version: str) -> tuple[int, ...]:
    """Return the numbers of a version, by which versions can be compared."""
    return tuple(int(number) for number in re.findall(r"\d+", version.partition("+")[0]))


def find_unknown_migrations(applied: Iterable[str]) -> list[str]:
    """Return those of the migrations that are the arena's own, and that its code here doesn't have."""
    own = {config.label for config in apps.get_app_configs() if config.name.startswith("arena.")}
    known = {f"{app}.{name}" for app, name in MigrationLoader(None).disk_migrations}
    return [one for one in applied if one.partition(".")[0] in own and one not in known]


def compute_key_check(key: str) -> str:
    """Return a text by which a secret key is recognized, and that doesn't give it away."""
    return salted_hmac("arena.management.backups", "key", secret=key, algorithm="sha256").hexdigest()


def is_key_known(manifest: Manifest) -> bool:
    """Return whether what was signed and encrypted in the backup is valid under the keys in the settings."""
    keys = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    return manifest.key_check in {compute_key_check(key) for key in keys}
