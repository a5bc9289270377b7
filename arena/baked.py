"""Queries whose SQL is made once and asked again and again, each time with other keys.

Making the SQL takes more of this process than all else a query needs (`tests/bench/bench_baked.py`), and a page asks up
to twenty. SQLAlchemy calls a query kept in this way baked.
"""

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from datetime import UTC, date, datetime, timedelta
from functools import cache, wraps
from itertools import count
from typing import Any, ParamSpec, TypeVar

from django.core.exceptions import EmptyResultSet
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import QuerySet

Key = int | str | date
P = ParamSpec("P")
Row = TypeVar("Row")

FIRST_MARK = 2_147_000_000
"""From here on numbers stand for the keys to come, the largest that columns of 32 bits can be compared with."""
LATE = datetime(9000, 1, 1, tzinfo=UTC)
"""Dates from here on do the same."""
AT_ONCE, NEVER = 0, None
MOST_PREPARED = 500
"""Queries that a connection keeps."""
LAST_KEY = 2**63 - 1
"""The largest that a database knows. No row has it."""


class Baked:
    """A query made for marks, in whose place keys are put when it is asked."""

    def __init__(self, rows: QuerySet, marks: Sequence[Key]) -> None:
        """Raises TypeError where the query compares a mark with nothing, or not as it is."""
        self.rows = rows
        self.compiler = rows.query.get_compiler(using=rows.db)
        self.marks = [self.adapt(mark) for mark in marks]
        try:
            self.sql, self.parameters = inline(*self.compiler.as_sql(), self.marks)
        except EmptyResultSet:
            self.parameters = []
        self.places = [(place, one) for place, one in enumerate(self.parameters) if one in self.marks]
        if {one for _, one in self.places} != set(self.marks):
            raise TypeError("A baked query compares columns with its arguments as they are, and with all of them.")

    def adapt(self, key: Key) -> Any:
        """As Django hands it to the driver; whole numbers in one size, else small ones would make it another query."""
        ops = connections[self.rows.db].ops
        if isinstance(key, int):
            return ops.adapt_integerfield_value(key, "BigIntegerField")
        if isinstance(key, datetime):
            return ops.adapt_datetimefield_value(key)
        return ops.adapt_datefield_value(key) if isinstance(key, date) else key

    def ask(self, keys: Iterable[Key]) -> list[Any]:
        """Each in the place of its mark."""
        values = dict(zip(self.marks, map(self.adapt, keys), strict=True))
        parameters = list(self.parameters)
        for place, mark in self.places:
            parameters[place] = values[mark]
        compiler, rows = copy(self.compiler), self.rows.all()
        compiler.connection = connections[rows.db]
        compiler.as_sql = lambda *_, **__: (self.sql, tuple(parameters))
        rows.query.get_compiler = lambda *_, **__: compiler
        with preparing(compiler.connection):
            return list(rows)


def baked(make: Callable[P, QuerySet[Row]]) -> Callable[P, list[Row]]:
    """Of a function that makes a query: one that asks it.

    Its arguments are keys, words, times, or lists of keys; those given by name are part of the query instead, and few.
    All that it depends on is among them: what the function reads elsewhere would stay as it was.
    """

    @cache
    def bake(shape: tuple[type | int, ...], **constants: Hashable) -> Baked:
        numbers = count()
        arguments = [make_mark(one, numbers) for one in shape]
        return Baked(make(*arguments, **constants), list(flatten(arguments)))

    @wraps(make)
    def ask(*arguments: Any, **constants: Any) -> list[Row]:
        filled = [one if isinstance(one, Key) else fill(one) for one in arguments]
        if [] in filled:
            return list(make(*arguments, **constants))
        shape = tuple(type(one) if isinstance(one, Key) else len(one) for one in filled)
        return bake(shape, **constants).ask(flatten(filled))

    return ask


@contextmanager
def preparing(connection: BaseDatabaseWrapper) -> Iterator[None]:
    """PostgreSQL keeps what is asked meanwhile, and once it has seen that one plan does for all keys, plans no more."""
    if connection.vendor != "postgresql":
        yield
        return
    connection.ensure_connection()
    driver = connection.connection
    driver.prepared_max, driver.prepare_threshold = MOST_PREPARED, AT_ONCE
    try:
        yield
    finally:
        driver.prepare_threshold = NEVER


def make_mark(kind: type | int, numbers: Iterator[int]) -> Key | list[int]:
    """For a key of that type, or so many numbers."""
    if isinstance(kind, int):
        return [FIRST_MARK + next(numbers) for _ in range(kind)]
    if issubclass(kind, date):
        late = LATE + timedelta(days=next(numbers))
        return late if issubclass(kind, datetime) else late.date()
    return FIRST_MARK + next(numbers) if issubclass(kind, int) else f"mark {next(numbers)}"


def inline(sql: str, parameters: Sequence[Any], marks: Collection[Any]) -> tuple[str, list[Any]]:
    """Words that never change become part of the query: who plans it for all keys must know that `verdict` isn't `ok`
    to use the index of those that aren't."""
    parts = sql.split("%s")
    if len(parts) != len(parameters) + 1:
        return sql, list(parameters)
    whole, left = parts[0], []
    for part, one in zip(parts[1:], parameters, strict=True):
        is_word = isinstance(one, str) and one not in marks
        whole += (quote(one) if is_word else "%s") + part
        left += [] if is_word else [one]
    return whole, left


def quote(word: str) -> str:
    return "'" + word.replace("'", "''").replace("%", "%%") + "'"


def fill(keys: Iterable[int]) -> list[int]:
    """Up to the next power of two with the last one again, so that lists of few lengths are ever asked for."""
    found = list(keys)
    return found + found[-1:] * ((1 << (len(found) - 1).bit_length()) - len(found)) if found else found


def flatten(arguments: Iterable[Key | list[int]]) -> Iterator[Key]:
    for one in arguments:
        if isinstance(one, list):
            yield from one
        else:
            yield one
