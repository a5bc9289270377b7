"""Compare times in rows with the present, remove rows that are not needed any more, and know a database's release."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from typing import Any

from django.core import checks
from django.core.management.base import CommandError
from django.db import connections, router, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.db.models import Func, IntegerField, Model, Q, QuerySet, Value
from django.db.models.expressions import Combinable
from django.db.models.sql.compiler import SQLCompiler
from django.utils.timezone import now

# Write many rows at a time.

ROWS_PER_WRITE = 500


def write_rows(rows: Iterable[Model], fields: Sequence[str]) -> None:
    """Write some fields of rows of one table that were read whole and that nobody removes meanwhile.

    This is many times faster than `bulk_update`, which has a condition for every row and field.
    """
    rows = list(rows)
    if rows:
        type(rows[0])._default_manager.bulk_create(
            rows, batch_size=ROWS_PER_WRITE, update_conflicts=True, unique_fields=["pk"], update_fields=fields
        )


def update_rows(model: type[Model], fields: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Write some fields of rows of a model in one query: each of `rows` has the row's key, and the fields' values.

    Django's `bulk_update` does the same with a condition for every row and field, which takes many times longer.
    """
    if not rows:
        return
    connection = connections[router.db_for_write(model)]
    columns: list[Any] = [model._meta.pk, *(model._meta.get_field(name) for name in fields)]
    names = [connection.ops.quote_name(f"value_{number}") for number in range(len(columns))]
    values = ", ".join(["(" + ", ".join(["%s"] * len(columns)) + ")"] * len(rows))
    # SQLite's columns take any value; what PostgreSQL reads in a list of values has no type of its own where it's null.
    casts = [
        name if connection.vendor == "sqlite" else f"CAST({name} AS {column.rel_db_type(connection)})"
        for name, column in zip(names, columns, strict=True)
    ]
    table = connection.ops.quote_name(model._meta.db_table)
    key, *set_to = [connection.ops.quote_name(column.column) for column in columns]
    assignments = ", ".join(f"{column} = {value}" for column, value in zip(set_to, casts[1:], strict=True))
    statement = (
        f"WITH given ({', '.join(names)}) AS (VALUES {values}) "
        f"UPDATE {table} SET {assignments} FROM given WHERE {table}.{key} = {casts[0]}"
    )
    cells = (cell for row in rows for cell in zip(columns, row, strict=True))
    told = [column.get_db_prep_save(value, connection) for column, value in cells]
    with connection.cursor() as cursor:
        cursor.execute(statement, told)


# Remove rows that are not needed any more, in small batches, so that nobody waits long for a table.

BATCH_SIZE = 500


class ByteLength(Func):
    """The number of bytes of a text or a binary field."""

    function = "OCTET_LENGTH"
    output_field = IntegerField()

    def as_sqlite(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **_: Any) -> Any:
        """Return SQL for SQLite, of which versions before 3.43 know no other way."""
        return self.as_sql(compiler, connection, template="LENGTH(CAST(%(expressions)s AS BLOB))")


@dataclass(frozen=True, slots=True)
class Expired:
    """Rows of one kind that are not needed any more."""

    kind: str
    """What they are, for operators."""
    rows: QuerySet[Any]
    remove: Callable[[QuerySet[Any]], object] = lambda rows: rows.delete()
    """Removes some of the rows, or what is in them. They are looked up again when they are removed."""
    size: Combinable | None = None
    """The bytes that a row sets free; None where these are few."""


@dataclass(frozen=True, slots=True)
class Removal:
    """What was removed of one kind, or would be."""

    kind: str
    rows: int
    size: int
    """In bytes, without those of indexes and small fields."""


def remove_expired(expired: Expired, *, is_dry_run: bool = False) -> Removal:
    """Remove these rows in the order of their keys, each batch in a transaction; or count them alone."""
    found = expired.rows.order_by("pk").annotate(freed=expired.size or Value(0)).values_list("pk", "freed")
    rows = size = 0
    batch = list(found[:BATCH_SIZE])
    while batch:
        keys = [key for key, _freed in batch]
        if not is_dry_run:
            _remove_batch(expired, keys)
        rows += len(batch)
        size += sum(freed or 0 for _key, freed in batch)
        batch = list(found.filter(pk__gt=keys[-1])[:BATCH_SIZE])
    return Removal(expired.kind, rows, size)


@transaction.atomic
def _remove_batch(expired: Expired, keys: Sequence[Any]) -> None:
    expired.remove(expired.rows.filter(pk__in=keys))


# Compare times in the database with the present, though clocks of machines are set back now and then.

MAX_CLOCK_DIFFERENCE = timedelta(minutes=1)
"""A time that lies further ahead was stored before the clock was set back."""


def is_past(field: str, age: timedelta, at: Combinable | datetime | None = None) -> Q:
    """Return the condition that the time in a field is more than `age` before the present, or before the time `at`.

    A time that lies ahead counts as long past: else what waits for it would wait for as long as a clock was set back.
    """
    present = at or now()
    return Q(**{f"{field}__lt": present - age}) | Q(**{f"{field}__gt": present + MAX_CLOCK_DIFFERENCE})


# Databases from before release 0.1.0 have a part of what its migrations did one by one, and none of them is here now.

BEFORE_FIRST_RELEASE = (
    "This database is from before release 0.1.0. Start the code of commit 341cbe92 on it once, "
    "then start this version again."
)
Migration = tuple[str, str]
"""An app's label and a name."""


@cache
def list_migrations() -> dict[Migration, frozenset[Migration]]:
    """Return the migrations of this code, and those that each replaces. The database is not asked."""
    loader = MigrationLoader(None, load=False)
    loader.load_disk()
    return {name: frozenset(migration.replaces) for name, migration in loader.disk_migrations.items()}


def check_release(applied: Iterable[Migration]) -> None:
    """Check that this code can go on from these migrations. Raises CommandError."""
    found = set(applied)
    for name, replaced in list_migrations().items():
        if name not in found and replaced & found and not replaced <= found:
            raise CommandError(BEFORE_FIRST_RELEASE)


def check_database_release(databases: Sequence[str] | None = None, **_: object) -> list[checks.CheckMessage]:
    """Check the database as `check_release` does, for Django's `migrate`, which would end in a traceback."""
    try:
        for alias in databases or ():
            check_release(MigrationRecorder(connections[alias]).applied_migrations())
    except CommandError as error:
        return [checks.Error(str(error), id="arena.E001")]
    return []
