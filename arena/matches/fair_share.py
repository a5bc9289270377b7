"""Share the workers' time fairly between flows of matches: the ladders, or the authors of comparisons.

Start-time fair queueing (Goyal, Vin and Cheng, 1996): a match's virtual start time is the time at which its flow's
last match ended, in seconds of play, so that each flow that has something to play gets the same time, however long its
matches or its queue. A flow that was idle joins at the virtual time and gets nothing back for the time it did not use.
"""

from collections.abc import Iterable
from statistics import fmean

from django.db.models import F, Max, Min, Q

from arena.matches.models import Match, Participant

MAX_CHARGED_S = 60.0
"""The most that a flow is charged for a match: by durations from a busy machine it would wait for minutes."""
MATCHES_TIMED_PER_VERSION = 10
"""Number of a version's latest matches from which its time in the next one is estimated."""


def schedule_next_match(*, priority: int, after: float, seconds: float) -> tuple[float, float]:
    """Return the virtual start time of a flow's next match, and the time from which the flow goes on after it.

    `after` is the time from which the flow goes on now, `seconds` the expected duration of the match. A flow that
    passes a multiple of the duration gets as much less of the workers' time.
    """
    virtual_start = max(after, virtual_time(priority))
    return virtual_start, virtual_start + min(seconds, MAX_CHARGED_S)


def estimate_bot_seconds(versions: Iterable[int]) -> dict[int, float]:
    """Return the mean time that the bot of each version took in its latest matches; versions without any are left out.

    It is the elapsed time of its starts and answers in all legs: what the version costs a worker.
    """
    found = {}
    for version in versions:
        timed = Participant.objects.filter(version=version, elapsed_s__isnull=False).order_by("-match")
        if seconds := list(timed.values_list("elapsed_s", flat=True)[:MATCHES_TIMED_PER_VERSION]):
            found[version] = fmean(value for value in seconds if value is not None)
    return found


def virtual_time(priority: int) -> float:
    """Return the virtual start time of the running matches of this priority, else of the next or the last one.

    Delays of slow bots are left out, so that others don't join later for them.
    """
    start = F("virtual_start") - F("delay_s")
    running, queued = Q(state=Match.State.RUNNING), Q(state=Match.State.QUEUED)
    here = Match.objects.filter(running | queued, priority=priority)
    found = here.aggregate(running=Max(start, filter=running), queued=Min(start, filter=queued))
    if (time := found["running"] if found["running"] is not None else found["queued"]) is not None:
        return float(time)
    finished = Match.objects.filter(state=Match.State.FINISHED, priority=priority)
    return float(finished.aggregate(last=Max(start))["last"] or 0.0)
