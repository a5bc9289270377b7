import asyncio
from collections.abc import Iterator

import pytest

from arena.bots.models import BotVersion
from arena.people.accounts.models import User
from tests.conftest import MakeVersion


@pytest.fixture
def version(ana: User, make_version: MakeVersion) -> BotVersion:
    """One of Ana's."""
    return make_version(ana, "Kingfisher")


@pytest.fixture
def outside_loops() -> Iterator[None]:
    """Hide the event loop that Playwright keeps running in this thread once a test has opened a browser."""
    loop = asyncio._get_running_loop()
    asyncio._set_running_loop(None)
    yield
    asyncio._set_running_loop(loop)
