from django.core.cache import cache
from django.test import Client
from django.utils.timezone import now

from arena.ladders.services.entering import enter_version
from arena.matches.models import LegSeat
from arena.matches.services import queue_match


def test_the_front_page_stands_on_an_empty_site(db):
    page = Client().get("/")
    assert page.status_code == 200
    assert "No match has been played yet" in page.text


def test_the_front_page_shows_the_best_and_the_newest(finished, versions):
    page = Client().get("/").text
    assert f'href="/matches/{finished.pk}/"' in page
    assert "Kingfisher" in page and "Heron" in page


def test_health_says_ok(db):
    answer = Client().get("/health/")
    assert answer.json() == {"status": "ok"}
    assert "no-cache" in answer["Cache-Control"]


def test_the_front_page_asks_as_much_for_many_matches_as_for_one(versions, ladder, play, django_assert_num_queries):
    for version in versions:
        enter_version(ladder=ladder, version=version)
    for _ in range(2):
        assert play(queue_match(versions=versions, game="battleline", edition="standard"))
        cache.clear()
        with django_assert_num_queries(7):
            Client().get("/")


def test_the_replay_of_the_day_is_the_leg_of_the_best_that_was_decided_latest(finished):
    cache.clear()
    shown = Client().get("/").context["replay"]
    assert shown.row.match == finished
    longest = max(finished.legs.all(), key=lambda leg: (leg.decisions, leg.pk))
    assert shown.leg == longest.number and 0 < shown.turn < shown.last
    page = Client().get("/").text
    assert "Replay of the day" in page and f'src="/matches/{finished.pk}/turn/{shown.turn}.svg?leg={shown.leg}"' in page


def test_the_replay_of_the_day_stays_for_the_day(finished, versions, ladder, play):
    cache.clear()
    shown = Client().get("/").context["replay"]
    finished.legs.update(decisions=1)
    assert Client().get("/").context["replay"] == shown or Client().get("/").context["replay"].leg == shown.leg


def test_there_is_no_replay_where_every_leg_ended_with_a_fault(finished):
    cache.clear()
    LegSeat.objects.update(verdict="crash")
    assert Client().get("/").context["replay"] is None


def test_what_runs_now_can_be_watched_from_the_front_page(queued):
    assert "Running now" not in Client().get("/").text
    type(queued).objects.filter(pk=queued.pk).update(state="running", started_at=now())
    page = Client().get("/").text
    assert "Running now" in page and f">Watch {queued.pk}</a>" in page
