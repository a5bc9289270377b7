import re
from html import unescape

from django.test import Client

from arena.ladders.services.entering import enter
from arena.matches.models import LegSeat, WorkerStatus
from arena.matches.services import queue_match
from arena.runner.sandbox.levels import Found, Report


def test_the_front_page_stands_on_an_empty_site(db):
    page = Client().get("/")
    assert page.status_code == 200
    assert "No match has been played yet" in page.text


def test_the_front_page_shows_the_best_and_the_newest(finished, versions):
    page = Client().get("/").text
    assert f'href="/matches/{finished.pk}/"' in page
    assert "Kingfisher" in page and "Heron" in page


def test_the_first_steps_name_the_commands(db):
    page = Client().get("/start/").text
    assert "uv run pennant play random greedy --matches 10" in page
    assert "uv run pennant verify" in page


def test_the_program_on_the_first_steps_plays_without_a_fault(ana, make_version, play):
    page = Client().get("/start/").text
    program = next(text for text in re.findall(r"<pre[^>]*>(.*?)</pre>", page, re.DOTALL) if "import json" in text)
    version = make_version(ana, "Copied", unescape(program).encode())
    match = queue_match(versions=[version] * 2, game="battleline", edition="standard")
    assert play(match)
    assert set(LegSeat.objects.values_list("verdict", flat=True)) == {"ok"}


def test_health_says_ok(db):
    answer = Client().get("/health/")
    assert answer.json() == {"status": "ok"}
    assert "no-cache" in answer["Cache-Control"]


def test_the_front_page_asks_as_much_for_many_matches_as_for_one(versions, ladder, play, django_assert_num_queries):
    for version in versions:
        enter(ladder=ladder, version=version)
    for _ in range(2):
        assert play(queue_match(versions=versions, game="battleline", edition="standard"))
        with django_assert_num_queries(6):
            Client().get("/")


def test_the_first_steps_list_the_languages_that_run_here(db):
    report = Report("A", "bwrap", (), (Found("go", "Go", "1.19.8", ""), Found("c", "C", None, "gcc")), "", 60.0)
    WorkerStatus.objects.create(worker="mill", level="A", report=report.as_json())
    page = Client().get("/start/").text
    assert "bot.go" in page and "1.19.8" in page
    assert "bot.c<" not in page
