"""The end of a term: forty authors upload in the last minute before a tournament's deadline, while a ladder plays.

    uv run python -m tests.bench.rehearsal [--authors 40] [--seconds 60] [--seed 7]

A whole arena, started by `manage.py up` on PostgreSQL and Redis with the usual quotas. Each author has a bot that was
accepted and entered before, and uploads another version of it, in Python, C, Java or JavaScript in turn. What isn't
acknowledged is sent again under the same key, as `pennant upload` does. Exits with 1 where anything was lost.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from random import Random
from statistics import median
from time import perf_counter, sleep

import httpx

from tests.bench.served import served_installation
from tests.chaos.invariants import CHECKS, check_uploads
from tests.story.installation import ROOT, Installation

GAME, EDITION = "battleline", "standard"
ORGANISER = "admin"
TIME_TO_ENTER = timedelta(seconds=45)
"""Time before the last minute in which the first versions are entered."""
REQUEST_TIMEOUT_S = 30.0
RETRY_AFTER_S = 1.0
REST_TIMEOUT_S = 1800.0
FILES = {
    "python": ("bot.py", "random/bot.py", "#"),
    "c": ("bot.c", "languages/c/bot.c", "//"),
    "java": ("Bot.java", "languages/java/Bot.java", "//"),
    "javascript": ("bot.js", "languages/javascript/bot.js", "//"),
}
"""Name of the file, the sample and the sign of a comment, by language."""
LANGUAGES = tuple(FILES)
SETTINGS = {"PENNANT_LADDER_NEWCOMER_MATCHES": "60"}
"""The default, which installations of tests lower."""
VERDICTS = f"""
    select b.slug, v.language, extract(epoch from m.settled_at - v.created_at), m.settled_at
    from bots_botversion v join bots_bot b on b.id = v.bot_id
    join matches_trial t on t.version_id = v.id join matches_match m on m.id = t.match_id
    where v.number = 2 and b.game = '{GAME}'
"""
ENTRANTS = """
    select count(*), count(*) filter (where v.number = 2), count(*) filter (where e.state = 'ready')
    from tournaments_entrant e join bots_botversion v on v.id = e.version_id
"""


@dataclass(slots=True)
class Author:
    """An author with one bot, and what the arena answered."""

    name: str
    client: httpx.Client
    acknowledged: dict[tuple[str, int], str] = field(default_factory=dict)
    failures: Counter[str] = field(default_factory=Counter)
    """Requests without the answer that they should have, by status or exception."""
    answers_s: list[float] = field(default_factory=list)

    @property
    def bot(self) -> str:
        return f"{self.name}-bot"

    def send(self, method: str, path: str, **request: object) -> dict[str, object]:
        """Send a request until it succeeds, and return the answer."""
        while True:
            began = perf_counter()
            try:
                answer = self.client.request(method, path, **request)  # type: ignore[arg-type]
                if answer.is_success:
                    self.answers_s.append(perf_counter() - began)
                    return dict(answer.json())
                self.failures[f"{answer.status_code}"] += 1
            except httpx.HTTPError as error:
                self.failures[type(error).__name__] += 1
            sleep(RETRY_AFTER_S)

    def upload(self, number: int, language: str) -> None:
        name, sample, comment = FILES[language]
        source = (ROOT / "bots/samples" / sample).read_bytes() + f"\n{comment} {self.bot} {number}\n".encode()
        key = {"Idempotency-Key": f"{self.bot}-{number}"}
        version = self.send("POST", f"bots/{self.bot}/versions/", files={"program": (name, source)}, headers=key)
        self.acknowledged[str(version["bot"]), int(str(version["number"]))] = str(version["sha256"])


@contextmanager
def signed_in(arena: Installation, names: list[str]) -> Iterator[list[Author]]:
    tokens = arena.run("tests.story.author", "token", *names).split()
    base = f"http://127.0.0.1:{arena.port}/api/v1/"
    authors = [
        Author(
            name,
            httpx.Client(base_url=base, headers={"Authorization": f"Bearer {token}"}, timeout=REQUEST_TIMEOUT_S),
        )
        for name, token in zip(names, tokens, strict=True)
    ]
    yield authors
    for author in authors:
        author.client.close()


def bring_first_version(author: Author) -> None:
    author.send("POST", "bots/", json={"name": author.bot, "game": GAME})
    author.upload(1, "python")


def open_tournament(organiser: Author, deadline: datetime, places: int) -> str:
    plan = {"title": "End of term", "game": GAME, "edition": EDITION, "entries_close_at": deadline.isoformat()}
    slug = str(organiser.send("POST", "tournaments/", json=plan | {"max_entrants": places})["slug"])
    organiser.send("POST", f"tournaments/{slug}/open/")
    return slug


def upload_before(deadline: datetime, authors: list[Author], seconds: float, random: Random) -> None:
    """Let each author upload at a moment of its own in these last seconds."""

    def wait_and_upload(author: Author, language: str, before_s: float) -> None:
        sleep(max((deadline - datetime.now(UTC)).total_seconds() - before_s, 0))
        author.upload(2, language)

    with ThreadPoolExecutor(len(authors)) as pool:
        moments = [random.uniform(0, seconds) for _ in authors]
        languages = [LANGUAGES[number % len(LANGUAGES)] for number in range(len(authors))]
        list(pool.map(wait_and_upload, authors, languages, moments))


def wait_until(what: str, happened: Callable[[], object]) -> None:
    began = perf_counter()
    while not happened():
        if perf_counter() - began > REST_TIMEOUT_S:
            sys.exit(f"not within {REST_TIMEOUT_S:.0f} s: {what}")
        sleep(0.5)


def count(arena: Installation, sql: str) -> int:
    return int(arena.query(f"select count(*) from {sql}")[0][0])


def wait_for_verdicts(arena: Installation) -> None:
    waiting = "bots_botversion where state in ('building', 'on_trial')"
    wait_until("verdicts of all versions", lambda: not count(arena, waiting))


def rehearse(arena: Installation, authors: list[Author], organiser: Author, seconds: float, seed: int) -> datetime:
    """Play the end of the term through, and return the deadline."""
    with ThreadPoolExecutor(len(authors)) as pool:
        list(pool.map(bring_first_version, authors))
    wait_for_verdicts(arena)
    deadline = datetime.now(UTC) + TIME_TO_ENTER + timedelta(seconds=seconds)
    slug = open_tournament(organiser, deadline, len(authors))
    for author in authors:
        author.send("POST", f"tournaments/{slug}/entrants/", json={"bot": author.bot})
        author.answers_s.clear()
    print(f"{len(authors)} first versions are accepted and entered; the last {seconds:.0f} s follow", flush=True)
    upload_before(deadline, authors, seconds, Random(seed))
    wait_for_verdicts(arena)
    wait_until("the tournament's end", lambda: count(arena, "tournaments_tournament where finished_at is not null"))
    return deadline


def print_uploads(authors: list[Author]) -> None:
    failures = sum((author.failures for author in authors), Counter[str]())
    took = [took for author in authors for took in author.answers_s]
    print(f"acknowledged        {len(took)} uploads, after {median(took):.2f} s (median), {max(took):.2f} s (longest)")
    print(f"failed requests     {failures.total()} {dict(failures) or ''}")


def print_verdicts(arena: Installation, deadline: datetime) -> None:
    rows = arena.query(VERDICTS)
    print(f"last trial          {(max(row[3] for row in rows) - deadline).total_seconds():.0f} s after the deadline")
    for language in LANGUAGES:
        took = [float(row[2]) for row in rows if row[1] == language]
        print(f"  {language:<18}{median(took):.0f} s from upload to verdict (median), {max(took):.0f} s (longest)")


def print_tournament(arena: Installation, deadline: datetime) -> None:
    entrants, newest, ready = arena.query(ENTRANTS)[0]
    started, finished = arena.query("select started_at, finished_at from tournaments_tournament")[0]
    print(f"tournament          {entrants} entrants, {newest} with the version of the last minute, {ready} ready")
    print(f"  started           {(started - deadline).total_seconds():.0f} s after the deadline")
    print(f"  finished          {(finished - deadline).total_seconds():.0f} s after the deadline")
    since = (deadline - timedelta(seconds=60)).isoformat()
    ladder = f"ladders_laddermatch l join matches_match m on m.id = l.match_id where m.finished_at > '{since}'"
    print(f"ladder              {count(arena, ladder)} matches from a minute before the deadline on")


def find_problems(arena: Installation, authors: list[Author]) -> list[str]:
    acknowledged = {key: sha256 for author in authors for key, sha256 in author.acknowledged.items()}
    problems = check_uploads(arena, acknowledged)
    if len(acknowledged) != 2 * len(authors):
        problems.append(f"{len(acknowledged)} uploads are acknowledged of {2 * len(authors)}")
    return problems + [problem for check in CHECKS.values() for problem in check(arena)]


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m tests.bench.rehearsal", description=__doc__.partition("\n")[0])
    options.add_argument("--authors", type=int, default=40)
    options.add_argument("--seconds", type=float, default=60.0)
    options.add_argument("--seed", type=int, default=7)
    asked = options.parse_args()
    names = [f"author{number:02}" for number in range(1, asked.authors + 1)]
    with served_installation(SETTINGS) as arena:
        with arena.up() as up, signed_in(arena, [*names, ORGANISER]) as (*authors, organiser):
            up.greets()
            deadline = rehearse(arena, authors, organiser, asked.seconds, asked.seed)
            up.process.terminate()
            up.end()
        print_uploads(authors)
        print_verdicts(arena, deadline)
        print_tournament(arena, deadline)
        problems = find_problems(arena, authors)
    print("\n".join(problems) or "nothing is lost, counted twice or blamed on a bot")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
