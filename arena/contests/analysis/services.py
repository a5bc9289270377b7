"""Queue analyses, make them within their share of the workers' time, and audit the luck of bots."""

import secrets
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from time import monotonic

from django.conf import settings
from django.db import transaction
from django.db.models import Case, Count, Exists, F, OuterRef, Q, QuerySet, Subquery, Sum, Value, When
from django.db.models.functions import Now
from django.utils.formats import date_format
from django.utils.timezone import localtime, now

from arena.bots.models import Bot
from arena.bots.running import NO_BOTS
from arena.bots.teams import QuotaSpent, check_author
from arena.contests.analysis.models import (
    BALANCE_FIELDS,
    COUNT_FIELDS,
    AnalysisClosed,
    LegAnalysis,
    LegAnalysisQuerySet,
    NotAnalysable,
    NotPlayed,
    SeatAnalysis,
    WaitingLine,
    pack,
    read_packed,
)
from arena.contests.analysis.queries import (
    compute_rest,
    count_granted_processes,
    count_slots,
    fetch_draw_luck,
    is_analysis_on,
    list_lost_legs,
    list_top_matches,
)
from arena.contests.comparisons.models import LuckSuspension, ParticipantLuck
from arena.contests.comparisons.services import is_deal_in_play, measure_seat_luck, store_luck, suspend_adjustment
from arena.contests.ladders.models import Ladder, LadderMatch
from arena.contests.ladders.services.ledger import add_luck
from arena.core.database import is_past
from arena.core.errors import ArenaError
from arena.core.logs import log_with
from arena.core.wake import Work, wake
from arena.matches.attempts import AttemptLost, beat_every, carry_out, list_lost
from arena.matches.livegames.models import LiveGame
from arena.matches.livegames.playing import find_own_seat
from arena.matches.livegames.position import LivePlayer, list_seats
from arena.matches.livegames.queries import is_live_deal_in_play
from arena.matches.models import Leg, LegSeat, Match, find_lesson
from arena.people.accounts.models import User
from arena.runner.channel import Analysed
from arena.runner.match import Heartbeat
from engine.analysis.evaluators import Evaluator, find_evaluator, has_evaluator
from engine.analysis.leg import LegAnalyser, analyse_coarsely
from engine.core import Json
from engine.message import Message, gettext_noop, message

# Make analyses: first a coarse pass where somebody waits, then the full pass in slices, whose parts are stored.
#
# A coarse pass takes a second or two and is made in one go, outside of the share of the workers' time that full passes
# have: a person waits for it, and to interrupt it would cost more than it takes. As with matches, the work is in the
# database and a message is only a hint. What a slice has made is stored with it, so that a worker that stops loses no
# more than that.

MAX_FAILURES = 3
"""After this many failures of the arena there is no analysis."""
MAX_LOSSES = 5
"""After this many workers stopped while they made it there is no analysis; restarts count, too."""
ANALYSIS_HEARTBEAT_TIMEOUT = timedelta(seconds=60)
"""A slice takes some seconds."""
REPUBLISH_DELAY = timedelta(seconds=20)
MISTAKE_FIELDS = ("number", "action", "better", "kind", "judgement", "loss")


def claim_analysis(*, worker: str, line: WaitingLine) -> LegAnalysis | None:
    """Claim the first analysis of a line that may go on, and return it; None where there is none.

    Also None where the share of full passes is used up, the arena makes no analyses, or a lesson runs and nobody waits
    for this line. One whose deal is in play again is passed over, and one of a game that isn't installed here.
    """
    if not is_analysis_on() or line is WaitingLine.UNREQUESTED and find_lesson() is not None:
        return None
    has_game = ~NO_BOTS.cannot_run(game="leg__match__game") | ~NO_BOTS.cannot_run(game="live_game__game")
    waiting = LegAnalysis.objects.in_line(line).filter(has_game, worker="")
    if line is not WaitingLine.COARSE:
        waiting = waiting.exclude(rests_until__gt=now())
    for key in waiting.values_list("pk", flat=True):
        if line is not WaitingLine.COARSE and count_full_passes() >= count_slots():
            return None
        token = secrets.token_hex(16)
        free = LegAnalysis.objects.in_line(line).filter(pk=key, worker="")
        if free.update(state=LegAnalysis.State.RUNNING, worker=worker, token=token, heartbeat_at=Now()) != 1:
            continue
        analysis = LegAnalysis.objects.select_related("leg__match", "live_game").get(pk=key)
        if not _is_surplus(analysis) and not _is_deal_in_play(analysis):
            return analysis
        _held(analysis).update(worker="", token="")
    return None


def has_waiting_coarse_pass() -> bool:
    """Return whether a person waits for a coarse pass that no worker makes."""
    return is_analysis_on() and LegAnalysis.objects.in_line(WaitingLine.COARSE).filter(worker="").exists()


def count_full_passes() -> int:
    """Return how many full passes are being made now. They have a share of the workers; coarse passes have none."""
    return LegAnalysis.objects.in_full_pass().held().count()


def store_coarse_result(*, analysis: LegAnalysis, result: Json, worked_s: float) -> None:
    """Store what the coarse pass found, and let go of the analysis. Raises AttemptLost.

    Its full pass is next if somebody has requested it.
    """
    state = Case(
        When(requested_by=None, live_game__isnull=False, then=Value(LegAnalysis.State.COARSE.value)),
        default=F("state"),
    )
    stored = {"coarse_result": pack(result), "coarse_s": worked_s, "worker": "", "token": "", "published_at": now()}
    _change(analysis, state=state, **stored)


def store_parts(*, analysis: LegAnalysis, parts: Sequence[Json], worked_s: float) -> None:
    """Store what was made so far, and let go of the analysis. Raises AttemptLost where another worker has it."""
    _change(
        analysis,
        parts=pack(parts),
        entries_done=len(parts),
        worked_s=_add_work(analysis, worked_s),
        worker="",
        token="",
        rests_until=now() + compute_rest(worked_s, analysis.line),
        published_at=now(),
    )


@transaction.atomic
def store_analysis(*, analysis: LegAnalysis, result: Json, worked_s: float = 0.0) -> None:
    """Store the result, once; it replaces that of an earlier value function. Raises AttemptLost."""
    _change(
        analysis,
        state=LegAnalysis.State.DONE,
        result=pack(result),
        coarse_result=None,
        parts=None,
        entries_done=len(result["chances"]) - 1,
        worked_s=_add_work(analysis, worked_s),
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
    held = LegAnalysis.objects.held().defer("parts", "coarse_result", "result")
    for analysis in list_lost(held, ANALYSIS_HEARTBEAT_TIMEOUT):
        changes: Json = {"losses": analysis.losses + 1, "worker": "", "token": ""}
        if analysis.losses + 1 >= MAX_LOSSES:
            problem = gettext_noop("%(count)s workers stopped while running the analysis.")
            error = message(problem, count=MAX_LOSSES)
            changes |= {"state": LegAnalysis.State.FAILED, "error": error, "parts": None, "finished_at": now()}
        lost += _held(analysis).update(**changes)
    return lost


def pick_analyses_to_republish() -> int:
    """Return how many messages to send for analyses that wait and that no worker was told of lately.

    There are no more full passes than may be made at a time: a worker takes the first one, whichever message woke it.
    """
    if not is_analysis_on():
        return 0
    is_forgotten = is_past("published_at", REPUBLISH_DELAY)
    coarse = LegAnalysis.objects.in_line(WaitingLine.COARSE).filter(is_forgotten, worker="")
    waiting = LegAnalysis.objects.in_full_pass().filter(~Q(rests_until__gt=now()), worker="")
    if find_lesson() is not None:
        waiting = waiting.filter(is_automatic=False)
    stale = waiting.filter(is_forgotten | Q(rests_until__isnull=False)).in_queue_order()
    picked = [*coarse.values_list("pk", flat=True), *stale.values_list("pk", flat=True)[: count_slots()]]
    LegAnalysis.objects.filter(pk__in=picked).update(published_at=now(), rests_until=None)
    return len(picked)


def _is_surplus(analysis: LegAnalysis) -> bool:
    """Return whether others claimed theirs in the same moment, before this one, and the share is used up by them."""
    if analysis.line is WaitingLine.COARSE:
        return False
    own = Subquery(LegAnalysis.objects.filter(pk=analysis.pk).values("heartbeat_at"))
    earlier = Q(heartbeat_at__lt=own) | Q(heartbeat_at=own, pk__lt=analysis.pk)
    return LegAnalysis.objects.in_full_pass().held().filter(earlier).count() >= count_slots()


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


def _add_work(analysis: LegAnalysis, worked_s: float) -> float | None:
    """Return the seconds of work of the full pass so far; None where the first of them were not counted."""
    if analysis.parts is None:
        return worked_s
    return None if analysis.worked_s is None else analysis.worked_s + worked_s


def _held(analysis: LegAnalysis) -> LegAnalysisQuerySet:
    return LegAnalysis.objects.unfinished().filter(pk=analysis.pk, token=analysis.token).exclude(worker="")


def _change(analysis: LegAnalysis, **changes: object) -> None:
    if _held(analysis).update(**changes) != 1:
        raise AttemptLost(f"{analysis} was taken from {analysis.worker}")


# Queue analyses: for a user who asks, and by itself for the best matches of each ladder.

QUOTA_PERIOD = timedelta(hours=24)
UNASKED_PERIOD = timedelta(hours=1)
LOSSES_LOOKED_AT = 3
"""Lost legs that are looked at for each that is to be analysed: some can't be."""
USUAL_COARSE_S = 1.5
"""Seconds of work that a coarse pass is taken to need before it is made."""


@transaction.atomic
def request_analysis(*, user: User, leg: Leg) -> LegAnalysis:
    """Queue the analysis of a leg for a user, and return it; where there is one already, that is returned.

    One that failed is tried again. Raises NotAnalysable, AnalysisClosed or QuotaSpent.
    """
    user = User.objects.select_for_update().get(pk=user.pk)
    return _request(user, check_analysable(leg, user), leg=leg)


def request_analyses_of_losses(*, user: User, bot: Bot, count: int) -> list[LegAnalysis]:
    """Queue the analyses of a bot's newest lost legs for one of its authors, and return them, the newest leg first.

    Legs that can't be analysed are passed over. Where the day's analyses don't last, the rest is left out. Raises
    NotYours, AnalysisClosed, and QuotaSpent or NotAnalysable where there is none at all.
    """
    check_author(bot, user)
    found: list[LegAnalysis] = []
    refusal: ArenaError | None = None
    for leg in list_lost_legs(bot)[: LOSSES_LOOKED_AT * count]:
        if len(found) == count:
            break
        try:
            found.append(request_analysis(user=user, leg=leg))
        except NotAnalysable as error:
            refusal = refusal or error
        except QuotaSpent as error:
            refusal = error
            break
    if not found:
        raise refusal or NotAnalysable(message(gettext_noop("None of this bot's lost legs has a record.")))
    return found


@transaction.atomic
def request_live_analysis(*, player: LivePlayer, game: LiveGame) -> LegAnalysis:
    """Queue the analysis of a live game that is over, for a user who played it, as `request_analysis` does.

    Guests sign in first: requests are counted by user. Raises NotPlayed, NotAnalysable, AnalysisClosed or QuotaSpent.
    """
    if player.user is None or find_own_seat(list_seats(game), player) is None:
        raise NotPlayed(message(gettext_noop("Only signed-in players of this game can have it analysed.")))
    user = User.objects.select_for_update().get(pk=player.user.pk)
    return _request(user, check_live_analysable(game), live_game=game)


def _request(user: User, evaluator: Evaluator, **subject: Leg | LiveGame) -> LegAnalysis:
    """Return the analysis of a leg, or of a live game, by this function; queue it where there is none."""
    known = LegAnalysis.objects.of_function(evaluator.version, evaluator.weights_hash).filter(**subject).first()
    is_unasked = known is not None and known.requested_by_id is None and known.live_game_id is not None
    if known is None or known.state == LegAnalysis.State.FAILED or is_unasked and not known.is_done:
        if not is_analysis_on():
            raise AnalysisClosed(message(gettext_noop("Analysis is turned off on this arena.")))
        check_quota(user)
        if known is not None and is_unasked and known.state != LegAnalysis.State.FAILED:
            known = _ask_for_full_pass(known, user)
        else:
            known = _try_again(known, user) if known else _create(evaluator, requested_by=user, **subject)
    if known.is_pending:
        wake(Work.ANALYSIS, known.pk)
    return known


@transaction.atomic
def analyse_coarsely_unasked(*, player: LivePlayer, game: LiveGame) -> LegAnalysis | None:
    """Queue the coarse pass of a game that a person has played against bots, and return it; None where there is none.

    All of these passes of an hour get the share of the workers' time that analyses have. Nobody has to ask for it, so
    it counts towards no quota, and guests get it, too.
    """
    seats = list_seats(game)
    if find_own_seat(seats, player) is None or all(seat.version_id is None for seat in seats):
        return None
    try:
        evaluator = check_live_analysable(game)
    except NotAnalysable:
        return None
    known = LegAnalysis.objects.of_function(evaluator.version, evaluator.weights_hash).filter(live_game=game).first()
    if known is not None or not has_share_for_unasked():
        return known
    made, is_new = LegAnalysis.objects.get_or_create(
        live_game=game, function_version=evaluator.version, function_hash=evaluator.weights_hash
    )
    if is_new:
        wake(Work.ANALYSIS, made.pk)
    return made


def has_share_for_unasked() -> bool:
    """Return whether coarse passes that nobody asked for have work left of the share of this hour.

    While a lesson runs, they have none: people get the button that asks for it.
    """
    if not is_analysis_on() or find_lesson() is not None:
        return False
    of_hour = LegAnalysis.objects.filter(
        requested_by=None, is_automatic=False, live_game__isnull=False, created_at__gt=now() - UNASKED_PERIOD
    )
    found = of_hour.aggregate(worked_s=Sum("coarse_s"), waiting=Count("pk", filter=Q(coarse_s=None)))
    spent_s = (found["worked_s"] or 0.0) + found["waiting"] * USUAL_COARSE_S
    return bool(spent_s < count_granted_processes() * UNASKED_PERIOD.total_seconds())


def _ask_for_full_pass(analysis: LegAnalysis, user: User) -> LegAnalysis:
    """Have the full pass made after a coarse one that nobody asked for."""
    own = LegAnalysis.objects.filter(pk=analysis.pk)
    own.update(requested_by=user, created_at=now())
    own.filter(state=LegAnalysis.State.COARSE).update(state=LegAnalysis.State.WAITING)
    analysis.refresh_from_db()
    return analysis


def queue_top_matches() -> int:
    """Queue the analysis of one match of each public ladder with some left for today, and return how many legs that is.

    It is the match of the last day whose weaker bot has the highest rating. Called every hour, it spreads them out.
    While a lesson runs, none is queued.
    """
    queued = 0
    if not is_analysis_on() or find_lesson() is not None:
        return queued
    since = now() - QUOTA_PERIOD
    for ladder in Ladder.objects.public().playable():
        if (
            has_evaluator(ladder.game, ladder.edition)
            and _count_automatic(ladder, since) < settings.ANALYSED_TOP_MATCHES
        ):
            queued += sum(_queue_match(match) for match in list_top_matches(ladder, since, limit=1))
    return queued


def check_analysable(leg: Leg, reader: User | None) -> Evaluator:
    """Return the evaluator of a leg that `reader` may have analysed. Raises NotAnalysable.

    Nothing of a match is analysed that is not over, or whose deal is in play elsewhere.
    """
    match = Match.objects.visible_to(reader).filter(pk=leg.match_id).first()
    if match is None or match.state != Match.State.FINISHED:
        raise NotAnalysable(message(gettext_noop("Only matches with a result can be analysed.")))
    if is_deal_in_play(match):
        problem = gettext_noop("Another match with the same deal is still being played: come back when it's finished.")
        raise NotAnalysable(message(problem))
    evaluator = find_evaluator(match.game, match.edition, match.options)
    if evaluator is None:
        raise NotAnalysable(message(gettext_noop("These rules can't be analysed: they have no value function.")))
    if leg.record is None:
        raise NotAnalysable(message(gettext_noop("This leg's record was lost or removed, so it can't be analysed.")))
    return evaluator


def check_live_analysable(game: LiveGame) -> Evaluator:
    """Return the evaluator of a live game that may be analysed: one with a result, whose deal isn't in play again.

    Raises NotAnalysable.
    """
    if game.state != LiveGame.State.FINISHED or game.record is None:
        raise NotAnalysable(message(gettext_noop("Only finished games with a result can be analysed.")))
    if is_live_deal_in_play(game):
        problem = gettext_noop(
            "The same deal is being played with swapped seats: come back when that game is finished."
        )
        raise NotAnalysable(message(problem))
    evaluator = find_evaluator(game.game, game.edition, game.options)
    if evaluator is None:
        raise NotAnalysable(message(gettext_noop("These rules can't be analysed: they have no value function.")))
    return evaluator


def check_quota(user: User) -> None:
    """Raise QuotaSpent where the user has requested as many analyses as one may in 24 hours."""
    today = LegAnalysis.objects.filter(requested_by=user, created_at__gt=now() - QUOTA_PERIOD).order_by("-created_at")
    requested = list(today.values_list("created_at", flat=True)[: settings.MAX_ANALYSES_PER_DAY])
    if len(requested) < settings.MAX_ANALYSES_PER_DAY:
        return
    if not requested:
        raise QuotaSpent(message(gettext_noop("You can't request analyses here at the moment.")))
    again = localtime(requested[-1] + QUOTA_PERIOD)
    problem = gettext_noop(
        "You've requested %(most)s analyses in 24 hours, the maximum. You can request more at %(time)s."
    )
    spent = message(problem, most=settings.MAX_ANALYSES_PER_DAY, time=date_format(again, "H:i T, j F"))
    raise QuotaSpent(spent, retry_after=(again - now()).total_seconds())


def _create(evaluator: Evaluator, requested_by: User | None, **subject: Leg | LiveGame) -> LegAnalysis:
    return LegAnalysis.objects.create(
        **subject,
        function_version=evaluator.version,
        function_hash=evaluator.weights_hash,
        requested_by=requested_by,
        is_automatic=requested_by is None,
    )


def _try_again(analysis: LegAnalysis, user: User) -> LegAnalysis:
    analysis.state, analysis.error = LegAnalysis.State.WAITING, None
    analysis.failures = analysis.losses = analysis.entries_done = 0
    analysis.parts, analysis.rests_until, analysis.worked_s = None, None, None
    analysis.requested_by, analysis.is_automatic, analysis.created_at = user, False, now()
    analysis.save()
    return analysis


def _count_automatic(ladder: Ladder, since: datetime) -> int:
    """Count the matches of a ladder that were chosen since then."""
    chosen = LegAnalysis.objects.filter(
        is_automatic=True, created_at__gt=since, leg__match__ladder_match__ladder=ladder
    )
    return chosen.values("leg__match").distinct().count()


def _queue_match(match: Match) -> int:
    """Queue the analysis of all legs of a match, and return how many there are."""
    made = 0
    for leg in Leg.objects.filter(match=match).defer("deal"):
        try:
            evaluator = check_analysable(leg, None)
        except NotAnalysable:
            continue
        _create(evaluator, requested_by=None, leg=leg)
        made += 1
    return made


# Audit the luck of bots: a bot that knows the deck has luck, and an adjustment for luck would hide it.

MAX_LUCK_Z = 4.0
"""Mean luck of so many standard errors is no chance: of a bot that doesn't know the deck once in 16,000 looks."""
MIN_AUDITED_DRAWS = 500
"""With fewer draws the standard error itself is uncertain. It takes some dozen legs."""


def audit_luck_of_match(*, match_id: int) -> list[LuckSuspension]:
    """Suspend the adjustment of the bots of a match whose mean luck is out of line. Return what is new."""
    bots = Bot.objects.filter(versions__participations__match=match_id).distinct()
    return [found for bot in bots if (found := audit_luck(bot=bot)) is not None]


def audit_luck(*, bot: Bot) -> LuckSuspension | None:
    """Suspend the adjustment of a bot whose mean luck is out of line. Return the suspension if it is new."""
    luck = fetch_draw_luck(bot)
    if luck is None or luck.draws < MIN_AUDITED_DRAWS or abs(luck.z) <= MAX_LUCK_Z:
        return None
    return suspend_adjustment(bot=bot, draws=luck.draws, z=luck.z)


# Measure the luck on open ladders, whose deals no second leg mirrors: beside its points, an entry has these less luck.

LUCK_MEASURED_WITHIN = timedelta(hours=1)
"""Where more is played than can be measured, the newest matches are, which is no choice by luck; older ones never."""
MAX_MATCHES_MEASURED = 500


def measure_luck_on_open_ladders(*, budget_s: float) -> int:
    """Measure the luck of the newest rated matches on open ladders, for so many seconds, and return how many these are.

    A match in which nobody's luck can be measured is left as it is.
    """
    if not is_analysis_on():
        return 0
    measured, began = 0, monotonic()
    for row in _list_matches_without_luck():
        if monotonic() - began >= budget_s:
            break
        measured += _measure_luck_of(row)
    return measured


def _list_matches_without_luck() -> QuerySet[LadderMatch]:
    rated = LadderMatch.objects.filter(sequence__isnull=False, void_sequence=None, ladder__clock__gt="")
    recent = rated.filter(match__finished_at__gt=now() - LUCK_MEASURED_WITHIN, ladder__value_function__isnull=False)
    known = ParticipantLuck.objects.filter(participant__match=OuterRef("match"))
    rows = recent.filter(~Exists(known)).select_related("ladder", "match").defer("match__deal", "ladder__secret")
    return rows.order_by("-match")[:MAX_MATCHES_MEASURED]


def _measure_luck_of(row: LadderMatch) -> bool:
    """Measure the luck of a match, and add it to its entries. Return whether it could be measured."""
    value_function = row.ladder.value_function
    luck = None if value_function is None else measure_seat_luck(row.match, value_function)
    if luck is None or value_function is None:
        return False
    gain = value_function["luck_share"] * (luck[0].luck - luck[1].luck)
    with transaction.atomic():
        store_luck(row.match, luck)
        add_luck(ladder_match=row, luck=gain)
    return True


# Work on a claimed analysis: make its coarse pass, or a few seconds of the full one, and store how far it came.

SLICE_S = 4.0
"""A worker goes back to its matches after this time."""
ANALYSIS_HEARTBEAT_INTERVAL_S = 10.0
CoarsePass = Callable[[Json, Heartbeat], Analysed]
"""A function that makes a coarse pass of a record and calls the heartbeat now and then, which may raise to stop it."""


def work_on_analysis(*, analysis: LegAnalysis, seconds: float = SLICE_S, analyse: CoarsePass | None = None) -> bool:
    """Make the coarse pass of an analysis, or its next slice, and store it or the failure.

    `analyse` makes the coarse pass, in a process of its own; without, it is made in this one. Return whether something
    was stored.
    """
    leg = analysis.leg
    with log_with(live_game_id=analysis.live_game_id) if leg is None else log_with(match_id=leg.match_id):
        return carry_out(
            analysis,
            lambda: _make_slice(analysis, seconds, analyse),
            lambda error: fail_analysis(analysis=analysis, error=error),
        )


def _make_slice(analysis: LegAnalysis, seconds: float, analyse: CoarsePass | None) -> None:
    began = monotonic()
    record = analysis.subject.record_data
    evaluator = find_evaluator(record["game"], record["edition"], record["options"])
    assert evaluator is not None
    if (evaluator.version, evaluator.weights_hash) != (analysis.function_version, analysis.function_hash):
        raise RuntimeError("it was requested for another value function than this worker has")
    if analysis.line is WaitingLine.COARSE:
        if analyse is None:
            result = analyse_coarsely(record, evaluator)
        else:
            beat = beat_every(ANALYSIS_HEARTBEAT_INTERVAL_S, lambda: _change(analysis, heartbeat_at=Now()))
            result = analyse(record, beat).result
        store_coarse_result(analysis=analysis, result=result, worked_s=monotonic() - began)
        return
    parts = [] if analysis.parts is None else read_packed(analysis.parts)
    analyser = LegAnalyser(record, evaluator, parts)
    while not analyser.is_done:
        analyser.advance()
        # Asked afterwards: each slice gets further, however slow the machine is.
        if monotonic() - began >= seconds:
            break
    if analyser.is_done:
        store_analysis(analysis=analysis, result=analyser.finish(), worked_s=monotonic() - began)
    else:
        store_parts(analysis=analysis, parts=analyser.parts, worked_s=monotonic() - began)
