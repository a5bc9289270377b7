"""Queries whose SQL is made once and asked again and again, each time with other keys.

Making the SQL is about half of what a query costs this process, mostly more (`tests/bench/bench_baked.py`), and a page
asks up to twenty. SQLAlchemy calls a query kept in this way baked.
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from datetime import UTC, date, datetime, timedelta
from functools import cache, wraps
from typing import Any, ParamSpec, TypeVar

from django.core.exceptions import EmptyResultSet
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import QuerySet

Key = int | float | str | date
Argument = Key | Sequence[int]
P = ParamSpec("P")
Row = TypeVar("Row")

FIRST_MARK = 32_000
"""From here on numbers stand for the keys to come, the largest that columns of 16 bits can be compared with."""
LATE = datetime(9000, 1, 1, tzinfo=UTC)
"""Dates from here on do the same."""
LISTED = "IN ("
"""What stands before the keys of a list."""
AT_ONCE = 0
"""So often a query is asked before it is prepared."""
MOST_PREPARED = 500
"""Queries that a connection keeps."""
LAST_KEY = 2**63 - 1
"""The largest that a database knows. No row has it."""


class Baked:
    """A query made for marks, in whose place keys are put when it is asked."""

    def __init__(self, rows: QuerySet, marks: Sequence[Argument]) -> None:
        """Raises TypeError where the query compares a mark with nothing, or not as it is."""
        self.rows = rows
        self.compiler = rows.query.get_compiler(using=rows.db)
        kept = [adapt(one[0] if isinstance(one, list) else one, self.compiler.connection) for one in marks]
        try:
            self.parts, self.parameters = cut(*self.compiler.as_sql(), kept)
        except EmptyResultSet:
            self.parts, self.parameters = [], []
        self.places = [kept.index(one) if one in kept else None for one in self.parameters]
        lists = {place for place, one in enumerate(marks) if isinstance(one, list)}
        is_clear = all(
            before.endswith(LISTED) for before, place in zip(self.parts, self.places, strict=False) if place in lists
        )
        if not (is_clear and set(range(len(marks))) <= set(self.places)):
            raise TypeError("A baked query compares columns with its arguments as they are, and with all of them.")

    def ask(self, arguments: Sequence[Argument]) -> list[Any]:
        """Each in the place of its mark."""
        compiler, rows = copy(self.compiler), self.rows.all()
        compiler.connection = connections[rows.db]
        filled = self.fill([adapt(one, compiler.connection) for one in arguments], compiler.connection.vendor)
        compiler.as_sql = lambda *_, **__: filled
        rows.query.get_compiler = lambda *_, **__: compiler
        with preparing(compiler.connection):
            return list(rows)

    def fill(self, values: Sequence[Any], vendor: str) -> tuple[str, tuple[Any, ...]]:
        """The SQL and its parameters. Of lists of any length PostgreSQL has one query, others one for each length."""
        sql, parameters = self.parts[0], []
        for part, constant, place in zip(self.parts[1:], self.parameters, self.places, strict=True):
            value = constant if place is None else values[place]
            if place is None or not isinstance(value, list):
                sql += "%s" + part
                parameters.append(value)
            elif vendor == "postgresql":
                sql = sql.removesuffix(LISTED) + "= ANY(%s" + part
                parameters.append(value)
            else:
                sql += ", ".join(["%s"] * len(value)) + part
                parameters += value
        return sql, tuple(parameters)


def baked(make: Callable[P, QuerySet[Row]]) -> Callable[P, list[Row]]:
    """Of a function that makes a query: one that asks it.

    Its arguments are keys, words, times, or lists of keys; those given by name are part of the query instead, and few.
    All that it depends on is among them: what the function reads elsewhere would stay as it was.
    """

    @cache
    def bake(kinds: tuple[type, ...], **constants: Hashable) -> Baked:
        marks = [make_mark(kind, number) for number, kind in enumerate(kinds)]
        return Baked(make(*marks, **constants), marks)

    @wraps(make)
    def ask(*arguments: Any, **constants: Any) -> list[Row]:
        given = [one if isinstance(one, Key) else list(one) for one in arguments]
        if [] in given or any(isinstance(one, int) and one > LAST_KEY for one in given):
            return list(make(*given, **constants))  # No row has such a key, as Django knows without asking.
        return bake(tuple(map(type, given)), **constants).ask(given)

    return ask


def make_mark(kind: type, number: int) -> Argument:
    if issubclass(kind, date):
        late = LATE + timedelta(days=number)
        return late if issubclass(kind, datetime) else late.date()
    if issubclass(kind, str):
        return f"mark {number}"
    return [FIRST_MARK + number] if issubclass(kind, list) else kind(FIRST_MARK + number)


def adapt(argument: Argument, connection: BaseDatabaseWrapper) -> Any:
    """As Django hands it to the driver; whole numbers in one size, else small ones would make it another query."""
    ops = connection.ops
    if isinstance(argument, list):
        return [ops.adapt_integerfield_value(key, "BigIntegerField") for key in argument]
    if isinstance(argument, int):
        return ops.adapt_integerfield_value(argument, "BigIntegerField")
    if isinstance(argument, datetime):
        return ops.adapt_datetimefield_value(argument)
    return ops.adapt_datefield_value(argument) if isinstance(argument, date) else argument


def cut(sql: str, parameters: Sequence[Any], marks: Sequence[Any]) -> tuple[list[str], list[Any]]:
    """What stands around the parameters, and the parameters.

    Words that never change go into the SQL: who plans it for all keys must know that `verdict` isn't `ok` to use the
    index of those that aren't.
    """
    first, *rest = sql.split("%s")
    parts, left = [first], []
    for part, one in zip(rest, parameters, strict=True):
        if isinstance(one, str) and one not in marks:
            parts[-1] += quote(one) + part
        else:
            parts.append(part)
            left.append(one)
    return parts, left


def quote(word: str) -> str:
    return "'" + word.replace("'", "''").replace("%", "%%") + "'"


@contextmanager
def preparing(connection: BaseDatabaseWrapper) -> Iterator[None]:
    """PostgreSQL keeps what is asked meanwhile, and once it has seen that one plan does for all keys, plans no more."""
    if connection.vendor != "postgresql":
        yield
        return
    connection.ensure_connection()
    driver = connection.connection
    usual, driver.prepare_threshold = driver.prepare_threshold, AT_ONCE
    driver.prepared_max = MOST_PREPARED
    try:
        yield
    finally:
        driver.prepare_threshold = usual
