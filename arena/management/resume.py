"""Resume the work that the last run of this installation left unfinished."""

from django.conf import settings

from arena import tasks
from arena.matches.models import Match
from arena.matches.services import requeue_lost_matches


def resume_unfinished_work() -> None:
    """Wake the workers for all queued and unsettled matches, including those that the last run left unfinished."""
    if not settings.REDIS_URL:
        for message in settings.BROKER_DIR.glob("*.msg"):
            message.unlink(missing_ok=True)
    requeue_lost_matches()
    for _ in range(Match.objects.queued().count()):
        tasks.play_next.delay()
    for match_id in Match.objects.unsettled().values_list("pk", flat=True):
        tasks.settle_match.delay(match_id)
    tasks.pair_all_ladders.delay()
