from collections.abc import Iterator
from contextlib import ExitStack
from itertools import count
from pathlib import Path

import psycopg
import pytest

from arena.runner.sandbox import NoSandbox, find_sandbox
from tests.servers import NoServer, postgres, redis_server
from tests.story.installation import Installation

numbers = count()


@pytest.fixture(scope="session")
def sandbox() -> None:
    try:
        find_sandbox()
    except NoSandbox as missing:
        pytest.skip(f"no sandbox: {missing}")


@pytest.fixture(scope="session")
def servers() -> Iterator[tuple[str, str]]:
    """The URLs of a PostgreSQL and a Redis server."""
    with ExitStack() as stack:
        try:
            urls = stack.enter_context(postgres()), stack.enter_context(redis_server())
        except NoServer as missing:
            pytest.skip(str(missing))
        yield urls


@pytest.fixture(params=["embedded", pytest.param("servers", marks=pytest.mark.servers)])
def arena(request: pytest.FixtureRequest, sandbox: None, tmp_path: Path) -> Installation:
    """A new installation: with the embedded parts, or with PostgreSQL and Redis."""
    if request.param == "embedded":
        return Installation(tmp_path)
    database, redis = request.getfixturevalue("servers")
    number = next(numbers)
    with psycopg.connect(f"{database}/postgres", autocommit=True) as connection:
        connection.execute(f"create database story{number}")
    return Installation(tmp_path, f"{database}/story{number}", f"{redis}/{number}")


@pytest.fixture
def embedded(sandbox: None, tmp_path: Path) -> Installation:
    return Installation(tmp_path)
