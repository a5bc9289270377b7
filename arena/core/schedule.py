"""Times of the scheduler's periodic tasks.

They are told by a clock that only goes forward: by the machine's, the scheduler would send nothing for an hour after it
was set back by an hour.
"""

from datetime import UTC, datetime, timedelta
from time import monotonic

from celery.schedules import crontab, schedule

STARTED_AT = datetime.now(UTC)
STARTED_S = monotonic()
NOT_YET = datetime(2000, 1, 1, tzinfo=UTC)
"""Time of the last run of a daily task that runs when the scheduler starts, too: an arena may be off at its hour."""


def steady_now() -> datetime:
    """Return the time at the start of this process, and what has passed since then."""
    return STARTED_AT + timedelta(seconds=monotonic() - STARTED_S)


def every(seconds: float) -> schedule:
    """Return the schedule of a task that runs at this interval."""
    return schedule(timedelta(seconds=seconds), nowfun=steady_now)


def daily(hour: int) -> crontab:
    """Return the schedule of a task that runs every day at this hour."""
    return crontab(hour=str(hour), minute="0", nowfun=steady_now)


OFTEN = {"expires": 120}
"""A message expires where many of them would pile up, and late, since the clocks of scheduler and worker may differ.

Tasks without an expiry may wait behind many matches: if they expired each time, they would never run.
"""
PERIODIC_TASKS = {
    "sweep": {"task": "arena.tasks.sweep", "schedule": every(5), "options": OFTEN},
    "clean_up": {"task": "arena.tasks.clean_up", "schedule": daily(3), "last_run_at": NOT_YET},
    "pair_ladders": {"task": "arena.tasks.pair_ladders", "schedule": every(5), "options": OFTEN},
    "watch_ladders": {"task": "arena.tasks.watch_ladders", "schedule": daily(4), "last_run_at": NOT_YET},
    "refit_ladders": {"task": "arena.tasks.refit_ladders", "schedule": every(5), "options": OFTEN},
    "remind": {"task": "arena.periodic_tasks.remind", "schedule": every(300)},
    "send_mails": {"task": "arena.periodic_tasks.send_mails", "schedule": every(300)},
    "end_rehearsals": {"task": "arena.periodic_tasks.end_rehearsals", "schedule": every(3600)},
    "tell_stories": {"task": "arena.periodic_tasks.tell_stories", "schedule": every(3600), "last_run_at": NOT_YET},
    "tell_first_stories": {"task": "arena.periodic_tasks.tell_first_stories", "schedule": every(300)},
    "finish_stories": {"task": "arena.periodic_tasks.finish_stories", "schedule": daily(2), "last_run_at": NOT_YET},
    "choose_puzzles": {
        "task": "arena.periodic_tasks.choose_puzzles",
        "schedule": every(300),
        "last_run_at": NOT_YET,
    },
    "stock_puzzles": {"task": "arena.periodic_tasks.stock_puzzles", "schedule": every(3600), "last_run_at": NOT_YET},
    "count_atlas": {"task": "arena.periodic_tasks.count_atlas", "schedule": every(60), "last_run_at": NOT_YET},
    "measure_open_luck": {
        "task": "arena.periodic_tasks.measure_open_luck",
        "schedule": every(60),
        "last_run_at": NOT_YET,
    },
    "recheck_atlas": {"task": "arena.periodic_tasks.recheck_atlas", "schedule": daily(5)},
    "tell_news": {"task": "arena.periodic_tasks.tell_news", "schedule": every(120)},
    "send_digests": {"task": "arena.periodic_tasks.send_digests", "schedule": every(600)},
    "analyse_top_matches": {"task": "arena.tasks.analyse_top_matches", "schedule": every(3600)},
}
