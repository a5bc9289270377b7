import json
import sys
from base64 import b64decode
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from time import monotonic
from typing import Any

import pytest
from django.utils.timezone import now
from pytest_django.fixtures import Settings

from arena.bots.models import BotVersion
from arena.celery import app
from arena.contests.ladders.models import Entry, Ladder, LadderMatch, RatingChange
from arena.contests.ladders.services.entering import enter_version
from arena.core.schedule import PERIODIC_TASKS
from arena.matches.models import Attempt, LegSeat, Match, WorkerStatus
from arena.matches.runner_process import COMMAND, RunnerProcess
from arena.matches.services import claim_match, queue_trial
from arena.matches.workers import SandboxStatus
from arena.operations import tasks
from arena.operations.management.chores import resume_unfinished_work
from arena.people.accounts.models import User
from tests.conftest import EXITS_AT_ONCE, MakeVersion

pytestmark = pytest.mark.django_db(transaction=True)
ON_TRIAL = BotVersion.State.ON_TRIAL
Messages = Callable[[], list[Path]]
WAKE = ("arena.tasks.play_next", [])


@pytest.fixture(autouse=True)
def status(runner: RunnerProcess, monkeypatch: pytest.MonkeyPatch) -> SandboxStatus:
    """Those of a worker that can play."""
    found = SandboxStatus(runner)
    monkeypatch.setattr(tasks, "sandbox_status", found)
    return found


@pytest.fixture
def match(
    messages: Messages, ladder: Ladder, ana: User, ben: User, make_version: MakeVersion, settings: Settings
) -> Match:
    """A queued ladder match, and no room for another."""
    settings.MAX_WAITING_MATCHES_PER_LADDER = 1
    for owner, source in ((ana, EXITS_AT_ONCE), (ben, EXITS_AT_ONCE)):
        enter_version(ladder=ladder, version=make_version(owner, f"{owner.username}'s", source))
    tasks.pair_all_ladders()
    settings.MAX_WAITING_MATCHES_PER_LADDER = 0
    return Match.objects.get()


def read(message: Path) -> tuple[str, list[Any]]:
    """The task's name and its arguments."""
    content = json.loads(message.read_text())
    assert content["content-type"] == "application/json"
    return content["headers"]["task"], json.loads(b64decode(content["body"]))[0]


def test_a_message_only_wakes_a_worker(match: Match, messages: Messages) -> None:
    assert [read(message) for message in messages()] == [WAKE]


def test_a_match_is_played_and_settled(match: Match) -> None:
    tasks.play_next()
    match.refresh_from_db()
    assert match.state == "finished" and match.settled_at is not None
    assert LadderMatch.objects.get().sequence == 1
    assert [entry.matches for entry in Entry.objects.all()] == [1, 1]


def everything() -> list[Any]:
    tables = (Match, Attempt, LegSeat, LadderMatch, RatingChange, Entry)
    return [list(table.objects.order_by("pk").values()) for table in tables]


def test_second_delivery_changes_nothing(match: Match) -> None:
    tasks.play_next()
    before = everything()
    tasks.play_next()
    tasks.settle_match(match.pk)
    assert everything() == before


def test_second_delivery_while_it_is_played_changes_nothing(match: Match) -> None:
    claim_match(match_id=match.pk, worker="there")
    before = everything()
    tasks.play_next()
    tasks.settle_match(match.pk)
    assert everything() == before


def test_without_a_sandbox_matches_stay_queued_and_the_reason_is_known(match: Match, status: SandboxStatus) -> None:
    status.runner = RunnerProcess((sys.executable, "-c", "raise SystemExit('not today')"))
    tasks.play_next()
    match.refresh_from_db()
    assert match.state == "queued" and not match.attempts.exists()
    status = WorkerStatus.objects.get()
    assert status.sandbox == "" and "exited with code 1" in str(status.hint)


def test_a_runner_process_that_fails_costs_an_attempt_and_not_the_match(
    match: Match, status: SandboxStatus, broken: RunnerProcess
) -> None:
    status.runner = broken
    began = monotonic()
    tasks.play_next()
    assert monotonic() - began >= tasks.FAILED_ATTEMPT_REST_S
    match.refresh_from_db()
    assert match.state == "queued"
    assert "RunnerProcessError: the runner process exited with code 7" in str(match.attempts.get().error)
    assert not RatingChange.objects.exists()


def test_after_a_failed_runner_process_another_is_started(
    match: Match, status: SandboxStatus, broken: RunnerProcess
) -> None:
    status.runner = broken
    tasks.play_next()
    broken.command = COMMAND
    # On a busy machine the pause of five seconds can have passed by now, so make it longer.
    Match.objects.filter(retry_at__isnull=False).update(retry_at=now() + timedelta(minutes=1))
    tasks.play_next()
    assert match.attempts.count() == 1, "it rests after a failure"
    Match.objects.update(retry_at=now())
    tasks.play_next()
    assert [attempt.ending for attempt in match.attempts.all()] == ["failed", "stored"]


class TestAnUpload:
    @pytest.mark.parametrize("in_vain", [0, 1])
    def test_is_tried_accepted_and_entered(
        self, ladder: Ladder, ana: User, make_version: MakeVersion, messages: Messages, in_vain: int
    ) -> None:
        version = make_version(ana, "k", state=ON_TRIAL)
        tasks.check_version(version.pk)
        for _ in range(in_vain):
            tasks.check_version(version.pk)
        assert sorted(read(message) for message in messages()) == [("arena.tasks.check_next", []), WAKE]
        tasks.play_next()
        version.refresh_from_db()
        assert version.state == "accepted"
        assert Entry.objects.get().version == version

    def test_with_a_fault_is_rejected_and_stays_out(self, ladder: Ladder, ana: User, make_version: MakeVersion) -> None:
        version = make_version(ana, "k", EXITS_AT_ONCE, ON_TRIAL)
        tasks.check_version(version.pk)
        tasks.play_next()
        version.refresh_from_db()
        assert version.state == "rejected" and version.state_reason
        assert not Entry.objects.exists()


class TestTheNextStart:
    def test_plays_what_is_queued(self, match: Match, messages: Messages) -> None:
        resume_unfinished_work()
        assert WAKE in [read(message) for message in messages()]

    def test_rates_what_was_played_and_not_rated(self, match: Match, messages: Messages) -> None:
        tasks.play_next()
        Match.objects.update(settled_at=None)
        resume_unfinished_work()
        sent = dict(read(message) for message in messages())
        assert sent == {"arena.tasks.settle_match": [match.pk], "arena.tasks.pair_ladders": []}


class TestSweep:
    def test_leaves_what_is_in_good_hands(self, match: Match, messages: Messages) -> None:
        before = len(messages())
        tasks.sweep()
        assert len(messages()) == before

    def test_wakes_a_worker_again_for_a_lost_message(self, match: Match, messages: Messages) -> None:
        messages()[0].unlink()
        tasks.sweep()
        assert [read(message) for message in messages()] == [WAKE]

    def test_goes_on_with_a_match_whose_worker_fell_silent(self, match: Match, messages: Messages) -> None:
        claim_match(match_id=match.pk, worker="elsewhere/1/2/3")
        Attempt.objects.update(heartbeat_at=now() - timedelta(minutes=5))
        messages()[0].unlink()
        tasks.sweep()
        assert [read(message) for message in messages()] == [WAKE]
        tasks.play_next()
        assert [attempt.ending for attempt in match.attempts.all()] == ["lost", "stored"]
        assert RatingChange.objects.count() == 2

    def test_settles_what_was_forgotten(self, match: Match, messages: Messages) -> None:
        tasks.play_next()
        Match.objects.update(settled_at=None)
        messages()[0].unlink()
        tasks.sweep()
        assert [read(message) for message in messages()] == [("arena.tasks.settle_match", [match.pk])]

    def test_puts_a_forgotten_upload_on_trial(self, ana: User, make_version: MakeVersion, messages: Messages) -> None:
        version = make_version(ana, "k", state=ON_TRIAL)
        BotVersion.objects.update(created_at=now() - timedelta(minutes=1))
        tasks.sweep()
        assert [read(message) for message in messages()] == [("arena.tasks.check_version", [version.pk])]

    def test_tries_again_some_minutes_after_a_void_trial(
        self, ana: User, make_version: MakeVersion, messages: Messages
    ) -> None:
        version = make_version(ana, "k", state=ON_TRIAL)
        BotVersion.objects.update(created_at=now() - timedelta(minutes=1))
        queue_trial(version=version)
        Match.objects.update(state=Match.State.VOID, settled_at=now(), finished_at=now())
        tasks.sweep()
        assert not messages()
        Match.objects.update(finished_at=now() - timedelta(hours=1))
        tasks.sweep()
        assert [read(message) for message in messages()] == [("arena.tasks.check_version", [version.pk])]

    def test_says_what_this_machine_can_do(self, db: None, runner: RunnerProcess) -> None:
        tasks.sweep()
        assert WorkerStatus.objects.get().sandbox == runner.report()["sandbox"]


def test_a_periodic_task_takes_up_what_each_task_left_undone() -> None:
    ours = {name for name in app.tasks if name.startswith("arena.")}
    named = [task.name for taken in tasks.TAKEN_UP_BY.values() for task in taken]
    assert sorted(named) == sorted(ours)
    scheduled = {one["task"] for one in PERIODIC_TASKS.values()}
    assert {task.name for task in tasks.TAKEN_UP_BY} == scheduled
