from datetime import timedelta

from django.test import Client
from django.utils.timezone import now

from arena.matches.models import WorkerStatus
from arena.runner.languages import LANGUAGES
from arena.runner.sandbox.levels import LanguageStatus, Report


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
    assert languages() == [{"key": "python", "title": "Python", "entry": "bot.py", "version": "3.11.2"}]


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
