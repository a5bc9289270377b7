"""What befalls an arena. An event is over when the arena may recover: what was stopped or taken goes on again."""

import os
import signal
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

from tests.chaos.services import WORKERS, list_server_processes
from tests.players import find_descendants, find_stopped

if TYPE_CHECKING:
    from tests.chaos.run import ChaosRun

FREEZE_S = (1.0, 8.0)
LONG_FREEZE_S = 50.0
"""Longer than a worker may be silent, so its match is given to another."""
LONG_FREEZE_PROBABILITY = 0.1
OUTAGE_S = (1.0, 10.0)
CLOCK_JUMPS_S = (-3600, -90, 90, 3600)
DELIVERED_TASKS = ("play_next", "settle_match", "pair_ladders", "sweep", "refit_ladders", "check_version")


@dataclass(frozen=True, slots=True)
class Event:
    kind: str
    happen: Callable[["ChaosRun", Random], None]
    weight: int = 1
    needs: str = ""
    """The part of the arena or the machine without which it can't happen: see `ChaosRun.parts`."""


def worker(run: "ChaosRun", random: Random) -> int | None:
    return run.services.pid(random.choice(WORKERS))


def worker_process(run: "ChaosRun", random: Random) -> int | None:
    return _choose(run.services.children(random.choice(WORKERS)), random)


def player(run: "ChaosRun", random: Random) -> int | None:
    return next(iter(run.services.players()), None)


def scheduler(run: "ChaosRun", random: Random) -> int | None:
    return run.services.pid("scheduler")


def web(run: "ChaosRun", random: Random) -> int | None:
    return run.services.pid("web")


def web_process(run: "ChaosRun", random: Random) -> int | None:
    return _choose(run.services.children("web"), random)


Target = Callable[["ChaosRun", Random], int | None]


def kill(target: Target) -> Callable[["ChaosRun", Random], None]:
    def happen(run: "ChaosRun", random: Random) -> None:
        if (pid := target(run, random)) is not None:
            _signal(pid, signal.SIGKILL)

    return happen


def freeze(target: Target) -> Callable[["ChaosRun", Random], None]:
    def happen(run: "ChaosRun", random: Random) -> None:
        seconds = LONG_FREEZE_S if random.random() < LONG_FREEZE_PROBABILITY else random.uniform(*FREEZE_S)
        if (pid := target(run, random)) is not None:
            _signal(pid, signal.SIGSTOP)
            run.wait(seconds)
            _signal(pid, signal.SIGCONT)

    return happen


def freeze_worker_with_bots(run: "ChaosRun", random: Random) -> None:
    """Stop a worker and all below it, as the pause of a container does, but for bots that rest anyhow."""
    seconds, top = random.uniform(*FREEZE_S), run.services.pid(random.choice(WORKERS))
    resting = set(find_stopped(top))
    stopped = [top, *sorted(find_descendants(top) - resting)]
    for pid in stopped:
        _signal(pid, signal.SIGSTOP)
    run.wait(seconds)
    for pid in reversed(stopped):
        _signal(pid, signal.SIGCONT)


def freeze_server(name: str) -> Callable[["ChaosRun", Random], None]:
    """Let a server be there and say nothing, as behind a cut network."""

    def happen(run: "ChaosRun", random: Random) -> None:
        pids = list_server_processes(name)
        for pid in pids:
            _signal(pid, signal.SIGSTOP)
        run.wait(random.uniform(*OUTAGE_S))
        for pid in pids:
            _signal(pid, signal.SIGCONT)

    return happen


def empty_redis(run: "ChaosRun", random: Random) -> None:
    run.redis.client().flushall()


def stop_redis(run: "ChaosRun", random: Random) -> None:
    run.redis.stop()
    run.wait(random.uniform(*OUTAGE_S))
    run.redis.start()


def end_sessions(run: "ChaosRun", random: Random) -> None:
    run.database.end_sessions()


def refuse_connections(run: "ChaosRun", random: Random) -> None:
    run.database.allow_connections(False)
    run.database.end_sessions()
    run.wait(random.uniform(*OUTAGE_S))
    run.database.allow_connections(True)


def fill_disk(run: "ChaosRun", random: Random) -> None:
    """Leave no byte in the data folder."""
    ballast = run.installation.data / "ballast"
    with ballast.open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(bytes(1 << 20))
    run.wait(random.uniform(*OUTAGE_S))
    ballast.unlink()


def set_clock(run: "ChaosRun", random: Random) -> None:
    """Let the clock of one service, or of all, jump and come back."""
    clocks = run.services.clocks
    assert clocks is not None
    offset, name = random.choice(CLOCK_JUMPS_S), random.choice([*clocks.names, "all"])
    jumping = clocks.names if name == "all" else [name]
    for service in jumping:
        clocks.set(service, offset)
    run.wait(random.uniform(*OUTAGE_S))
    for service in jumping:
        clocks.set(service, 0)


def deliver_again(run: "ChaosRun", random: Random) -> None:
    """Send messages that were carried out long ago, or are about to be, some of them twice."""
    task = random.choice(DELIVERED_TASKS)
    keys: list[int] = []
    if task == "settle_match":
        keys = run.newest("matches_match")
    elif task == "check_version":
        keys = run.newest("bots_botversion")
    for key in [[key] for key in keys] or [[]]:
        for _ in range(random.choice((1, 2))):
            run.deliver(f"arena.tasks.{task}", key)


EVENTS = (
    Event("kill worker", kill(worker), 2),
    Event("kill worker process", kill(worker_process), 2),
    Event("kill player", kill(player), 2),
    Event("kill scheduler", kill(scheduler)),
    Event("kill web", kill(web)),
    Event("kill web process", kill(web_process)),
    Event("freeze worker", freeze(worker)),
    Event("freeze worker process", freeze(worker_process), 2),
    Event("freeze player", freeze(player), 3),
    Event("freeze worker and bots", freeze_worker_with_bots, 3),
    Event("freeze scheduler", freeze(scheduler)),
    Event("freeze web process", freeze(web_process)),
    Event("freeze Redis", freeze_server("redis-server"), needs="redis"),
    Event("freeze database", freeze_server("postgres"), needs="database"),
    Event("empty Redis", empty_redis, needs="redis"),
    Event("stop Redis", stop_redis, 2, needs="redis"),
    Event("end database sessions", end_sessions, 2, needs="database"),
    Event("refuse database", refuse_connections, 2, needs="database"),
    Event("fill disk", fill_disk, 2, needs="disk"),
    Event("clock jump", set_clock, 2, needs="clock"),
    Event("double delivery", deliver_again, 3),
)


def _choose(pids: list[int], random: Random) -> int | None:
    position = random.random()
    return pids[int(position * len(pids))] if pids else None


def _signal(pid: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, number)
