"""Make analyses in slices: claim one, store its parts, and at the end its result, once.

As with matches, the work is in the database and a message is only a hint. What a slice has made is stored with it, so
that a worker that stops loses no more than that.
"""

import secrets
from collections.abc import Sequence
from datetime import timedelta

from django.db import transaction
from django.db.models import Q, Subquery
from django.db.models.functions import Now
from django.utils.timezone import now

from arena.analysis.capacity import compute_rest, count_slots
from arena.analysis.models import BALANCE_FIELDS, COUNT_FIELDS, LegAnalysis, LegAnalysisQuerySet, SeatAnalysis, pack
from arena.comparisons.queries.shared_deals import is_deal_in_play
from arena.livegames.queries.games import is_live_deal_in_play
from arena.matches import workers
from arena.matches.models import LegSeat
from arena.matches.services import AttemptLost
from arena.times import is_past
from engine.core import Json
from engine.message import Message, gettext_noop, message

MAX_FAILURES = 3
"""After this many failures of the arena there is no analysis."""
MAX_LOSSES = 5
"""After this many workers stopped while they made it there is no analysis; restarts count, too."""
HEARTBEAT_TIMEOUT = timedelta(seconds=60)
"""A slice takes some seconds."""
REPUBLISH_DELAY = timedelta(seconds=20)
MISTAKE_FIELDS = ("number", "action", "better", "kind", "judgement", "loss")


def claim_analysis(*, worker: str) -> LegAnalysis | None:
    """Claim the first analysis that may go on, and return it; None where there is none, or the share is used up.

    One whose deal is in play again is passed over.
    """
    resting = Q(rests_until__gt=now())
    waiting = LegAnalysis.objects.unfinished().filter(~resting, worker="").in_queue_order()
    for key in waiting.values_list("pk", flat=True):
        if LegAnalysis.objects.held().count() >= count_slots():
            return None
        token = secrets.token_hex(16)
        free = LegAnalysis.objects.unfinished().filter(pk=key, worker="")
        if free.update(state=LegAnalysis.State.RUNNING, worker=worker, token=token, heartbeat_at=Now()) != 1:
            continue
        analysis = LegAnalysis.objects.select_related("leg__match", "live_game").get(pk=key)
        if not _is_surplus(analysis) and not _is_deal_in_play(analysis):
            return analysis
        _held(analysis).update(worker="", token="")
    return None


def store_parts(*, analysis: LegAnalysis, parts: Sequence[Json], worked_s: float) -> None:
    """Store what was made so far, and let go of the analysis. Raises AttemptLost where another worker has it."""
    _change(
        analysis,
        parts=pack(parts),
        entries_done=len(parts),
        worker="",
        token="",
        rests_until=now() + compute_rest(worked_s),
        published_at=now(),
    )


@transaction.atomic
def store_analysis(*, analysis: LegAnalysis, result: Json) -> None:
    """Store the result, once; it replaces that of an earlier value function. Raises AttemptLost."""
    _change(
        analysis,
        state=LegAnalysis.State.DONE,
        result=pack(result),
        parts=None,
        worker="",
        token="",
        rests_until=None,
        finished_at=now(),
    )
    of_same = LegAnalysis.objects.filter(leg=analysis.leg_id, live_game=analysis.live_game_id)
    of_same.exclude(pk=analysis.pk).delete()
    participants: dict[int, int] = {}
    if analysis.leg_id is not None:
        participants = dict(LegSeat.objects.filter(leg=analysis.leg_id).values_list("seat", "participant"))
    SeatAnalysis.objects.bulk_create(
        _describe_seat(analysis, seat, participants.get(seat), result) for seat in range(len(result["seats"]))
    )


def fail_analysis(*, analysis: LegAnalysis, error: Message) -> None:
    """End a try that failed by the arena's fault; after MAX_FAILURES there is no analysis."""
    failures = analysis.failures + 1
    changes: Json = {"failures": failures, "worker": "", "token": "", "error": error}
    if failures >= MAX_FAILURES:
        changes |= {"state": LegAnalysis.State.FAILED, "parts": None, "finished_at": now()}
    _held(analysis).update(**changes)


def requeue_lost_analyses() -> int:
    """Let go of the analyses whose workers are gone or silent, and return how many there were."""
    lost = 0
    silent = set(
        LegAnalysis.objects.held()
        .filter(is_past("heartbeat_at", HEARTBEAT_TIMEOUT, Now()))
        .values_list("pk", flat=True)
    )
    for analysis in LegAnalysis.objects.held().defer("parts", "result"):
        if analysis.pk in silent or workers.is_gone(analysis.worker):
            changes: Json = {"losses": analysis.losses + 1, "worker": "", "token": ""}
            if analysis.losses + 1 >= MAX_LOSSES:
                problem = gettext_noop("%(count)s workers stopped while they made it.")
                error = message(problem, count=MAX_LOSSES)
                changes |= {"state": LegAnalysis.State.FAILED, "error": error, "parts": None, "finished_at": now()}
            lost += _held(analysis).update(**changes)
    return lost


def pick_analyses_to_republish() -> int:
    """Return how many messages to send for analyses that wait and that no worker was told of lately.

    There are no more than may be made at a time: a worker takes the first one, whichever message woke it.
    """
    waiting = LegAnalysis.objects.unfinished().filter(~Q(rests_until__gt=now()), worker="")
    stale = waiting.filter(is_past("published_at", REPUBLISH_DELAY) | Q(rests_until__isnull=False))
    picked = list(stale.in_queue_order().values_list("pk", flat=True)[: count_slots()])
    LegAnalysis.objects.filter(pk__in=picked).update(published_at=now(), rests_until=None)
    return len(picked)


def _is_surplus(analysis: LegAnalysis) -> bool:
    """Return whether others claimed theirs in the same moment, before this one, and the share is used up by them."""
    own = Subquery(LegAnalysis.objects.filter(pk=analysis.pk).values("heartbeat_at"))
    earlier = Q(heartbeat_at__lt=own) | Q(heartbeat_at=own, pk__lt=analysis.pk)
    return LegAnalysis.objects.held().filter(earlier).count() >= count_slots()


def _is_deal_in_play(analysis: LegAnalysis) -> bool:
    """Return whether the deal is in play elsewhere: in another match, or with swapped seats."""
    if analysis.live_game is not None:
        return is_live_deal_in_play(analysis.live_game)
    assert analysis.leg is not None
    return is_deal_in_play(analysis.leg.match)


def _describe_seat(analysis: LegAnalysis, seat: int, participant: int | None, result: Json) -> SeatAnalysis:
    found = result["seats"][seat]
    mistakes = [one for one in result["decisions"] if one["seat"] == seat and one["judgement"]]
    return SeatAnalysis(
        analysis=analysis,
        seat=seat,
        participant_id=participant,
        accuracy=found["accuracy"],
        mistakes=[{name: mistake[name] for name in MISTAKE_FIELDS} for mistake in mistakes],
        **{name: found[name] for name in (*BALANCE_FIELDS, *COUNT_FIELDS)},
    )


def _held(analysis: LegAnalysis) -> LegAnalysisQuerySet:
    return LegAnalysis.objects.unfinished().filter(pk=analysis.pk, token=analysis.token).exclude(worker="")


def _change(analysis: LegAnalysis, **changes: object) -> None:
    if _held(analysis).update(**changes) != 1:
        raise AttemptLost(f"{analysis} was taken from {analysis.worker}")
