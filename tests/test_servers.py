"""The servers that tests start."""

import subprocess
import sys
from time import monotonic, sleep

import pytest
import redis

from tests.story.installation import ROOT

GONE_S = 30.0
STARTS_ONE_AND_WAITS = """
import time
from tests.servers import redis_server
with redis_server() as url:
    print(url, flush=True)
    time.sleep(600)
"""


@pytest.mark.servers
def test_a_server_ends_with_the_tests_that_are_killed() -> None:
    command = [sys.executable, "-c", STARTS_ONE_AND_WAITS]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as tests:
        assert tests.stdout is not None
        with redis.Redis.from_url(tests.stdout.readline().strip()) as server:
            assert server.ping()
            tests.kill()
            deadline = monotonic() + GONE_S
            while is_there(server):
                assert monotonic() < deadline, "the server outlived its tests"
                sleep(0.05)


def is_there(server: redis.Redis) -> bool:
    try:
        return bool(server.ping())
    except redis.ConnectionError:
        return False
