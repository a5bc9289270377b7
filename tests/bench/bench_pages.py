"""How long pages, the API's lists and the choice of a match take where ten thousand bots have played a million matches.

    uv run python -m tests.bench.bench_pages [URL] [--times 60] [--explain MILLISECONDS]

Server time in one process without a network: from the request to the last byte of the answer, as many at random as
`--times` says; beside it, of the calls during which nobody took a processor away from this machine, and how long
100,000 squares took. `--explain` prints the plans of queries slower than that. The database is made by
`tests.bench.million`.
"""

import argparse
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from random import Random
from statistics import fmean
from time import perf_counter, process_time

from tests.bench.million import BOTS, MATCHES, WAITING, run_on

if __name__ == "__main__" and "million" not in os.environ.get("DATABASE_URL", ""):
    url = next((word for word in sys.argv[1:2] if "://" in word), None)
    sys.exit(run_on(url, "tests.bench.bench_pages", sys.argv[1 + bool(url) :]))

from tests.bench.million_rows import ensure, tell

# isort: split
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext, override_settings

import arena.wsgi  # noqa: F401 - the process is set up as the one that serves
from arena.bots.models import Bot
from arena.contests.ladders.matchmaking import choose_match_entries
from arena.contests.ladders.models import Ladder
from arena.contests.ladders.services.pairing import LadderCandidates

ASKED_MS = {"page": 100, "match page": 100, "bot page": 100, "API list": 100, "cached": 10, "data": 250, "pick": 20}
"""Of data: all steps of a leg, for which a page asks that is shown already: a quarter of what its drawing may take."""
WARM_UP = 5
OWN = "bot-1"
"""It has some 20,000 matches; its author looks at pages, too."""
WORK = 100_000
STOLEN = 8
HIDDEN = 120
"""So much of a query is printed."""


def quantile(times: list[float], share: float) -> float:
    return sorted(times)[min(int(len(times) * share), len(times) - 1)]


@dataclass(slots=True)
class Measured:
    """Milliseconds of each call."""

    taken: list[float] = field(default_factory=list)
    calm: list[float] = field(default_factory=list)
    """Of those during which no other machine on the same hardware took a processor away, as the kernel counts it."""
    worked: list[float] = field(default_factory=list)
    """By this process: the rest waited for the server of the database, or for others on this machine."""
    speed: list[float] = field(default_factory=list)
    """What `work` took after each: how fast the machine was in those moments."""


def measure(call: Callable[[], object], times: int) -> Measured:
    found = Measured()
    for _ in range(WARM_UP):
        call()
    for _ in range(times):
        stolen, worked, begun = read_stolen(), process_time(), perf_counter()
        call()
        found.taken.append(1000 * (perf_counter() - begun))
        found.worked.append(1000 * (process_time() - worked))
        if read_stolen() == stolen:
            found.calm.append(found.taken[-1])
        begun = perf_counter()
        work()
        found.speed.append(1000 * (perf_counter() - begun))
    return found


def read_stolen() -> str:
    """The kernel's count of what was taken away from its processors, in hundredths of seconds; see proc(5)."""
    with open("/proc/stat") as counts:
        return counts.readline().split()[STOLEN]


def work() -> None:
    """The same on every machine: how long it takes tells how fast this one is now."""
    sum(number * number for number in range(WORK))


def pick(rng: Random) -> None:
    """One choice of who plays whom, as the site makes it, without the match that would follow."""
    assert choose_match_entries(LadderCandidates(Ladder.objects.get(game="battleline")), 2, rng) is not None


def make_call(reader: Client, address: str | Callable[[], str]) -> Callable[[], None]:
    def ask() -> None:
        path = address if isinstance(address, str) else address()
        answer = reader.get(path)
        assert answer.status_code == 200, (path, answer.status_code)

    return ask


def make_cached_call(address: str) -> Callable[[], None]:
    """Return a call of a page that the cache of readers without a session answers from its second request on."""
    ask = make_call(Client(SERVER_NAME="localhost"), address)

    def ask_cached() -> None:
        with override_settings(ANONYMOUS_PAGE_CACHE_S=300):
            ask()

    return ask_cached


def list_calls(rng: Random) -> list[tuple[str, str, Callable[[], object]]]:
    """What is asked of each: a key of ASKED_MS, its name, and the call."""
    nobody, author = Client(SERVER_NAME="localhost"), Client(SERVER_NAME="localhost")
    author.force_login(Bot.objects.get(slug=OWN).owner)
    page, own = partial(make_call, nobody), partial(make_call, author)
    ladder, watched = "/ladders/battleline/standard/", tell()

    def any_bot() -> str:
        return f"bot-{rng.randint(5, BOTS)}"

    def busy_bot() -> str:
        return f"bot-{rng.randint(1, 4)}"

    def match(rest: str = "") -> Callable[[], None]:
        return page(lambda: f"/matches/{rng.choice(watched)}/{rest}")

    def key() -> int:
        return rng.randint(1000, MATCHES)

    return [
        ("page", "front page", page("/")),
        ("page", "first steps", page("/start/")),
        ("page", "all ladders", page("/ladders/")),
        ("page", "ladder, first page", page(ladder)),
        ("page", "ladder, any page", page(lambda: f"{ladder}?page={rng.randint(1, BOTS // 50)}")),
        ("page", "ladder, search", page(lambda: f"{ladder}?q=Bot%20{rng.randint(10, 99)}")),
        ("page", "ladder, search for an author", page(lambda: f"{ladder}?q=author{rng.randint(1, BOTS // 2)}")),
        ("page", "ladder, search that fits all", page(f"{ladder}?q=o")),
        ("page", "how ratings work", page(lambda: f"{ladder}how/?a={any_bot()}&b={busy_bot()}")),
        ("page", "list of matches", page(lambda: f"/matches/?before={key()}")),
        ("page", "list of matches, newer", page(lambda: f"/matches/?after={key()}")),
        ("page", "matches of one game", page("/matches/?game=battalion")),
        ("page", "matches with a fault", page(lambda: f"/matches/?fault=any&before={key()}")),
        ("page", "unrated matches", page(lambda: f"/matches/?rated=no&before={key()}")),
        ("page", "matches of a bot", page(lambda: f"/matches/?bot={any_bot()}")),
        ("page", "matches of a busy bot", page(lambda: f"/matches/?bot={busy_bot()}")),
        ("page", "older matches of a busy bot", page(lambda: f"/matches/?bot={busy_bot()}&before={key()}")),
        ("page", "lost matches of a busy bot", page(lambda: f"/matches/?bot={busy_bot()}&result=lost&before={key()}")),
        ("page", "faults of a busy bot", page(lambda: f"/matches/?bot={busy_bot()}&fault=any")),
        ("page", "matches of two bots", page(lambda: f"/matches/?bot={busy_bot()}&opponent={any_bot()}")),
        ("page", "list of bots", page(lambda: f"/bots/?page={rng.randint(1, BOTS // 50)}")),
        ("page", "author", page(lambda: f"/authors/author{rng.randint(2, BOTS // 2)}/")),
        ("page", "the house", page("/authors/author1/")),
        ("page", "rules", page("/rules/battleline/standard/")),
        ("page", "queue", page("/queue/")),
        ("page", "status", page("/status/")),
        ("page", "status, first of an hour", lambda: (cache.clear(), page("/status/")())),
        ("match page", "replay", match("?turn=20")),
        ("data", "all steps of a leg", match("legs/1/frames.json")),
        ("data", "the same, once kept", page(f"/matches/{watched[0]}/legs/1/frames.json")),
        ("match page", "picture of a turn", match("turn/20.svg")),
        ("match page", "text", match("text/")),
        ("match page", "legs side by side", match("sides/")),
        ("match page", "record", match("legs/1/record.json")),
        ("match page", "waiting", page(lambda: f"/matches/{MATCHES + rng.randint(1, WAITING)}/")),
        ("bot page", "any bot", page(lambda: f"/bots/{any_bot()}/")),
        ("bot page", "a bot with 20,000 matches", page(lambda: f"/bots/{busy_bot()}/")),
        ("bot page", "version", page(lambda: f"/bots/{busy_bot()}/v/1/")),
        ("bot page", "faults", page(lambda: f"/bots/{busy_bot()}/faults/")),
        ("bot page", "any pair", page(lambda: f"/bots/bot-1/against/{any_bot()}/")),
        ("bot page", "a pair of busy bots", page("/bots/bot-1/against/bot-2/")),
        ("page", "own settings", own("/settings/")),
        ("page", "own tokens", own("/tokens/")),
        ("page", "own notices", own("/notices/")),
        ("page", "own comparisons", own("/comparisons/")),
        ("page", "own place queued", own("/queue/")),
        ("page", "own bots on the ladder", own(f"{ladder}?mine=1")),
        ("page", "new bot", own("/bots/new/")),
        ("page", "challenge", own(lambda: f"/bots/{any_bot()}/challenge/")),
        ("bot page", "own bot", own(f"/bots/{OWN}/")),
        ("bot page", "own version", own(f"/bots/{OWN}/v/1/")),
        ("bot page", "own faults", own(f"/bots/{OWN}/faults/")),
        ("bot page", "next version", own(f"/bots/{OWN}/upload/")),
        ("API list", "standing", page(f"/api/v1{ladder}standings/")),
        ("API list", "matches", page("/api/v1/matches/")),
        ("API list", "matches of a busy bot", page(lambda: f"/api/v1/matches/?bot={busy_bot()}")),
        ("API list", "bots", page("/api/v1/bots/")),
        ("API list", "ladders", page("/api/v1/ladders/")),
        ("cached", "front page", make_cached_call("/")),
        ("cached", "ladder", make_cached_call(ladder)),
        ("cached", "list of matches", make_cached_call("/matches/")),
        ("cached", "replay", make_cached_call(f"/matches/{watched[0]}/?turn=20")),
        ("cached", "bot", make_cached_call("/bots/bot-1/")),
        ("pick", "who plays whom", lambda: pick(rng)),
    ]


def explain(call: Callable[[], object], slow_ms: float) -> None:
    with CaptureQueriesContext(connection) as queries:
        call()
    print(f"    {len(queries)} queries, {sum(float(query['time']) for query in queries) * 1000:.0f} ms in the database")
    for query in queries.captured_queries:
        if float(query["time"]) * 1000 >= slow_ms and query["sql"].startswith("SELECT"):
            print(f"    {float(query['time']) * 1000:.0f} ms: {query['sql'][:HIDDEN]} …")
            with connection.cursor() as cursor:
                cursor.execute("explain (analyze, costs off, timing off) " + query["sql"])
                print("".join(f"        {line}\n" for (line,) in cursor.fetchall()))


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--times", type=int, default=60)
    options.add_argument("--explain", type=float, metavar="MS")
    options.add_argument("--only", default="", help="what the names begin with")
    asked = options.parse_args()
    ensure()
    print(f"{'':40} {'median':>8} {'p95':>8} {'calm p95':>8} {'calm':>6} {'worked':>8} {'squares':>8} {'asked':>6}  ms")
    for kind, name, call in list_calls(Random(1)):
        if not (kind.startswith(asked.only) or name.startswith(asked.only)):
            continue
        try:
            found = measure(call, asked.times)
        except AssertionError as error:
            print(f"{kind + ': ' + name:40} {error}", flush=True)
            continue
        late = "" if quantile(found.taken, 0.95) <= ASKED_MS[kind] else "  too slow"
        calm = f"{quantile(found.calm, 0.95):8.1f} {len(found.calm) / asked.times:6.0%}" if found.calm else f"{'–':>15}"
        times = f"{quantile(found.taken, 0.5):8.1f} {quantile(found.taken, 0.95):8.1f} {calm}"
        shown = f"{times} {fmean(found.worked):8.1f} {quantile(found.speed, 0.5):8.1f} {ASKED_MS[kind]:6}"
        print(f"{kind + ': ' + name:40} {shown}{late}", flush=True)
        if asked.explain is not None:
            explain(call, asked.explain)


if __name__ == "__main__":
    main()
