"""The conductor: every task, in the order a match lives. A task carries ids; what there is to do stands in the tables.

Any of them may be delivered twice, late, or never: a second time changes nothing, and `sweep` finds the rest.
"""

import logging
from datetime import timedelta

from celery import shared_task
from django.conf import settings
from django.utils.timezone import now

from arena.bots.models import BotVersion
from arena.bots.services import claim_stale_builds, reject_build, store_build
from arena.comparisons.models import Comparison
from arena.comparisons.services import count_match, count_units, top_up
from arena.ladders.models import Ladder
from arena.ladders.services.collusion import update_collusion_reports
from arena.ladders.services.entering import enter_accepted
from arena.ladders.services.ledger import count_results
from arena.ladders.services.pairing import pair_ladder
from arena.ladders.services.refitting import refit
from arena.matches.models import Match
from arena.matches.notifications import notify_of_match
from arena.matches.play import play_attempt
from arena.matches.runner_process import RunnerProcessError
from arena.matches.sandbox_status import sandbox_status
from arena.matches.services import (
    claim_next,
    delete_old_logs,
    judge_trial,
    list_versions_without_trial,
    pick_matches_to_republish,
    queue_trial,
    requeue_lost_matches,
)
from arena.matches.workers import this_worker
from arena.notices.sending import deliver, list_due_deliveries
from arena.notices.services import delete_old_deliveries
from arena.runner.sandbox.base import BuildError
from arena.tournaments.models import Tournament
from arena.tournaments.services.entering import judge_check, update_entrants
from arena.tournaments.services.forecasting import forecast, wants_forecast
from arena.tournaments.services.playing import go_on, touched_by

logger = logging.getLogger(__name__)


def begin_check(version: BotVersion) -> None:
    """Have an uploaded version built where its language wants that, or put on trial, once its upload is committed."""
    task = build_version if version.state == BotVersion.State.BUILDING else check_version
    task.delay_on_commit(version.pk)


@shared_task
def check_version(version_id: int) -> None:
    """Put an uploaded version on trial."""
    match = queue_trial(version=BotVersion.objects.get(pk=version_id))
    if match is not None:
        play_next.delay_on_commit()


@shared_task
def build_version(version_id: int) -> None:
    """Build an uploaded version in the sandbox of this worker, if it is waiting for that and its language is here."""
    version = BotVersion.objects.building().select_related("bot", "source").filter(pk=version_id).first()
    player = sandbox_status.get()
    if version is None or player is None or version.language not in player.languages:
        return
    try:
        program, log = player.build(version.program)
    except BuildError as refused:
        reject_build(version=version, detail=refused.message, log=refused.log)
    except RunnerProcessError:
        logger.exception("%s could not be built: it will be tried again", version)
    else:
        if store_build(version=version, program=program, log=log):
            check_version.delay_on_commit(version_id)


@shared_task
def play_next() -> None:
    """Play the first match of the queue that may be played here. Without a working sandbox all of them stay queued.

    One such message is sent for each match, but which match it was for doesn't matter.
    """
    player = sandbox_status.get()
    if player is None:
        return
    attempt = claim_next(worker=this_worker(), level=player.report()["level"], languages=player.languages)
    if attempt is not None and play_attempt(attempt=attempt, play=player.play):
        settle_match(attempt.match_id)
        pair_ladders()


@shared_task
def settle_match(match_id: int) -> None:
    """Tell everybody whom it concerns that a match is over. Each finds its own row, or returns at once."""
    match = Match.objects.unsettled().filter(pk=match_id).first()
    if match is None:
        return
    judge_trial(match=match)
    enter_accepted(match=match)
    touched = [*update_entrants(match=match), judge_check(match=match), touched_by(match=match)]
    for ladder in Ladder.objects.filter(ladder_matches__match=match):
        while count_results(ladder=ladder):
            pass
    comparison = count_match(match=match)
    if comparison is not None:
        play_comparison.delay_on_commit(comparison.pk)
    else:  # of a comparison its end is told
        notify_of_match(match=match)
    Match.objects.filter(pk=match_id).update(settled_at=now())
    for tournament in filter(None, touched):  # at once: behind the messages of all that waits a round would take long
        play_tournament(tournament.pk)


@shared_task
def pair_ladders() -> None:
    """Keep matches waiting on every ladder."""
    for ladder in Ladder.objects.open():
        for _ in pair_ladder(ladder=ladder):
            play_next.delay_on_commit()


@shared_task
def play_comparison(comparison_id: int) -> None:
    """Count what is over of a comparison, and keep matches of it waiting."""
    comparison = count_units(comparison=Comparison.objects.get(pk=comparison_id))
    for _ in top_up(comparison=comparison):
        play_next.delay_on_commit()


@shared_task
def play_tournament(tournament_id: int) -> None:
    """Let a tournament go on, as far as it can before more of its matches are over."""
    tournament = Tournament.objects.get(pk=tournament_id)
    for _ in go_on(tournament=tournament):
        play_next.delay_on_commit()
    tournament.refresh_from_db()
    if wants_forecast(tournament):
        forecast_tournament.delay_on_commit(tournament_id)


@shared_task
def forecast_tournament(tournament_id: int) -> None:
    """Simulate how a tournament may end from here, unless another message for that has been answered."""
    tournament = Tournament.objects.get(pk=tournament_id)
    if wants_forecast(tournament):
        forecast(tournament=tournament)


@shared_task
def send_delivery(delivery_id: int) -> None:
    """Tell a webhook of an event, if that is due."""
    deliver(delivery_id=delivery_id)


@shared_task
def refit_ladders() -> None:
    """Compute all ratings anew of ladders where there is something new."""
    for ladder in Ladder.objects.due_for_fit():
        refit(ladder=ladder)


@shared_task
def watch_ladders() -> None:
    """Look for results that are out of line, for staff."""
    for ladder in Ladder.objects.open():
        update_collusion_reports(ladder=ladder)


@shared_task
def sweep() -> None:
    """Take up whatever was left lying: by workers that are gone, by messages that were lost, by failures in between."""
    sandbox_status.get()
    for _ in [*requeue_lost_matches(), *pick_matches_to_republish()]:
        play_next.delay_on_commit()
    for match_id in Match.objects.unsettled().values_list("pk", flat=True):
        settle_match.delay_on_commit(match_id)
    for version_id in claim_stale_builds():
        build_version.delay_on_commit(version_id)
    for version_id in list_versions_without_trial():
        check_version.delay_on_commit(version_id)
    for comparison_id in Comparison.objects.stalled().values_list("pk", flat=True):
        play_comparison.delay_on_commit(comparison_id)
    for tournament_id in Tournament.objects.unattended().values_list("pk", flat=True):
        play_tournament.delay_on_commit(tournament_id)
    for delivery_id in list_due_deliveries():
        send_delivery.delay_on_commit(delivery_id)


@shared_task
def prune_logs() -> None:
    """Delete old logs and deliveries."""
    old = now() - timedelta(days=settings.LOG_DAYS)
    delete_old_logs(before=old)
    delete_old_deliveries(before=old)
