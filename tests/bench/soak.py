"""Whether a worker that plays and plays keeps its size: `uv run python -m tests.bench.soak [LEGS]`.

A ladder of two C bots plays by itself, with one worker of one process and a scheduler on PostgreSQL and Redis. Every
500 legs the proportional memory (PSS) and the open files of each kind of process are read. After the first 2,000 legs,
in which caches fill, a straight line is fitted: its slope should be nothing beside its error.
"""

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from math import sqrt
from pathlib import Path
from statistics import linear_regression, mean, median
from time import monotonic, sleep

import psycopg

from tests.bench.served import served_installation
from tests.players import find_descendants, is_player
from tests.story.installation import SCHEDULER_COMMAND, WORKER_COMMAND, Installation

LEGS = 20_000
LEGS_PER_SAMPLE = 500
WARM_UP_LEGS = 2_000
LOOKS = 5
"""A sample is the median of so many: between two of them bots start and end."""
LOOK_INTERVAL_S = 0.2
STANDSTILL_S = 900.0
"""On a busy machine a worker takes minutes to try its languages, and so does a trial."""
BOTS = ("ann", "ben")
KINDS = ("worker", "children", "runner", "scheduler")
SETTINGS = {
    "PENNANT_LADDER_NEWCOMER_MATCHES": "1000000",
    "PENNANT_LADDER_MATCHES_PER_HOUR": "1000000",
    "PENNANT_LADDER_WAITING": "8",
}
ONE_LADDER_OF_TWO = f"""
    update ladders_ladder set closed_at = now() where edition <> 'standard' or game <> 'battleline';
    update ladders_entry set state = 'retired' where version_id not in (
        select version.id from bots_botversion version join bots_bot bot on bot.id = bot_id where slug in {BOTS});
"""
ACTIVE_ENTRIES = f"""
    select count(*) from ladders_entry e join ladders_ladder l on l.id = e.ladder_id
    join bots_botversion v on v.id = e.version_id join bots_bot b on b.id = v.bot_id
    where b.slug in {BOTS} and e.state = 'active' and l.edition = 'standard'
"""
Sample = dict[str, float]
"""A figure by the kind of process."""


def list_processes(worker: int, scheduler: int) -> dict[str, list[int]]:
    """The processes by kind; bots, which come and go, are left out."""
    children = [pid for pid in find_descendants(worker) if parent(pid) == worker and not is_player(pid)]
    players = [pid for pid in find_descendants(worker) if is_player(pid)]
    return {"worker": [worker], "children": children, "runner": players, "scheduler": [scheduler]}


def parent(pid: int) -> int:
    with suppress(OSError):
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    return 0


def pss_kb(pid: int) -> int:
    with suppress(OSError):
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return 0


def count_files(pid: int) -> int:
    with suppress(OSError):
        return len(list(Path(f"/proc/{pid}/fd").iterdir()))
    return 0


def take_sample(worker: int, scheduler: int) -> tuple[Sample, Sample]:
    """Kilobytes and open files of each kind of process."""
    looks = []
    for _ in range(LOOKS):
        looks.append(list_processes(worker, scheduler))
        kilobytes = {kind: sum(map(pss_kb, pids)) for kind, pids in looks[-1].items()}
        files = {kind: sum(map(count_files, pids)) for kind, pids in looks[-1].items()}
        looks[-1] = kilobytes, files
        sleep(LOOK_INTERVAL_S)
    return tuple({kind: median(look[which][kind] for look in looks) for kind in KINDS} for which in (0, 1))


def count_legs(arena: Installation) -> int:
    played = "from matches_leg l join matches_match m on m.id = l.match_id where m.state = 'finished'"
    return int(arena.query(f"select count(*) {played}")[0][0])


def wait_for_legs(arena: Installation, legs: int) -> int:
    """Wait until so many legs were played, and return how many were. Exits where none are for long."""
    found, changed_at = count_legs(arena), monotonic()
    while found < legs:
        sleep(LOOK_INTERVAL_S)
        if (now := count_legs(arena)) != found:
            found, changed_at = now, monotonic()
        if monotonic() - changed_at > STANDSTILL_S:
            sys.exit(f"no leg was played for {STANDSTILL_S:.0f} s")
    return found


def wait_for_bots(arena: Installation) -> None:
    """Let the two bots have the ladder for themselves, once they are accepted."""
    deadline = monotonic() + STANDSTILL_S
    while arena.query(ACTIVE_ENTRIES) != [(len(BOTS),)]:
        if monotonic() > deadline:
            sys.exit("the bots are not accepted")
        sleep(1.0)
    assert arena.database is not None
    with psycopg.connect(arena.database) as connection:
        connection.execute(ONE_LADDER_OF_TWO)


@contextmanager
def playing() -> Iterator[tuple[Installation, int, int]]:
    """An arena with a ladder that plays, and the process ids of its worker and scheduler."""
    with ExitStack() as stack:
        arena = stack.enter_context(served_installation(SETTINGS))
        python = [sys.executable, "-m"]
        worker = stack.enter_context(arena.running("worker", [*python, *WORKER_COMMAND, "--concurrency", "1"]))
        scheduler = stack.enter_context(arena.running("scheduler", [*python, *SCHEDULER_COMMAND]))
        for name in BOTS:
            arena.run("tests.story.author", "bot", name, "battleline", "bots/samples/languages/c/bot.c")
        wait_for_bots(arena)
        yield arena, worker.pid, scheduler.pid


def print_line(name: str, legs: list[int], values: list[float], unit: str) -> None:
    """Print the slope after the warm-up with its standard error, by 1,000 legs."""
    slope, start = linear_regression(legs, values)
    rest = sum((value - start - slope * leg) ** 2 for leg, value in zip(legs, values, strict=True))
    spread = sum((leg - mean(legs)) ** 2 for leg in legs)
    error = sqrt(rest / (len(legs) - 2) / spread)
    first, last = mean(values[:3]), mean(values[-3:])
    print(
        f"{name:<20}{slope * 1000:9.2f} ± {error * 1000:.2f} {unit} in 1,000 legs; {first:,.0f} at first, {last:,.0f}"
    )


def main(legs: int) -> None:
    counted: list[int] = []
    samples: list[tuple[Sample, Sample]] = []
    with playing() as (arena, worker, scheduler):
        first, began = count_legs(arena), monotonic()
        print(f"{'legs':>7}{'s':>7}" + "".join(f"{kind:>20}" for kind in KINDS), flush=True)
        while not counted or counted[-1] < legs:
            counted.append(wait_for_legs(arena, first + LEGS_PER_SAMPLE * (len(counted) + 1)) - first)
            samples.append(take_sample(worker, scheduler))
            kilobytes, files = samples[-1]
            shown = [f"{kilobytes[kind] / 1000:10.1f} MB {files[kind]:3.0f} files" for kind in KINDS]
            print(f"{counted[-1]:>7,}{monotonic() - began:>7.0f}" + "".join(shown), flush=True)
    calm = [number for number, played in enumerate(counted) if played >= WARM_UP_LEGS]
    for which, unit in enumerate(("kB", "files")):
        for kind in KINDS:
            values = [samples[number][which][kind] for number in calm]
            print_line(f"{kind} ({unit})", [counted[number] for number in calm], values, unit)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else LEGS)
