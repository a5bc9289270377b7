"""Define all Celery tasks, in the order in which a match passes through them.

Arguments are ids; the database holds the work to be done. A task may be delivered twice, late or never: a second
delivery changes nothing, and `sweep` takes up what was missed.
"""

import logging
from collections.abc import Callable, Iterable
from time import sleep

from celery import shared_task
from django.utils.timezone import now

from arena.analysis.services.auditing import audit_luck_of_match
from arena.analysis.services.making import claim_analysis, pick_analyses_to_republish, requeue_lost_analyses
from arena.analysis.services.requesting import queue_top_matches
from arena.analysis.work import work_on_analysis
from arena.bots.models import BotVersion
from arena.bots.services import claim_stale_builds, reject_build, store_build
from arena.cleaning_up import clean_up
from arena.comparisons.luck import measure_match_luck
from arena.comparisons.models import Comparison
from arena.comparisons.queries.luck import list_matches_without_luck
from arena.comparisons.services import count_comparison_match, count_units, queue_comparison_matches
from arena.formations.services.counting import count_formations, count_missed_formations
from arena.ladders.models import Ladder
from arena.ladders.services.collusion import update_collusion_reports
from arena.ladders.services.entering import enter_accepted_version
from arena.ladders.services.ledger import MAX_MATCHES_PER_TRANSACTION, append_finished_matches
from arena.ladders.services.pairing import queue_ladder_matches
from arena.ladders.services.refitting import refit_ladder
from arena.livegames.answer import answer_attempt
from arena.livegames.models import LiveGame, LiveHint
from arena.livegames.services.answering import claim_answer, pick_games_to_republish, requeue_lost_answers
from arena.livegames.services.deciding import abandon_idle_games
from arena.livegames.services.hinting import make_hint, pick_hints_to_republish
from arena.livegames.services.stopping import end_games_of_stopped_bots
from arena.log_context import log_with
from arena.matches.capabilities import WorkerCapabilities
from arena.matches.draining import is_drained
from arena.matches.models import Match
from arena.matches.notifications import notify_of_match, notify_of_trial
from arena.matches.play import play_attempt
from arena.matches.purpose import Purpose, find_purposes
from arena.matches.queries.queue import list_live_workers
from arena.matches.runner_process import RunnerProcessError
from arena.matches.sandbox_status import sandbox_status
from arena.matches.services import (
    apply_trial_result,
    claim_next,
    list_versions_without_trial,
    pick_matches_to_republish,
    queue_trial,
    requeue_lost_matches,
)
from arena.matches.workers import this_worker
from arena.notices.sending import attempt_delivery, list_due_deliveries
from arena.runner.sandbox.base import BuildError
from arena.tournaments.models import Tournament
from arena.tournaments.queries.tournaments import find_tournament_of_match
from arena.tournaments.services.entering import record_check_result, update_entrants
from arena.tournaments.services.forecasting import is_forecast_due, store_forecast
from arena.tournaments.services.playing import advance_tournament

PASSED_ON_AFTER_S = 1.0
"""Time after which a worker that can't use a message, or can't yet, sends it again: it would get it back at once."""
FAILED_ATTEMPT_REST_S = 3.0
"""Time for which a worker process rests after it failed to play a match: it would fail again, and others may not."""

logger = logging.getLogger(__name__)


def begin_check(version: BotVersion) -> None:
    """Start the build of an uploaded version, or its trial if it needs no build, when the transaction commits."""
    task = build_version if version.state == BotVersion.State.BUILDING else check_version
    task.delay_on_commit(version.pk)


@shared_task
def check_version(version_id: int) -> None:
    """Queue the trial of an uploaded version."""
    match = queue_trial(version=BotVersion.objects.get(pk=version_id))
    if match is not None:
        play_next.delay_on_commit()


@shared_task
def build_version(version_id: int) -> None:
    """Build an uploaded version in the sandbox of this worker, if it waits for that and the language is available."""
    waiting = BotVersion.objects.building().may_go_on().select_related("bot", "source")
    version = waiting.filter(pk=version_id).first()
    runner = sandbox_status.get()
    if version is None or runner is None or is_drained(this_worker()):
        return
    if version.language not in runner.languages:
        if version.language not in runner.tested_languages:  # it has just started: compilers are tested last
            build_version.apply_async((version_id,), countdown=PASSED_ON_AFTER_S)
        return
    try:
        program, log = runner.build(version.program)
    except BuildError as refused:
        reject_build(version=version, detail=refused.message, log=refused.log)
    except RunnerProcessError:
        logger.exception("%s could not be built: it will be tried again", version)
    else:
        if store_build(version=version, program=program, log=log):
            check_version.delay_on_commit(version_id)


@shared_task
def play_next() -> None:
    """Play the first match of the queue that this worker may play; none without a working sandbox.

    One message is sent for each match, but it isn't bound to that match.
    """
    runner = sandbox_status.get()
    if runner is None:
        return
    capabilities = WorkerCapabilities.of_report(runner.report(), runner.languages)
    attempt = claim_next(worker=this_worker(), capabilities=capabilities)
    if attempt is None:
        if is_drained(this_worker()):
            pass_message_on()
        return
    if play_attempt(attempt=attempt, play=runner.play):
        settle_match(attempt.match_id)
        pair_ladders(Ladder.objects.playable().filter(ladder_matches__match=attempt.match_id))
    else:
        sleep(FAILED_ATTEMPT_REST_S)


def pass_message_on() -> None:
    """Send the message of a drained worker again, if another worker can play what waits.

    Else every second message would be lost where one of two workers is drained.
    """
    if list_live_workers().able().exists() and Match.objects.queued().exists():
        play_next.apply_async(countdown=PASSED_ON_AFTER_S)


@shared_task
def settle_match(match_id: int) -> None:
    """Let the part of the site that had a match played process its end."""
    match = Match.objects.unsettled().filter(pk=match_id).first()
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
    """Accept or reject the version of a trial, tell its authors, and return the tournaments it enters."""
    apply_trial_result(match=match)
    notify_of_trial(match=match)
    enter_accepted_version(match=match)
    return update_entrants(match=match)


def settle_ladder_match(match: Match) -> Iterable[Tournament | None]:
    """Append the finished matches of a match's ladder to its ledger, and count their formations."""
    for ladder in Ladder.objects.filter(ladder_matches__match=match):
        while append_finished_matches(ladder=ladder) == MAX_MATCHES_PER_TRANSACTION:
            pass
        count_formations(ladder=ladder)
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
    Purpose.LADDER: settle_ladder_match,
    Purpose.COMPARISON: settle_comparison_match,
    Purpose.CHECK: lambda match: [record_check_result(match=match)],
    Purpose.PAIRING: lambda match: [find_tournament_of_match(match)],
    Purpose.CHALLENGE: lambda match: (),
}
"""Functions that process the end of a match, by its purpose, and return the tournaments that go on with it."""
PURPOSES_WITH_OWN_NOTICE = frozenset({Purpose.COMPARISON, Purpose.TRIAL})
"""Purposes whose matches send no notice: a comparison sends one when it ends, and a trial has a notice of its own."""


def ask_bot(game: LiveGame) -> None:
    """Have the bot decide whose turn it is in a live game, if it is a bot's, when the transaction commits."""
    if game.bot_to_act_id is not None:
        answer_live_game.delay_on_commit(game.pk)


@shared_task
def answer_live_game(game_id: int) -> None:
    """Have bots decide in a live game until it is a person's turn again."""
    runner = sandbox_status.get()
    if runner is None or is_drained(this_worker()):
        return
    requeue_lost_answers(game_id)
    while attempt := claim_answer(game_id=game_id, worker=this_worker(), languages=runner.languages):
        if not answer_attempt(attempt=attempt, answer=runner.answer_turn):
            return


def ask_hint(hint: LiveHint) -> None:
    """Have a hint made that waits, when the transaction commits."""
    if hint.is_pending:
        make_live_hint.delay_on_commit(hint.pk)


@shared_task
def make_live_hint(hint_id: int) -> None:
    """Make a hint that a person has asked for in a live game."""
    if not is_drained(this_worker()):
        make_hint(hint_id=hint_id)


def resume_live_games() -> None:
    """Resume the live games whose bot is to decide and that no worker knows of, and end those of stopped bots.

    Acts of staff end these at once; one that began in the same moment is found here. Hints that no worker knows of are
    made, too.
    """
    end_games_of_stopped_bots()
    for game_id in {*requeue_lost_answers(), *abandon_idle_games(), *pick_games_to_republish()}:
        answer_live_game.delay_on_commit(game_id)
    for hint_id in pick_hints_to_republish():
        make_live_hint.delay_on_commit(hint_id)


@shared_task(name="arena.tasks.pair_ladders")
def pair_all_ladders() -> None:
    """Queue matches on every open ladder, up to its limits."""
    pair_ladders(Ladder.objects.playable())


def pair_ladders(ladders: Iterable[Ladder]) -> None:
    """Queue matches on these ladders, up to their limits."""
    for ladder in ladders:
        for _ in queue_ladder_matches(ladder=ladder):
            play_next.delay_on_commit()


@shared_task
def play_comparison(comparison_id: int) -> None:
    """Count the finished matches of a comparison, and queue more."""
    comparison = count_units(comparison=Comparison.objects.get(pk=comparison_id))
    for _ in queue_comparison_matches(comparison=comparison):
        play_next.delay_on_commit()


@shared_task
def play_tournament(tournament_id: int) -> None:
    """Advance a tournament as far as its finished matches allow."""
    tournament = Tournament.objects.get(pk=tournament_id)
    for _ in advance_tournament(tournament=tournament):
        play_next.delay_on_commit()
    tournament.refresh_from_db()
    if is_forecast_due(tournament):
        forecast_tournament.delay_on_commit(tournament_id)


@shared_task
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


@shared_task
def measure_luck(match_id: int) -> None:
    """Measure the luck of a finished match of a comparison, without which it isn't counted, and count it."""
    comparison = measure_match_luck(match_id=match_id)
    if comparison is not None:
        audit_luck_of_match(match_id=match_id)
        play_comparison.delay_on_commit(comparison.pk)


@shared_task
def send_delivery(delivery_id: int) -> None:
    """Send an event to a webhook, if the delivery is due."""
    attempt_delivery(delivery_id=delivery_id)


@shared_task
def refit_ladders() -> None:
    """Compute all ratings of ladders with new results."""
    for ladder in Ladder.objects.due_for_fit():
        refit_ladder(ladder=ladder)


@shared_task
def watch_ladders() -> None:
    """Update the reports on suspicious results for staff."""
    for ladder in Ladder.objects.open():
        update_collusion_reports(ladder=ladder)


@shared_task
def analyse_next() -> None:
    """Make a slice of the first analysis that may go on, if analyses have not used up their share of the workers.

    As with matches, a message isn't bound to one analysis. What rests meanwhile is taken up again by `sweep`.
    """
    if is_drained(this_worker()):
        return
    analysis = claim_analysis(worker=this_worker())
    if analysis is not None and work_on_analysis(analysis=analysis):
        analyse_next.delay_on_commit()


def resume_analyses() -> None:
    """Resume the analyses that have rested, or that no worker knows of."""
    requeue_lost_analyses()
    for _ in range(pick_analyses_to_republish()):
        analyse_next.delay_on_commit()


@shared_task
def analyse_top_matches() -> None:
    """Queue the analysis of a match of the best bots of each ladder."""
    for _ in range(queue_top_matches()):
        analyse_next.delay_on_commit()


@shared_task
def sweep() -> None:
    """Resume everything that a lost worker, a lost message or a failure left unfinished."""
    sandbox_status.get()
    for _ in [*requeue_lost_matches(), *pick_matches_to_republish()]:
        play_next.delay_on_commit()
    for match_id in Match.objects.unsettled().values_list("pk", flat=True):
        settle_match.delay_on_commit(match_id)
    for version_id in claim_stale_builds():
        build_version.delay_on_commit(version_id)
    for version_id in list_versions_without_trial():
        check_version.delay_on_commit(version_id)
    count_missed_formations()
    resume_live_games()
    resume_analyses()
    resume_comparisons()
    for tournament_id in Tournament.objects.stalled().values_list("pk", flat=True):
        play_tournament.delay_on_commit(tournament_id)
    for delivery_id in list_due_deliveries():
        send_delivery.delay_on_commit(delivery_id)


@shared_task(name="arena.tasks.clean_up")
def clean_up_all() -> None:
    """Remove what is not needed any more."""
    for removal in clean_up():
        if removal.rows:
            logger.info("Removed %s: %s, %s bytes", removal.kind, removal.rows, removal.size)
