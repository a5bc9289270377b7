"""Play legs of remote bots over a bad network, while arena and clients are killed, and check that none is lost.

    uv run python -m tests.chaos.remote --legs 50 --seed 7
    uv run python -m tests.chaos.remote --legs 20 --embedded

Each client is `pennant remote` in a process of its own, with its own account; the network before the arena delays,
loses and cuts (`network.py`). The arena is ended twice, by SIGTERM and by SIGKILL, and two clients are killed. Each
answer carries a tag that the bot has written down before, so a record shows which of its answers were played.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from secrets import randbelow
from tempfile import TemporaryDirectory
from time import monotonic, sleep
from typing import Any

import httpx

from engine.replay import BadRecord, verify
from tests.chaos.__main__ import NO_SERVER_EXIT_CODE, print_report
from tests.chaos.network import Conditions, Network
from tests.chaos.run import REST_SETTINGS, Report
from tests.chaos.servers import Broker, Database
from tests.servers import ENDED_WITH_TESTS, NoServer
from tests.story.installation import ROOT, Installation, Up

BOT = Path(__file__).with_name("logging_bot.py")
AUTHORS = ("heron", "egret", "ibis")
"""Each has one bot, of the same name."""
CONCURRENCY = 3
CHECK_INTERVAL_S = 1.0
REST_TIMEOUT_S = 420.0
DOWN_S = 3.0
"""How long an arena or a client stays away that was killed."""
OPEN_MATCHES = (
    "from matches_match m join ladders_laddermatch x on x.match_id = m.id"
    " join ladders_ladder l on l.id = x.ladder_id where l.clock <> ''"
)
SETTINGS = REST_SETTINGS | {"PENNANT_PIN_CORES": "off", "PENNANT_API_READS": "100000", "PENNANT_API_NOBODY": "100000"}


@dataclass
class Client:
    """`pennant remote` with a bot that writes down its answers, started again whenever it ends."""

    name: str
    token: str
    url: str
    edition: str
    folder: Path
    process: subprocess.Popen[bytes] | None = None
    log_start: int = 0
    starts: int = 0
    exits: list[int] = field(default_factory=list)
    """Exit codes of clients that ended themselves while they played, although nobody had asked for it."""
    failed_starts: int = 0
    """Number of clients that couldn't register their bot, because a request was cut and its result is unknown."""

    @property
    def answers(self) -> Path:
        return self.folder / f"answers-{self.name}"

    @property
    def log(self) -> Path:
        return self.folder / f"client-{self.name}.log"

    @property
    def is_online(self) -> bool:
        """Whether the arena has heard of the bot since the last start."""
        return any(event["event"] == "online" for event in self.list_events(self.log_start))

    def start(self) -> None:
        self.log_start = self.log.stat().st_size if self.log.exists() else 0
        self.answers.mkdir(exist_ok=True)
        command = ["pennant", "remote", str(BOT), "--name", self.name, "--ladder", self.edition, "--json"]
        command += ["--create", "--game", "battleline", "--declared", "a program of the tests"]
        command += ["--concurrency", str(CONCURRENCY), "--url", self.url]
        env = {"PATH": os.environ["PATH"], "HOME": str(self.folder), "LANG": "C.UTF-8", "PENNANT_TOKEN": self.token}
        env |= {"CHAOS_ANSWERS": str(self.answers), "PYTHONUNBUFFERED": "1"}
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [*ENDED_WITH_TESTS, *command], cwd=ROOT, env=env, stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )
        self.starts += 1

    def watch(self) -> None:
        """Start it again if it has ended, as its author would."""
        if self.process is not None and (code := self.process.poll()) is not None:
            if self.is_online:
                self.exits.append(code)
            else:
                self.failed_starts += 1
            self.start()

    def kill(self) -> None:
        assert self.process is not None
        self.process.kill()
        self.process.wait()
        self.process = None

    def end(self, number: signal.Signals = signal.SIGINT) -> None:
        if self.process is not None:
            self.process.send_signal(number)

    def list_events(self, start: int = 0) -> Iterator[dict[str, Any]]:
        """Yield what the client has reported, from a byte of its log on."""
        for line in self.log.read_bytes()[start:].splitlines():
            if line.startswith(b"{") and line.endswith(b"}"):
                yield json.loads(line)


class RemoteRun:
    """An arena behind a bad network, with clients."""

    def __init__(self, stack: ExitStack, *, embedded: bool, edition: str, conditions: Conditions, seed: int) -> None:
        self.report, self.began, self.stack = Report(), monotonic(), stack
        self.folder = Path(stack.enter_context(TemporaryDirectory(prefix="chaos-remote-")))
        data = self.folder / "data"
        data.mkdir()
        urls: tuple[str | None, str | None] = (None, None) if embedded else (Database(stack).url, Broker(stack).url)
        self.arena = Installation(data, *urls, more=dict(SETTINGS))
        self.arena.manage("prepare")
        self.network = stack.enter_context(Network(self.arena.port, conditions, seed))
        tokens = self.arena.run("tests.story.author", "token", *AUTHORS).split()
        url = f"http://127.0.0.1:{self.network.port}"
        self.clients = [
            Client(name, token, url, edition, self.folder) for name, token in zip(AUTHORS, tokens, strict=True)
        ]
        self.up: Up | None = None
        self.running = ExitStack()
        stack.callback(self.running.close)
        stack.callback(self._kill_clients)

    def tell(self, what: str) -> None:
        print(f"{monotonic() - self.began:7.1f} s  {what}", flush=True)

    def start_arena(self) -> None:
        self.up = self.running.enter_context(self.arena.up())
        self.up.greets()

    def end_arena(self, number: signal.Signals) -> None:
        """End the arena by a signal to its first process, and start it again."""
        assert self.up is not None
        self.tell(f"{number.name} to the arena, with {self.count('running')} legs in play")
        (self.folder / f"arena-{number.name}.log").write_bytes(self._read_arena_log())
        self.up.process.send_signal(number)
        self.up.process.wait(60)
        while self.up.members():
            sleep(0.1)
        self.running.close()
        sleep(DOWN_S)
        self.start_arena()
        self.report.events[f"arena ended by {number.name}"] += 1

    def _read_arena_log(self) -> bytes:
        path = self.arena.data / "logs" / "remote.log"
        return path.read_bytes() if path.exists() else b""

    def kill_client(self, client: Client) -> None:
        self.tell(f"SIGKILL to the client of {client.name}, with {self.count('running')} legs in play")
        client.kill()
        sleep(DOWN_S)
        client.start()
        self.report.events["client killed"] += 1

    def count(self, state: str) -> int:
        return int(self.arena.query(f"select count(*) {OPEN_MATCHES} and m.state = '{state}'")[0][0])

    def play(self, legs: int) -> None:
        """Play so many legs, with what befalls them in between."""
        self.start_arena()
        self.tell("the arena is up")
        for client in self.clients:
            client.start()
        steps: list[tuple[float, Callable[[], None]]] = [
            (0.15, lambda: self.end_arena(signal.SIGTERM)),
            (0.35, lambda: self.kill_client(self.clients[0])),
            (0.55, lambda: self.end_arena(signal.SIGKILL)),
            (0.75, lambda: self.kill_client(self.clients[1])),
        ]
        finished, told = 0, -1
        while finished < legs:
            sleep(CHECK_INTERVAL_S)
            for client in self.clients:
                client.watch()
            finished = self.count("finished")
            if finished != told:
                told = finished
                self.tell(f"{finished} legs finished, {self.count('running')} in play")
            if steps and finished >= steps[0][0] * legs and self.count("running"):
                steps.pop(0)[1]()
            assert monotonic() - self.began < 60 * 60, "it takes too long"

    def rest(self) -> None:
        """Let the clients finish their legs and end."""
        self.tell("no more legs: waiting for the clients to end")
        for client in self.clients:
            client.end()
        deadline = monotonic() + REST_TIMEOUT_S
        left = list(self.clients)
        while left and monotonic() < deadline:
            sleep(CHECK_INTERVAL_S)
            left = [client for client in left if client.process and client.process.poll() is None]
        self.report.problems["every client ends when it is asked to"] = [client.name for client in left]
        self.report.figures["seconds"] = round(monotonic() - self.began)
        self.report.figures["legs in play at the end"] = self.count("running")

    def check(self) -> None:
        problems = self.report.problems
        query = self.arena.query
        begun = "and (m.started_at is not null or m.state in ('running', 'finished'))"
        rows = query(f"select m.id, m.state {OPEN_MATCHES} {begun} order by m.id")
        problems["every leg that began is finished"] = [f"{key}: {state}" for key, state in rows if state != "finished"]
        finished = [key for key, state in rows if state == "finished"]
        listed = ", ".join(map(str, finished)) or "0"
        verdicts = query(
            "select s.verdict, count(*) from matches_legseat s join matches_leg l on l.id = s.leg_id"
            f" where l.match_id in ({listed}) group by s.verdict"
        )
        problems["every verdict is ok"] = [f"{count} {verdict}" for verdict, count in verdicts if verdict != "ok"]
        doubles = query(
            f"select match_id, count(*) from matches_attempt where ending = 'stored' and match_id in ({listed})"
            " group by match_id having count(*) <> 1"
        )
        problems["every result was stored once"] = [f"{key}: {count}" for key, count in doubles]
        refused = query(
            "select s.id, s.refusals from matches_legseat s join matches_leg l on l.id = s.leg_id"
            f" where l.match_id in ({listed}) and s.refusals > 0"
        )
        problems["no answer was refused"] = [f"{key}: {count}" for key, count in refused]
        self.report.figures |= {"legs finished": len(finished), **{f"verdict {name}": n for name, n in verdicts}}
        for ending, count in query(
            f"select ending, count(*) from matches_attempt where match_id in ({listed}) group by 1"
        ):
            self.report.figures[f"attempts {ending or 'open'}"] = count
        self._check_records(finished)
        self._check_clients()
        self.report.events.update(self.network.counts)
        said = self._read_arena_log().decode(errors="replace")
        problems["no traceback in the log"] = [said[-3000:]] if "Traceback" in said else []

    def _check_records(self, matches: list[int]) -> None:
        """Replay all records, and compare each action of a remote bot with what it has written down."""
        logged = self._read_answers()
        invalid, unlike, unplayed, most, kinds = [], [], [], 0, Counter[str]()
        used: set[str] = set()
        with httpx.Client(base_url=f"http://127.0.0.1:{self.arena.port}/api/v1/") as api:
            records = {key: api.get(f"matches/{key}/legs/1/record/").raise_for_status().json() for key in matches}
        for key, record in records.items():
            try:
                verify(record)
            except BadRecord as error:
                invalid.append(f"{key}: {error}")
            remote = {seat for seat, one in enumerate(record["seats"]) if one.get("remote")}
            kinds[f"legs of {len(remote)} remote bots"] += 1
            for number, entry in enumerate(record["actions"]):
                given = logged.pop((record["deal_hash"], entry["seat"], number), {})
                if entry["seat"] not in remote or "auto" in entry:
                    continue
                tag = entry.get("note", "")
                most = max(most, entry.get("ms", 0))
                if given.get(tag) != entry["action"] or tag in used:
                    unlike.append(f"match {key}, decision {number}: {entry} for {given}")
                used.add(tag)
            unplayed += [f"match {key}: {where}" for where in logged if where[0] == record["deal_hash"]]
        problems = self.report.problems
        problems["every record verifies"] = invalid
        problems["every action of a remote bot is an answer that it wrote down"] = unlike
        problems["every decision that a bot answered is in its record"] = unplayed
        self.report.figures |= {
            **kinds,
            "decisions of remote bots": len(used),
            "decisions in all": sum(len(record["actions"]) for record in records.values()),
            "longest decision, ms": most,
            "answers without a record": len(logged),
        }

    def _read_answers(self) -> dict[tuple[str, int, int], dict[str, str]]:
        """Return what the bots have answered: the action by tag, by leg, seat and number of the decision."""
        found: dict[tuple[str, int, int], dict[str, str]] = defaultdict(dict)
        asked_again = 0
        for client in self.clients:
            for path in client.answers.glob("*.jsonl"):
                for line in path.read_text().splitlines():
                    one = json.loads(line)
                    given = found[one["deal_hash"], one["seat"], one["n"]]
                    asked_again += bool(given)
                    given[one["tag"]] = one["action"]
        self.report.figures["decisions asked of a fresh process again"] = asked_again
        return dict(found)

    def _check_clients(self) -> None:
        events = Counter(event["event"] for client in self.clients for event in client.list_events())
        self.report.figures |= {f"client's event: {name}": count for name, count in sorted(events.items())}
        self.report.figures["clients started"] = sum(client.starts for client in self.clients)
        self.report.figures["clients that couldn't register"] = sum(client.failed_starts for client in self.clients)
        self.report.problems["no client gives up"] = [
            f"{client.name}: {client.exits}" for client in self.clients if client.exits
        ]

    def _kill_clients(self) -> None:
        for client in self.clients:
            if client.process is not None and client.process.poll() is None:
                client.kill()


def run_remote_chaos(
    *, legs: int, seed: int, edition: str = "short", embedded: bool = False, conditions: Conditions | None = None
) -> Report:
    """Play legs over a bad network, and return what came of it. Raises NoServer."""
    with ExitStack() as stack:
        run = RemoteRun(stack, embedded=embedded, edition=edition, conditions=conditions or Conditions(), seed=seed)
        run.play(legs)
        run.rest()
        run.check()
        return run.report


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.chaos.remote", description=__doc__.partition("\n")[0])
    parser.add_argument("--legs", type=int, default=50)
    parser.add_argument("--edition", default="short")
    parser.add_argument("--seed", type=int, default=None, help="another one every time unless given")
    parser.add_argument("--embedded", action="store_true", help="without PostgreSQL and Redis")
    chosen = parser.parse_args()
    seed = randbelow(1_000_000) if chosen.seed is None else chosen.seed
    print(f"seed {seed}", flush=True)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended"))
    try:
        report = run_remote_chaos(legs=chosen.legs, seed=seed, edition=chosen.edition, embedded=chosen.embedded)
    except NoServer as missing:
        print(missing, file=sys.stderr)
        sys.exit(NO_SERVER_EXIT_CODE)
    print_report(report)
    sys.exit(0 if report.is_fine else 1)


if __name__ == "__main__":
    main()
