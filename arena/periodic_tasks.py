"""Define the Celery tasks by which the scheduler counts and tells what has happened: no match waits for them.

As in `tasks.py`, a second delivery changes nothing, and the next one takes up what was missed.
"""

import logging

from celery import shared_task

from arena.atlas.services.counting import count_missed_legs
from arena.atlas.services.rechecking import recheck_all
from arena.following.services.digests import send_due_digests
from arena.following.services.gathering import gather_news
from arena.following.services.telling import tell_followers
from arena.rehearsing import end_old_rehearsals
from arena.reminding import remind_of_deadlines
from arena.stories.services import tell_first_stories_of_today, tell_stories_of_today, tell_stories_of_yesterday

logger = logging.getLogger(__name__)
ATLAS_BUDGET_S = 10.0
"""Time for which legs are counted in a minute: some thousands of them, and workers play matches in between."""


@shared_task
def tell_stories() -> None:
    """Choose the stories of today anew."""
    tell_stories_of_today()


@shared_task
def tell_first_stories() -> None:
    """Choose the first stories of today soon after its first matches."""
    tell_first_stories_of_today()


@shared_task
def finish_stories() -> None:
    """Choose the stories of yesterday for the last time."""
    tell_stories_of_yesterday()


@shared_task
def count_atlas() -> None:
    """Count rated legs for the atlas, for some seconds; what is left waits for the next time."""
    count_missed_legs(budget_s=ATLAS_BUDGET_S)


@shared_task
def recheck_atlas() -> None:
    """Take out of the atlas what should not be counted any more."""
    recheck_all()


@shared_task
def tell_news() -> None:
    """Find what is news of bots, authors and ladders, and tell the followers who want to know at once."""
    gather_news()
    tell_followers()


@shared_task
def send_digests() -> None:
    """Send the digests of news that are due, by mail."""
    send_due_digests()


@shared_task
def end_rehearsals() -> None:
    """Delete the rehearsals of tournaments that were over a day ago."""
    count = end_old_rehearsals()
    if count:
        logger.info("Deleted %s rehearsals of tournaments", count)


@shared_task
def remind() -> None:
    """Remind authors of the deadlines of tournaments."""
    count = remind_of_deadlines()
    if count:
        logger.info("Sent %s reminders of deadlines", count)
