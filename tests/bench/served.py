"""Whole arenas with a PostgreSQL and a Redis server of their own, gone afterwards."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.servers import postgres, redis_server
from tests.story.installation import Installation


@contextmanager
def served_installation(settings: Mapping[str, str]) -> Iterator[Installation]:
    """An installation whose tables are made, with these settings."""
    with ExitStack() as stack:
        database, broker = stack.enter_context(postgres()), stack.enter_context(redis_server())
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="pennant-bench-")))
        installation = Installation(folder, f"{database}/postgres", f"{broker}/0", more=dict(settings))
        installation.manage("prepare")
        yield installation
