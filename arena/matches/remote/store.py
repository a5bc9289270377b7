"""Keep legs with remote bots in the database: claim matches, store what was decided, end them, and who is here.

All of this runs in threads of the process that serves remote bots. What happens on each decision is done for all legs
at a time, so its number of queries doesn't grow with them. Claiming and ending a match takes queries of its own.
"""

import logging
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime

import orjson
from django.db import InterfaceError, OperationalError, transaction
from django.db.models import Exists, OuterRef, Q
from django.db.models.functions import Now
from django.utils.timezone import now

from arena.bots.models import REMOTE_LANGUAGE, BotVersion
from arena.bots.running import STRONGEST_SAMPLE
from arena.core.database import Expired, remove_expired, update_rows
from arena.core.errors import first_line
from arena.core.release import arena_version
from arena.core.wake import Work, wake
from arena.matches.livegames.models import LiveDecision, LiveGame, LiveSeat
from arena.matches.models import Attempt, Match, Participant
from arena.matches.play import fetch_match_programs
from arena.matches.remote.models import END_KEPT, RemoteBot, RemoteSeat, list_old_tables
from arena.matches.remote.referee import RemoteLeg, RemoteLegSpec, RemotePlay
from arena.matches.services import (
    MATCH_ATTEMPTS,
    claim_match,
    describe_underway,
    fail_attempt,
    requeue_lost_matches,
    store_report,
)
from arena.runner.match import Fault, LegProgress, LegReport, MatchReport
from arena.runner.program import Limits, Verdict
from arena.runner.protocol import Ready
from engine.core import Json, Outcome, Seat
from engine.message import Message, gettext_noop, literal, message
from engine.registry import GAMES
from engine.replay import make_record

logger = logging.getLogger(__name__)

CANDIDATES_LOOKED_AT = 50
"""Number of queued matches that are looked at each time."""
MAX_WAKES = 4
"""Messages to workers in a transaction: each serves all turns that wait."""


@dataclass(slots=True)
class Table:
    """A leg with remote bots as it was stored."""

    game: int
    match: int
    attempt: Attempt | None
    """The attempt of this process to play it; None for a leg that has ended."""
    spec: RemoteLegSpec
    versions: tuple[int, ...]
    """By seat."""
    live_seats: tuple[int, ...]
    """Their keys, by seat."""
    seating: tuple[int, ...]
    """The participant at each seat."""
    plays: list[RemotePlay]
    entries: list[Json]

    @property
    def has_sandboxed_seats(self) -> bool:
        """Return whether workers play some of its seats."""
        return len(self.plays) < len(self.versions)


@dataclass(frozen=True, slots=True)
class SeatFacts:
    """The stored facts of a remote bot's seat, copied so that the leg can go on meanwhile."""

    live_seat: int
    bank_ms: float
    ready: Json | None
    refusals: int
    refused_here: int
    refusal: str
    answered: str
    answer_hash: str
    away_ms: float
    has_end: bool
    log: str
    verdict: str
    fault: Json | None

    @classmethod
    def of(cls, live_seat: int, play: RemotePlay) -> "SeatFacts":
        """Return the facts of this moment."""
        return cls(
            live_seat=live_seat,
            bank_ms=play.bank_ms,
            ready=None if play.ready is None else asdict(play.ready),
            refusals=play.refusals,
            refused_here=play.refused_here,
            refusal=play.refusal.replace("\0", "\N{REPLACEMENT CHARACTER}"),
            answered=play.answered,
            answer_hash=play.answer_hash,
            away_ms=play.away_ms,
            has_end=play.has_end,
            log=play.log,
            verdict=Verdict.OK.value if play.fault is None else play.fault.verdict.value,
            fault=None if play.fault is None else describe_fault(play.fault),
        )


@dataclass(frozen=True, slots=True)
class Change:
    """A leg's changes that aren't stored yet."""

    game: int
    before: int
    """Number of decisions that are stored."""
    entries: Sequence[Json]
    to_act: Seat | None
    bot_to_act: int | None
    """The version that is to act, where a worker plays it."""
    outcome: Outcome | None
    seats: Sequence[SeatFacts]


# Claim matches for this process, and read their legs.


def claim_tables(
    *, worker: str, room: Mapping[int, int], sandboxed_room: int, at: float
) -> list[tuple[Table, RemoteLeg]]:
    """Claim queued matches, and return their tables with the legs to go on with.

    Those are claimed whose remote bots are all here and have room, and any that has begun: who doesn't come back to it
    in time loses. `room` is the number of further legs that each bot that is here takes. No more than `sandboxed_room`
    are claimed that also need workers.
    """
    room, found = dict(room), []
    for match, bots, is_sandboxed, has_begun in _list_candidates(room, has_sandboxed_room=sandboxed_room > 0):
        if not has_begun and (any(room.get(bot, 0) < bots.count(bot) for bot in bots)):
            continue
        if is_sandboxed and sandboxed_room <= 0:
            continue
        try:
            claimed = _claim_table(match, worker, at)
        except (OperationalError, InterfaceError):
            raise
        except Exception as error:  # as where a release has changed the rules of a leg that had begun
            logger.exception("match %s couldn't be begun", match)
            _fail_to_claim(match, worker, error)
            continue
        if claimed is None:
            continue
        found.append(claimed)
        sandboxed_room -= is_sandboxed
        for bot in bots:
            room[bot] = room.get(bot, 0) - 1
    return found


def _list_candidates(room: Mapping[int, int], *, has_sandboxed_room: bool) -> list[tuple[int, list[int], bool, bool]]:
    """Return the matches that may be claimed, each with its remote bots, and whether it needs workers and has begun."""
    may_come = [bot for bot, free in room.items() if free > 0]
    participants = Participant.objects.filter(match=OuterRef("pk"))
    remote = participants.filter(version__language=REMOTE_LANGUAGE)
    stopped = Q(version__bot__owner__suspended_at__isnull=False) | Q(version__bot__stopped_at__isnull=False)
    stopped |= Q(version__held_back_at__isnull=False)
    waiting = remote.exclude(version__bot__in=may_come)
    begun = Exists(LiveGame.objects.filter(match=OuterRef("pk")))
    queued = Match.objects.queued().due().filter(Exists(remote), game__in=list(GAMES))
    queued = queued.filter(begun | (~Exists(waiting) & ~Exists(participants.filter(stopped))))
    if not has_sandboxed_room:  # else many that need workers could hide those behind them that need none
        queued = queued.exclude(Exists(participants.exclude(version__language=REMOTE_LANGUAGE)))
    keys = list(queued.values_list("pk", "table")[:CANDIDATES_LOOKED_AT])
    bots: dict[int, list[tuple[int, str]]] = {match: [] for match, _ in keys}
    rows = Participant.objects.filter(match__in=bots) if keys else Participant.objects.none()
    for match, bot, language in rows.values_list("match", "version__bot", "version__language"):
        bots[match].append((bot, language))
    return [
        (
            match,
            [bot for bot, language in bots[match] if language == REMOTE_LANGUAGE],
            any(language != REMOTE_LANGUAGE for _, language in bots[match]),
            table is not None,
        )
        for match, table in keys
    ]


@transaction.atomic
def _claim_table(match_id: int, worker: str, at: float) -> tuple[Table, RemoteLeg] | None:
    attempt = claim_match(match_id=match_id, worker=worker)
    if attempt is None:
        return None
    game = LiveGame.objects.filter(match=match_id).first() or _set_table(Match.objects.get(pk=match_id))
    return _read_tables([game], {match_id: attempt}, at)[0]


@transaction.atomic
def _fail_to_claim(match_id: int, worker: str, error: Exception) -> None:
    """Let the arena have failed to play a match, so that it is tried again later, and the others now."""
    attempt = claim_match(match_id=match_id, worker=worker)
    if attempt is not None:
        fail_attempt(attempt=attempt, error=literal(f"{type(error).__name__}: {first_line(error)}"))


def _set_table(match: Match) -> LiveGame:
    """Make the table of a match's only leg."""
    leg = match.legs.get()
    participants = list(match.participants.select_related("version").defer("version__build_log"))
    limits = Limits()
    game = LiveGame.objects.create(
        game=match.game,
        edition=match.edition,
        options=match.options,
        changed_options=match.changed_options,
        rules_version=match.rules_version,
        limits=asdict(limits),
        deal=match.deal,
        salt=leg.salt,
        match=match,
    )
    versions = [participants[index].version for index in leg.seating]
    banks_ms = [match.limits["bank_ms"] if one.language == REMOTE_LANGUAGE else limits.bank_ms for one in versions]
    seats = LiveSeat.objects.bulk_create(
        LiveSeat(game=game, seat=seat, version=version, bank_ms=bank_ms)
        for seat, (version, bank_ms) in enumerate(zip(versions, banks_ms, strict=True))
    )
    RemoteSeat.objects.bulk_create(
        RemoteSeat(seat=seat, game=game, bot_id=version.bot_id)
        for seat, version in zip(seats, versions, strict=True)
        if version.language == REMOTE_LANGUAGE
    )
    return game


def read_ended_tables(at: float) -> list[tuple[Table, RemoteLeg]]:
    """Return the legs whose end a bot hasn't seen, as long as it may be told."""
    unseen = RemoteSeat.objects.filter(has_end=False)
    ended = LiveGame.objects.filter(state=LiveGame.State.FINISHED, finished_at__gt=now() - END_KEPT)
    return _read_tables(list(ended.filter(pk__in=unseen.values("game"), match__state=Match.State.FINISHED)), {}, at)


def _read_tables(
    games: Sequence[LiveGame], attempts: Mapping[int, Attempt], at: float
) -> list[tuple[Table, RemoteLeg]]:
    keys = [game.pk for game in games]
    seats: dict[int, list[LiveSeat]] = {key: [] for key in keys}
    rows = LiveSeat.objects.filter(game__in=keys).select_related("remote").order_by("game", "seat")
    for seat in rows:
        seats[seat.game_id].append(seat)
    entries = fetch_new_entries(dict.fromkeys(keys, 0))
    matches = Match.objects.filter(pk__in=[game.match_id for game in games])
    limits = {match: Limits(**told) for match, told in matches.values_list("pk", "limits")}
    seatings = dict(matches.values_list("pk", "legs__seating"))
    found = []
    for game in games:
        assert game.match_id is not None
        spec = RemoteLegSpec(
            game.slug,
            game.game,
            game.edition,
            game.options,
            game.deal,
            game.salt,
            len(seats[game.pk]),
            limits[game.match_id],
        )
        table = Table(
            game=game.pk,
            match=game.match_id,
            attempt=attempts.get(game.match_id),
            spec=spec,
            versions=tuple(seat.version_id for seat in seats[game.pk] if seat.version_id is not None),
            live_seats=tuple(seat.pk for seat in seats[game.pk]),
            seating=tuple(seatings[game.match_id]),
            plays=[_read_play(seat) for seat in seats[game.pk] if hasattr(seat, "remote")],
            entries=entries[game.pk][: game.decisions],
        )
        found.append((table, RemoteLeg(spec, table.plays, table.entries, at)))
    return found


def _read_play(seat: LiveSeat) -> RemotePlay:
    stored = seat.remote
    return RemotePlay(
        seat=seat.seat,
        bot=stored.bot_id,
        bank_ms=seat.bank_ms,
        ready=stored.ready and Ready(**stored.ready),
        refusals=stored.refusals,
        refused_here=stored.refused_here,
        refusal=stored.refusal,
        answered=stored.answered,
        answer_hash=stored.answer_hash,
        away_ms=stored.away_ms,
        has_end=stored.has_end,
        log=stored.log,
        fault=_read_fault(seat),
    )


def _read_fault(seat: LiveSeat) -> Fault | None:
    """Return the stored fault of a seat, which it may have before it goes out."""
    told = seat.fault
    if told is None:
        return None
    verdict = Verdict(told.get("verdict", seat.verdict))
    return Fault(verdict, Message.from_json(told["message"]), told["sent"], told.get("request"))


def describe_fault(fault: Fault) -> Json:
    """Return a fault as a seat keeps it, without NUL."""
    told = {
        "verdict": fault.verdict.value,
        "message": fault.message.to_json(),
        "sent": fault.sent,
        "request": fault.request,
    }
    kept: Json = orjson.loads(orjson.dumps(told).replace(b"\\u0000", b"\\ufffd"))
    return kept


def list_waiting_legs() -> dict[int, list[str]]:
    """Return by bot the legs that have begun and that no process plays now, since their own was stopped."""
    waiting = RemoteSeat.objects.filter(has_end=False, game__match__state=Match.State.QUEUED)
    found: dict[int, list[str]] = {}
    for bot, slug, seat in waiting.values_list("bot", "game__slug", "seat__seat"):
        found.setdefault(bot, []).append(f"{slug}-{seat}")
    return found


# Read what others have done to the legs of this process.


@dataclass(frozen=True, slots=True)
class News:
    """The state of a leg in the database."""

    decisions: int
    is_void: bool
    """Whether the arena couldn't have a sandboxed bot play for an hour."""


def read_news(*, worker: str) -> dict[int, News]:
    """Return, by match, what the rows say of the legs that this process still holds, in one query."""
    held = Attempt.objects.open().filter(worker=worker)
    rows = held.values_list("match", "match__table__decisions", "match__table__state")
    return {match: News(decisions, state == LiveGame.State.VOID) for match, decisions, state in rows}


def fetch_new_entries(known: Mapping[int, int]) -> dict[int, list[Json]]:
    """Return the stored decisions of games from the one with this number on."""
    found: dict[int, list[Json]] = {game: [] for game in known}
    if known:
        rows = LiveDecision.objects.filter(game__in=known, number__gte=min(known.values())).order_by("game", "number")
        for game, number, entry in rows.values_list("game", "number", "entry"):
            if number >= known[game]:
                found[game].append(entry)
    return found


# Store what was decided: all legs in one transaction.


def store_changes(changes: Sequence[Change]) -> set[int]:
    """Store changes of legs, and return the games of which others have stored something meanwhile.

    Of these nothing is stored. A worker is woken for each sandboxed bot that is to act.
    """
    with transaction.atomic():
        rows = LiveGame.objects.select_for_update().filter(pk__in=[change.game for change in changes]).order_by("pk")
        stored = {pk: (decisions, state) for pk, decisions, state in rows.values_list("pk", "decisions", "state")}
        lost = {change.game for change in changes if not _goes_on(change, stored.get(change.game))}
        kept = [change for change in changes if change.game not in lost]
        LiveDecision.objects.bulk_create(
            LiveDecision(game_id=change.game, number=number, entry=entry)
            for change in kept
            for number, entry in enumerate(change.entries, change.before)
        )
        _store_games([change for change in kept if change.entries or change.before == 0])
        _store_seats([facts for change in kept for facts in change.seats])
        for change in [change for change in kept if change.bot_to_act is not None][:MAX_WAKES]:
            wake(Work.LIVE_GAME, change.game)
    return lost


def _goes_on(change: Change, stored: tuple[int, str] | None) -> bool:
    """Return whether a leg stands as it did when the change was made; once it's finished, only its seats change."""
    if stored is None:
        return False
    decisions, state = stored
    return decisions == change.before and (state == LiveGame.State.PLAYING or not change.entries)


def _store_games(changes: Iterable[Change]) -> None:
    at = now()
    games, seats = [], []
    for change in changes:
        outcome = change.outcome
        state = LiveGame.State.PLAYING if outcome is None else LiveGame.State.FINISHED
        ended = (None, "") if outcome is None else (at, outcome.reason)
        decisions = change.before + len(change.entries)
        games.append((change.game, decisions, at, None, change.to_act, change.bot_to_act, state, *ended))
        if outcome is not None:
            seats += [
                (change.game, seat, *result)
                for seat, result in enumerate(zip(outcome.places, outcome.scores, strict=True))
            ]
    fields = ("decisions", "decided_at", "retry_at", "seat_to_act", "bot_to_act", "state", "finished_at", "reason")
    update_rows(LiveGame, fields, games)
    for game, seat, place, score in seats:
        LiveSeat.objects.filter(game=game, seat=seat).update(place=place, score=score)


def _store_seats(facts: Sequence[SeatFacts]) -> None:
    update_rows(
        LiveSeat,
        ("bank_ms", "verdict", "fault"),
        [(one.live_seat, one.bank_ms, one.verdict, one.fault) for one in facts],
    )
    fields = ("ready", "refusals", "refused_here", "refusal", "answered", "answer_hash", "away_ms", "has_end", "log")
    update_rows(RemoteSeat, fields, [(one.live_seat, *(getattr(one, field) for field in fields)) for one in facts])


# End matches.


def finish_match(*, table: Table, entries: Sequence[Json], outcome: Outcome, refusals: Mapping[Seat, int]) -> None:
    """Store the result of a match, once. Raises AttemptLost where this process no longer holds it."""
    assert table.attempt is not None
    with transaction.atomic():
        store_report(attempt=table.attempt, report=_build_report(table, entries, outcome, refusals))
        wake(Work.MATCH_END, table.match)


def _build_report(table: Table, entries: Sequence[Json], outcome: Outcome, refusals: Mapping[Seat, int]) -> MatchReport:
    rows = (
        LiveSeat.objects.filter(game=table.game)
        .select_related("version__bot__owner", "remote", "game")
        .order_by("seat")
    )
    seats = list(rows.defer("version__build_log", "game__deal"))
    versions = [seat.version for seat in seats if seat.version is not None]
    verdicts = {entry["seat"]: entry["verdict"] for entry in entries if "verdict" in entry}
    leg = RemoteLeg(table.spec, (), (), 0.0)
    record = make_record(
        game=leg.game,
        edition=table.spec.edition,
        options=leg.options,
        deal=table.spec.deal,
        salt=table.spec.salt,
        seats=_describe_seats(table, versions, leg.seeds),
        actions=entries,
        outcome=outcome,
        verdicts=[verdicts.get(seat.seat, Verdict.OK.value) for seat in seats],
        arena=arena_version(),
    )
    cpu = _share_cpu_time(seats)
    took = [sum(entry.get("ms", 0) for entry in entries if entry["seat"] == seat.seat) for seat in seats]
    elapsed = tuple(max(float(all_ms), cpu_ms) for all_ms, cpu_ms in zip(took, cpu, strict=True))
    report = LegReport(
        seating=table.seating,
        record=record,
        stderr=tuple(str(seat.remote.log if hasattr(seat, "remote") else seat.stderr) for seat in seats),
        faults=tuple(_read_fault(seat) if seat.seat in verdicts else None for seat in seats),
        spent_ms=elapsed,
        answers=tuple(sum("ms" in entry and entry["seat"] == seat.seat for entry in entries) for seat in seats),
        elapsed_ms=elapsed,
        waited_ms=tuple(all_ms - cpu_ms for all_ms, cpu_ms in zip(elapsed, cpu, strict=True)),
        refusals=tuple(refusals.get(seat.seat, 0) for seat in seats),
    )
    return MatchReport((report,))


def _share_cpu_time(seats: Sequence[LiveSeat]) -> list[float]:
    """Return by seat the processor time, in milliseconds, that its sandboxed bot has used; 0 for a remote one.

    Each of several sandboxed bots is given the same share: their answers alone take too little to be told apart.
    """
    sandboxed = sum(not hasattr(seat, "remote") for seat in seats)
    return [0.0 if hasattr(seat, "remote") else seat.game.cpu_s * 1000 / sandboxed for seat in seats]


def _describe_seats(table: Table, versions: Sequence[BotVersion], seeds: Sequence[int]) -> list[Json]:
    """Return the seats as a record has them."""
    assert table.attempt is not None
    levels = _find_levels(table.attempt.match, versions)
    seats = []
    for version, seed in zip(versions, seeds, strict=True):
        seat: Json = {"name": version.bot.name, "version": version.number, "seed": seed}
        if level := levels.get(version.pk):
            seat["level"] = level
        if version.packages:
            seat["packages"] = version.packages
        if version.is_remote:
            seat["remote"] = True
        if version.declared:
            seat["declared"] = version.declared
        seats.append(seat)
    return seats


def _find_levels(match: Match, versions: Sequence[BotVersion]) -> dict[int, str]:
    """Return the level at which the house's strongest sample has played, by version."""
    strongest = [one for one in versions if one.bot.owner.is_house and one.bot.name == STRONGEST_SAMPLE]
    programs = fetch_match_programs(match, strongest) if strongest else []
    return {version.pk: program.level for version, program in zip(strongest, programs, strict=True)}


@transaction.atomic
def void_match(table: Table) -> None:
    """End a match without a result, whose sandboxed bot couldn't be run for an hour."""
    assert table.attempt is not None
    reason = LiveGame.objects.values_list("void_reason", flat=True).get(pk=table.game)
    reason = reason or message(gettext_noop("Not played: the server kept failing for an hour."))
    MATCH_ATTEMPTS.end_stored(table.attempt)
    ended = {"state": Match.State.VOID, "void_reason": reason, "finished_at": now()}
    Match.objects.filter(pk=table.match, state=Match.State.RUNNING).update(**ended)


def give_back(*, attempts: Iterable[Attempt]) -> None:
    """Let matches wait for the process that serves remote bots next, and goes on where this one stops."""
    error = message(gettext_noop("The remote-bot server stopped."))
    for attempt in attempts:
        MATCH_ATTEMPTS.end_without_result(attempt, Attempt.Ending.LOST, error)


def give_back_all(*, worker: str) -> None:
    """Give back all matches that a process has claimed."""
    give_back(attempts=Attempt.objects.open().filter(worker=worker))


def take_back() -> None:
    """Queue the matches of processes that have ended without giving them back."""
    requeue_lost_matches()


def remove_old_tables() -> None:
    """Remove the tables of matches that have ended."""
    remove_expired(Expired("tables of matches with remote bots", list_old_tables()))


# Tell others how far legs are, and who is here.


@transaction.atomic
def beat(*, attempts: Collection[int], underway: Mapping[int, tuple[tuple[int, ...], Sequence[Json]]]) -> None:
    """Record that the legs of these attempts go on, and how far those are that have changed, by attempt.

    The attempts are those that the process has in memory: one whose claim was stored, but failed here, has to be lost.
    """
    held = Attempt.objects.open().filter(pk__in=attempts)
    held.update(heartbeat_at=Now())
    open_ones = set(held.filter(pk__in=underway).values_list("pk", flat=True)) if underway else ()
    told = [
        (attempt, describe_underway(LegProgress(1, list(entries), seating)))
        for attempt, (seating, entries) in underway.items()
        if attempt in open_ones
    ]
    update_rows(Attempt, ("underway",), told)


def store_presence(*, online: Mapping[int, int], offline: Collection[int], at: datetime) -> None:
    """Store who is here, with the number of legs that each takes, and who has gone."""
    rows = [RemoteBot(bot_id=bot, is_online=True, seen_at=at, room=room) for bot, room in sorted(online.items())]
    if rows:
        fields = ["is_online", "seen_at", "room"]
        RemoteBot.objects.bulk_create(rows, update_conflicts=True, unique_fields=["bot"], update_fields=fields)
    if offline:
        RemoteBot.objects.filter(bot__in=offline).update(is_online=False, seen_at=at)
