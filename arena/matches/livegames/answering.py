"""Have bots decide in live games: each decision is claimed by a worker, and stored once."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from threading import Lock

from cachetools import TTLCache, cached
from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Exists, F, OuterRef, Q, Subquery, Sum
from django.utils.timezone import now

from arena.bots.models import BotVersion
from arena.bots.running import WorkerCapabilities, fetch_programs
from arena.core.logs import log_with
from arena.core.wake import Work, wake
from arena.matches import workers
from arena.matches.attempts import AttemptLost, Attempts, beat_every, carry_out
from arena.matches.lifecycle import STOPPED
from arena.matches.livegames.models import LiveAttempt, LiveGame, LiveSeat
from arena.matches.livegames.position import (
    LiveTable,
    fetch_entries,
    list_seats,
    lock_game,
    store_decisions,
    store_draft,
    void_game,
)
from arena.matches.models import MAX_RETRY_PAUSE, Leg, Participant
from arena.matches.play import fetch_match_programs
from arena.runner.live_turn import KEPT_FOR_S, TurnReport, TurnSpec
from arena.runner.match import Heartbeat
from arena.runner.program import Program
from engine.message import Message, gettext_noop, message

# Decisions of bots: claim one for a worker, and store it, once.
#
# As with matches, the work is in the database and a message is only a hint: a game whose bot is to decide has at most
# one open attempt, and a failure of the arena ends an attempt, never the game, unless it goes on for an hour.
#
# The process that has decided waits, stopped, for the next turn of its seat. It belongs to one table, one seat and one
# runner process: where another worker takes the turn, a fresh one is started.

ANSWER_HEARTBEAT_TIMEOUT = timedelta(seconds=15)
"""A person waits: an answer of a silent worker is given to another one sooner than a match."""
TURNS_LOOKED_AT = 50
"""Number of waiting turns among which a worker looks for the shortest."""
LONG_TURN_S = 0.3
"""Processor time from which a turn is long: as many of these run at a time as there are processors, no more."""
SHORT_WAIT = timedelta(seconds=1)
"""A turn that has waited no longer is not worth a word."""
LEFT_TO_HOLDER = timedelta(seconds=1)
"""Time for which a turn is left to the worker that keeps the process for it."""
KEPT_AT_MOST = timedelta(seconds=KEPT_FOR_S + 60)
"""A process that answered longer ago is not kept any more, whatever its row says."""
TURNS_PER_DECISION = 0.5
"""A turn of Battle Line has two decisions or three, of which one draws a card."""
MATCHES_TIMED = 10


@dataclass(frozen=True, slots=True)
class WaitingTurn:
    """A turn of a bot that no worker has taken."""

    game: int
    seat: int
    seconds: float | None
    """Processor time that it takes, by the bot's latest matches; None where it has played none."""

    @property
    def is_long(self) -> bool:
        """Return whether others may have to wait for it; so may a turn of which nothing is known."""
        return self.seconds is None or self.seconds > LONG_TURN_S

    @property
    def table(self) -> str:
        """Return the name under which the process of the seat may be kept."""
        return name_table(self.game, self.seat)


def list_waiting_turns(*, worker: str, capabilities: WorkerCapabilities) -> tuple[list[WaitingTurn], bool]:
    """List the turns that a worker may take, and say whether there are others.

    Those for which a person waits come first, and of these the shortest; then those of matches with remote bots.
    Those whose process another worker keeps are left to that one for LEFT_TO_HOLDER.
    """
    at = now()
    kept = LiveSeat.objects.filter(
        game=OuterRef("pk"), seat=OuterRef("seat_to_act"), kept_at__gt=at - KEPT_AT_MOST
    ).exclude(kept_by="")
    beyond = capabilities.cannot_run(version="bot_to_act__", game="game")
    waiting = LiveGame.objects.waiting_for_worker().filter(~beyond)
    rows = waiting.annotate(holder=Subquery(kept.values("kept_by")[:1]))
    rows = rows.order_by(F("match").asc(nulls_first=True), "decided_at")
    turns, are_some_left = [], False
    fields = ("pk", "seat_to_act", "bot_to_act", "decided_at", "holder", "match")
    for game, seat, version, decided_at, holder, match in rows.values_list(*fields)[:TURNS_LOOKED_AT]:
        if holder in (None, worker) or decided_at < at - LEFT_TO_HOLDER or workers.is_gone(holder):
            turns.append((WaitingTurn(game, seat, estimate_turn_seconds(version)), decided_at, match is not None))
        else:
            are_some_left = True
    turns.sort(key=lambda found: (found[2], found[0].seconds or LONG_TURN_S, found[1]))
    return [turn for turn, *_ in turns], are_some_left


@dataclass(frozen=True, slots=True)
class BotTurn:
    """The state of a bot's turn: the bot thinks, waits for a worker, or is tried again after a failure."""

    is_thinking: bool = False
    ahead: int | None = None
    """Number of turns ahead of it; None unless it waits for a worker."""
    retry_at: datetime | None = None


def find_bot_turn(game: LiveGame) -> BotTurn | None:
    """Return what happens to the turn of the bot that is to decide; None where none is."""
    if game.state != LiveGame.State.PLAYING or game.bot_to_act_id is None:
        return None
    at = now()
    if at - game.decided_at < SHORT_WAIT and game.retry_at is None:
        return BotTurn()
    if game.attempts.open().exists():
        return BotTurn(is_thinking=True)
    if game.retry_at is not None and at < game.retry_at < at + MAX_RETRY_PAUSE:
        return BotTurn(retry_at=game.retry_at)
    waiting = LiveGame.objects.of_people().waiting_for_worker().order_by("decided_at")
    turns = list(waiting.values_list("pk", "bot_to_act", "decided_at")[:TURNS_LOOKED_AT])
    order = sorted(turns, key=lambda turn: (estimate_turn_seconds(turn[1]) or LONG_TURN_S, turn[2]))
    return BotTurn(ahead=next((place for place, turn in enumerate(order) if turn[0] == game.pk), len(order)))


@cached(TTLCache(maxsize=1000, ttl=60.0), lock=Lock())
def estimate_turn_seconds(version: int) -> float | None:
    """Return the processor seconds of a turn of a version, by its latest matches; None where it has played none."""
    played = Participant.objects.filter(version=version, elapsed_s__isnull=False).order_by("-match")[:MATCHES_TIMED]
    rows = list(played.values_list("match", "elapsed_s", "waited_s"))
    legs = Leg.objects.filter(match__in=[match for match, *_ in rows])
    decisions = legs.aggregate(total=Sum("decisions"))["total"] or 0
    if not decisions:
        return None
    used_s = sum((elapsed_s or 0.0) - (waited_s or 0.0) for _, elapsed_s, waited_s in rows)
    seats = Participant.objects.filter(match=rows[0][0]).count()
    return float(used_s * seats / (decisions * TURNS_PER_DECISION))


def claim_answer(*, game_id: int, worker: str, capabilities: WorkerCapabilities) -> LiveAttempt | None:
    """Claim the decision of the bot whose turn it is, and return the attempt.

    None where no bot is to decide, another worker has claimed it, or such a worker can't run the bot.
    """
    try:
        with transaction.atomic():
            game = lock_game(pk=game_id)
            if game.state != LiveGame.State.PLAYING or game.bot_to_act is None:
                return None
            beyond = capabilities.cannot_run(version="bot_to_act__", game="game")
            if game.attempts.open().exists() or LiveGame.objects.filter(beyond, pk=game.pk).exists():
                return None
            if game.swapped_from_id is not None and list_kept_seats(game.swapped_from_id):
                return None  # a process that has seen the deal from the other side must have ended
            return ANSWER_ATTEMPTS.begin(game=game, number=game.decisions, worker=worker)
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
        program=_fetch_program(game, seat.version),
        bank_ms=seat.bank_ms,
        table=name_table(game.pk, seat.seat),
    )


def _fetch_program(game: LiveGame, version: BotVersion) -> Program:
    """Return what a bot runs: in a match, as in every other match of its kind."""
    return fetch_programs([version])[0] if game.match is None else fetch_match_programs(game.match, [version])[0]


def name_table(game: int, seat: int) -> str:
    """Return the name under which a worker keeps the process of a seat."""
    return f"{game}/{seat}"


def list_kept_seats(game: int) -> list[LiveSeat]:
    """List the seats of a game whose process a worker keeps for their next turn."""
    kept = LiveSeat.objects.filter(game=game, kept_at__gt=now() - KEPT_AT_MOST).exclude(kept_by="")
    return [seat for seat in kept if not workers.is_gone(seat.kept_by)]


def list_outdated_tables(*, worker: str) -> list[str]:
    """List the tables whose processes a worker must end.

    Their game has ended, their bot is stopped, or it has a newer version.
    """
    newer = BotVersion.objects.accepted().filter(bot=OuterRef("version__bot"), number__gt=OuterRef("version__number"))
    outdated = ~Q(game__state=LiveGame.State.PLAYING) | STOPPED | Q(Exists(newer))
    rows = LiveSeat.objects.filter(outdated, kept_by=worker, version__isnull=False)
    return [name_table(game, seat) for game, seat in rows.values_list("game", "seat")]


def forget_kept(*, worker: str, tables: Collection[str]) -> None:
    """Store that a worker keeps no process for these tables any more."""
    for table in tables:
        game, _, seat = table.partition("/")
        LiveSeat.objects.filter(game=int(game), seat=int(seat), kept_by=worker).update(kept_by="", kept_at=None)


@transaction.atomic
def store_answer(*, attempt: LiveAttempt, report: TurnReport) -> bool:
    """Store the decisions of a bot, or that it forfeits, once, and return whether its process may be kept.

    Raises AttemptLost where the attempt was lost.
    """
    ANSWER_ATTEMPTS.end_stored(attempt)
    game = lock_game(pk=attempt.game_id)
    if game.state != LiveGame.State.PLAYING or game.decisions != attempt.number or game.seat_to_act is None:
        return False  # a person has left meanwhile
    seats = list_seats(game)
    game.cpu_s += report.cpu_ms / 1000
    _store_seat(seats[game.seat_to_act], report, attempt.worker)
    store_decisions(game, seats, report.entries, report.to_act)
    if report.to_act is not None and seats[report.to_act].draft:
        store_draft(LiveTable(game, seats, None, fetch_entries(game)))
    if game.match_id is not None:
        wake(Work.REMOTE_LEG, game.pk)
    elif not game.is_over and game.cpu_s > settings.MAX_LIVE_CPU_S_PER_GAME:
        problem = gettext_noop("This game's bots have used %(minutes)s minutes of computing time, the maximum.")
        void_game(game, message(problem, minutes=round(game.cpu_s / 60)))
    return report.is_kept and not game.is_over


def fail_answer(*, attempt: LiveAttempt, error: Message) -> None:
    """End an attempt that the arena failed. The bot is asked again later, with growing pauses, for an hour."""
    ANSWER_ATTEMPTS.end_without_result(attempt, LiveAttempt.Ending.FAILED, error)


def requeue_lost_answers() -> list[int]:
    """End the attempts whose workers are gone or silent, and return the ids of their games."""
    return [attempt.game_id for attempt in ANSWER_ATTEMPTS.end_lost()]


def _store_seat(seat: LiveSeat, report: TurnReport, worker: str) -> None:
    seat.bank_ms = report.bank_ms
    seat.kept_by, seat.kept_at = (worker, now()) if report.is_kept else ("", None)
    seat.stderr = report.stderr.replace("\0", "\N{REPLACEMENT CHARACTER}")
    seat.changed_answers += report.changed_answers
    if report.fault is not None:
        seat.fault = {"message": report.fault.message.to_json(), "sent": report.fault.sent}
    seat.save(update_fields=["bank_ms", "stderr", "changed_answers", "fault", "kept_by", "kept_at"])


def _retry_or_void(attempt: LiveAttempt, pause: timedelta | None) -> None:
    """Set when the bot is asked again; without a pause end the game without a result."""
    game = lock_game(pk=attempt.game_id)
    if game.is_over:
        return
    if pause is None:
        void_game(game, message(gettext_noop("For an hour, the server was unable to run the bot.")))
    else:
        game.retry_at = now() + pause if pause else None
        game.save(update_fields=["retry_at"])


ANSWER_ATTEMPTS = Attempts(
    LiveAttempt, work=("game_id", "number"), heartbeat_timeout=ANSWER_HEARTBEAT_TIMEOUT, give_back=_retry_or_void
)

# Have a bot decide in a live game: hand the game to the runner, and store what comes back.

ANSWER_HEARTBEAT_INTERVAL_S = 3.0
Answer = Callable[[TurnSpec, Heartbeat], TurnReport]
"""A function that has a bot decide and calls the heartbeat now and then, which may raise to stop it."""


def answer_attempt(*, attempt: LiveAttempt, answer: Answer, let_go: Callable[[str], None] = lambda _: None) -> bool:
    """Have the bot of an attempt decide, and store that or the failure. Return whether a decision was stored.

    `let_go` is called with the table whose process can't go on: its answer was discarded, or the game has ended.
    """

    def answer_and_store() -> None:
        spec = build_turn_spec(attempt)
        report = answer(spec, beat_every(ANSWER_HEARTBEAT_INTERVAL_S, lambda: ANSWER_ATTEMPTS.beat(attempt)))
        goes_on = False
        try:
            goes_on = store_answer(attempt=attempt, report=report)
        finally:
            if report.is_kept and not goes_on:
                let_go(spec.table)

    with log_with(live_game_id=attempt.game_id):
        return carry_out(attempt, answer_and_store, lambda error: fail_answer(attempt=attempt, error=error))
