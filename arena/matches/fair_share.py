"""Share the workers' time fairly between flows of matches: the ladders, or the authors of comparisons.

Start-time fair queueing (Goyal, Vin and Cheng, 1996): a match's virtual start time is the time at which its flow's
last match ended, in seconds of play, so that each flow that has something to play gets the same time, however long its
matches or its queue. A flow that was idle joins at the virtual time and gets nothing back for the time it did not use.
"""

from django.db.models import Max, Min, Q

from arena.matches.models import Match


def schedule_next_match(*, priority: int, after: float, seconds: float) -> tuple[float, float]:
    """Return the virtual start time of a flow's next match, and the time from which the flow goes on after it.

    `after` is the time from which the flow goes on now, `seconds` the expected duration of the match. A flow that
    passes a multiple of the duration gets as much less of the workers' time.
    """
    virtual_start = max(after, virtual_time(priority))
    return virtual_start, virtual_start + seconds


def virtual_time(priority: int) -> float:
    """Return the virtual start time of the running matches of this priority, else of the next or the last one."""
    running, queued = Q(state=Match.State.RUNNING), Q(state=Match.State.QUEUED)
    here = Match.objects.filter(running | queued, priority=priority)
    found = here.aggregate(running=Max("virtual_start", filter=running), queued=Min("virtual_start", filter=queued))
    if (time := found["running"] if found["running"] is not None else found["queued"]) is not None:
        return float(time)
    finished = Match.objects.filter(state=Match.State.FINISHED, priority=priority)
    return float(finished.aggregate(last=Max("virtual_start"))["last"] or 0.0)
