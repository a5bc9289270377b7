"""What a worker's player holds, and what is left of it when any of its family is killed."""

import os
import re
import signal
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from time import monotonic

import pytest

from tests.players import PROC, catch_in_match, find_descendants, read_parents
from tests.story.installation import Installation, Up

DEAD_S = 2.0
"""It takes some milliseconds, but other tests may keep the processors busy."""
SECRET = "sign-with-this-and-tell-nobody"
PASSWORD = "the-password-of-the-database"


def memory(pid: int) -> bytes:
    """All that a process can write to: its heap, its stacks, its data."""
    found = []
    with (PROC / str(pid) / "mem").open("rb", buffering=0) as mem:
        for line in (PROC / str(pid) / "maps").read_text().splitlines():
            begin, end, rights, name = re.match(r"(\w+)-(\w+) (\S+) \S+ \S+ \S+ *(.*)", line).groups()
            if rights.startswith("rw") and name != "[vvar]":
                with suppress(OSError):
                    mem.seek(int(begin, 16))
                    found.append(mem.read(int(end, 16) - int(begin, 16)))
    return b"".join([*found, (PROC / str(pid) / "environ").read_bytes()])


@pytest.fixture
def playing(embedded: Installation) -> Iterator[Up]:
    with embedded.up("--matches", "100000") as up:
        up.greets()
        up.wait_for(lambda: len(embedded.rated()) >= 2)
        yield up


@pytest.mark.full
def test_whoever_of_a_worker_is_killed_no_bot_is_left(embedded: Installation, playing: Up) -> None:
    for generations in (0, 1, 2):
        killed = player = catch_in_match(playing.process.pid)
        bots, parent_of = find_descendants(player), read_parents()
        for _ in range(generations):
            killed = parent_of[killed]
        began = monotonic()
        os.kill(killed, signal.SIGKILL)
        while left := ({player} | bots) & read_parents().keys():
            assert monotonic() - began < DEAD_S, f"{left} of {bots} outlived {generations} generations"
        print(f"{len(bots)} processes gone {(monotonic() - began) * 1000:.0f} ms after the end of {killed}")
        rated = len(embedded.rated())
        playing.wait_for(lambda rated=rated: len(embedded.rated()) > rated)


@pytest.mark.full
@pytest.mark.servers
def test_a_player_and_its_bots_hold_no_secret(served: Installation) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root may look into the memory of another process")
    assert served.database is not None and served.redis is not None
    arena = replace(served, database=served.database.replace("pennant@", f"pennant:{PASSWORD}@"), secret=SECRET)
    needles = [SECRET.encode(), PASSWORD.encode(), served.redis.encode()]
    with arena.up("--matches", "100000") as up:
        up.greets()
        up.wait_for(lambda: len(arena.rated()) >= 2)
        player = catch_in_match(up.process.pid)
        worker = read_parents()[player]
        os.kill(worker, signal.SIGSTOP)
        assert all(needle in memory(worker) for needle in needles), "nothing would be found anywhere"
        for pid in (player, *find_descendants(player)):
            held = memory(pid)
            assert len(held) > 10_000
            assert [needle for needle in needles if needle in held] == []
