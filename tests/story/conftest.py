from collections.abc import Iterator
from contextlib import ExitStack
from itertools import count
from pathlib import Path

import psycopg
import pytest

from arena.runner.sandbox.base import NoSandboxError
from arena.runner.sandbox.detection import find_sandbox
from tests.empty_database import copy_empty_database
from tests.servers import NoServer, postgres, redis_server
from tests.story.installation import Installation

numbers = count()


@pytest.fixture(scope="session")
def sandbox() -> None:
    try:
        find_sandbox({"python"})
    except NoSandboxError as missing:
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


@pytest.fixture
def bare_embedded(sandbox: None, tmp_path: Path) -> Installation:
    """A new installation that needs no servers, before its first start."""
    return Installation(tmp_path)


@pytest.fixture
def embedded(bare_embedded: Installation, empty_database: Path) -> Installation:
    """The same, but its tables are made already."""
    copy_empty_database(empty_database, bare_embedded.data)
    return bare_embedded


@pytest.fixture
def served(servers: tuple[str, str], sandbox: None, tmp_path: Path) -> Installation:
    """A new installation with PostgreSQL and Redis."""
    return serve(servers, tmp_path)


def serve(servers: tuple[str, str], data: Path) -> Installation:
    """An installation with a database of its own."""
    database, redis = servers
    number = next(numbers)
    with psycopg.connect(f"{database}/postgres", autocommit=True) as connection:
        connection.execute(f"create database story{number}")
    return Installation(data, f"{database}/story{number}", f"{redis}/{number}")


@pytest.fixture(params=["embedded", pytest.param("served", marks=[pytest.mark.servers, pytest.mark.full])])
def arena(request: pytest.FixtureRequest) -> Installation:
    """Each kind of installation in turn."""
    return request.getfixturevalue(request.param)


@pytest.fixture
def fresh(
    arena: Installation, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Installation:
    """Another installation of the same kind, in which nothing has happened yet."""
    data = tmp_path_factory.mktemp("fresh")
    return serve(request.getfixturevalue("servers"), data) if arena.database else Installation(data)
