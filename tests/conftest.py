"""Who and what every test of the site may ask for: people, bots, a ladder, real parts."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import hypothesis
import pytest
from django.conf import settings
from django.db import transaction
from pytest_django import DjangoDbBlocker

from arena.bots.models import Bot, BotVersion
from arena.bots.services import add_version, create_bot
from arena.contests.ladders.models import Ladder
from arena.contests.ladders.services.seasons import open_season
from arena.core.catalogues import compile_catalogues
from arena.matches.models import Match
from arena.matches.play import play_attempt
from arena.matches.runner_process import RunnerProcess
from arena.matches.services import claim_match
from arena.matches.workers import this_worker
from arena.people.accounts.models import User
from arena.runner.match import Heartbeat, MatchReport, MatchSpec, play_match
from arena.runner.sandbox.base import Sandbox
from arena.runner.sandbox.detection import find_unsandboxed
from engine.registry import find_game
from tests.empty_database import make_empty_database
from tests.full import FULL_PROFILE

FIRST_LEGAL = b"""
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print('{"type": "ready"}', flush=True)
    elif message["type"] == "turn":
        print(json.dumps({"action": message["legal"][0]}), flush=True)
"""
EXITS_AT_ONCE = b"import sys; print('I give up', file=sys.stderr)"

TESTS = Path(__file__).parent

MakeVersion = Callable[..., BotVersion]
Play = Callable[[Match], bool]
PlaySpec = Callable[[MatchSpec, Heartbeat], MatchReport]


ARENA_STARTER = "browser/test_journey.py"
"""Starts the arena that all tests with a browser share: it comes first, and they come when the arena is there."""
LONGEST = (ARENA_STARTER, "runner", "hostile", "story", "arena/privacy", "bots", "cli", "browser")
"""Files and folders that come first, in this order, where tests are shared out to several processes."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--full", action="store_true", help="run every case of every matrix, as before a release")


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Run two processes more than there are cores, since some tests wait; each further one imports everything again."""
    return len(os.sched_getaffinity(0)) + 2


def pytest_configure(config: pytest.Config) -> None:
    _keep_bytecode()
    if not hasattr(config, "workerinput"):
        compile_catalogues(settings.LOCALE_PATHS)
    hypothesis.settings.register_profile("default", deadline=None, max_examples=25)
    hypothesis.settings.register_profile(FULL_PROFILE, deadline=None, max_examples=400)
    hypothesis.settings.load_profile(FULL_PROFILE if config.option.full else "default")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is only for `--full`, and begin with what takes longest where tests are shared out."""
    if not config.option.full:
        config.hook.pytest_deselected(items=[item for item in items if item.get_closest_marker("full")])
        items[:] = [item for item in items if not item.get_closest_marker("full")]
    if hasattr(config, "workerinput"):
        items.sort(key=_rank)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say in one line which tests were left out on a machine without some programs, and how to get these."""
    skipped = len(terminalreporter.stats.get("skipped", []))
    command = ["sh", str(TESTS.parent / ".ci" / "install"), "--list"]
    missing = subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    if skipped and missing:
        terminalreporter.write_line(
            f"{skipped} tests were left out, most of them for want of {missing}: `sh .ci/install` gets that on Debian."
        )


def _keep_bytecode() -> None:
    """Let this run and what it starts write bytecode, as Python does unless it is told otherwise.

    Else every process compiles all that it imports: a command of the site takes more than twice as long.
    """
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.dont_write_bytecode = False


def _rank(item: pytest.Item) -> int:
    place = item.path.relative_to(TESTS).as_posix() if item.path.is_relative_to(TESTS) else ""
    ranks = (rank for rank, start in enumerate(LONGEST) if place == start or place.startswith(f"{start}/"))
    return next(ranks, len(LONGEST))


@pytest.fixture(scope="session")
def empty_database(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database of SQLite with all tables and no rows, for copies. `--cache-clear` has it made again."""
    cache = getattr(pytestconfig, "cache", None)
    return make_empty_database(cache.mkdir("empty-database") if cache else tmp_path_factory.mktemp("empty-database"))


@pytest.fixture(scope="session")
def django_db_keepdb(request: pytest.FixtureRequest, django_db_modify_db_settings: None) -> bool:
    """Begin with a copy of the empty database; it ends with the folder it is in. PostgreSQL's is made anew."""
    database = settings.DATABASES["default"]
    if "sqlite" not in database["ENGINE"]:
        return False
    shutil.copyfile(request.getfixturevalue("empty_database"), database["TEST"]["NAME"])
    return True


@pytest.fixture(scope="module")
def module_db(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """Let fixtures of a module make rows once for all its tests, each of which takes back what it changes itself."""
    with django_db_blocker.unblock(), transaction.atomic():
        yield
        transaction.set_rollback(True)


@pytest.fixture
def ana(db: None) -> User:
    """An author."""
    return User.objects.create_user("ana", password="ana's password")


@pytest.fixture
def ben(db: None) -> User:
    """Her rival."""
    return User.objects.create_user("ben", password="ben's password")


@pytest.fixture
def house(db: None) -> User:
    return User.objects.create_user("house", is_house=True)


@pytest.fixture
def ladder(db: None) -> Ladder:
    return open_season(game="battleline", edition="standard", title="Battle Line")


@pytest.fixture(scope="session")
def make_version() -> MakeVersion:
    """The next version of somebody's bot, accepted unless said otherwise."""

    def make(
        owner: User,
        name: str,
        source: bytes = FIRST_LEGAL,
        state: BotVersion.State = BotVersion.State.ACCEPTED,
        game: str = "battleline",
    ) -> BotVersion:
        bot = Bot.objects.filter(owner=owner, name=name).first()
        bot = bot or create_bot(owner=owner, name=name, game=game)
        return add_version(bot=bot, files={"bot.py": source}, state=state)

    return make


@pytest.fixture(scope="session")
def bare() -> Sandbox:
    """Run bots without a sandbox: the tests' own bots do no harm."""
    return find_unsandboxed()


@pytest.fixture(scope="module")
def runner() -> Iterator[RunnerProcess]:
    """Play as a worker does: in a process of its own, in the best sandbox of this machine. Other tests look at which
    processes are left, so it ends with the module."""
    real = RunnerProcess()
    if real.report()["level"] is None:
        pytest.skip(f"no sandbox: {real.report()['hint']}")
    yield real
    real.close()


@pytest.fixture
def broken() -> Iterator[RunnerProcess]:
    """A runner process that examines this machine, and ends at the first request."""
    code = (
        "import sys; from arena.runner.__main__ import RunnerService, main;"
        "RunnerService.answer = lambda *_: sys.exit(7); main()"
    )
    failing = RunnerProcess((sys.executable, "-c", code))
    yield failing
    failing.kill()


@pytest.fixture(scope="session")
def play(bare: Sandbox) -> Play:
    """Claim a queued match, play it and store its result."""

    return lambda match: play_queued(match, lambda spec, beat: play_match(spec, bare, beat))


def play_queued(match: Match, play_spec: PlaySpec) -> bool:
    """Claim a queued match, play it by this function and store its result."""
    attempt = claim_match(match_id=match.pk, worker=this_worker())
    assert attempt is not None
    return play_attempt(attempt=attempt, play=play_spec)


def make_deal_and_salts(
    seed: int = 0, game: str = "battleline", edition: str = "standard", players: int = 2
) -> dict[str, Any]:
    """Return the deal and the salts of a match for `queue_match`, by seed always the same."""
    rules = find_game(game)
    deal = rules.deal(rules.options(edition), players, Random(seed))
    return {"deal": deal, "salts": [f"{seed} {number}" for number in range(players)]}


@pytest.fixture
def messages() -> Iterator[Callable[[], list[Path]]]:
    """The messages that were left for workers."""

    def left() -> list[Path]:
        return sorted(settings.BROKER_DIR.glob("*.msg"))

    for message in left():
        message.unlink()
    yield left
