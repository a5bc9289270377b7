"""Two workers play, and staff drains one: by its machine's name, which each has in a UTS namespace of its own.

One worker alone keeps its connection to the database from match to match.
"""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack
from time import monotonic, sleep

import pytest

from tests.story.installation import SCHEDULER_COMMAND, WORKER_COMMAND, Installation

STAYING, DRAINED = "staying-machine", "drained-machine"
IN_ITS_OWN_UTS_NAMESPACE = ["unshare", "--uts", "sh", "-c", 'hostname "$0" && exec "$@"']
MATCHES = 5
TIMEOUT_S = 120.0
PACE = {"PENNANT_LADDER_WAITING": "8", "PENNANT_PIN_CORES": "off"}

pytestmark = [
    pytest.mark.full,
    pytest.mark.servers,
    pytest.mark.skipif(os.geteuid() != 0, reason="only root may give a process another host name"),
]


@pytest.fixture
def arena(served: Installation) -> Iterator[Installation]:
    """An arena with a scheduler and two workers, all of whose ladders play without pause."""
    served.newcomer_matches = 1_000_000
    served.more |= PACE
    served.manage("prepare")
    with ExitStack() as stack:
        stack.enter_context(served.running("scheduler", [sys.executable, "-m", *SCHEDULER_COMMAND]))
        stack.enter_context(worker(served, STAYING))
        yield served


def worker(arena: Installation, machine: str) -> AbstractContextManager[object]:
    celery = [sys.executable, "-m", *WORKER_COMMAND, "--concurrency", "1"]
    return arena.running(machine, [*IN_ITS_OWN_UTS_NAMESPACE, machine, *celery])


def wait_until(happened: Callable[[], object]) -> None:
    deadline = monotonic() + TIMEOUT_S
    while not happened():
        assert monotonic() < deadline
        sleep(0.05)


def count_attempts(arena: Installation, machine: str, ending: str) -> int:
    sql = f"select count(*) from matches_attempt where worker like '{machine}/%' and ending = '{ending}'"
    return int(arena.query(sql)[0][0])


def wait_for_matches(arena: Installation, machine: str) -> None:
    """Let a machine finish more matches than it can have begun before."""
    goal = count_attempts(arena, machine, "stored") + MATCHES
    wait_until(lambda: count_attempts(arena, machine, "stored") >= goal)


def test_a_drained_worker_ends_its_match_and_the_other_plays_on(arena: Installation) -> None:
    with worker(arena, DRAINED):
        wait_for_matches(arena, DRAINED)
        wait_for_matches(arena, STAYING)
        said = arena.manage("drain_worker", DRAINED, "--why", "a new disk", "--yes")
        drained_at = arena.query("select drained_at from matches_workerstatus where drained_at is not null")[0][0]
        assert DRAINED in said
        wait_until(lambda: count_attempts(arena, DRAINED, "") == 0)
        ended = count_attempts(arena, DRAINED, "stored")
        wait_for_matches(arena, STAYING)
    with worker(arena, DRAINED):
        wait_for_matches(arena, STAYING)
        assert count_attempts(arena, DRAINED, "stored") == ended
        begun = "select count(*) from matches_attempt where worker like '{}/%' and started_at > '{}'"
        assert arena.query(begun.format(DRAINED, drained_at)) == [(0,)]
        arena.manage("resume_worker", DRAINED, "--why", "the disk is in", "--yes")
        wait_for_matches(arena, DRAINED)
    lost = "select count(*) from matches_attempt where ending not in ('', 'stored')"
    assert arena.query(lost) == [(0,)]


def test_a_worker_process_keeps_its_connection_to_the_database(arena: Installation) -> None:
    wait_for_matches(arena, STAYING)
    before = connections(arena)
    wait_for_matches(arena, STAYING)
    assert before & connections(arena)


def connections(arena: Installation) -> set[int]:
    """The process ids of the server's side of all connections but this one."""
    others = "select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()"
    return {pid for (pid,) in arena.query(others)}
