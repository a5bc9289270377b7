"""Many people play at once: how long a bot's answer takes, and whether any game is lost.

    uv run python -m tests.bench.live_games [--games 50] [--players 10] [--kills 20] [--pause 2] [--limit 600] [--idle]

A whole arena, started by `manage.py up` on PostgreSQL and Redis, whose ladders are busy unless `--idle`. Each player
has some games at once and, in each of them in turn, takes a random legal step, waits for the bot by polling as the page
does, and rests. Meanwhile the live worker is killed now and then; `up` starts it again. Printed is the time from the
last step of a turn until the bot's decision can be seen, and how the games ended.
"""

import argparse
import os
import signal
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from statistics import quantiles
from time import perf_counter, sleep

import httpx

from tests.bench.served import served_installation
from tests.story.installation import Installation, Up

OPPONENTS = ("random", "greedy", "careful")
EDITIONS = ("short", "standard")
POLL_INTERVAL_S = 0.1
KILL_INTERVAL_S = 31.0
"""`up` stops where one of its processes ends three times within a minute."""
SETTINGS = {
    "PENNANT_LIVE_WORKER": "on",
    "PENNANT_LIVE_GAMES_PER_PERSON": "1000",
    "PENNANT_LIVE_GAMES_PER_ADDRESS": "1000",
    "PENNANT_LIVE_CPU_S_PER_ADDRESS": "1000000",
    "PENNANT_API_READS": "1000000",
    "PENNANT_API_WRITES": "1000000",
    "PENNANT_LADDER_NEWCOMER_MATCHES": "60",
}
THINKING_MS = """
    select coalesce(sum((d.entry->>'ms')::float), 0) / greatest(count(*), 1)
    from livegames_livedecision d where d.entry ? 'ms'
"""


@dataclass
class Person:
    """A player with a client, and what was measured."""

    client: httpx.Client
    random: Random
    waits_s: list[float] = field(default_factory=list)
    failures: Counter[str] = field(default_factory=Counter)
    endings: Counter[str] = field(default_factory=Counter)

    def ask(self, method: str, path: str, body: object = None) -> dict:
        """Send a request until it is answered, and return the game."""
        while True:
            try:
                answer = self.client.request(method, path, json=body)
                if answer.is_success or answer.status_code == 409:
                    return answer.json()
                self.failures[str(answer.status_code)] += 1
            except httpx.HTTPError as error:
                self.failures[type(error).__name__] += 1
            sleep(0.5)

    def start(self, number: int) -> str:
        body = {
            "game": "battleline",
            "edition": EDITIONS[number % len(EDITIONS)],
            "seats": ["me", OPPONENTS[number % len(OPPONENTS)]],
        }
        return str(self.ask("POST", "live-games/", body)["slug"])

    def play(self, games: int, pause_s: float, limit_s: float) -> None:
        """Play all games to their ends or for so long, one turn in each after the other."""
        slugs = [self.start(number) for number in range(games)]
        ends = perf_counter() + limit_s
        while slugs and perf_counter() < ends:
            for slug in list(slugs):
                if self.take_turn(slug):
                    slugs.remove(slug)
                sleep(self.random.uniform(0, pause_s))
        self.endings["not over in time"] += len(slugs)

    def take_turn(self, slug: str) -> bool:
        """Take steps until the bot is to decide, and wait for that. Return whether the game is over."""
        game = self.ask("GET", f"live-games/{slug}/")
        while game["legal"]:
            action = self.random.choice(game["legal"])
            answer = self.ask("POST", f"live-games/{slug}/actions/", {"action": action, "at": game["at"]})
            game = answer if "slug" in answer else self.ask("GET", f"live-games/{slug}/")
        began = perf_counter()
        while game["state"] == "playing" and not game["legal"]:
            sleep(POLL_INTERVAL_S)
            game = self.ask("GET", f"live-games/{slug}/")
        self.waits_s.append(perf_counter() - began)
        if game["state"] == "playing":
            return False
        self.endings[f"{game['state']} ({game['reason']})"] += 1
        return True


@contextmanager
def people(arena: Installation, count: int) -> Iterator[list[Person]]:
    names = [f"person{number:02}" for number in range(1, count + 1)]
    tokens = arena.run("tests.story.author", "token", *names).split()
    base = f"http://127.0.0.1:{arena.port}/api/v1/"
    found = [
        Person(httpx.Client(base_url=base, headers={"Authorization": f"Bearer {token}"}, timeout=30), Random(number))
        for number, token in enumerate(tokens)
    ]
    yield found
    for one in found:
        one.client.close()


def kill_live_workers(up: Up, kills: int, over: threading.Event) -> int:
    """Kill the live worker now and then, as often as asked or until all is over, and return how often that was."""
    killed = 0
    while killed < kills and not over.wait(KILL_INTERVAL_S):
        for pid in up.members():
            try:
                name = Path(f"/proc/{pid}/comm").read_text()
            except OSError:
                continue
            if name == "live worker\n":
                os.kill(pid, signal.SIGKILL)
                killed += 1
    return killed


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m tests.bench.live_games", description=__doc__.partition("\n")[0])
    options.add_argument("--games", type=int, default=50)
    options.add_argument("--players", type=int, default=10)
    options.add_argument("--kills", type=int, default=20)
    options.add_argument("--pause", type=float, default=2.0)
    options.add_argument("--limit", type=float, default=600.0, help="seconds")
    options.add_argument("--idle", action="store_true", help="let no ladder play")
    asked = options.parse_args()
    quiet = {"PENNANT_LADDER_MATCHES_PER_HOUR": "0", "PENNANT_LADDER_NEWCOMER_MATCHES": "0"} if asked.idle else {}
    over = threading.Event()
    with served_installation(SETTINGS | quiet) as arena, arena.up() as up:
        up.greets()
        sleep(10)  # all languages are tested first
        with people(arena, asked.players) as players, ThreadPoolExecutor(asked.players + 1) as pool:
            killer = pool.submit(kill_live_workers, up, asked.kills, over)
            began = perf_counter()
            share = -(-asked.games // asked.players)
            list(pool.map(lambda one: one.play(share, asked.pause, asked.limit), players))
            over.set()
            print_results(players, perf_counter() - began, killer.result(), arena)
            left = sum(one.endings["not over in time"] for one in players)
    sys.exit(1 if left else 0)


def print_results(players: list[Person], seconds: float, killed: int, arena: Installation) -> None:
    waits_ms = [1000 * wait for one in players for wait in one.waits_s]
    cuts = quantiles(waits_ms, n=100)
    thinking_ms = float(arena.query(THINKING_MS)[0][0])
    print(f"answers             {len(waits_ms)} in {seconds:.0f} s")
    print(f"a turn of the bot   {cuts[49]:.0f} ms (median), {cuts[94]:.0f} ms (p95), {max(waits_ms):.0f} ms (longest)")
    print(f"an answer itself    {thinking_ms:.0f} ms on average, of two or three in a turn")
    print(f"workers killed      {killed}")
    print(f"games               {dict(sum((one.endings for one in players), Counter()))}")
    print(f"failed requests     {dict(sum((one.failures for one in players), Counter()))}")
    attempts = dict(arena.query("select ending, count(*) from livegames_liveattempt group by ending"))
    print(f"attempts            {attempts}")


if __name__ == "__main__":
    main()
