"""What a worker's player holds, and what is left of it when any of its family is killed."""

import os
import re
import signal
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from time import monotonic, sleep

import pytest

from tests.story.installation import Installation, Up

PROC = Path("/proc")
DEAD_S = 2.0
"""It takes some milliseconds, but other tests may keep the processors busy: `tests.bench.bench_kill` measures it."""
CAUGHT_S = 60.0
PROCESSES = 6
"""Of two bots: each has its bubblewrap, and the first process of its namespace."""
SECRET = "sign-with-this-and-tell-nobody"
PASSWORD = "the-password-of-the-database"


def parents() -> dict[int, int]:
    """The parent of every process that lives."""
    found = {}
    for stat in PROC.glob("[0-9]*/stat"):
        with suppress(OSError):
            state, parent = stat.read_text().rpartition(")")[2].split()[:2]
            if state not in "ZX":
                found[int(stat.parent.name)] = int(parent)
    return found


def below(ancestor: int) -> set[int]:
    """All that a process has started, at any remove."""
    found, parent_of = {ancestor}, parents()
    while more := {pid for pid, parent in parent_of.items() if parent in found} - found:
        found |= more
    return found - {ancestor}


def is_player(pid: int) -> bool:
    with suppress(OSError):
        return b"-m\0arena.runner\0" in (PROC / str(pid) / "cmdline").read_bytes()
    return False


def in_a_match(ancestor: int) -> int:
    """A player that stands still now, with two bots at least below it, one of which was stopped by it."""
    deadline = monotonic() + CAUGHT_S
    while monotonic() < deadline:
        for player in filter(is_player, below(ancestor)):
            os.kill(player, signal.SIGSTOP)
            if frozen(player) and len(below(player)) >= PROCESSES:
                return player
            os.kill(player, signal.SIGCONT)
        sleep(0.003)
    raise AssertionError(f"no player was caught in a match within {CAUGHT_S} s")


def frozen(ancestor: int) -> list[int]:
    stats = []
    for pid in below(ancestor):
        with suppress(OSError):
            stats.append(((PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()[0], pid))
    return [pid for state, pid in stats if state == "T"]


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
        killed = player = in_a_match(playing.process.pid)
        bots, parent_of = below(player), parents()
        for _ in range(generations):
            killed = parent_of[killed]
        began = monotonic()
        os.kill(killed, signal.SIGKILL)
        while left := ({player} | bots) & parents().keys():
            assert monotonic() - began < DEAD_S, f"{left} of {bots} outlived {generations} generations"
        print(f"{len(bots)} processes gone {(monotonic() - began) * 1000:.0f} ms after the end of {killed}")
        rated = len(embedded.rated())
        playing.wait_for(lambda rated=rated: len(embedded.rated()) > rated)


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
        player = in_a_match(up.process.pid)
        worker = parents()[player]
        os.kill(worker, signal.SIGSTOP)
        assert all(needle in memory(worker) for needle in needles), "nothing would be found anywhere"
        for pid in (player, *below(player)):
            held = memory(pid)
            assert len(held) > 10_000
            assert [needle for needle in needles if needle in held] == []
