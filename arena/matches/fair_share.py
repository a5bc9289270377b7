"""Share the workers' time fairly between flows of matches: the ladders, or the authors of comparisons.

Start-time fair queueing (Goyal, Vin and Cheng, 1996): a match's turn is the time at which its flow's last match ended,
in seconds of play, so that each flow that has something to play gets the same time, however long its matches or its
queue. A flow that was idle joins at the virtual time and gets nothing back for the time it did not use.
"""

from django.db.models import Max, Min, Q

from arena.matches.models import Match


def schedule_next_match(*, priority: int, after: float, seconds: float) -> tuple[float, float]:
    """Return the turn of a flow's next match, and the time from which the flow goes on after that match.

    `after` is the time from which the flow goes on now, `seconds` the expected duration of the match. A flow that
    passes a multiple of the duration gets as much less of the workers' time.
    """
    turn = max(after, virtual_time(priority))
    return turn, turn + seconds


def virtual_time(priority: int) -> float:
    """Return the turn of the matches of this priority that are running, else of the next one, else of the last one."""
    running, queued = Q(state=Match.State.RUNNING), Q(state=Match.State.QUEUED)
    here = Match.objects.filter(running | queued, priority=priority)
    found = here.aggregate(running=Max("turn", filter=running), queued=Min("turn", filter=queued))
    if (turn := found["running"] if found["running"] is not None else found["queued"]) is not None:
        return float(turn)
    finished = Match.objects.filter(state=Match.State.FINISHED, priority=priority)
    return float(finished.aggregate(last=Max("turn"))["last"] or 0.0)
