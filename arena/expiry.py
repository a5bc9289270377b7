"""Remove rows that are not needed any more, in small batches, so that nobody waits long for a table."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Func, IntegerField, QuerySet, Value
from django.db.models.expressions import Combinable
from django.db.models.sql.compiler import SQLCompiler

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
