"""An arena plays on by itself after Redis was away in the middle of matches."""

from contextlib import ExitStack
from pathlib import Path
from time import sleep

import pytest

from tests.servers import NoServer, free_port, redis_server
from tests.story.installation import Installation

OUTAGE_S = 5.0
"""Long enough that every match that was being played ends within."""
MORE = 5


@pytest.mark.full
@pytest.mark.servers
def test_matches_are_played_after_redis_is_back(sandbox: None, tmp_path: Path) -> None:
    port = free_port()
    arena = Installation(tmp_path, newcomer_matches=1000, more={"REDIS_URL": f"redis://127.0.0.1:{port}/0"})
    with ExitStack() as stack:
        running = stack.enter_context(ExitStack())
        try:
            running.enter_context(redis_server(port))
        except NoServer as missing:
            pytest.skip(str(missing))
        up = stack.enter_context(arena.up())
        up.greets()
        up.wait_for(lambda: len(arena.rated()) >= MORE)
        running.close()
        sleep(OUTAGE_S)
        before = len(arena.rated())
        running.enter_context(redis_server(port))
        up.wait_for(lambda: len(arena.rated()) >= before + MORE)
