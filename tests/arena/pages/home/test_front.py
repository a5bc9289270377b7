from django.core.cache import cache
from django.test import Client
from django.utils.timezone import now

from arena.ladders.models import LadderMatch
from arena.ladders.services.ledger import append_finished_matches
from arena.matches.services import queue_match
from tests.conftest import make_deal_and_salts


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


def test_the_front_page_asks_as_much_for_many_matches_as_for_few(finished, versions, play, django_assert_num_queries):
    ladder = finished.ladder_match.ladder
    for seed in (1, 2):
        match = queue_match(versions=versions, game="battleline", edition="standard", **make_deal_and_salts(seed))
        LadderMatch.objects.create(ladder=ladder, match=match)
        assert play(match)
        append_finished_matches(ladder=ladder)
        cache.clear()
        with django_assert_num_queries(30):
            Client().get("/")


def test_what_runs_now_can_be_watched_from_the_front_page(queued):
    assert "Running now" not in Client().get("/").text
    type(queued).objects.filter(pk=queued.pk).update(state="running", started_at=now())
    page = Client().get("/").text
    assert "Running now" in page and f">Watch {queued.pk}</a>" in page
