from datetime import timedelta

from django.test import Client
from django.utils.timezone import now

from arena.matches.models import WorkerStatus
from arena.matches.services import claim_match, queue_match


def test_an_idle_arena_without_workers_says_so(db):
    page = Client().get("/queue/").text
    assert "No worker has been heard of" in page
    assert "No match is being played" in page and "No match waits" in page


def test_a_missing_sandbox_is_told_with_what_to_do(db):
    WorkerStatus.objects.create(worker="mill", hint="Install bubblewrap.")
    page = Client().get("/queue/").text
    assert "no sandbox works here" in page and "Install bubblewrap." in page


def test_one_working_sandbox_is_enough_to_play(db):
    WorkerStatus.objects.create(worker="mill", hint="Install bubblewrap.")
    WorkerStatus.objects.create(worker="barn", sandbox="bwrap")
    page = Client().get("/queue/").text
    assert "no sandbox works here" not in page
    assert "mill" in page and "barn" in page


def test_a_worker_that_fell_silent_is_not_listed(db):
    WorkerStatus.objects.create(worker="mill", sandbox="bwrap", seen_at=now() - timedelta(minutes=2))
    assert "mill" not in Client().get("/queue/").text


def test_running_and_waiting_matches_are_told_apart(versions):
    running, waiting = (queue_match(versions=versions, game="battleline", edition="standard") for _ in range(2))
    claim_match(match_id=running.pk, worker="w")
    page = Client().get("/queue/")
    assert [row.match for row in page.context["running"]] == [running]
    assert [row.match for row in page.context["waiting"]] == [waiting]
    assert page.context["waiting_count"] == 1


def test_the_queue_is_shown_in_the_order_of_playing(versions):
    late = queue_match(versions=versions, game="battleline", edition="standard")
    urgent = queue_match(versions=versions, game="battleline", edition="standard", priority=10)
    assert [row.match for row in Client().get("/queue/").context["waiting"]] == [urgent, late]


def test_polling_brings_the_inner_part_only(db):
    part = Client().get("/queue/", headers={"HX-Request": "true"}).text
    assert "<html" not in part and "Waiting" in part
