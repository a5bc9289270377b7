"""Whose turn it is, where several flows of matches share the workers: the ladders, or the authors of comparisons.

Start-time fair queueing (Goyal, Vin and Cheng, 1996): a match's turn is where its flow's last match ended, all told in
seconds of play, so that each flow that has something to play gets the same time, however long its matches or its
queue. A flow that had nothing to play for a while joins at the virtual time and gets nothing back for it.
"""

from django.db.models import Max, Min, Q

from arena.matches.models import Match


def take_turn(*, priority: int, after: float, seconds: float) -> tuple[float, float]:
    """The turn of a flow's next match, and what it goes on after then.

    `after` is what it goes on after now, and `seconds` how long the match is going to take. A flow that tells more than
    that gets as much less of the workers' time.
    """
    turn = max(after, virtual_time(priority))
    return turn, turn + seconds


def virtual_time(priority: int) -> float:
    """The turn of what is being played of this priority; before that begins, of what is next; else of what was last."""
    running, queued = Q(state=Match.State.RUNNING), Q(state=Match.State.QUEUED)
    here = Match.objects.filter(running | queued, priority=priority)
    found = here.aggregate(running=Max("turn", filter=running), queued=Min("turn", filter=queued))
    if (turn := found["running"] if found["running"] is not None else found["queued"]) is not None:
        return float(turn)
    finished = Match.objects.filter(state=Match.State.FINISHED, priority=priority)
    return float(finished.aggregate(last=Max("turn"))["last"] or 0.0)
