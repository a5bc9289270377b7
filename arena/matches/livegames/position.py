"""Who plays a live game and within which limits, its state from the decisions, and how a reader sees it."""

import hashlib
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import orjson
from django.conf import settings
from django.db.models import Q, Sum
from django.utils.timezone import now

from arena.core.errors import ArenaError, Conflict
from arena.core.release import arena_version
from arena.core.wake import Work, wake
from arena.matches.livegames.models import LiveDecision, LiveGame, LiveHint, LiveSeat
from arena.people.accounts.models import User
from engine.core import Game, Json, Move, Seat, State, forfeit_event
from engine.deal import derive_seed
from engine.message import Message, gettext_noop, message
from engine.registry import find_game
from engine.replay import make_record, record_hash, take

# Build the state of a live game from its decisions.


def fetch_decisions(game: LiveGame) -> tuple[list[Json], list[datetime]]:
    """Return the stored decisions of a game, as in a record, and when they were stored.

    They are those that its row counts: later ones are left out.
    """
    if not game.decisions:
        return [], []
    stored = game.stored_decisions.filter(number__lt=game.decisions).order_by("number")
    rows = stored.values_list("entry", "created_at")
    return [entry for entry, _ in rows], [stored_at for _, stored_at in rows]


def fetch_entries(game: LiveGame) -> list[Json]:
    """Return the stored decisions of a game, as in a record."""
    return fetch_decisions(game)[0]


def find_rules(game: LiveGame) -> Game:
    """Return the rules of a live game. Raises UnknownGame."""
    return find_game(game.game)


def watch_nothing(table: "LiveTable", entry: Json | None) -> None:
    """Follow no game."""


@dataclass(slots=True)
class LiveTable:
    """A live game for one reader: the decisions that the reader sees, and the state after them.

    It replays the game once, when the state is first wanted, and goes on with the decisions that are taken then.
    """

    game: LiveGame
    seats: list[LiveSeat]
    own: LiveSeat | None
    """The reader's seat; None for who looks on."""
    stored: list[Json] = field(default_factory=list)
    """The stored decisions, and those that are about to be."""
    stored_at: Sequence[datetime] = ()
    """When each of them was stored."""
    watch: "Watch" = watch_nothing
    _state: State | None = None

    @property
    def has_chosen_ahead(self) -> bool:
        """Return whether the reader's draft is a simultaneous choice, made before their turn to be asked."""
        return self.own is not None and bool(self.own.draft) and self.game.seat_to_act != self.own.seat

    @property
    def draft(self) -> list[Json]:
        """Return the reader's decisions that can still be taken back."""
        return self.own.draft if self.own and not self.has_chosen_ahead else []

    @property
    def entries(self) -> list[Json]:
        """Return all decisions that the reader sees."""
        return [*self.stored, *self.draft]

    @property
    def state(self) -> State:
        """Return the state that the reader sees."""
        if self._state is None:
            self._state = find_rules(self.game).start(self.game.options, len(self.seats), self.game.deal)
            self.watch(self, None)
            for entry in self.entries:
                take(self._state, entry)
                self.watch(self, entry)
        return self._state

    @property
    def choosing(self) -> State:
        """Return the state that the reader sees, with the reader to act where a simultaneous choice is open to them.

        Those who are asked before stand in it with any choice: nobody is told of it before all have chosen.
        """
        own, simultaneous = self.own, find_rules(self.game).simultaneous_decisions
        if own is None or own.draft or not simultaneous or self.state.to_act in (None, own.seat):
            return self.state
        ahead = self.state.copy()
        while ahead.to_act not in (None, own.seat):
            length = ahead.log_length
            if ahead.view(own.seat)["decision"] not in simultaneous:
                return self.state
            ahead.play(ahead.moves()[0])
            if ahead.events(own.seat, length):
                return self.state
        return ahead

    def play(self, move: Move, **more: bool) -> Json:
        """Play a move of the seat that is to act, and return the decision as in a record."""
        entry = {"seat": self.state.to_act, "action": self.state.text(move), **more}
        self.state.play(move)
        self.watch(self, entry)
        return entry

    def play_forced_moves(self, seat: Seat | None = None) -> list[Json]:
        """Play the decisions without a choice, only those of `seat` where it is given, and return them."""
        entries = []
        while (move := self.state.forced()) is not None and seat in (None, self.state.to_act):
            entries.append(self.play(move, auto=True))
        return entries

    def forfeit(self, seat: Seat, reason: str) -> Json:
        """Put a seat out of the game, and return that as in a record."""
        entry = forfeit_event(seat, reason)
        take(self.state, entry)
        self.watch(self, entry)
        return entry


Watch = Callable[[LiveTable, Json | None], None]
"""A function that follows a game: it gets the table with each decision just taken, and first None for the deal."""


def describe_seat(seat: LiveSeat, seed: int) -> Json:
    """Return a seat as a record has it."""
    if seat.version is not None:
        used = {"packages": seat.version.packages} if seat.version.packages else {}
        return {"name": seat.version.bot.name, "version": seat.version.number, "kind": "bot", "seed": seed, **used}
    return {"name": name_person(seat), "kind": "person"}


def name_person(seat: LiveSeat) -> str:
    """Return the name of the person at a seat; a guest has none of their own."""
    return seat.user.username if seat.user is not None else "Guest"


# Store decisions of live games, and what follows from them: who is to decide, and the end.


def lock_game(**key: Any) -> LiveGame:
    """Return the game with this key, which no other transaction changes until this one ends."""
    return LiveGame.objects.select_for_update().get(**key)


def list_seats(game: LiveGame) -> list[LiveSeat]:
    """Return the seats of a game in order, with who sits there."""
    return list(game.seats.select_related("version__bot__owner", "user").defer("version__build_log").order_by("seat"))


def store_draft(table: LiveTable) -> None:
    """Store the reader's steps, then what has no choice and what was chosen ahead. The game must be locked."""
    if table.own is not None and table.own.draft:
        table.stored += table.own.draft
        table.own.draft = []
        table.own.save(update_fields=["draft"])
    table.stored += table.play_forced_moves()
    while table.state.to_act is not None and (ahead := table.seats[table.state.to_act]).draft:
        table.stored.append(table.play(table.state.parse(ahead.draft[0]["action"])))
        table.stored += table.play_forced_moves()
        ahead.draft = []
        ahead.save(update_fields=["draft"])
    store_decisions(table.game, table.seats, table.stored[table.game.decisions :], table.state.to_act)
    if table.game.bot_to_act_id is not None or table.game.is_over:  # at the end its bots' processes are ended
        wake(Work.LIVE_GAME, table.game.pk)


def store_decisions(game: LiveGame, seats: list[LiveSeat], entries: Sequence[Json], to_act: Seat | None) -> None:
    """Store decisions, and move on to who is to act after them, or end the game. The game must be locked."""
    LiveDecision.objects.bulk_create(
        LiveDecision(game=game, number=number, entry=entry) for number, entry in enumerate(entries, game.decisions)
    )
    game.decisions += len(entries)
    game.decided_at, game.retry_at = now(), None
    game.seat_to_act = to_act
    to_ask = None if to_act is None else seats[to_act].version
    game.bot_to_act = None if to_ask is None or to_ask.is_remote else to_ask
    if to_act is None:
        finish_game(game, seats)
    game.save()


def finish_game(game: LiveGame, seats: list[LiveSeat]) -> None:
    """Write the record and the result of each seat into the rows; the caller saves the game.

    That of a match is written when the match is stored.
    """
    entries = fetch_entries(game)
    outcome = LiveTable(game, seats, None, entries).state.outcome
    assert outcome is not None
    verdicts = {entry["seat"]: entry["verdict"] for entry in entries if "verdict" in entry}
    for seat in seats:
        seat.place, seat.score = outcome.places[seat.seat], outcome.scores[seat.seat]
        seat.verdict, seat.draft = verdicts.get(seat.seat, "ok"), []
        seat.unseen_end = seat.version_id is None
    LiveSeat.objects.bulk_update(seats, ["place", "score", "verdict", "draft", "unseen_end"])
    game.state, game.finished_at, game.reason = LiveGame.State.FINISHED, now(), outcome.reason
    if game.match_id is not None:
        return
    record = make_record(
        game=find_rules(game),
        edition=game.edition,
        options=game.options,
        deal=game.deal,
        salt=game.salt,
        seats=[describe_seat(seat, derive_seed(game.salt, seat.seat)) for seat in seats],
        actions=entries,
        outcome=outcome,
        verdicts=[verdicts.get(seat.seat, "ok") for seat in seats],
        arena=arena_version(),
    )
    game.record, game.record_hash = zlib.compress(orjson.dumps(record), 9), record_hash(record)


def void_game(game: LiveGame, reason: Message) -> None:
    """End a game without a result. The game must be locked."""
    game.state, game.finished_at, game.void_reason = LiveGame.State.VOID, now(), reason
    game.seat_to_act = game.bot_to_act = None
    game.save()


# Say who plays: a user, or a guest who is known by a secret in the session.


@dataclass(frozen=True, slots=True)
class LivePlayer:
    """A person who may sit at live games: a user, a guest, or a user who has played as a guest before."""

    user: User | None = None
    guest: str = ""
    """Hash of the guest's secret; empty where there is none."""

    @classmethod
    def of_secret(cls, user: User | None, secret: str) -> "LivePlayer":
        """Return the player with this secret, of which only the hash is stored."""
        return cls(user, hashlib.sha256(secret.encode()).hexdigest() if secret else "")

    @property
    def is_known(self) -> bool:
        """Return whether the person can be told apart from others."""
        return self.user is not None or bool(self.guest)

    @property
    def seats(self) -> Q:
        """Return the condition for the seats of this person."""
        own = Q(pk__in=[])
        if self.user is not None:
            own |= Q(user=self.user)
        if self.guest:
            own |= Q(guest=self.guest)
        return own


# Errors of live games, each with a sentence for the person who plays.


class CannotStart(ArenaError):
    """The game can't be started with these seats; the message says why."""


class TooManyGames(ArenaError):
    """The person or the address has as many live games as are allowed."""

    status = 429


class TooManyDecisions(ArenaError):
    """There were too many decisions in this game within a minute."""

    status = 429


class GuestsMayNotPlay(ArenaError):
    """The arena lets only people with an account play."""

    status = 403


class NotSeated(ArenaError):
    """The person has no seat in this game."""

    status = 403


class LinkUsed(ArenaError):
    """The link to a seat is unknown, or somebody has used it."""

    status = 404


class StaleTable(Conflict):
    """The game has gone on since the page was made."""


class GameOver(Conflict):
    """The game is over."""


class NotYourTurn(Conflict):
    """Another seat is to decide."""


class ForbiddenAction(ArenaError):
    """The rules forbid the action, or it can't be read; the message says why."""

    status = 422


class NoHint(ArenaError):
    """There are no hints in this game; the message says why."""

    status = 403


class TooManyHints(ArenaError):
    """As many hints as are allowed were asked for in this game, or from this address."""

    status = 429


# Limit live games: how many a person and an address have open, and how much their bots compute.

DAY = timedelta(hours=24)
MAX_HINTS_PER_GAME = 120
"""A play of Battle Line has some 30 turns for each seat; steps that are taken back ask for others."""


def check_may_start(player: LivePlayer, address: str) -> None:
    """Raise GuestsMayNotPlay or TooManyGames where this person, or this hashed address, may not start a game now."""
    if player.user is None and not settings.GUESTS_PLAY:
        raise GuestsMayNotPlay(message(gettext_noop("Sign in to play. Guests can't play on this arena.")))
    seats = LiveSeat.objects.filter(player.seats, game__in=LiveGame.objects.open())
    if seats.values("game").distinct().count() >= settings.MAX_LIVE_GAMES_PER_PERSON:
        problem = gettext_noop("You have %(count)s unfinished games. Finish or resign one first.")
        raise TooManyGames(message(problem, count=settings.MAX_LIVE_GAMES_PER_PERSON))
    of_address = LiveGame.objects.filter(address=address, created_at__gt=now() - DAY)
    if of_address.open().count() >= settings.MAX_LIVE_GAMES_PER_ADDRESS:
        problem = gettext_noop("%(count)s games from your network are unfinished. Finish or resign one first.")
        raise TooManyGames(message(problem, count=settings.MAX_LIVE_GAMES_PER_ADDRESS))
    used_s = fetch_cpu_used(address)
    if used_s >= settings.MAX_LIVE_CPU_S_PER_ADDRESS:
        problem = gettext_noop(
            "Games from your network have used %(minutes)s minutes of bot time within a day. Try again later."
        )
        raise TooManyGames(message(problem, minutes=round(used_s / 60)))


def check_may_ask_for_hint(game: LiveGame) -> None:
    """Raise TooManyHints where this game, or the network it was started from, has had as many as it may."""
    if game.hints.count() >= MAX_HINTS_PER_GAME:
        problem = gettext_noop("You've had all %(count)s hints for this game.")
        raise TooManyHints(message(problem, count=MAX_HINTS_PER_GAME))
    used_s = fetch_cpu_used(game.address) if game.address else 0.0
    if used_s >= settings.MAX_LIVE_CPU_S_PER_ADDRESS:
        problem = gettext_noop(
            "Games from your network have used %(minutes)s minutes of bot time within a day. Try again later."
        )
        raise TooManyHints(message(problem, minutes=round(used_s / 60)))


def fetch_cpu_used(address: str) -> float:
    """Return the processor seconds of bots and hints within a day, in games that were started from this address."""
    since = now() - DAY
    games = LiveGame.objects.filter(address=address, created_at__gt=since)
    hints = LiveHint.objects.filter(game__address=address, created_at__gt=since)
    return sum(rows.aggregate(used_s=Sum("cpu_s"))["used_s"] or 0.0 for rows in (games, hints))
