"""A ladder that pairs no matches, and a worker that takes none."""

import socket

import pytest

from arena.contests.ladders.models import Entry, Ladder
from arena.contests.ladders.services.pairing import queue_ladder_matches
from arena.contests.ladders.services.seasons import close_season
from arena.core.errors import Conflict
from arena.matches.models import Match, WorkerStatus
from arena.matches.queue import find_latest_working_report
from arena.matches.runner_process import RunnerProcess
from arena.matches.services import claim_next, queue_match
from arena.matches.workers import SandboxStatus, UnknownWorker, find_worker, list_known_capabilities, this_worker
from arena.operations import tasks
from arena.operations.staff_acts import DrainWorker, PauseLadder, ResumeLadder, ResumeWorker
from tests.arena.operations.staff_acts.conftest import Do
from tests.conftest import Play

PAUSED = "Paused by this arena's staff"


def test_a_paused_ladder_pairs_nothing_and_plays_what_it_paired(
    ladder: Ladder, entries: list[Entry], do: Do, play: Play
) -> None:
    paired = queue_ladder_matches(ladder=ladder)
    assert paired and "still to be played" in do(PauseLadder(ladder))
    assert queue_ladder_matches(ladder=ladder) == [] and not Ladder.objects.playable().exists()
    assert play(paired[0])
    ladder.refresh_from_db()
    with pytest.raises(Conflict, match="already paused"):
        PauseLadder(ladder).describe()
    do(ResumeLadder(ladder))
    assert queue_ladder_matches(ladder=ladder)
    with pytest.raises(Conflict, match="Battle Line isn't paused"):
        ResumeLadder(Ladder.objects.get()).describe()


def test_pages_and_api_tell_that_a_ladder_is_paused(ladder, do, client):
    page = ladder.get_absolute_url()
    assert PAUSED not in client.get(page).content.decode()
    do(PauseLadder(ladder))
    assert PAUSED in client.get(page).content.decode()
    assert "stábja szüneteltette" in client.get(page, headers={"Accept-Language": "hu"}).content.decode()
    assert "paused" in client.get("/ladders/").content.decode()
    assert client.get("/api/v1/ladders/").json()["results"][0]["paused_at"]


def test_the_next_season_of_a_paused_ladder_is_paused(ladder: Ladder, do: Do) -> None:
    do(PauseLadder(ladder))
    following = close_season(ladder=ladder)
    assert following.paused_at is not None
    with pytest.raises(Conflict, match="Season 1 of Battle Line is finished"):
        PauseLadder(Ladder.objects.get(pk=ladder.pk)).describe()


@pytest.fixture
def worker(db: None) -> WorkerStatus:
    languages = [{"key": "python", "version": "3.11"}]
    return WorkerStatus.objects.create(worker=socket.gethostname(), level="A", report={"languages": languages})


def test_a_drained_worker_ends_its_match_and_takes_no_other(
    ladder: Ladder, entries: list[Entry], worker: WorkerStatus, do: Do
) -> None:
    for _ in range(3):
        queue_match(versions=[entry.version for entry in entries], game="battleline", edition="standard")
    attempt = claim_next(worker=this_worker())
    assert attempt is not None
    plan = DrainWorker(worker).describe()
    assert "(1 match)" in plan and "No other worker" in plan
    assert str(attempt.match_id) in do(DrainWorker(worker))
    assert claim_next(worker=this_worker()) is None
    assert list_known_capabilities() == [] and find_latest_working_report() is None
    other = claim_next(worker="elsewhere/1/2/3")
    assert other is not None
    do(ResumeWorker(WorkerStatus.objects.get()))
    assert claim_next(worker=this_worker()) is not None


def test_a_worker_stays_drained_when_it_starts_again(worker: WorkerStatus, do: Do, runner: RunnerProcess) -> None:
    do(DrainWorker(worker))
    assert SandboxStatus(runner).get() is runner
    again = WorkerStatus.objects.get()
    assert again.drained_at is not None and again.report["level"] == again.level
    with pytest.raises(Conflict, match="already drained"):
        DrainWorker(again).describe()


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("entries")
def test_a_drained_worker_passes_messages_on(ladder, worker, do, runner, messages, monkeypatch):
    monkeypatch.setattr(tasks, "sandbox_status", SandboxStatus(runner))
    queue_ladder_matches(ladder=ladder)
    do(DrainWorker(worker))
    tasks.play_next()
    assert messages() == []  # nobody else could play
    WorkerStatus.objects.create(worker="barn", level="A", report=worker.report)
    tasks.play_next()
    assert len(messages()) == 1 and not Match.objects.running().exists()


def test_the_queue_page_tells_which_worker_is_drained(client, worker, do):
    do(DrainWorker(worker))
    page = client.get("/queue/").content.decode()
    assert "takes no new ones until staff" in page and "All workers are draining" in page


def test_an_unknown_worker_is_refused_with_those_that_are_known(worker: WorkerStatus) -> None:
    with pytest.raises(UnknownWorker, match=worker.worker):
        find_worker("nowhere")
