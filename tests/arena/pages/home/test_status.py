"""The page that says whether the arena is up."""

from datetime import UTC, datetime, timedelta
from html import unescape

import pytest
from django.core.cache import cache
from django.test import Client
from django.utils.timezone import now

from arena.matches.models import Attempt, Match, WorkerStatus
from arena.matches.queue import HOUR, find_quantile, list_hours
from arena.pages.home import HOURS_SHOWN, fetch_hours
from arena.pages.svg.charts import COUNT_STEPS, build_hour_chart, split_runs
from arena.runner.sandbox.base import PACKAGES_LAYER

pytestmark = pytest.mark.django_db
NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _nothing_is_kept() -> None:
    cache.clear()


def store(ended: datetime, wait_s: float = 0, state: str = Match.State.FINISHED, ending: str = "") -> Match:
    """A match that was played for a minute, with an attempt that ended like this."""
    started = ended - timedelta(minutes=1)
    match = Match.objects.create(
        game="battleline",
        edition="standard",
        options={},
        rules_version=1,
        limits={},
        deal={},
        state=state,
        created_at=started - timedelta(seconds=wait_s),
        started_at=started,
        finished_at=ended,
    )
    Attempt.objects.create(match=match, number=1, worker="w", token=str(match.pk), ended_at=ended, ending=ending)
    return match


def test_hours_are_counted_by_what_ended_in_them() -> None:
    for minute in range(20):
        store(NOON + timedelta(minutes=minute), wait_s=minute, ending=Attempt.Ending.STORED)
    store(NOON + timedelta(minutes=59, seconds=59), state=Match.State.VOID, ending=Attempt.Ending.FAILED)
    store(NOON + timedelta(hours=2), wait_s=90, ending=Attempt.Ending.LOST)
    store(NOON + timedelta(hours=3), wait_s=90)
    first, idle, last = list_hours(NOON, NOON + 3 * HOUR)
    assert (first.begins_at, first.matches, first.lost, first.failed) == (NOON, 20, 0, 1)
    assert (first.median_wait_s, first.p95_wait_s) == (9, 18)
    assert (idle.matches, idle.median_wait_s, idle.lost, idle.failed) == (0, None, 0, 0)
    assert (last.matches, last.median_wait_s, last.lost, last.failed) == (1, 90, 1, 0)


def test_of_many_matches_some_are_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.matches.queue.MAX_MATCHES_TIMED", 5)
    for second in range(40):
        store(NOON + timedelta(seconds=second), wait_s=30)
    (hour,) = list_hours(NOON, NOON + HOUR)
    assert (hour.matches, hour.median_wait_s) == (40, 30)


def test_hours_that_are_over_are_asked_for_once(django_assert_num_queries) -> None:
    at = now()
    with django_assert_num_queries(6):
        hours = fetch_hours(at)
    assert len(hours) == HOURS_SHOWN and hours[-1].begins_at <= at < hours[-1].begins_at + HOUR
    with django_assert_num_queries(3):
        assert fetch_hours(at) == hours


def test_at_a_new_hour_that_one_alone_is_asked_for() -> None:
    first, later = NOON + timedelta(minutes=50), NOON + timedelta(minutes=70)
    fetch_hours(first)
    store(NOON - 3 * HOUR)
    store(NOON + timedelta(minutes=30))
    matches = {hour.begins_at: hour.matches for hour in fetch_hours(later)}
    assert len(matches) == HOURS_SHOWN and (matches[NOON - 3 * HOUR], matches[NOON]) == (0, 1)
    cache.clear()
    assert {hour.begins_at: hour.matches for hour in fetch_hours(later)}[NOON - 3 * HOUR] == 1


def test_quantiles_are_values_that_there_are() -> None:
    assert find_quantile([], 0.5) is None
    assert find_quantile([3.0], 0.95) == 3.0
    assert find_quantile([1.0, 2.0, 3.0, 4.0], 0.5) == 3.0


def test_an_axis_ends_above_all_columns() -> None:
    for highest, top in ((0, 1), (3, 3), (5, 6), (101, 150), (70_000, 80_000)):
        assert build_hour_chart([NOON], highest, COUNT_STEPS, str).top == top


def test_a_line_has_gaps_where_nothing_ended() -> None:
    assert list(split_runs([None, 1, 2, None, 3])) == [[(1, 1), (2, 2)], [(4, 3)]]


def test_packages_are_named_where_they_fill_memory() -> None:
    layer = {"name": PACKAGES_LAYER, "holds": True, "what": "torch, using more than 150 MB of this machine's memory"}
    for worker, takes_much in (("mill", True), ("barn", False)):
        report = {"layers": [layer], "packages": {"works": True, "takes_much_memory": takes_much}}
        WorkerStatus.objects.create(worker=worker, level="A", report=report)
    WorkerStatus.objects.create(worker="den", level="A", report={"layers": [layer], "packages": None})
    page = unescape(Client().get("/status/").text)
    assert page.count("packages of bots: torch, using more than 150 MB") == 1


def test_an_arena_without_workers_is_not_up() -> None:
    page = Client().get("/status/").text
    assert "Something is down." in page and "no matches are being played" in page
    assert page.count('<svg class="history"') == 3 and page.count("<details>") == 3


def test_people_see_workers_queue_and_pictures_with_their_numbers() -> None:
    at = now()
    memory = {"name": "kept out of swap", "holds": False, "what": "raise the workers' memlock limit"}
    WorkerStatus.objects.create(worker="mill", level="A", report={"layers": [memory]})
    WorkerStatus.objects.create(worker="barn", level="", seen_at=at - timedelta(hours=2))
    WorkerStatus.objects.create(worker="long-gone", level="A", seen_at=at - timedelta(days=2))
    store(at - timedelta(hours=3), wait_s=600, ending=Attempt.Ending.LOST)
    Match.objects.filter(pk=store(at).pk).update(state=Match.State.QUEUED, finished_at=None)
    page = Client().get("/status/")
    assert "kept out of swap: raise the workers' memlock limit" in unescape(page.text)
    assert "The arena is up." in page.text
    assert "mill" in page.text and "silent" in page.text and "no level" in page.text and "long-gone" not in page.text
    matches, waiting, attempts = page.context["pictures"]
    assert ["1"] in [numbers for _hour, numbers in matches["rows"]]
    assert ["10 min", "10 min"] in [numbers for _hour, numbers in waiting["rows"]]
    assert ["1", "0"] in [numbers for _hour, numbers in attempts["rows"]]
    assert {line["name"]: line["matches"] for line in page.context["queue"]}["Other"] == 1
