from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils.timezone import now

from arena.bots.models import BotVersion
from arena.matches.models import Match, WorkerStatus
from arena.matches.queue import place_in_queue, places_in_queue
from arena.matches.services import claim_next, queue_match


@pytest.fixture
def worker(db) -> WorkerStatus:
    found = [{"key": "python", "version": "3.11"}]
    return WorkerStatus.objects.create(worker="mill", level="A", report={"languages": found})


def queue(version: BotVersion, priority: int = 0, start: float = 0.0) -> Match:
    return queue_match(
        versions=[version] * 2, game="battleline", edition="standard", priority=priority, virtual_start=start
    )


def have_played(version: BotVersion, seconds: float) -> None:
    match = queue(version)
    began = now() - timedelta(hours=1)
    Match.objects.filter(pk=match.pk).update(
        state=Match.State.FINISHED, started_at=began, finished_at=began + timedelta(seconds=seconds)
    )


def test_the_first_is_the_next(version, worker):
    assert place_in_queue(queue(version)).ahead == 0
    assert place_in_queue(Match.objects.get()).reason == "Next in the queue."


def test_what_comes_before_is_counted_in_the_order_of_playing(version, worker):
    matches = [
        queue(version, priority, start) for priority, start in ((0, 5.0), (0, 1.0), (10, 9.0), (-10, 0.0), (0, 5.0))
    ]
    places = places_in_queue(matches)
    assert [places[match.pk].ahead for match in matches] == [2, 1, 0, 4, 3]
    assert places[matches[1].pk].reason == "1 match ahead of it."
    assert places[matches[4].pk].reason == "3 matches ahead of it."
    assert places[matches[3].pk].reason == "4 matches ahead of it."


def test_how_long_it_takes_is_learnt_from_what_was_played(version, worker):
    first, second, third = (queue(version) for _ in range(3))
    assert place_in_queue(first).seconds == 0.0 and place_in_queue(third).seconds is None
    have_played(version, 30.0)
    have_played(version, 10.0)
    assert [place_in_queue(match).seconds for match in (first, second, third)] == [0.0, 20.0, 40.0]
    claim_next(worker="w")
    assert [place_in_queue(match).seconds for match in (second, third)] == [10.0, 30.0]


def test_several_workers_are_faster(version, worker):
    have_played(version, 20.0)
    for _ in range(4):
        queue(version)
    last = queue(version)
    WorkerStatus.objects.create(worker="barn", level="A", report=worker.report)
    assert place_in_queue(last).seconds == 40.0


def test_without_a_worker_nobody_knows(version):
    waiting = place_in_queue(queue(version))
    assert waiting.seconds is None and "No worker" in waiting.reason


def test_without_a_sandbox_nobody_knows(version, worker):
    WorkerStatus.objects.update(level="")
    waiting = place_in_queue(queue(version))
    assert waiting.seconds is None and "No machine here has a working sandbox" in waiting.reason


def test_what_nobody_can_play_says_so(version, worker):
    BotVersion.objects.update(language="go")
    waiting = place_in_queue(queue(version))
    assert waiting.seconds is None and "No worker" in waiting.reason


def test_a_worker_that_has_not_spoken_while_it_plays_is_not_missed(version, worker):
    have_played(version, 20.0)
    queue(version)
    claim_next(worker="w")
    WorkerStatus.objects.update(seen_at=now() - timedelta(minutes=5))
    assert place_in_queue(queue(version)).seconds == 10.0


def test_what_is_played_or_over_waits_for_nothing(version, worker):
    have_played(version, 5.0)
    queue(version)
    running = claim_next(worker="w").match
    assert place_in_queue(running).seconds == 0.0
    assert place_in_queue(Match.objects.get(state="finished")).reason == "Finished."


def test_many_places_are_found_as_easily_as_one(version, worker):
    asked = []
    for count in (1, 8):
        matches = [queue(version) for _ in range(count)]
        with CaptureQueriesContext(connection) as queries:
            assert len(places_in_queue(matches)) == count
        asked.append(len(queries))
    assert asked[0] == asked[1] <= 7
