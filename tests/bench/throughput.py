"""How fast workers play: `uv run python -m tests.bench.throughput [SECONDS]`, on an idle machine of two cores.

Rates are of whole matches of the same two sample bots in the same sandbox, each counted for some seconds:

- bare: `pennant play` on one core, and one on each of two cores, which shows what a second core adds here;
- one worker: a worker with one process on the same core, which claims, stores, rates and pairs; PostgreSQL and Redis
  run on the other core;
- two processes: a worker with one process for each of the two cores, which PostgreSQL and Redis share;
- stub matches: a process that claims, stores, rates and pairs the same without playing, which shows what one core
  and one PostgreSQL process can take from many workers.

Legs of a bot against itself are compared with the same messages on a bare loop over pipes (see `bare_loop`).
"""

import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter, sleep

import psycopg

from arena.runner.program import Program
from arena.runner.sandbox.detection import find_sandbox
from arena.runner.sandbox.own_process import pin_to_core
from tests.bench.bare_loop import compare_legs
from tests.bench.cpu_use import MACHINE, read_cpu_use
from tests.bench.test_legs import BOT
from tests.servers import postgres, redis_server
from tests.story.installation import ROOT, Installation

BOTS = ("random", "greedy")
SECONDS = 60
WARM_UP_MATCHES = 10
WARM_UP_S = 30.0
"""A new worker tests all languages between its first matches."""
START_TIMEOUT_S = 120.0
C_BOT = b"""
#include <stdio.h>
#include <string.h>

/* Answer with the first legal action. */
int main(void) {
    static char line[1 << 20];
    while (fgets(line, sizeof line, stdin)) {
        char *legal = strstr(line, "\\"legal\\":[\\"");
        if (legal) {
            legal += 10;
            printf("{\\"action\\":\\"%.*s\\"}\\n", (int)strcspn(legal, "\\""), legal);
        } else if (strstr(line, "\\"hello\\"")) {
            puts("{\\"type\\":\\"ready\\"}");
        }
        fflush(stdout);
    }
}
"""
ONE_LADDER_OF_TWO = f"""
    update ladders_ladder set closed_at = now() where edition <> 'standard' or game <> 'battleline';
    update ladders_entry set state = 'retired' where version_id not in (
        select version.id from bots_botversion version join bots_bot bot on bot.id = bot_id where slug in {BOTS});
"""


def bare_rate(seconds: float, cores: int = 1) -> float:
    """Matches a second of a `pennant play` on each of so many cores, without their start."""
    few, many = WARM_UP_MATCHES, int(WARM_UP_MATCHES + seconds * 8)
    start_s, whole_s = play(few, cores), play(many, cores)
    return cores * (many - few) / (whole_s - start_s)


def play(matches: int, cores: int) -> float:
    """Play so many matches on each core, and return the seconds that it took."""
    pennant = str(Path(sys.executable).with_name("pennant"))
    command = [pennant, "play", *BOTS, "--seed", "1", "--matches", str(matches)]
    started = perf_counter()
    running = [
        subprocess.Popen(["taskset", "-c", str(core), *command], cwd=ROOT, stdout=subprocess.DEVNULL)
        for core in range(cores)
    ]
    for process in running:
        if process.wait():
            sys.exit(f"{' '.join(command)} ended with {process.returncode}")
    return perf_counter() - started


@contextmanager
def arena() -> Iterator[Installation]:
    """An arena with one ladder of two bots, which has always matches to play."""
    with ExitStack() as stack:
        before = os.sched_getaffinity(0)
        os.sched_setaffinity(0, {max(before)})
        database, broker = stack.enter_context(postgres()), stack.enter_context(redis_server())
        os.sched_setaffinity(0, before)
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        many = "1000000"
        more = {"PENNANT_LADDER_NEWCOMER_MATCHES": many, "PENNANT_LADDER_MATCHES_PER_HOUR": many}
        more |= {"PENNANT_LADDER_WAITING": "8"}
        installation = Installation(folder, f"{database}/postgres", f"{broker}/0", more=more)
        installation.manage("prepare")
        with psycopg.connect(f"{database}/postgres") as connection:
            connection.execute(ONE_LADDER_OF_TWO)
        yield installation


def worker_rate(arena: Installation, processes: int, seconds: float) -> float:
    """Matches a second that a worker finishes, once it has finished some."""
    cores = "0" if processes == 1 else "0,1"
    command = ["taskset", "-c", cores, sys.executable, "-m", "celery", "--app", "arena.celery", "worker"]
    command += ["--concurrency", str(processes), "--without-gossip", "--without-mingle", "--without-heartbeat"]
    with (arena.data / "worker.log").open("wb") as log:
        worker = subprocess.Popen(command, cwd=ROOT, env=arena.env, stdout=log, stderr=log)
        try:
            before = count_finished(arena)
            arena.deliver("arena.tasks.pair_ladders")
            wait_for(arena, before + WARM_UP_MATCHES)
            sleep(WARM_UP_S)
            began, first, before = datetime.now(UTC), count_finished(arena), read_cpu_use()
            sleep(seconds)
            matches, took_s = count_finished(arena) - first, (datetime.now(UTC) - began).total_seconds()
            print_cpu_use(read_cpu_use() - before, matches)
            return matches / took_s
        finally:
            worker.terminate()
            worker.wait()


def print_cpu_use(used: Counter[str], matches: int) -> None:
    """Print the CPU time of a match by the parts that use it."""
    everything = used.pop(MACHINE)
    used["rest"] = everything - used.total()
    parts = ", ".join(f"{part} {seconds / matches * 1000:.0f}" for part, seconds in used.most_common())
    print(f"                    ms of CPU a match: {everything / matches * 1000:.0f} of the machine ({parts})")


def wait_for(arena: Installation, matches: int) -> None:
    deadline = perf_counter() + START_TIMEOUT_S
    while count_finished(arena) < matches:
        if perf_counter() > deadline:
            sys.exit(f"no matches are played:\n{(arena.data / 'worker.log').read_text()}")
        sleep(0.2)


def count_finished(arena: Installation) -> int:
    return int(arena.query("select count(*) from matches_match where finished_at is not null")[0][0])


def print_legs() -> None:
    before = os.sched_getaffinity(0)
    pin_to_core(0)
    sandbox = find_sandbox({"python", "c"})
    compiled, _ = sandbox.build(Program("first", 1, {"bot.c": C_BOT}, language="c"))
    for language, bot in (("Python", BOT), ("C", compiled)):
        legs = compare_legs(bot, sandbox)
        per_ply = [f"{seconds / legs.answers * 1e6:.0f}" for seconds in (legs.arena_s, legs.bare_s)]
        print(
            f"a leg in {language:<11} {legs.ratio:5.2f} times bare (aim 1.10), µs an answer: {' / '.join(per_ply)} bare"
        )
    os.sched_setaffinity(0, before)


def main(seconds: float) -> None:
    print_legs()
    bare = bare_rate(seconds)
    print(f"bare                {bare:6.2f} matches/s")
    two_bare = bare_rate(seconds, cores=2)
    print(f"bare on two cores   {two_bare:6.2f} matches/s, {two_bare / bare:.2f} times one: what the machine gives")
    with arena() as installation:
        one = worker_rate(installation, 1, seconds)
        print(f"one worker process  {one:6.2f} matches/s, {one / bare:.2f} times bare (aim 0.85)")
        two = worker_rate(installation, 2, seconds)
        print(f"two processes       {two:6.2f} matches/s, {two / one:.2f} times one (aim 1.85)")
        print(installation.run("tests.bench.stub_matches", str(seconds)), end="")


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else SECONDS)
