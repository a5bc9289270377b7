"""Define all Celery tasks, in the order in which a match passes through them.

Arguments are ids; the database holds the work to be done. A task may be delivered twice, late or never: a second
delivery changes nothing, and `sweep` takes up what was missed.
"""

import logging
import socket
from collections.abc import Callable, Collection, Iterable
from datetime import timedelta
from time import monotonic, sleep
from typing import Any

from celery import shared_task
from celery.concurrency import get_implementation
from celery.concurrency.thread import TaskPool as ThreadPool
from celery.signals import celeryd_after_setup, worker_init, worker_process_shutdown, worker_ready, worker_shutdown
from django.conf import settings
from django.db import transaction
from django.utils.timezone import now

from arena.bots.models import BotVersion
from arena.bots.running import NO_BOTS, WorkerCapabilities
from arena.bots.services import claim_build, postpone_build, reject_build, renew_build, store_build
from arena.contests.analysis.models import WaitingLine
from arena.contests.analysis.services import (
    audit_luck_of_match,
    claim_analysis,
    has_waiting_coarse_pass,
    measure_luck_on_open_ladders,
    pick_analyses_to_republish,
    queue_top_matches,
    requeue_lost_analyses,
    work_on_analysis,
)
from arena.contests.atlas.services import count_missed_legs, recheck_all
from arena.contests.comparisons.models import Comparison
from arena.contests.comparisons.services import (
    count_comparison_match,
    count_units,
    list_matches_without_luck,
    measure_match_luck,
    queue_comparison_matches,
)
from arena.contests.following.services import gather_news, send_due_digests, tell_followers
from arena.contests.formations.services import count_formations, count_missed_formations
from arena.contests.ladders.models import Ladder
from arena.contests.ladders.services.entering import enter_accepted_version, list_versions_without_edition_trial
from arena.contests.ladders.services.ledger import MAX_MATCHES_PER_TRANSACTION, append_finished_matches
from arena.contests.ladders.services.pairing import queue_ladder_matches
from arena.contests.ladders.services.refitting import refit_ladder, update_collusion_reports
from arena.contests.ladders.services.remote import (
    cancel_abandoned_matches,
    list_ladders_to_pair,
    queue_open_ladder_matches,
)
from arena.contests.puzzles.services import choose_daily
from arena.contests.puzzles.services import stock_puzzles as stock_puzzles_where_few_are_left
from arena.contests.stories.services import (
    tell_first_stories_of_today,
    tell_stories_of_today,
    tell_stories_of_yesterday,
)
from arena.contests.tournaments.models import Tournament
from arena.contests.tournaments.queries import find_tournament_of_match
from arena.contests.tournaments.services.entering import record_check_result
from arena.contests.tournaments.services.forecasting import is_forecast_due, store_forecast
from arena.contests.tournaments.services.playing import advance_tournament
from arena.contests.tournaments.services.trials import follow_trial, update_entrants
from arena.core.brokers import nudge_remote_server
from arena.core.logs import log_with
from arena.core.wake import WAKERS, Work
from arena.matches.attempts import beat_every
from arena.matches.lifecycle import end_games_of_stopped_bots
from arena.matches.livegames.answering import (
    LEFT_TO_HOLDER,
    WaitingTurn,
    answer_attempt,
    claim_answer,
    forget_kept,
    list_outdated_tables,
    list_waiting_turns,
    requeue_lost_answers,
)
from arena.matches.livegames.models import LiveGame, LiveHint
from arena.matches.livegames.playing import abandon_idle_games, claim_hint, make_hint, requeue_lost_hints
from arena.matches.models import Attempt, Match, WorkerStatus
from arena.matches.play import play_attempt
from arena.matches.queue import list_live_workers
from arena.matches.runner_process import RunnerProcess, RunnerProcessError
from arena.matches.services import (
    EDITION_TRIAL_PRIORITY,
    TRIAL_PRIORITY,
    apply_package_trial_result,
    apply_trial_result,
    claim_next,
    has_due_match,
    list_versions_to_try_again,
    list_versions_without_trial,
    notify_of_match,
    notify_of_package_trial,
    notify_of_trial,
    queue_package_trial,
    queue_trial,
    requeue_lost_matches,
)
from arena.matches.slots import Purpose, Slot, Slots, find_purposes, slot_shares, worker_slots
from arena.matches.workers import (
    find_offered_packages,
    is_drained,
    read_capabilities,
    report_alive,
    sandbox_status,
    this_worker,
)
from arena.operations.lifecycle import clean_up
from arena.operations.upkeep import end_old_rehearsals, mail_notices, remind_of_deadlines
from arena.people.notices.services import courier, find_due_deliveries
from arena.runner.sandbox.base import BuildError

PASSED_ON_AFTER_S = 1.0
"""Time after which a worker that can't use a message, or can't yet, sends it again: it would get it back at once."""
FAILED_ATTEMPT_REST_S = 3.0
"""Time for which a worker process rests after it failed to play a match: it would fail again, and others may not."""
BUILD_TURN = timedelta(seconds=5)
"""A version that has waited so long to be built comes before trials, in all slots but one."""
BUILD_RENEWAL_S = 10.0
MAX_PACKAGE_TRIALS = 50
"""Number of versions that are tried with other packages at a time; the next ones a minute later."""
MAX_LIVE_MESSAGES = 4
"""Number of messages that may wait for people at tables: each leads to whatever is to be done there."""

logger = logging.getLogger(__name__)


@celeryd_after_setup.connect
def read_control_messages(instance: Any, **_: object) -> None:
    """Have each worker that plays matches read the queue `control`, which its command line may not name."""
    queues = instance.app.amqp.queues
    if "celery" in queues.consume_from:
        queues.select_add("control")


@worker_init.connect
def serve_with_threads(sender: Any, **_: object) -> None:
    """Give a worker with threads slots for what people wait for."""
    if get_implementation(sender.pool_cls) is ThreadPool:
        worker_slots.use_threads()


@worker_ready.connect
def examine_machine(**_: object) -> None:
    """Have this machine examined, so that its first upload needn't wait for that."""
    if worker_slots.uploads is not None:
        sweep.delay()


@worker_shutdown.connect
@worker_process_shutdown.connect
def end_deliveries(**_: object) -> None:
    """Let the courier of this process end what it is sending."""
    courier.close()


def find_turn_slots() -> Slots:
    """Return the slots of this process for turns of live games, hints and quick analyses."""
    return worker_slots.turns or Slots([Slot(sandbox_status.runner, sandbox_status)], long=1)


def find_upload_slots() -> Slots:
    """Return the slots of this process for trials and builds."""
    return worker_slots.uploads or Slots([Slot(sandbox_status.runner, sandbox_status)], long=1)


def begin_check(version_id: int) -> None:
    """Queue the trial of an uploaded version in the transaction that stores it; a version to be built waits for that.

    Workers are woken when it commits.
    """
    queue_trial(version=BotVersion.objects.get(pk=version_id))
    wake_for_uploads()


def wake_for_uploads() -> None:
    """Wake a worker for each slot in which an upload could be built or tried, when the transaction commits."""
    check_next.delay_on_commit()
    play_next.delay_on_commit()


@shared_task(name="arena.tasks.check_version")
def check_version(version_id: int) -> None:
    """Queue the trial of an uploaded version that has none."""
    if queue_trial(version=BotVersion.objects.get(pk=version_id)) is not None:
        wake_for_uploads()


@shared_task(name="arena.tasks.build_version")
def build_version(version_id: int) -> None:
    """Build a version: of an earlier release, whose messages named it. Now the version that has waited longest is."""
    check_next()


@shared_task(name="arena.tasks.check_next", max_waiting=1)
def check_next() -> None:
    """Build and try uploads in the slot for them until none waits.

    It is looked without the slot whether one waits: a message that finds the slot taken has nothing to do, since who
    has the slot looks again after releasing it.
    """
    slots = find_upload_slots()
    while has_waiting_upload() and check_one(slots):
        pass


def check_one(slots: Slots) -> bool:
    """Try or build one upload, if the slot is free. Return whether there was one."""
    with slots.take() as slot:
        if slot is None or not slot.is_able() or is_drained(this_worker()):
            return False
        return check_upload(slot.runner)


def has_waiting_upload() -> bool:
    """Return whether an upload waits for its trial or to be built."""
    trials = Match.objects.queued().due().filter(priority__in=(TRIAL_PRIORITY, EDITION_TRIAL_PRIORITY))
    return trials.exists() or BotVersion.objects.to_build().exists()


def check_upload(runner: RunnerProcess) -> bool:
    """Play the next trial, or build the version that has waited longest. Return whether there was one.

    Trials are shorter than builds. Those in further editions come last: their versions are accepted already.
    """
    return play_trial(runner, TRIAL_PRIORITY) or build_next(runner) or play_trial(runner, EDITION_TRIAL_PRIORITY)


def play_trial(runner: RunnerProcess, priority: int) -> bool:
    """Play the next trial of a priority. Return whether there was one."""
    attempt = claim_next(worker=this_worker(), capabilities=find_capabilities(runner), priorities=(priority,))
    if attempt is not None:
        play_claimed(attempt, runner)
    return attempt is not None


def build_next(runner: RunnerProcess, waited: timedelta = timedelta(0)) -> bool:
    """Build the version that has waited longest, if any has for so long, and queue its trial."""
    version = claim_build(find_capabilities(runner), waited)
    if version is None:
        return False
    try:
        program, log = runner.build(version.program, beat_every(BUILD_RENEWAL_S, lambda: renew_build(version=version)))
    except BuildError as refused:
        if reject_build(version=version, detail=refused.message, log=refused.log):
            version.refresh_from_db()
            for tournament in follow_trial(version=version):
                play_tournament(tournament.pk)
    except RunnerProcessError:
        logger.exception("%s could not be built: it will be tried again", version)
        postpone_build(version=version)
    else:
        if store_build(version=version, program=program, log=log):
            check_version(version.pk)
    return True


def find_capabilities(runner: RunnerProcess) -> WorkerCapabilities:
    """Return what this worker can play."""
    return WorkerCapabilities.of_report(runner.report(), runner.languages)


@shared_task(name="arena.tasks.play_next", max_waiting=settings.CELERY_WORKER_CONCURRENCY)
def play_next() -> None:
    """Do the next piece of work that this worker may do; none without a working sandbox.

    That is a build, a trial or another match. The table is the queue: a message only says that something waits, and is
    sent again while it does.
    """
    runner = sandbox_status.get()
    if runner is None:
        return
    if is_drained(this_worker()):
        pass_message_on()
        return
    if build_next(runner, waited=BUILD_TURN):
        play_next.delay()
        return
    attempt = claim_in_turn(runner)
    if attempt is None:
        if build_next(runner):
            play_next.delay()
        elif has_due_match():
            pass_message_on()
        return
    if has_due_match():  # others may play what waits meanwhile
        play_next.delay()
    play_claimed(attempt, runner)


def claim_in_turn(runner: RunnerProcess) -> Attempt | None:
    """Claim the first match of the queue, or that of a line which has had less than its least share of this slot."""
    capabilities = find_capabilities(runner)
    if owed := slot_shares.find_owed():
        attempt = claim_next(worker=this_worker(), capabilities=capabilities, priorities=owed)
        if attempt is not None:
            return attempt
    return claim_next(worker=this_worker(), capabilities=capabilities)


def play_claimed(attempt: Attempt, runner: RunnerProcess) -> None:
    """Play the match of an attempt, and process its end."""
    began = monotonic()
    has_result = play_attempt(attempt=attempt, play=runner.play)
    slot_shares.record(attempt.match.priority, monotonic() - began)
    if has_result:
        settle_match(attempt.match_id)
        ladders = Ladder.objects.playable().filter(ladder_matches__match=attempt.match_id)
        pair_ladders(ladders.only("pk", "clock"), only_low=True)  # it is read when it is locked
    else:
        sleep(FAILED_ATTEMPT_REST_S)


def pass_message_on() -> None:
    """Send the message of a worker that can't use it again, if another worker may be able to play what waits.

    Else every second message would be lost where one of two workers is drained.
    """
    if list_live_workers().able().exists() and Match.objects.queued().exists():
        play_next.apply_async(countdown=PASSED_ON_AFTER_S)


@shared_task(name="arena.tasks.settle_match")
def settle_match(match_id: int) -> None:
    """Let the part of the site that had a match played process its end."""
    match = Match.objects.unsettled().filter(pk=match_id).lean().first()
    if match is not None:
        with log_with(match_id=match_id):
            _settle(match)


def _settle(match: Match) -> None:
    purposes = find_purposes(match)
    tournaments = [found for purpose in purposes for found in SETTLERS[purpose](match)]
    if not PURPOSES_WITH_OWN_NOTICE.intersection(purposes):
        notify_of_match(match=match)
    Match.objects.filter(pk=match.pk).update(settled_at=now())
    for tournament in filter(None, tournaments):  # not as a message: the queue may be long
        play_tournament(tournament.pk)


def settle_trial(match: Match) -> Iterable[Tournament | None]:
    """Accept or reject the version of a trial, tell its authors, and return the tournaments it enters.

    A version that is accepted goes on with its trials in other editions.
    """
    if apply_trial_result(match=match):
        wake_for_uploads()
    notify_of_trial(match=match)
    enter_accepted_version(match=match)
    return update_entrants(match=match)


def settle_package_trial(match: Match) -> Iterable[Tournament | None]:
    """Let the version of a trial with other packages play with them, or tell its authors why not."""
    apply_package_trial_result(match=match)
    notify_of_package_trial(match=match)
    return ()


def settle_ladder_match(match: Match) -> Iterable[Tournament | None]:
    """Append the finished matches of a match's ladder to its ledger, and count their formations.

    Remote bots that it leaves with room are paired anew, on this open ladder or another one.
    """
    for ladder in Ladder.objects.filter(ladder_matches__match=match).only("game", "group", "clock"):
        while append_finished_matches(ladder=ladder) == MAX_MATCHES_PER_TRANSACTION:
            pass
        count_formations(ladder=ladder)
        if ladder.clock:
            pair_ladders(list_ladders_to_pair(match))
    return ()


def settle_comparison_match(match: Match) -> Iterable[Tournament | None]:
    """Count a match of a comparison, which goes on by a message of its own."""
    if comparison := count_comparison_match(match=match):
        if comparison.value_function is not None:
            measure_luck.delay_on_commit(match.pk)
        play_comparison.delay_on_commit(comparison.pk)
    return ()


SETTLERS: dict[Purpose, Callable[[Match], Iterable[Tournament | None]]] = {
    Purpose.TRIAL: settle_trial,
    Purpose.PACKAGES: settle_package_trial,
    Purpose.LADDER: settle_ladder_match,
    Purpose.COMPARISON: settle_comparison_match,
    Purpose.CHECK: lambda match: [record_check_result(match=match)],
    Purpose.PAIRING: lambda match: [find_tournament_of_match(match)],
    Purpose.CHALLENGE: lambda match: (),
}
"""Functions that process the end of a match, by its purpose, and return the tournaments that go on with it."""
PURPOSES_WITH_OWN_NOTICE = frozenset({Purpose.COMPARISON, Purpose.TRIAL, Purpose.PACKAGES})
"""Purposes whose matches send no notice: a comparison sends one when it ends, and a trial has a notice of its own."""


@shared_task(name="arena.tasks.answer_live_game", max_waiting=MAX_LIVE_MESSAGES)
def answer_live_game(game_id: int | None = None) -> None:
    """Serve the people who wait at tables: turns of bots, hints and quick analyses, until nobody waits.

    A message isn't bound to one game.
    """
    if is_drained(this_worker()):
        return
    slots = find_turn_slots()
    end_outdated_bots(slots)
    requeue_lost_answers()
    while answer_next_turn(slots) or make_next_hint(slots) or make_next_coarse_pass(slots):
        pass


@shared_task(name="arena.tasks.make_live_hint", max_waiting=MAX_LIVE_MESSAGES)
def make_live_hint(hint_id: int | None = None) -> None:
    """Serve the people who wait at tables, of whom one wants a hint."""
    answer_live_game()


def answer_next_turn(slots: Slots) -> bool:
    """Have a bot play the shortest turn that waits, if a slot is free for it. Return whether there was one.

    A turn that is left to the worker which keeps its process is announced again, as this message may have been meant
    for that worker.
    """
    here = find_capabilities_here()
    turns, are_some_left = list_waiting_turns(worker=this_worker(), capabilities=here)
    if are_some_left:
        answer_live_game.apply_async(countdown=LEFT_TO_HOLDER.total_seconds())
    return any(answer_turn(slots, turn, here.languages) for turn in turns)


def answer_turn(slots: Slots, turn: WaitingTurn, languages: Collection[str]) -> bool:
    """Have a bot play a turn, if a slot is free for it and no other worker was first. Return whether it did."""
    with slots.take(table=turn.table, is_long=turn.is_long) as slot:
        if slot is None or not slot.is_able():
            return False
        # By the level of the process that would play it: the report on this machine may be older, or another's.
        capabilities = WorkerCapabilities.of_report(slot.runner.report(), languages)
        attempt = claim_answer(game_id=turn.game, worker=this_worker(), capabilities=capabilities)
        if attempt is None:
            return False
        answer_attempt(attempt=attempt, answer=slot.answer_turn, let_go=slot.let_go)
    forget_kept(worker=this_worker(), tables=slots.end_kept(slots.list_surplus_tables()))
    return True


def end_outdated_bots(slots: Slots) -> None:
    """End the processes kept for games that have ended, and of bots that are stopped or have a newer version."""
    outdated = list_outdated_tables(worker=this_worker())
    forget_kept(worker=this_worker(), tables=slots.end_kept(outdated))


def find_capabilities_here() -> WorkerCapabilities:
    """Return what this machine can run, as its report says."""
    status = WorkerStatus.objects.filter(worker=socket.gethostname()).first()
    return NO_BOTS if status is None else read_capabilities(status)


def make_next_hint(slots: Slots) -> bool:
    """Make the hint that has waited longest, if a slot is free. Return whether there was one."""
    if not LiveHint.objects.waiting().exists():
        return False
    with slots.take(is_long=True) as slot:
        hint = claim_hint() if slot is not None and slot.is_able() else None
        if slot is None or hint is None:
            return False
        make_hint(hint=hint, find=slot.runner.find_hint)
    return True


def make_next_coarse_pass(slots: Slots) -> bool:
    """Make the coarse pass of the first analysis that a person waits for. Return whether there was one."""
    if not has_waiting_coarse_pass():
        return False
    with slots.take(is_long=True) as slot:
        if slot is None or not slot.is_able():
            return False
        analysis = claim_analysis(worker=this_worker(), line=WaitingLine.COARSE)
        if analysis is None:
            return False
        if work_on_analysis(analysis=analysis, analyse=slot.runner.analyse):
            analyse_next.delay()
    return True


def ask_analysis(_: int) -> None:
    """Have an analysis made that waits, when the transaction commits: its coarse pass by who serves people."""
    answer_live_game.delay_on_commit()
    analyse_next.delay_on_commit()


def resume_live_games() -> None:
    """Resume what people wait for at tables and no worker knows of, and end the games of stopped bots.

    Acts of staff end these at once; one that began in the same moment is found here.
    """
    end_games_of_stopped_bots()
    requeue_lost_answers()
    requeue_lost_hints()
    abandon_idle_games()
    if LiveGame.objects.waiting_for_worker().exists() or LiveHint.objects.waiting().exists():
        answer_live_game.delay_on_commit()


@shared_task(name="arena.tasks.pair_ladders", max_waiting=1)
def pair_all_ladders() -> None:
    """Queue matches on every ladder that runs, up to its limits; on open ladders cancel those whose bots are gone."""
    for match_id in cancel_abandoned_matches():
        settle_match.delay_on_commit(match_id)
    pair_ladders(Ladder.objects.playable())


def pair_ladders(ladders: Iterable[Ladder], *, only_low: bool = False) -> None:
    """Queue matches on these ladders, up to their limits; with `only_low` on those of which few matches wait."""
    for ladder in ladders:
        if ladder.clock:
            queue_open_ladder_matches(ladder=ladder)
            continue
        for _ in queue_ladder_matches(ladder=ladder, only_low=only_low):
            play_next.delay_on_commit()


@shared_task(name="arena.tasks.play_comparison")
def play_comparison(comparison_id: int) -> None:
    """Count the finished matches of a comparison, and queue more."""
    comparison = count_units(comparison=Comparison.objects.get(pk=comparison_id))
    for _ in queue_comparison_matches(comparison=comparison):
        play_next.delay_on_commit()


@shared_task(name="arena.tasks.play_tournament")
def play_tournament(tournament_id: int) -> None:
    """Advance a tournament as far as its finished matches allow."""
    tournament = Tournament.objects.filter(pk=tournament_id).first()
    if tournament is None:  # an act ended a rehearsal, or deleted a draft
        return
    for _ in advance_tournament(tournament=tournament):
        play_next.delay_on_commit()
    tournament.refresh_from_db()
    if is_forecast_due(tournament):
        forecast_tournament.delay_on_commit(tournament_id)


@shared_task(name="arena.tasks.forecast_tournament")
def forecast_tournament(tournament_id: int) -> None:
    """Simulate the rest of a tournament, unless its forecast is up to date."""
    tournament = Tournament.objects.get(pk=tournament_id)
    if is_forecast_due(tournament):
        store_forecast(tournament=tournament)


def resume_comparisons() -> None:
    """Resume the comparisons that have no match to be played, or that wait for a measurement nobody knows of."""
    for comparison_id in Comparison.objects.stalled().values_list("pk", flat=True):
        play_comparison.delay_on_commit(comparison_id)
    for match_id in list_matches_without_luck():
        measure_luck.delay_on_commit(match_id)


@shared_task(name="arena.tasks.measure_luck")
def measure_luck(match_id: int) -> None:
    """Measure the luck of a finished match of a comparison, without which it isn't counted, and count it."""
    comparison = measure_match_luck(match_id=match_id)
    if comparison is not None:
        audit_luck_of_match(match_id=match_id)
        play_comparison.delay_on_commit(comparison.pk)


@shared_task(name="arena.tasks.send_delivery", max_waiting=1)
def send_delivery(delivery_id: int | None = None) -> None:
    """Have the courier of this process send all that is due, for which no task waits.

    A message isn't bound to one delivery.
    """
    courier.wake()


@shared_task(name="arena.tasks.refit_ladders", max_waiting=1)
def refit_ladders() -> None:
    """Compute all ratings of ladders with new results."""
    for ladder in Ladder.objects.due_for_fit():
        refit_ladder(ladder=ladder)


@shared_task(name="arena.tasks.watch_ladders", max_waiting=1)
def watch_ladders() -> None:
    """Update the reports on suspicious results for staff."""
    for ladder in Ladder.objects.open():
        update_collusion_reports(ladder=ladder)


@shared_task(name="arena.tasks.analyse_next", max_waiting=settings.CELERY_WORKER_CONCURRENCY)
def analyse_next() -> None:
    """Make the first coarse pass that somebody waits for, or else a slice of the first full pass that may go on.

    Full passes have a share of the workers, and those that were requested come first. As with matches, a message isn't
    bound to one analysis. What rests meanwhile is taken up again by `sweep`.
    """
    if is_drained(this_worker()):
        return
    claimed = (claim_analysis(worker=this_worker(), line=line) for line in WaitingLine)
    analysis = next(filter(None, claimed), None)
    if analysis is not None and work_on_analysis(analysis=analysis):
        analyse_next.delay_on_commit()


def resume_analyses() -> None:
    """Resume the analyses that have rested, or that no worker knows of."""
    requeue_lost_analyses()
    if has_waiting_coarse_pass():
        answer_live_game.delay_on_commit()
    for _ in range(pick_analyses_to_republish()):
        analyse_next.delay_on_commit()


@shared_task(name="arena.tasks.analyse_top_matches", max_waiting=1)
def analyse_top_matches() -> None:
    """Queue the analysis of a match of the best bots of each ladder."""
    for _ in range(queue_top_matches()):
        analyse_next.delay_on_commit()


@shared_task(name="arena.tasks.sweep", max_waiting=1)
def sweep() -> None:
    """Resume everything that a lost worker, a lost message or a failure left unfinished."""
    report_worker()
    requeue_lost_matches()
    if not play_next.count_waiting() and (has_due_match() or BotVersion.objects.to_build().exists()):
        play_next.delay_on_commit()
    if has_waiting_upload():
        check_next.delay_on_commit()
    for match_id in Match.objects.unsettled().values_list("pk", flat=True):
        settle_match.delay_on_commit(match_id)
    for version_id in {*list_versions_without_trial(), *list_versions_without_edition_trial()}:
        check_version.delay_on_commit(version_id)
    if try_packages_again():
        wake_for_uploads()
    count_missed_formations()
    resume_live_games()
    resume_analyses()
    resume_comparisons()
    for tournament_id in Tournament.objects.stalled().values_list("pk", flat=True):
        play_tournament.delay_on_commit(tournament_id)
    if find_due_deliveries().exists():
        send_delivery.delay_on_commit()


def try_packages_again() -> int:
    """Queue the trials of accepted versions that use packages, where another set was installed; return their number."""
    found = find_offered_packages()
    versions = [] if found is None else list_versions_to_try_again(found)[:MAX_PACKAGE_TRIALS]
    queued = [
        queue_package_trial(version=version, found=found)
        for version in BotVersion.objects.filter(pk__in=versions)
        if found is not None
    ]
    return sum(match is not None for match in queued)


def report_worker() -> None:
    """Report this machine's sandbox, and end the runner processes that nobody has needed lately."""
    with find_upload_slots().take() as slot:
        if slot is None:
            report_alive()
        else:
            slot.is_able()
    if worker_slots.turns is not None:
        end_outdated_bots(worker_slots.turns)
        worker_slots.turns.end_idle_runners()


@shared_task(name="arena.tasks.clean_up", max_waiting=1)
def clean_up_all() -> None:
    """Remove what is not needed any more."""
    for removal in clean_up():
        if removal.rows:
            logger.info("Removed %s: %s, %s bytes", removal.kind, removal.rows, removal.size)


WAKERS |= {
    Work.UPLOAD: begin_check,
    Work.TOURNAMENT: play_tournament.delay_on_commit,
    Work.COMPARISON: play_comparison.delay_on_commit,
    Work.MATCH: lambda _: play_next.delay_on_commit(),
    Work.MATCH_END: settle_match.delay_on_commit,
    Work.LIVE_GAME: answer_live_game.delay_on_commit,
    Work.REMOTE_LEG: lambda _: transaction.on_commit(lambda: nudge_remote_server(settings.REDIS_URL)),
    Work.HINT: make_live_hint.delay_on_commit,
    Work.ANALYSIS: ask_analysis,
    Work.MAIL: lambda _: send_mails.delay_on_commit(),
}


# Define the Celery tasks by which the scheduler counts and tells what has happened: no match waits for them.
#
# As in `tasks.py`, a second delivery changes nothing, and the next one takes up what was missed.

MINUTE_S = 60.0
ATLAS_BUDGET_S = 10.0
"""Time for which legs are counted in a minute: some thousands of them, and workers play matches in between."""


@shared_task(name="arena.periodic_tasks.tell_stories", max_waiting=1)
def tell_stories() -> None:
    """Choose the stories of today anew."""
    tell_stories_of_today()


@shared_task(name="arena.periodic_tasks.tell_first_stories", max_waiting=1)
def tell_first_stories() -> None:
    """Choose the first stories of today soon after its first matches."""
    tell_first_stories_of_today()


@shared_task(name="arena.periodic_tasks.finish_stories", max_waiting=1)
def finish_stories() -> None:
    """Choose the stories of yesterday for the last time."""
    tell_stories_of_yesterday()


@shared_task(name="arena.periodic_tasks.choose_puzzles", max_waiting=1)
def choose_puzzles() -> None:
    """Choose the puzzles of today, unless they are chosen already."""
    choose_daily()


@shared_task(name="arena.periodic_tasks.stock_puzzles", max_waiting=1)
def stock_puzzles() -> None:
    """Look for puzzles of the days to come."""
    stock_puzzles_where_few_are_left()


@shared_task(name="arena.periodic_tasks.count_atlas", max_waiting=1)
def count_atlas() -> None:
    """Count rated legs for the atlas, for some seconds; what is left waits for the next time."""
    count_missed_legs(budget_s=ATLAS_BUDGET_S)


@shared_task(name="arena.periodic_tasks.measure_open_luck", max_waiting=1)
def measure_open_luck() -> None:
    """Measure the luck of the newest matches on open ladders, for the analyses' share of a minute."""
    measure_luck_on_open_ladders(budget_s=MINUTE_S * settings.ANALYSIS_SHARE_PERCENT / 100)


@shared_task(name="arena.periodic_tasks.recheck_atlas", max_waiting=1)
def recheck_atlas() -> None:
    """Take out of the atlas what should not be counted any more."""
    recheck_all()


@shared_task(name="arena.periodic_tasks.tell_news", max_waiting=1)
def tell_news() -> None:
    """Find what is news of bots, authors and ladders, and tell the followers who want to know at once."""
    gather_news()
    tell_followers()


@shared_task(name="arena.periodic_tasks.send_digests", max_waiting=1)
def send_digests() -> None:
    """Send the digests of news that are due, by mail."""
    send_due_digests()


@shared_task(name="arena.periodic_tasks.end_rehearsals", max_waiting=1)
def end_rehearsals() -> None:
    """Delete the rehearsals of tournaments that were over a day ago."""
    count = end_old_rehearsals()
    if count:
        logger.info("Deleted %s rehearsals of tournaments", count)


@shared_task(name="arena.periodic_tasks.remind", max_waiting=1)
def remind() -> None:
    """Remind authors of the deadlines of tournaments."""
    count = remind_of_deadlines()
    if count:
        logger.info("Sent %s reminders of deadlines", count)


@shared_task(name="arena.periodic_tasks.send_mails", max_waiting=1)
def send_mails() -> None:
    """Send the mails of announcements that are due."""
    count = mail_notices()
    if count:
        logger.info("Sent %s mails of announcements", count)


# Say who takes up what a task left undone, since a task that fails with the database counts as done.

TAKEN_UP_BY = {
    sweep: [
        *(check_version, build_version, check_next, play_next, settle_match, answer_live_game, make_live_hint),
        *(play_comparison, measure_luck, play_tournament, forecast_tournament, send_delivery, analyse_next, sweep),
    ],
    **{
        itself: [itself]
        for itself in (
            *(pair_all_ladders, refit_ladders, watch_ladders, analyse_top_matches, clean_up_all, tell_stories),
            *(tell_first_stories, finish_stories, count_atlas, recheck_atlas, tell_news, send_digests),
            *(end_rehearsals, remind, send_mails, choose_puzzles, stock_puzzles, measure_open_luck),
        )
    },
}
"""By the periodic task that takes it up: the tasks whose work is in the database until it is done.

A forecast belongs to a tournament that goes on, which `play_tournament` asks for when the tournament stalls. News are
told until they are marked as told; digests, reminders and mails are claimed for a time.
"""
