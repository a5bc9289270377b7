"""How long the pages of a large Swiss take: `uv run python -m tests.bench.bench_tournament [ENTRANTS] [ROUNDS]`.

Matches are over without being played. Before the start, in the middle and after the end every page is drawn with empty
caches and again as it is kept, and its queries are counted; so is what an organiser decides. What a worker does
afterwards is printed beside it. Milliseconds of this process's processor, the best of some times: on a busy machine a
clock tells of others. The process is set up as the one that serves pages.
The queries are compared with those of a Swiss of a quarter of the size. Exits with 1 where a page or a decision is too
slow, queries grow with the number of entrants, or this process grows by drawing pages again and again.
"""

import logging
import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random
from time import process_time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from arena.contests.tournaments.models import Tournament

ENTRANTS, ROUNDS = 200, 9
PAGE_MS, DECISION_MS = 100.0, 1000.0
MAX_COLD_MS = 250.0
"""A page that is kept may take longer once after each result."""
TIMES = 3
REPEATS = 60
MAX_GROWTH_MB = 4.0
QUERY_TOLERANCE = 2
"""Pages show what only some tournaments have, as a bye or a fault."""
PAGES = (
    "",
    "?all=1",
    "rounds/1/",
    "projector/",
    "print/",
    "standings.csv",
    "tournament.json",
    "enter/",
    "organise/",
)
API = ("", "standings/", "rounds/", "entrants/", "crosstable/")
FINAL_PAGES = ("certificates/bot-1/",)
LISTS = ("/tournaments/", "/", "/bots/bot-1/", "/authors/author1/")


@dataclass(slots=True)
class Table:
    """What was measured, and what was too much."""

    problems: list[str] = field(default_factory=list)
    queries: dict[tuple[str, str], int] = field(default_factory=dict)
    """By moment and page, of the smaller tournament."""
    is_compared: bool = False

    def add(self, moment: str, page: str, cold_ms: float, warm_ms: float, queries: int, kilobytes: float) -> None:
        print(f"{moment:<8} {page:<44} {cold_ms:8.1f} {warm_ms:8.1f} {queries:5} {kilobytes:8.1f}", flush=True)
        if not self.is_compared:
            self.queries[moment, page] = queries
            return
        if min(cold_ms, warm_ms) > PAGE_MS or cold_ms > MAX_COLD_MS:
            self.problems.append(f"{moment}: {page} takes {cold_ms:.0f} ms, then {warm_ms:.0f} ms")
        before = self.queries.get((moment, page), queries)
        if queries > before + QUERY_TOLERANCE:
            self.problems.append(f"{moment}: {page} asks {queries} times, {before} with fewer entrants")

    def decide(self, name: str, ms: float) -> None:
        print(f"decision {name:<44} {ms:8.1f}", flush=True)
        if self.is_compared and ms > DECISION_MS:
            self.problems.append(f"{name} takes {ms:.0f} ms")


def measure(table: Table, moment: str, slug: str, client: "Client", *, final: bool = False) -> None:
    base = f"/tournaments/{slug}/"
    pages = [*(base + page for page in PAGES + (FINAL_PAGES if final else ())), *LISTS]
    if moment == "before":
        pages = [page for page in pages if "rounds/" not in page]
    for page in [*pages, *(f"/api/v1{base}{path}" for path in API)]:
        measure_page(table, moment, page, client)


def measure_page(table: Table, moment: str, page: str, client: "Client") -> None:
    client.get(page)  # templates are compiled once per process
    cache.clear()
    with CaptureQueriesContext(connection) as queries:
        client.get(page)
    asked = len(queries)
    cold = warm = float("inf")
    for _ in range(TIMES):
        cache.clear()
        cold = min(cold, clock(lambda: client.get(page))[0])
        ms, answer = clock(lambda: client.get(page))
        warm = min(warm, ms)
    if answer.status_code != 200:
        table.problems.append(f"{moment}: {page} answers {answer.status_code}")
    content = b"".join(answer.streaming_content) if answer.streaming else answer.content
    table.add(moment, page, cold, warm, asked, len(content) / 1000)


def clock(act: Callable[[], object]) -> tuple[float, Any]:
    began = process_time()
    found = act()
    return 1000 * (process_time() - began), found


def resident_mb() -> float:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS:")) / 1000


def run(table: Table, entrants: int, rounds: int) -> None:
    rng = Random(7)

    def decide_by_chance(bots: Sequence[object]) -> list[int]:
        return rng.choice([[1, 2], [2, 1], [1, 1]])

    bots = make_bots(entrants)
    tournament = make_tournament(bots, Settings(rounds=rounds), title=f"Swiss of {entrants}", max_entrants=entrants)
    pass_checks(tournament)
    guest, organiser = Client(), Client()
    organiser.force_login(tournament.organiser)
    measure(table, "before", tournament.slug, organiser)
    close_entries(tournament=tournament, organiser=tournament.organiser)
    ms, _ = clock(lambda: advance_tournament(tournament=tournament))
    print(f"a worker, start of {entrants} {ms:40.1f}", flush=True)
    tournament.refresh_from_db()
    for number in range(1, rounds + 1):
        waited = waiting(tournament)
        for match in waited[: len(waited) // 2]:
            finish(match, decide_by_chance([]))
        advance_tournament(tournament=tournament)
        if number == rounds // 2 + 1:
            measure(table, "middle", tournament.slug, organiser)
            decide(table, tournament, organiser)
        for match in waiting(tournament):
            finish(match, decide_by_chance([]))
        ms, _ = clock(lambda: advance_tournament(tournament=tournament))
        print(f"a worker, results of round {number} and the next one {ms:18.1f}", flush=True)
        tournament.refresh_from_db()
    measure(table, "end", tournament.slug, organiser, final=True)
    measure_growth(table, tournament.slug, guest)
    Bot.objects.update(slug=Concat(Value("old-"), "slug"))
    Bot.objects.update(name=Concat(Value("Old "), "name"))


def decide(table: Table, tournament: "Tournament", organiser: "Client") -> None:
    """Measure what the organiser decides in the middle of a round."""
    base = f"/tournaments/{tournament.slug}/"
    last = tournament.entrants.exclude(number=None).order_by("-number").first()
    number = tournament.rounds.latest_attempts().last().number
    steps = {
        f"{base}entrants/{last.pk}/disqualify/": {"reason": "It read a file."},
        f"{base}pause/": {"reason": "Fire drill."},
        f"{base}resume/": {},
        f"{base}rounds/{number}/rerun/": {"reason": "The machine broke."},
    }
    for address, data in steps.items():
        ms, answer = clock(partial(organiser.post, address, data))
        if answer.status_code != 302:
            table.problems.append(f"{address} answers {answer.status_code}")
        table.decide(address, ms)
        ms, _ = clock(lambda: advance_tournament(tournament=tournament))
        print(f"  and then, by a worker {ms:45.1f}", flush=True)
    tournament.refresh_from_db()


def measure_growth(table: Table, slug: str, client: "Client") -> None:
    """Draw pages again and again, and see whether this process grows."""
    pages = [f"/tournaments/{slug}/{page}" for page in ("", "projector/", "print/", "tournament.json")]
    sizes = []
    for number in range(REPEATS):
        cache.clear()
        for page in pages:
            client.get(page)
        if number in (REPEATS // 3, REPEATS - 1):
            sizes.append(resident_mb())
    print(f"memory   {sizes[0]:.1f} MB after {REPEATS // 3} rounds of pages, {sizes[1]:.1f} MB after {REPEATS}")
    if table.is_compared and sizes[1] - sizes[0] > MAX_GROWTH_MB:
        table.problems.append(f"the process grew by {sizes[1] - sizes[0]:.1f} MB")


def main(entrants: int, rounds: int) -> int:
    print(f"{'moment':<8} {'page':<44} {'cold ms':>8} {'kept ms':>8} {'asks':>5} {'kB':>8}")
    table = Table()
    run(table, entrants // 4, rounds)
    table.is_compared = True
    run(table, entrants, rounds)
    print("\n".join(table.problems) or "Every page and decision is fast enough.")
    return bool(table.problems)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="pennant-tournament-") as folder:
        os.environ |= {"PENNANT_DATA": folder, "DJANGO_SETTINGS_MODULE": "arena.settings"}
        import arena.wsgi  # noqa: F401, I001 - the process is set up as the one that serves

        from django.core.cache import cache
        from django.core.management import call_command
        from django.db import connection
        from django.db.models import Value
        from django.db.models.functions import Concat
        from django.test import Client
        from django.test.utils import CaptureQueriesContext, setup_test_environment

        from arena.bots.models import Bot
        from arena.contests.tournaments.services.organising import close_entries
        from arena.contests.tournaments.services.playing import advance_tournament
        from arena.contests.tournaments.settings import Settings
        from tests.arena.contests.tournaments.world import finish, make_bots, make_tournament, pass_checks, waiting

        call_command("migrate", verbosity=0)
        call_command("collectstatic", interactive=False, verbosity=0)
        setup_test_environment()
        logging.disable(logging.WARNING)  # there is no broker, and no worker
        sys.exit(main(*map(int, sys.argv[1:])) if len(sys.argv) > 1 else main(ENTRANTS, ROUNDS))
