"""Who waits gets a coarse result first; the lines of the passes, and when the next result is expected."""

from datetime import timedelta

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.utils.timezone import now
from pytest_django.fixtures import Settings

from arena.bots.models import BotVersion
from arena.contests.analysis.models import LegAnalysis, SeatAnalysis, WaitingLine
from arena.contests.analysis.queries import (
    USUAL_COARSE_S_PER_ENTRY,
    USUAL_FULL_S_PER_ENTRY,
    Pace,
    count_ahead,
    count_coarse_ahead,
    estimate_seconds,
    fetch_pace,
    fetch_result,
    fetch_shown,
    find_analyses,
)
from arena.contests.analysis.services import (
    MAX_FAILURES,
    claim_analysis,
    fail_analysis,
    pick_analyses_to_republish,
    request_analysis,
    requeue_lost_analyses,
    store_coarse_result,
)
from arena.matches.attempts import AttemptLost
from arena.matches.lesson import start_lesson
from arena.matches.models import Leg, Lesson, Match, WorkerStatus
from arena.matches.services import queue_match
from arena.matches.workers import this_worker
from arena.people.accounts.models import User
from engine.analysis.evaluators import find_evaluator
from engine.analysis.leg import analyse, analyse_coarsely
from engine.message import literal
from tests.arena.contests.analysis.finished import claim_full_pass, make_analysis, make_coarse_pass, work_on

GONE = f"{this_worker().rpartition('/')[0]}/1"


def claim(line: WaitingLine, worker: str = "") -> LegAnalysis | None:
    return claim_analysis(worker=worker or this_worker(), line=line)


def test_who_asks_gets_the_coarse_result_and_then_the_full_one(ana: User, leg: Leg) -> None:
    request_analysis(user=ana, leg=leg)
    assert fetch_shown(leg) is None and claim(WaitingLine.FULL) is None
    coarse = make_coarse_pass()
    evaluator = find_evaluator("battleline", "standard")
    assert coarse is not None and evaluator is not None
    assert (coarse.state, coarse.progress, coarse.line, coarse.worker) == ("running", 0.0, WaitingLine.FULL, "")
    assert coarse.coarse_data == analyse_coarsely(leg.record_data, evaluator)
    shown = fetch_shown(leg)
    assert shown is not None and shown.is_coarse and shown.content == coarse.coarse_data
    assert fetch_result(leg) is None and not SeatAnalysis.objects.exists()
    done = work_on(claim(WaitingLine.FULL))
    assert done is not None and done.is_done and done.coarse_data is None
    assert done.result_data == analyse(leg.record_data, evaluator)
    now_shown = fetch_shown(leg)
    assert now_shown is not None and not now_shown.is_coarse and now_shown.key != shown.key
    assert done.coarse_s is not None and done.worked_s is not None and 0 < done.coarse_s < done.worked_s


def test_what_nobody_asked_for_has_no_coarse_pass(ana: User, leg: Leg) -> None:
    request_analysis(user=ana, leg=leg)
    LegAnalysis.objects.update(is_automatic=True, requested_by=None)
    assert claim(WaitingLine.COARSE) is None and claim(WaitingLine.FULL) is None
    done = work_on(claim(WaitingLine.UNREQUESTED))
    assert done is not None and done.is_done and done.coarse_s is None


def test_while_a_lesson_runs_only_what_somebody_asked_for_is_analysed(ana: User, match: Match) -> None:
    asked, unasked = (request_analysis(user=ana, leg=leg) for leg in match.legs.order_by("number"))
    LegAnalysis.objects.filter(pk=unasked.pk).update(is_automatic=True, requested_by=None)
    LegAnalysis.objects.update(published_at=now() - timedelta(hours=1))
    lesson = start_lesson(ends_at=now() + timedelta(hours=1))
    assert pick_analyses_to_republish() == 1
    assert claim(WaitingLine.UNREQUESTED) is None and claim(WaitingLine.COARSE) == asked
    Lesson.objects.filter(pk=lesson.pk).update(ends_at=now())
    assert pick_analyses_to_republish() == 1 and claim(WaitingLine.UNREQUESTED) == unasked


def test_each_line_is_in_the_order_of_requests(ana: User, match: Match) -> None:
    first, second = (request_analysis(user=ana, leg=leg) for leg in match.legs.order_by("number"))
    assert (count_coarse_ahead(first), count_coarse_ahead(second)) == (0, 1)
    assert make_coarse_pass() == first and claim(WaitingLine.COARSE) == second
    assert count_coarse_ahead(second) == 0 and count_ahead(second) == 1
    assert claim(WaitingLine.FULL) == first


def test_a_coarse_pass_needs_no_share_and_no_rest(
    ana: User, match: Match, versions: list[BotVersion], settings: Settings
) -> None:
    settings.CELERY_WORKER_CONCURRENCY, settings.ANALYSIS_SHARE_PERCENT = 1, 1
    queue_match(versions=versions, game="battleline", edition="standard")
    first, second = (request_analysis(user=ana, leg=leg) for leg in match.legs.order_by("number"))
    make_coarse_pass()
    assert claim(WaitingLine.FULL) == first and claim(WaitingLine.FULL) is None
    LegAnalysis.objects.filter(pk=second.pk).update(rests_until=now() + timedelta(minutes=1))
    assert claim(WaitingLine.COARSE) == second


def test_a_coarse_pass_under_way_takes_no_slot_of_a_full_one(ana: User, match: Match, settings: Settings) -> None:
    settings.CELERY_WORKER_CONCURRENCY, settings.ANALYSIS_SHARE_PERCENT = 4, 25
    first, second = (request_analysis(user=ana, leg=leg) for leg in match.legs.order_by("number"))
    make_coarse_pass()
    assert claim(WaitingLine.COARSE) == second
    assert claim(WaitingLine.FULL) == first


def test_an_arena_without_analyses_makes_no_coarse_pass(ana: User, leg: Leg, settings: Settings) -> None:
    request_analysis(user=ana, leg=leg)
    settings.ANALYSIS_SHARE_PERCENT = 0
    assert claim(WaitingLine.COARSE) is None
    LegAnalysis.objects.update(published_at=now() - timedelta(hours=1))
    assert pick_analyses_to_republish() == 0


def test_all_forgotten_coarse_passes_are_told_to_workers(ana: User, match: Match) -> None:
    for leg in match.legs.all():
        request_analysis(user=ana, leg=leg)
    assert pick_analyses_to_republish() == 0
    LegAnalysis.objects.update(published_at=now() - timedelta(hours=1))
    assert pick_analyses_to_republish() == 2 and pick_analyses_to_republish() == 0


def test_a_lost_worker_stores_no_coarse_result(ana: User, leg: Leg) -> None:
    request_analysis(user=ana, leg=leg)
    lost = claim(WaitingLine.COARSE, GONE)
    assert lost is not None and requeue_lost_analyses() == 1
    with pytest.raises(AttemptLost):
        store_coarse_result(analysis=lost, result={}, worked_s=1.0)
    assert claim(WaitingLine.COARSE) == lost


def test_a_coarse_result_is_shown_where_the_full_pass_fails_and_is_not_made_again(ana: User, leg: Leg) -> None:
    request_analysis(user=ana, leg=leg)
    make_coarse_pass()
    for _ in range(MAX_FAILURES):
        analysis = claim(WaitingLine.FULL)
        assert analysis is not None
        fail_analysis(analysis=analysis, error=literal("MemoryError: none left"))
    shown = find_analyses(leg).shown
    assert shown is not None and shown.is_coarse and shown.analysis.state == "failed"
    assert request_analysis(user=ana, leg=leg).line is WaitingLine.FULL


def test_an_older_analysis_is_shown_until_the_full_pass_is_done(ana: User, leg: Leg) -> None:
    request_analysis(user=ana, leg=leg)
    make_analysis()
    LegAnalysis.objects.update(function_version="0")
    request_analysis(user=ana, leg=leg)
    make_coarse_pass()
    shown = fetch_shown(leg)
    assert shown is not None and not shown.is_coarse and shown.analysis.function_version == "0"


def test_the_time_of_all_slices_is_counted(ana: User, leg: Leg) -> None:
    request_analysis(user=ana, leg=leg)
    make_coarse_pass()
    first = make_analysis(seconds=0.0)
    assert first is not None and first.worked_s is not None
    done = make_analysis()
    assert done is not None and done.worked_s is not None and done.worked_s > first.worked_s
    assert done.entries_done == leg.decisions


def test_an_analysis_begun_before_times_were_counted_goes_on_and_counts_for_no_estimate(ana: User, leg: Leg) -> None:
    request_analysis(user=ana, leg=leg)
    make_coarse_pass()
    make_analysis(seconds=0.0)
    LegAnalysis.objects.update(worked_s=None, coarse_s=None, coarse_result=None)  # as the migration finds it
    assert claim(WaitingLine.FULL) is None and make_coarse_pass() is not None
    done = make_analysis()
    assert done is not None and done.is_done and done.worked_s is None
    assert fetch_pace().full_s == USUAL_FULL_S_PER_ENTRY


def test_times_are_expected_as_they_were_measured_here(ana: User, match: Match, settings: Settings) -> None:
    settings.CELERY_WORKER_CONCURRENCY, settings.ANALYSIS_SHARE_PERCENT = 1, 25
    first, second = match.legs.order_by("number")
    analysis = request_analysis(user=ana, leg=first)
    assert estimate_seconds(analysis) is None  # no worker reports
    WorkerStatus.objects.create(worker="mill", level="A")
    assert fetch_pace() == Pace(USUAL_COARSE_S_PER_ENTRY, USUAL_FULL_S_PER_ENTRY)
    entries = first.decisions
    assert entries is not None
    assert estimate_seconds(analysis) == pytest.approx(entries * USUAL_COARSE_S_PER_ENTRY)
    make_analysis()
    LegAnalysis.objects.update(coarse_s=2.0, worked_s=20.0)
    analysis.refresh_from_db()
    assert estimate_seconds(analysis) is None and fetch_pace() == Pace(2.0 / entries, 20.0 / entries)
    waiting = request_analysis(user=ana, leg=second)
    assert second.decisions == entries
    assert estimate_seconds(waiting) == pytest.approx(2.0)
    make_coarse_pass()
    waiting.refresh_from_db()
    assert estimate_seconds(waiting) == pytest.approx(20.0)
    LegAnalysis.objects.filter(pk=waiting.pk).update(entries_done=entries - 1)
    waiting.refresh_from_db()
    assert estimate_seconds(waiting) == pytest.approx(20.0 / entries)


def test_a_line_ahead_and_matches_that_wait_make_it_longer(
    ana: User, match: Match, versions: list[BotVersion], settings: Settings
) -> None:
    settings.CELERY_WORKER_CONCURRENCY, settings.ANALYSIS_SHARE_PERCENT = 1, 25
    WorkerStatus.objects.create(worker="mill", level="A")
    first, second = (request_analysis(user=ana, leg=leg) for leg in match.legs.order_by("number"))
    alone, behind = estimate_seconds(first), estimate_seconds(second)
    assert alone is not None and behind == pytest.approx(2 * alone)
    make_coarse_pass(), make_coarse_pass()
    first.refresh_from_db(), second.refresh_from_db()
    alone, behind = estimate_seconds(first), estimate_seconds(second)
    assert alone is not None and behind == pytest.approx(2 * alone)
    queue_match(versions=versions, game="battleline", edition="standard")
    assert estimate_seconds(first) == pytest.approx(4 * alone)
    WorkerStatus.objects.update(level="")
    assert estimate_seconds(first) is None


def test_what_nobody_asked_for_waits_for_all_that_somebody_did(ana: User, match: Match) -> None:
    WorkerStatus.objects.create(worker="mill", level="A")
    first, second = (request_analysis(user=ana, leg=leg) for leg in match.legs.order_by("number"))
    LegAnalysis.objects.filter(pk=first.pk).update(is_automatic=True, requested_by=None)
    first.refresh_from_db()
    expected = estimate_seconds(first)
    assert expected is not None and expected > (estimate_seconds(second) or 0.0)
    assert claim_full_pass() == second


@pytest.mark.full
def test_the_upgrade_and_the_way_back_keep_what_was_made(transactional_db: None, ana: User, leg: Leg) -> None:
    old = [("analysis", "0002_live_games")]
    request_analysis(user=ana, leg=leg)
    make_coarse_pass()
    begun = make_analysis(seconds=0.0)
    assert begun is not None
    MigrationExecutor(connection).migrate(old)
    call_command("migrate", verbosity=0)
    row = LegAnalysis.objects.get()
    assert (row.state, row.entries_done, row.coarse_result, row.worked_s) == ("running", begun.entries_done, None, None)
    assert row.parts is not None and row.line is WaitingLine.COARSE
    assert make_analysis() == row and fetch_result(leg) == row
