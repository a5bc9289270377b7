"""The version of the arena in the API."""

from datetime import timedelta
from importlib.metadata import version

from django.test import Client
from django.utils.timezone import now

from arena.core.release import DISTRIBUTION
from arena.matches.models import Match, WorkerStatus
from arena.matches.services import claim_match, queue_match
from arena.people.accounts.models import User
from arena.runner.languages import LANGUAGES
from arena.runner.sandbox.base import LanguageStatus, Report
from tests.arena.api.played import Script


def test_the_arena_says_which_version_it_is_and_what_it_speaks(db):
    answer = Client().get("/api/v1/arena/")
    assert answer.json() == {"version": version(DISTRIBUTION), "protocol": 1, "record_format": "arena-replay/1"}
    assert answer.status_code == 200


def tell(worker: str, *found: LanguageStatus, level: str = "A", ago: timedelta = timedelta()) -> None:
    """A machine says what it has."""
    report = Report(level or None, "bwrap" if level else "", (), found, None, 60.0)
    WorkerStatus.objects.create(worker=worker, level=level, report=report.as_json(), seen_at=now() - ago)


PYTHON = LanguageStatus("python", "Python", "3.11.2", None)
OLDER = LanguageStatus("python", "Python", "3.11.1", None)
GO = LanguageStatus("go", "Go", "1.19.8", None)
NO_RUST = LanguageStatus("rust", "Rust", None, LANGUAGES["rust"].advice)


def languages() -> list[dict[str, str]]:
    answer = Client().get("/api/v1/languages/")
    assert answer.status_code == 200 and answer["Content-Type"] == "application/json"
    return answer.json()


def test_without_a_machine_nothing_is_offered(db):
    assert languages() == []


def test_each_language_says_how_a_program_in_it_begins(db):
    tell("mill", PYTHON, NO_RUST)
    assert languages() == [{"key": "python", "title": "Python", "entry": "bot.py", "version": "3.11.2", "packages": []}]


def test_machines_add_up_in_the_order_of_the_list_of_languages(db):
    tell("barn", GO, PYTHON)
    tell("mill", OLDER)
    assert [(language["key"], language["version"]) for language in languages()] == [
        ("python", "3.11.1, 3.11.2"),
        ("go", "1.19.8"),
    ]


def test_a_machine_that_plays_nothing_or_fell_silent_offers_nothing(db):
    tell("barn", GO, level="")
    tell("mill", PYTHON, ago=timedelta(hours=2))
    assert languages() == []


def test_nothing_can_be_written_to_the_api(db):
    assert Client().post("/api/v1/languages/", {}).status_code == 405


def test_the_queue_tells_how_much_runs_and_waits(queue_rated):
    running, *_ = [queue_rated() for _ in range(3)]
    assert claim_match(match_id=running.pk, worker="mill")
    assert Script().read("/queue/") == {"running": 1, "waiting": 2, "lesson_ends_at": None, "own": []}


def test_authors_see_where_their_own_stand_and_why(queue_rated, ana: User, make_version):
    rated: Match = queue_rated()
    osprey = make_version(ana, "Osprey")
    trial = queue_match(versions=[osprey] * 2, game="battleline", edition="standard", priority=10)
    own = Script(ana).read("/queue/")["own"]
    assert [(one["match"]["id"], one["waiting"]["ahead"]) for one in own] == [(trial.pk, 0), (rated.pk, 1)]
    assert all(one["waiting"]["reason"] for one in own)
    assert [one["match"]["id"] for one in Script(ana, osprey.bot).read("/queue/")["own"]] == [trial.pk]
