"""Play all legs with remote bots that this process has: in memory, in one loop, with the database in a few threads.

A leg is stored before anything is sent that follows from an answer. Two transactions store legs at a time, each those
that have changed meanwhile: few answers wait for others, and many are stored together.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from threading import get_ident
from time import monotonic
from typing import Any, TypeVar

from django.db import DEFAULT_DB_ALIAS, InterfaceError, OperationalError, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.utils.timezone import now
from redis.asyncio import Redis
from redis.exceptions import RedisError

from arena.core.errors import ArenaError, first_line
from arena.core.wake import REMOTE_CHANNEL
from arena.matches.attempts import AttemptLost
from arena.matches.remote import store
from arena.matches.remote.models import END_KEPT
from arena.matches.remote.referee import Envelope as Envelope
from arena.matches.remote.referee import LateError, RemoteLeg
from arena.matches.remote.referee import Taken as Taken
from arena.matches.remote.store import Change, SeatFacts, Table
from arena.matches.services import fail_attempt
from arena.matches.workers import this_remote_server
from arena.runner.program import Verdict
from engine.core import Seat
from engine.message import gettext_noop, literal, message

logger = logging.getLogger(__name__)
Value = TypeVar("Value")

STORERS = 2
"""Transactions that store legs at a time. SQLite has one writer, whom another would only wait for."""
DATABASE_THREADS = 3
"""Each has a connection, and one more is left for requests' tokens: four in all."""
CLOCK_INTERVAL_S = 0.25
MAX_STALL_S = 1.0
"""If this process didn't run for longer, as on a machine that was suspended, nobody pays for it."""
TICK_S = 0.25
"""Time after which the database is asked what others have done, where Redis doesn't tell."""
TICK_WITH_REDIS_S = 2.0
MIN_TICK_S = 0.02
CLAIM_INTERVAL_S = 1.0
HEARTBEAT_INTERVAL_S = 4.0
PRESENCE_INTERVAL_S = 15.0
CLEAN_UP_INTERVAL_S = 60.0
STORE_RETRY_S = 1.0
REDIS_RETRY_S = 3.0
STOP_TIMEOUT_S = 5.0
"""Time in which what waits is stored when this process stops."""
AWAY_AFTER_S = 5.0
"""A bot without a poll for so long is away."""
START_GRACE_S = 60.0
"""Time after the start in which nobody counts as away: bots that reconnect wait a while between two tries."""
MAX_SANDBOXED_LEGS = 8
"""Legs with sandboxed seats that are played at a time. A worker keeps at most so many stopped processes for their next
turns; of more legs, each turn would start a fresh one."""
MAX_FINISHING_TRIES = 5
QUICK_FAULTS = (Verdict.START, Verdict.MALFORMED, Verdict.ILLEGAL)
"""Faults that take no time. A broken program could lose a leg with one of these every few seconds, day and night."""
MAX_QUICK_FAULTS = 8
QUICK_FAULT_PERIOD_S = 600.0
"""A bot that has lost MAX_QUICK_FAULTS legs in this time has no room for matches on open ladders for the moment."""


RESTARTING = message(gettext_noop("The arena is restarting. Try again in a moment."))
FINISHED = message(gettext_noop("This leg is finished."))
WAS_CANCELLED = message(gettext_noop("This match was cancelled."))


class Late(ArenaError):
    """The answer came too late, or another one was taken. The message says which."""

    status = 409


class NoSuchLeg(ArenaError):
    """The bot plays no leg of this name."""

    status = 404


class NotYet(ArenaError):
    """The leg is about to be resumed, or this process is about to stop."""

    status = 503


@dataclass(slots=True)
class Presence:
    """Whether a bot's program is connected."""

    room: int = 0
    polls: int = 0
    left_at: float | None = None
    """When its last poll ended; None while there is one."""
    is_here: bool = False
    is_expected: bool = False
    """Whether it was here before this process started, and is waited for."""


@dataclass(slots=True, eq=False)
class Played:
    """A leg in this process."""

    table: Table
    leg: RemoteLeg
    stored_entries: int
    stored_version: int = 0
    stored_seats: dict[int, SeatFacts] = field(default_factory=dict)
    """The facts that were stored last, by live seat."""
    is_being_stored: bool = False
    shown_entries: int = 0
    """Number of decisions that those who watch have been told of."""
    waiters: list[tuple[int, asyncio.Future[None]]] = field(default_factory=list)
    """Futures to resolve once a version is stored."""
    is_finished: bool = False
    """Whether the match has its result."""
    finishing_tries: int = 0
    ended_at: float = 0.0

    @property
    def is_stored(self) -> bool:
        """Return whether there is nothing to store."""
        return self.leg.version == self.stored_version

    @property
    def is_done(self) -> bool:
        """Return whether the match has its result, and it is stored that all bots have seen the end."""
        return self.is_finished and self.is_stored and all(play.has_end for play in self.leg.plays.values())

    @property
    def bots(self) -> set[int]:
        """Return its remote bots."""
        return {play.bot for play in self.leg.plays.values()}

    def build_change(self) -> Change:
        """Return what has to be stored."""
        leg, sandboxed = self.leg, self.leg.sandboxed_to_act
        seats = [SeatFacts.of(self.table.live_seats[play.seat], play) for play in leg.plays.values()]
        return Change(
            game=self.table.game,
            before=self.stored_entries,
            entries=leg.entries[self.stored_entries :],
            to_act=leg.state.to_act,
            bot_to_act=None if sandboxed is None else self.table.versions[sandboxed],
            outcome=leg.state.outcome,
            seats=[facts for facts in seats if facts != self.stored_seats.get(facts.live_seat)],
        )


class Hub:
    """All legs with remote bots in this process. Its methods are called in one loop."""

    def __init__(self, *, redis_url: str | None) -> None:
        self._redis_url = redis_url
        self._worker = this_remote_server()
        self._legs: dict[str, Played] = {}
        """By the public name of the table."""
        self._of_bot: dict[int, set[Played]] = {}
        self._waiting: dict[int, list[str]] = {}
        """Legs that have begun and that nobody plays now, by bot."""
        self._present: dict[int, Presence] = {}
        self._waiters: dict[int, asyncio.Event] = {}
        self._changed = asyncio.Event()
        """Set when there is something to store."""
        self._nudged = asyncio.Event()
        """Set when the database may say something new."""
        self._quick_faults: dict[int, deque[float]] = {}
        """When each bot had its latest ones."""
        self._left: set[int] = set()
        """Bots that went away and whose rows don't say so yet."""
        self._is_presence_told = True
        self._has_redis = False
        self._is_lost = False
        """Whether the database is."""
        self._due = dict.fromkeys(("claim", "beat", "presence", "clean up"), 0.0)
        self._started_at = monotonic()
        self._is_stopping = False
        self._tasks: list[asyncio.Task[None]] = []
        self._storing: list[asyncio.Task[None]] = []
        self._executor = ThreadPoolExecutor(DATABASE_THREADS, "database")
        self._connections: dict[int, BaseDatabaseWrapper] = {}

    # Start and stop.

    async def start(self) -> None:
        """Read what was played before, and begin to play."""
        self._started_at = monotonic()
        await self._run(store.take_back)
        for table, leg in await self._run(store.read_ended_tables, self._started_at):
            played = self._add(table, leg)
            played.is_finished, played.ended_at = True, self._started_at
        self._waiting = await self._run(store.list_waiting_legs)
        await self._claim()
        storers = 1 if connections[DEFAULT_DB_ALIAS].vendor == "sqlite" else STORERS
        self._storing = [asyncio.create_task(self._store_changes()) for _ in range(storers)]
        loops = [self._watch_clocks(), self._exchange()]
        if self._redis_url:
            loops.append(self._listen(self._redis_url))
        self._tasks = [asyncio.create_task(loop) for loop in loops]

    async def stop(self) -> None:
        """Store what waits, and give all matches back for the process that comes next."""
        self._is_stopping = True
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._changed.set()
        if self._storing:
            await asyncio.wait(self._storing, timeout=STOP_TIMEOUT_S)
            for task in self._storing:
                task.cancel()
        for played in list(self._legs.values()):
            self._drop(played, NotYet(RESTARTING))
        await asyncio.to_thread(self._executor.shutdown)  # a match that was just being claimed is given back, too
        with suppress(OperationalError, InterfaceError):
            await asyncio.to_thread(self._give_back)
        for connection in self._connections.values():
            await asyncio.to_thread(connection.close)  # Django refuses it in a thread with a loop

    def _give_back(self) -> None:
        try:
            store.give_back_all(worker=self._worker)
        finally:
            connections.close_all()

    async def _run(self, work: Callable[..., Value], *args: Any) -> Value:
        """Do something with the database in a thread."""
        return await asyncio.get_running_loop().run_in_executor(self._executor, self._work, work, args)

    def _work(self, work: Callable[..., Value], args: tuple[Any, ...]) -> Value:
        connection = connections[DEFAULT_DB_ALIAS]
        if get_ident() not in self._connections:
            connection.inc_thread_sharing()  # so that it can be closed when this thread has ended
            self._connections[get_ident()] = connection
        try:
            return work(*args)
        except (OperationalError, InterfaceError):
            connection.close()
            raise

    # Who is here.

    def come(self, bot: int, room: int) -> None:
        """Record that a poll of a bot begins, which takes so many legs at a time."""
        found = self._present.setdefault(bot, Presence())
        found.polls += 1
        found.left_at = None
        if not found.is_here or found.is_expected or found.room != room:
            found.room, found.is_here, found.is_expected = room, True, False
            self._left.discard(bot)
            self._is_presence_told = False
            for played in self._of_bot.get(bot, ()):
                played.leg.come(bot, monotonic())
                self._note_change(played)
            self._wish_for("claim")

    def leave(self, bot: int, *, at_once: bool = False) -> None:
        """Record that a poll of a bot has ended: without another one it is away, after AWAY_AFTER_S or at once."""
        found = self._present.get(bot)
        if found is None:
            return
        found.polls = 0 if at_once else max(0, found.polls - 1)
        if at_once:
            self._go_away(bot, monotonic(), monotonic())
        elif not found.polls:
            found.left_at = monotonic()

    def _go_away(self, bot: int, since: float, at: float) -> None:
        del self._present[bot]
        self._waiters.pop(bot, None)
        self._left.add(bot)
        for played in self._of_bot.get(bot, ()):
            played.leg.leave(bot, since, at)
        self._nudged.set()

    def waiter(self, bot: int) -> asyncio.Event:
        """Return what is set whenever something may have changed for a bot."""
        return self._waiters.setdefault(bot, asyncio.Event())

    def _tell(self, bots: Collection[int]) -> None:
        for bot in bots:
            if (waiter := self._waiters.get(bot)) is not None:
                waiter.set()

    # Messages and answers.

    def collect(self, bot: int, have: Mapping[str, str], fresh: Collection[str]) -> tuple[list[Envelope], list[str]]:
        """Return the messages that a bot hasn't got, and the names of all its legs."""
        at, messages, legs = monotonic(), [], list(self._waiting.get(bot, ()))
        for played, seat in self._list_seats(bot):
            name = played.leg.name_seat(seat)
            legs.append(name)
            if played.is_stored:
                messages += played.leg.collect(seat, None if name in fresh else have.get(name), at)
        return messages, legs

    def _list_seats(self, bot: int) -> Iterator[tuple[Played, Seat]]:
        """Yield the seats of a bot whose end it hasn't seen."""
        for played in sorted(self._of_bot.get(bot, ()), key=lambda one: one.table.game):
            for play in played.leg.plays.values():
                if play.bot == bot and not play.has_end:
                    yield played, play.seat

    async def answer(self, bot: int, leg: str, key: str, line: str) -> Taken:
        """Take a bot's answer, and return what became of it once that is stored. Raises Late, NoSuchLeg or NotYet."""
        if self._is_stopping:
            raise NotYet(RESTARTING, retry_after=1)
        slug, _, seat = leg.rpartition("-")
        played = self._legs.get(slug)
        play = played.leg.plays.get(int(seat)) if played is not None and seat.isdecimal() else None
        if played is None or play is None or play.bot != bot:
            if leg in self._waiting.get(bot, ()):
                raise NotYet(RESTARTING, retry_after=1)
            raise NoSuchLeg(message(gettext_noop("This bot plays no leg called %(leg)s."), leg=leg))
        try:
            taken = played.leg.answer(play.seat, key, line.encode(errors="surrogatepass"), monotonic())
        except LateError as late:
            raise Late(late.message) from late
        # Without this condition, late answers would keep a bot here that never polls, and so never starts its clock.
        if taken.is_new and (present := self._present.get(bot)) is not None and present.left_at is not None:
            present.left_at = max(present.left_at, monotonic())
        self._note_change(played)
        if not played.is_stored:
            stored = asyncio.get_running_loop().create_future()
            played.waiters.append((played.leg.version, stored))
            await stored
        return taken

    # The legs in memory.

    def _add(self, table: Table, leg: RemoteLeg) -> Played:
        played = Played(table, leg, stored_entries=len(table.entries))
        self._legs[table.spec.name] = played
        at = monotonic()
        for bot in played.bots:
            self._of_bot.setdefault(bot, set()).add(played)
            if bot in self._present:
                continue
            if at < self._started_at + START_GRACE_S:
                left_at = self._started_at + START_GRACE_S - AWAY_AFTER_S
                self._present[bot] = Presence(left_at=left_at, is_here=True, is_expected=True)
            else:
                leg.leave(bot, at, at)
        self._note_change(played)
        self._tell(played.bots)
        return played

    def _drop(self, played: Played, why: ArenaError) -> None:
        """Forget a leg, which is played no more, or not here."""
        if self._legs.get(played.table.spec.name) is played:  # it may have been given back and claimed anew meanwhile
            del self._legs[played.table.spec.name]
        for bot in played.bots:
            self._of_bot[bot].discard(played)
            if not self._of_bot[bot]:
                del self._of_bot[bot]
        for _, stored in played.waiters:
            if not stored.done():
                stored.set_exception(why)
        played.waiters.clear()
        self._tell(played.bots)
        self._wish_for("claim")

    def _note_change(self, played: Played) -> None:
        """Have a leg stored if it has changed."""
        if not played.is_stored:
            self._changed.set()

    def _list_running(self) -> list[Played]:
        return [played for played in self._legs.values() if not played.is_finished]

    # Store what has changed.

    async def _store_changes(self) -> None:
        while not self._is_stopping or self._changed.is_set():
            await self._changed.wait()
            self._changed.clear()
            try:
                await self._store_once()
            except (OperationalError, InterfaceError) as error:
                self._report_outage(error)
                await asyncio.sleep(STORE_RETRY_S)
                self._changed.set()
            except Exception:  # without this loop, all answers would wait for ever
                logger.exception("legs couldn't be stored")
                await asyncio.sleep(STORE_RETRY_S)
                self._changed.set()

    async def _store_once(self) -> None:
        """Store all legs that have changed and that nobody is storing."""
        changed = [one for one in self._legs.values() if not one.is_stored and not one.is_being_stored]
        for played in changed:
            played.is_being_stored = True
        try:
            if changed:
                await self._store_together([(played, played.leg.version) for played in changed])
        finally:
            for played in changed:
                played.is_being_stored = False
                self._note_change(played)

    async def _store_together(self, changed: Sequence[tuple[Played, int]]) -> None:
        """Store legs with these versions in one transaction; each by itself if that fails."""
        changes = [played.build_change() for played, _ in changed]
        try:
            lost = await self._run(store.store_changes, changes)
        except (OperationalError, InterfaceError):
            raise
        except Exception:
            logger.exception("%s legs couldn't be stored together", len(changes))
            lost = set()
            for (played, _), change in zip(changed, changes, strict=True):
                lost |= await self._store_one(played, change)
        self._is_lost = False
        for (played, version), change in zip(changed, changes, strict=True):
            if change.game in lost:
                await self._give_up(played)
            elif self._legs.get(played.table.spec.name) is played:
                self._note_stored(played, version, change)

    async def _store_one(self, played: Played, change: Change) -> set[int]:
        try:
            return await self._run(store.store_changes, [change])
        except (OperationalError, InterfaceError):
            raise
        except Exception as error:
            logger.exception("leg %s couldn't be stored", played.table.spec.name)
            await self._fail(played, error)
            return set()

    def _note_stored(self, played: Played, version: int, change: Change) -> None:
        played.stored_entries += len(change.entries)
        played.stored_version = version
        played.stored_seats |= {facts.live_seat: facts for facts in change.seats}
        for at_least, stored in played.waiters:
            if at_least <= version and not stored.done():
                stored.set_result(None)
        played.waiters = [one for one in played.waiters if one[0] > version]
        played.leg.skip(monotonic())
        self._tell(played.bots)
        if played.leg.is_over and not played.is_finished:
            self._wish_for("finish")
        elif played.is_done:
            self._drop(played, Late(FINISHED))

    async def _give_up(self, played: Played) -> None:
        """Let go of a leg that others have moved on: it is claimed anew, by this process or by another one."""
        logger.warning("leg %s has moved on elsewhere: it is read again", played.table.spec.name)
        if played.table.attempt is not None and not played.is_finished:
            attempt = played.table.attempt
            await self._run(lambda: store.give_back(attempts=[attempt]))
        self._drop(played, NotYet(RESTARTING))

    async def _fail(self, played: Played, error: Exception) -> None:
        """Let the arena have failed to play a match: it is tried again later."""
        attempt = played.table.attempt
        if attempt is not None and not played.is_finished:
            problem = literal(f"{type(error).__name__}: {first_line(error)}")
            await self._run(lambda: fail_attempt(attempt=attempt, error=problem))
        self._drop(played, NotYet(RESTARTING))

    # Clocks.

    async def _watch_clocks(self) -> None:
        last = monotonic()
        while True:
            await asyncio.sleep(CLOCK_INTERVAL_S)
            at = monotonic()
            failed = self.check_clocks(at, has_stalled=at - last > CLOCK_INTERVAL_S + MAX_STALL_S)
            last = at
            with suppress(OperationalError, InterfaceError):  # it fails again at the next look
                for played, error in failed:
                    await self._fail(played, error)

    def check_clocks(self, at: float, *, has_stalled: bool = False) -> list[tuple[Played, Exception]]:
        """Let bots be away whose polls have ended, and lose whose time is up.

        Return the legs whose referee failed, with the error: all others go on.
        """
        if has_stalled:
            for present in self._present.values():
                present.left_at = None if present.left_at is None else at
        gone = [
            bot
            for bot, present in self._present.items()
            if present.left_at is not None and at - present.left_at > AWAY_AFTER_S
        ]
        for bot in gone:
            self._go_away(bot, self._present[bot].left_at or at, at)
        failed = []
        for played in self._list_running():
            try:
                if has_stalled or not played.is_stored:
                    played.leg.skip(at)
                elif played.leg.check_clocks(at):
                    self._note_change(played)
            except Exception as error:
                logger.exception("the clocks of leg %s failed", played.table.spec.name)
                failed.append((played, error))
        return failed

    # Learn from the database what others have done, and tell it who is here.

    def _wish_for(self, step: str) -> None:
        """Have something done at once that is else done every few seconds."""
        self._due[step] = 0.0
        self._nudged.set()

    def _is_due(self, step: str, every_s: float) -> bool:
        if monotonic() < self._due.get(step, 0.0):
            return False
        self._due[step] = monotonic() + every_s
        return True

    async def _exchange(self) -> None:
        while True:
            with suppress(TimeoutError):  # before Python 3.12, wait_for could swallow the cancellation that stops this
                async with asyncio.timeout(TICK_WITH_REDIS_S if self._has_redis else TICK_S):
                    await self._nudged.wait()
            self._nudged.clear()
            try:
                await self._exchange_once()
                self._is_lost = False
            except (OperationalError, InterfaceError) as error:
                self._report_outage(error)
                await asyncio.sleep(STORE_RETRY_S)
            except Exception:
                logger.exception("the tick failed")
                await asyncio.sleep(STORE_RETRY_S)
            await asyncio.sleep(MIN_TICK_S)

    async def _exchange_once(self) -> None:
        if not self._is_presence_told or self._left or self._is_due("presence", PRESENCE_INTERVAL_S):
            await self._tell_presence()
        if self._list_running():
            await self._read_news()
        for played in self._list_running():
            if played.leg.is_over and played.is_stored:
                await self._finish(played)
        if self._is_due("claim", CLAIM_INTERVAL_S):
            await self._claim()
        if self._is_due("beat", HEARTBEAT_INTERVAL_S):
            await self._beat()
        if self._is_due("clean up", CLEAN_UP_INTERVAL_S):
            await self._clean_up()

    async def _tell_presence(self) -> None:
        here = {bot: one.room for bot, one in self._present.items() if one.is_here and not one.is_expected}
        online = {bot: 0 if self._has_failed_often(bot) else room for bot, room in here.items()}
        offline, self._left, self._is_presence_told = self._left, set(), True
        try:
            await self._run(lambda: store.store_presence(online=online, offline=offline, at=now()))
        except Exception:
            self._left |= {bot for bot in offline if bot not in self._present}
            self._is_presence_told = False
            raise

    async def _read_news(self) -> None:
        """Go on with the decisions of sandboxed bots, and drop legs that were cancelled or taken by others."""
        before = self._list_running()
        news = await self._run(lambda: store.read_news(worker=self._worker))
        ahead: dict[int, Played] = {}
        for played in (one for one in before if self._legs.get(one.table.spec.name) is one):
            found = news.get(played.table.match)
            if found is None or found.is_void:
                if found is not None:
                    await self._run(store.void_match, played.table)
                self._drop(played, NoSuchLeg(WAS_CANCELLED))
            elif played.is_stored and found.decisions > played.stored_entries:
                ahead[played.table.game] = played
        if ahead:
            await self._go_on(ahead)

    async def _go_on(self, ahead: Mapping[int, Played]) -> None:
        """Go on with legs, by game, that have further decisions in the database."""
        known = {game: played.stored_entries for game, played in ahead.items()}
        entries = await self._run(store.fetch_new_entries, known)
        for game, played in ahead.items():
            if played.is_stored and played.stored_entries == known[game] and entries[game]:
                await self._follow(played, entries[game])

    async def _follow(self, played: Played, entries: list[Any]) -> None:
        if played.leg.sandboxed_to_act is None:
            await self._give_up(played)
            return
        played.leg.follow(entries, monotonic())
        played.stored_entries += len(entries)
        self._note_change(played)
        self._tell(played.bots)

    async def _claim(self) -> None:
        """Claim matches that can begin or go on."""
        room = {
            bot: one.room - self._count_legs(bot)
            for bot, one in self._present.items()
            if one.is_here and not one.is_expected
        }
        sandboxed = MAX_SANDBOXED_LEGS - sum(one.table.has_sandboxed_seats for one in self._list_running())
        if room or self._waiting or monotonic() < self._started_at + START_GRACE_S:
            claimed = await self._run(
                lambda: store.claim_tables(worker=self._worker, room=room, sandboxed_room=sandboxed, at=monotonic())
            )
            for table, leg in claimed:
                self._add(table, leg)
            if claimed or self._waiting:
                self._waiting = await self._run(store.list_waiting_legs)

    def _count_legs(self, bot: int) -> int:
        """Return how many legs a bot has, with those whose end it hasn't seen: they are kept in memory for it."""
        return sum(
            play.bot == bot and (not play.has_end if played.leg.is_over else play.fault is None)
            for played in self._of_bot.get(bot, ())
            for play in played.leg.plays.values()
        )

    async def _finish(self, played: Played) -> None:
        """Store the result of a match; its table is kept until its bots have seen the end."""
        leg = played.leg
        assert leg.state.outcome is not None
        refusals = {seat: play.refusals for seat, play in leg.plays.items()}
        outcome, entries = leg.state.outcome, list(leg.entries)
        try:
            await self._run(
                lambda: store.finish_match(table=played.table, entries=entries, outcome=outcome, refusals=refusals)
            )
        except AttemptLost as lost:
            logger.warning("%s", lost)
            self._drop(played, NoSuchLeg(WAS_CANCELLED))
            return
        except (OperationalError, InterfaceError):
            raise
        except Exception as error:
            logger.exception("match %s couldn't be finished", played.table.match)
            played.finishing_tries += 1
            if played.finishing_tries >= MAX_FINISHING_TRIES:
                await self._fail(played, error)
            return
        played.is_finished, played.ended_at = True, monotonic()
        self._note_quick_faults(leg)
        self._wish_for("claim")
        if played.is_done:
            self._drop(played, Late(FINISHED))

    def _note_quick_faults(self, leg: RemoteLeg) -> None:
        for play in leg.plays.values():
            if play.fault is not None and play.fault.verdict in QUICK_FAULTS:
                self._quick_faults.setdefault(play.bot, deque(maxlen=MAX_QUICK_FAULTS)).append(monotonic())
                self._is_presence_told = False

    def _has_failed_often(self, bot: int) -> bool:
        faults = self._quick_faults.get(bot)
        if faults is None or len(faults) < MAX_QUICK_FAULTS:
            return False
        return monotonic() - faults[0] < QUICK_FAULT_PERIOD_S

    async def _beat(self) -> None:
        """Report that all legs go on, and to those who watch how far they are."""
        running = {played.table.attempt.pk: played for played in self._list_running() if played.table.attempt}
        if not running:
            return
        underway = {
            attempt: (played.table.seating, played.leg.entries[: played.stored_entries])
            for attempt, played in running.items()
            if played.stored_entries > played.shown_entries
        }
        for played in running.values():
            played.shown_entries = played.stored_entries
        await self._run(lambda: store.beat(attempts=list(running), underway=underway))

    async def _clean_up(self) -> None:
        oldest = monotonic() - END_KEPT.total_seconds()
        for played in [one for one in self._legs.values() if one.is_finished and one.ended_at < oldest]:
            self._drop(played, Late(FINISHED))
        old = monotonic() - QUICK_FAULT_PERIOD_S
        self._quick_faults = {bot: faults for bot, faults in self._quick_faults.items() if faults[-1] > old}
        await self._run(store.remove_old_tables)

    def _report_outage(self, error: Exception) -> None:
        if not self._is_lost:
            logger.warning("the database can't be reached: %s", first_line(error))
        self._is_lost = True

    async def _listen(self, url: str) -> None:
        """Look at the database whenever Redis says that there may be something new."""
        while True:
            try:
                async with Redis.from_url(url) as client, client.pubsub() as channel:
                    await channel.subscribe(REMOTE_CHANNEL)
                    self._has_redis = True
                    async for _ in channel.listen():
                        self._wish_for("claim")
            except (RedisError, OSError) as error:
                logger.warning("Redis can't be reached (%s): the database is asked more often", error)
            self._has_redis = False
            await asyncio.sleep(REDIS_RETRY_S)
