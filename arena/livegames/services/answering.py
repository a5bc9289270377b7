"""Decisions of bots: claim one for a worker, and store it, once.

As with matches, the work is in the database and a message is only a hint: a game whose bot is to decide has at most one
open attempt, and a failure of the arena ends an attempt, never the game, unless it happens again and again.
"""

import secrets
from collections.abc import Collection
from datetime import timedelta

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef
from django.db.models.functions import Now
from django.utils.timezone import now

from arena.bots.program_files import fetch_programs
from arena.livegames.models import LiveAttempt, LiveAttemptQuerySet, LiveGame, LiveSeat
from arena.livegames.position import build_state, fetch_entries
from arena.livegames.services.storing import list_seats, lock_game, store_decisions, void_game
from arena.matches import workers
from arena.matches.services import AttemptLost
from arena.runner.live_turn import TurnReport, TurnSpec
from arena.times import is_past
from engine.core import forfeit_event
from engine.message import Message, gettext_noop, message

MAX_FAILED_ATTEMPTS = 3
"""After this many failures of the arena at one decision a game ends without a result."""
MAX_LOST_ATTEMPTS = 10
"""After this many workers stopped during one decision a game ends without a result; restarts count, too."""
HEARTBEAT_TIMEOUT = timedelta(seconds=15)
"""A person waits: an answer of a silent worker is given to another one sooner than a match."""
REPUBLISH_DELAY = timedelta(seconds=5)


def claim_answer(*, game_id: int, worker: str, languages: Collection[str]) -> LiveAttempt | None:
    """Claim the decision of the bot whose turn it is, and return the attempt.

    None where no bot is to decide, another worker has claimed it, or the bot's language doesn't run here.
    """
    try:
        with transaction.atomic():
            game = lock_game(game_id)
            if game.state != LiveGame.State.PLAYING or game.bot_to_act is None:
                return None
            if game.bot_to_act.language not in languages or game.attempts.open().exists():
                return None
            return LiveAttempt.objects.create(
                game=game, number=game.decisions, worker=worker, token=secrets.token_hex(16), heartbeat_at=Now()
            )
    except (IntegrityError, LiveGame.DoesNotExist):  # another worker was first, or the game was removed
        return None


def build_turn_spec(attempt: LiveAttempt) -> TurnSpec:
    """Return what the runner needs to have the bot decide. Raises AttemptLost, and FilesRemoved."""
    game = LiveGame.objects.get(pk=attempt.game_id)
    if game.decisions != attempt.number or game.seat_to_act is None:
        raise AttemptLost(f"{attempt}: the game has gone on")
    seats = list_seats(game)
    seat = seats[game.seat_to_act]
    assert seat.version is not None
    return TurnSpec(
        game=game.game,
        edition=game.edition,
        options=game.options,
        deal=game.deal,
        salt=game.salt,
        seats=len(seats),
        actions=fetch_entries(game),
        limits=game.bot_limits,
        seat=seat.seat,
        program=fetch_programs([seat.version])[0],
        bank_ms=seat.bank_ms,
    )


def record_answer_heartbeat(*, attempt: LiveAttempt) -> None:
    """Record that the attempt goes on. Raises AttemptLost."""
    if _held(attempt).update(heartbeat_at=Now()) != 1:
        raise AttemptLost(f"{attempt} was taken from {attempt.worker}")


@transaction.atomic
def store_answer(*, attempt: LiveAttempt, report: TurnReport) -> None:
    """Store the decisions of a bot, or that it forfeits, once. Raises AttemptLost where the attempt was lost."""
    if not _end(attempt, LiveAttempt.Ending.STORED):
        raise AttemptLost(f"{attempt} was taken from {attempt.worker}")
    game = lock_game(attempt.game_id)
    if game.state != LiveGame.State.PLAYING or game.decisions != attempt.number or game.seat_to_act is None:
        return  # a person has left meanwhile
    seats, stored = list_seats(game), fetch_entries(game)
    seat = seats[game.seat_to_act]
    entries = [*report.entries]
    if report.fault is not None:
        entries.append(forfeit_event(seat.seat, report.fault.verdict))
    state = build_state(game, len(seats), [*stored, *entries])
    game.cpu_s += report.cpu_ms / 1000
    _store_seat(seat, report)
    store_decisions(game, seats, state, entries, stored)
    if not game.is_over and game.cpu_s > settings.MAX_LIVE_CPU_S_PER_GAME:
        problem = gettext_noop(
            "The bots of this game have computed for %(minutes)s minutes, which is the most allowed."
        )
        void_game(game, message(problem, minutes=round(game.cpu_s / 60)))


@transaction.atomic
def fail_answer(*, attempt: LiveAttempt, error: Message) -> None:
    """End an attempt that the arena failed; after too many the game ends without a result."""
    if _end(attempt, LiveAttempt.Ending.FAILED, error):
        _void_if_hopeless(attempt)


def requeue_lost_answers(game_id: int | None = None) -> list[int]:
    """End the attempts, of all games or of one, whose workers are gone or silent, and return the ids of their games."""
    open_ones = LiveAttempt.objects.open() if game_id is None else LiveAttempt.objects.open().filter(game=game_id)
    silent = set(open_ones.filter(is_past("heartbeat_at", HEARTBEAT_TIMEOUT, Now())).values_list("pk", flat=True))
    requeued = []
    for attempt in open_ones:
        if attempt.pk in silent or workers.is_gone(attempt.worker):
            with transaction.atomic():
                if _end(attempt, LiveAttempt.Ending.LOST, message(gettext_noop("The worker stopped."))):
                    _void_if_hopeless(attempt)
                    requeued.append(attempt.game_id)
    return requeued


def pick_games_to_republish() -> list[int]:
    """Return the games that wait for a bot whose message was lost, and count them as published now."""
    tried = LiveAttempt.objects.open().filter(game=OuterRef("pk"))
    waiting = LiveGame.objects.waiting_for_bot().filter(~Exists(tried), is_past("published_at", REPUBLISH_DELAY))
    picked = list(waiting.values_list("pk", flat=True))
    LiveGame.objects.filter(pk__in=picked).update(published_at=now())
    return picked


def _store_seat(seat: LiveSeat, report: TurnReport) -> None:
    seat.bank_ms = report.bank_ms
    seat.stderr = report.stderr.replace("\0", "\N{REPLACEMENT CHARACTER}")
    seat.changed_answers += report.changed_answers
    if report.fault is not None:
        seat.fault = {"message": report.fault.message.to_json(), "sent": report.fault.sent}
    seat.save(update_fields=["bank_ms", "stderr", "changed_answers", "fault"])


def _held(attempt: LiveAttempt) -> LiveAttemptQuerySet:
    return LiveAttempt.objects.open().filter(pk=attempt.pk, token=attempt.token)


def _end(attempt: LiveAttempt, ending: LiveAttempt.Ending, error: Message | None = None) -> bool:
    return _held(attempt).update(ended_at=now(), ending=ending, error=error) == 1


def _void_if_hopeless(attempt: LiveAttempt) -> None:
    """End a game without a result where this decision was tried too often."""
    tried = LiveAttempt.objects.filter(game=attempt.game_id, number=attempt.number)
    endings = list(tried.values_list("ending", flat=True))
    if endings.count(LiveAttempt.Ending.FAILED) >= MAX_FAILED_ATTEMPTS:
        problem = gettext_noop("The arena failed to have a bot decide %(count)s times.")
        reason = message(problem, count=MAX_FAILED_ATTEMPTS)
    elif endings.count(LiveAttempt.Ending.LOST) >= MAX_LOST_ATTEMPTS:
        reason = message(gettext_noop("%(count)s workers stopped while a bot decided."), count=MAX_LOST_ATTEMPTS)
    else:
        return
    game = lock_game(attempt.game_id)
    if not game.is_over:
        void_game(game, reason)
