"""Start live games, decide in them, take decisions back, ask for hints and leave."""

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import timedelta
from enum import Enum
from random import SystemRandom
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import F, QuerySet
from django.utils.crypto import salted_hmac
from django.utils.timezone import now

from arena.bots.models import BotVersion
from arena.bots.running import NO_BOTS
from arena.core.database import is_past
from arena.core.errors import Conflict
from arena.core.logs import log_with
from arena.core.wake import Work, wake
from arena.matches.attempts import carry_out
from arena.matches.filters import parse_series_length, resolve_variant
from arena.matches.livegames.models import LiveGame, LiveHint, LiveSeat, make_link
from arena.matches.livegames.position import (
    CannotStart,
    ForbiddenAction,
    GameOver,
    LinkUsed,
    LivePlayer,
    LiveTable,
    NoHint,
    NotSeated,
    NotYourTurn,
    StaleTable,
    TooManyDecisions,
    Watch,
    check_may_ask_for_hint,
    check_may_start,
    fetch_decisions,
    fetch_entries,
    find_rules,
    list_seats,
    lock_game,
    store_draft,
    watch_nothing,
)
from arena.matches.livegames.queries import hash_position, list_playable_versions
from arena.matches.workers import find_unrunnable_version
from arena.runner.channel import HintFound
from arena.runner.live_turn import Position
from arena.runner.program import Limits
from engine.analysis.evaluators import has_evaluator
from engine.core import IllegalAction, Json, MalformedAction, State
from engine.message import gettext_noop, message
from engine.registry import find_game
from engine.series import FIRST_SEATING, SeriesLength, next_seating

# Decisions of people: a step, taking it back, and leaving.
#
# One's own steps are a draft first. They are stored, and can't be taken back any more, once a card is seen, a die is
# rolled, another seat is to decide or the game is over.

ABANDONED_AFTER = timedelta(hours=24)
"""A person who has not decided for this long has left the game."""
MINUTE = timedelta(minutes=1)
NO_SEAT = gettext_noop("You don't have a seat in this game; you can only watch.")


@transaction.atomic
def take_step(*, slug: str, player: LivePlayer, action: str, at: int, watch: Watch = watch_nothing) -> LiveTable:
    """Take a step in a person's name, and return the table after it.

    `at` is the number of decisions that the person saw. A step that is sent twice is taken once. Raises
    LiveGame.DoesNotExist, NotSeated, GameOver, NotYourTurn, StaleTable, ForbiddenAction or TooManyDecisions.
    """
    table = open_table(player, watch, slug=slug, match=None)
    own = table.own
    assert own is not None
    if is_repeated(table, own, action, at):
        return table
    choosing = table.choosing
    if not (choosing.to_act == own.seat and is_simultaneous(table, choosing, at)):
        check_turn(table, own, at)
    check_rate(table)
    length = table.state.log_length
    try:
        move = choosing.parse(action)
    except (IllegalAction, MalformedAction) as refused:
        raise ForbiddenAction(refused.message) from refused
    if choosing is not table.state:
        own.draft = [{"seat": own.seat, "action": choosing.text(move)}]
        own.save(update_fields=["draft"])
        return table
    own.draft.append(table.play(move))
    own.draft += table.play_forced_moves(own.seat)
    told = table.state.events(own.seat, length)
    if table.state.to_act != own.seat or find_rules(table.game).is_revealing(told):
        store_draft(table)
    else:
        own.save(update_fields=["draft"])
    return table


@transaction.atomic
def undo_step(*, slug: str, player: LivePlayer, at: int, watch: Watch = watch_nothing) -> LiveTable:
    """Take back a person's last step, if it is not stored yet, and return the table after that.

    Raises LiveGame.DoesNotExist, NotSeated, GameOver, NotYourTurn or StaleTable.
    """
    table = open_table(player, watch, slug=slug, match=None)
    own = table.own
    assert own is not None
    check_turn(table, own, at)
    if not own.draft:
        problem = gettext_noop("You can't undo anything: your last move has been sent, or it revealed a card to you.")
        raise StaleTable(message(problem))
    while own.draft and own.draft.pop().get("auto"):
        pass
    own.save(update_fields=["draft"])
    return table


@transaction.atomic
def resign(*, game: LiveGame, player: LivePlayer, watch: Watch = watch_nothing) -> LiveTable:
    """Let a person leave the game, which the others win or go on with, and return the table after that.

    Raises NotSeated or GameOver.
    """
    table = open_table(player, watch, pk=game.pk)
    leave(table, "resigned")
    return table


def see_end(*, game: LiveGame, own: LiveSeat | None) -> None:
    """Note that a person is shown how the game ended, so that no page tells of it any more."""
    if own is not None and game.is_over:
        LiveSeat.objects.filter(pk=own.pk, unseen_end=True).update(unseen_end=False)


def abandon_idle_games() -> list[int]:
    """Let people leave who have not decided for ABANDONED_AFTER, and return the games in which bots may go on.

    Games that waited so long for somebody with a link are removed.
    """
    idle = LiveGame.objects.of_people().filter(decided_at__lt=now() - ABANDONED_AFTER)
    idle.filter(state=LiveGame.State.SEATING).delete()
    left = []
    for game in idle.playing().filter(bot_to_act=None):
        with transaction.atomic():
            locked = lock_game(pk=game.pk)
            seats = list_seats(locked)
            if locked.state == LiveGame.State.PLAYING and locked.seat_to_act is not None:
                leave(LiveTable(locked, seats, seats[locked.seat_to_act], *fetch_decisions(locked)), "abandoned")
                left.append(locked.pk)
    return left


def open_table(player: LivePlayer, watch: Watch, **key: Any) -> LiveTable:
    """Lock a game and return its table for a person who sits there. Raises NotSeated or GameOver."""
    table = read_live_table(lock_game(**key), player, watch)
    if table.own is None:
        raise NotSeated(message(NO_SEAT))
    if table.game.is_over:
        raise GameOver(message(gettext_noop("This game has finished.")))
    return table


def read_live_table(game: LiveGame, player: LivePlayer, watch: Watch = watch_nothing) -> LiveTable:
    """Return the table of a game as a person sees it."""
    seats = list_seats(game)
    return LiveTable(game, seats, find_own_seat(seats, player), *fetch_decisions(game), watch)


def find_own_seat(seats: list[LiveSeat], player: LivePlayer) -> LiveSeat | None:
    """Return the seat of a person, or None."""
    for seat in seats:
        if player.user is not None and seat.user_id == player.user.pk:
            return seat
        if player.guest and seat.guest == player.guest:
            return seat
    return None


def is_repeated(table: LiveTable, own: LiveSeat, action: str, at: int) -> bool:
    """Return whether this very step was taken before: the button was pressed twice, or the answer was lost."""
    entries = own.draft if table.has_chosen_ahead else table.entries[at:]
    taken = next((entry for entry in entries if entry["seat"] == own.seat), None)
    return taken is not None and taken["action"] == action


def is_simultaneous(table: LiveTable, choosing: State, at: int) -> bool:
    """Return whether the seat to act in `choosing` was told nothing of what others did since the person looked."""
    seat, simultaneous = choosing.to_act, find_rules(table.game).simultaneous_decisions
    if seat is None or not simultaneous or table.game.state != LiveGame.State.PLAYING:
        return False
    is_hidden = choosing.view(seat)["decision"] in simultaneous
    return is_hidden and at <= len(table.entries) and all(entry["seat"] != seat for entry in table.entries[at:])


def check_turn(table: LiveTable, own: LiveSeat, at: int) -> None:
    """Raise NotYourTurn where another seat is to decide, and StaleTable where the person has seen another state."""
    if table.game.state == LiveGame.State.SEATING:
        raise NotYourTurn(message(gettext_noop("The game starts when every seat is taken.")))
    if table.game.seat_to_act != own.seat:
        raise NotYourTurn(message(gettext_noop("It's not your turn.")))
    if at != len(table.entries):
        problem = gettext_noop("The game has moved on since this page loaded, so your move wasn't played. Look again.")
        raise StaleTable(message(problem))


def check_rate(table: LiveTable) -> None:
    """Raise TooManyDecisions where many decisions were stored within a minute."""
    since = now() - MINUTE
    recent = sum(stored_at > since for stored_at in table.stored_at)
    if recent >= settings.MAX_LIVE_DECISIONS_PER_MINUTE:
        problem = gettext_noop("Too many moves: %(count)s within a minute. Wait a moment, then continue.")
        raise TooManyDecisions(message(problem, count=recent), retry_after=MINUTE.total_seconds() / 4)


def leave(table: LiveTable, reason: str) -> None:
    """Put a person out of the game. Their draft is dropped."""
    own = table.own
    assert own is not None
    if table.game.state == LiveGame.State.SEATING:
        table.game.delete()
        return
    had_draft, own.draft = bool(own.draft), []
    if table.state.is_out(own.seat):
        raise GameOver(message(gettext_noop("You're already out of this game.")))
    if had_draft:
        own.save(update_fields=["draft"])
    table.stored.append(table.forfeit(own.seat, reason))
    store_draft(table)


# Hints in practice games: asked for by a person, made by a worker, and stored once.
#
# As with bots' answers, the work is in the database and a message is only a reason to look there. A hint is made from
# what the seat can know, so any worker can make it, also twice.

MAX_TRIES = 3
HINT_TIMEOUT = timedelta(seconds=20)
"""It takes about a second: after this time its worker is gone."""
FindChoices = Callable[[Position], HintFound]
"""A function that finds the best choices of the seat that is to act."""
NO_HINT_FOR_EDITION = gettext_noop(
    "Hints aren't available for this edition: it has no value function. Play without hints."
)


@transaction.atomic
def request_hint(*, game: LiveGame, player: LivePlayer, at: int) -> LiveHint:
    """Queue a hint for the decision that a person is to make, and return it, or the one there is.

    `at` is the number of decisions that the person saw. One that failed is tried again. Raises NotSeated, GameOver,
    NoHint, NotYourTurn, StaleTable or TooManyHints.
    """
    table = open_table(player, watch_nothing, pk=game.pk)
    assert table.own is not None
    check_has_hints(table.game)
    check_turn(table, table.own, at)
    position = hash_position(table.game.decisions, table.own.draft)
    known = table.game.hints.filter(position=position).first()
    if known is None or known.state == LiveHint.State.FAILED:
        check_may_ask_for_hint(table.game)
        known = known or LiveHint(
            game=table.game, number=table.game.decisions, draft=table.own.draft, position=position
        )
        known.state, known.tries, known.published_at = LiveHint.State.WAITING, 0, now()
        known.save()
    if known.is_pending:
        wake(Work.HINT, known.pk)
    return known


def check_has_hints(game: LiveGame) -> None:
    """Raise NoHint where nobody may ask for hints, or where none can be made."""
    if not game.has_hints:
        problem = gettext_noop("This game was started without hints. You can only turn them on when you start a game.")
        raise NoHint(message(problem))
    if not has_evaluator(game.game, game.edition, game.options):
        raise NoHint(message(NO_HINT_FOR_EDITION))


def claim_hint() -> LiveHint | None:
    """Claim the hint that has waited longest, and return it; None where none waits."""
    waiting = LiveHint.objects.filter(~NO_BOTS.cannot_run(game="game__game"), state=LiveHint.State.WAITING)
    for key in waiting.order_by("pk").values_list("pk", flat=True):
        token = secrets.token_hex(16)
        changes = {"state": LiveHint.State.MAKING, "token": token, "published_at": now()}
        free = LiveHint.objects.filter(pk=key, state=LiveHint.State.WAITING)
        if free.update(**changes, tries=F("tries") + 1) == 1:
            return LiveHint.objects.select_related("game").get(pk=key)
    return None


def make_hint(*, hint: LiveHint, find: FindChoices) -> bool:
    """Make and store a claimed hint. Return whether it was stored."""
    with log_with(live_game_id=hint.game_id):
        return carry_out(hint, lambda: compute_hint(hint, find), lambda _error: release_hint(hint))


def compute_hint(hint: LiveHint, find: FindChoices) -> None:
    """Compute a claimed hint and store it; where the game has gone on meanwhile, there is none."""
    game, choices, cpu_ms = hint.game, None, 0.0
    if is_awaited(hint):
        actions = [*fetch_entries(game), *hint.draft]
        found = find(Position(game.game, game.edition, game.options, game.deal, game.seats.count(), actions))
        choices, cpu_ms = found.choices, found.cpu_ms
    _hold(hint).update(
        state=LiveHint.State.FAILED if choices is None else LiveHint.State.DONE,
        result=choices,
        cpu_s=F("cpu_s") + cpu_ms / 1000,
    )


def is_awaited(hint: LiveHint) -> bool:
    """Return whether the person is still to make the decision that a hint is for."""
    if hint.game.seat_to_act is None:
        return False
    seat = hint.game.seats.get(seat=hint.game.seat_to_act)
    return hash_position(hint.game.decisions, seat.draft) == hint.position


def release_hint(hint: LiveHint) -> None:
    """Let go of a hint that the arena failed to make; after MAX_TRIES there is none."""
    state = LiveHint.State.FAILED if hint.tries >= MAX_TRIES else LiveHint.State.WAITING
    _hold(hint).update(state=state)


def requeue_lost_hints() -> None:
    """Let go of the hints of lost workers."""
    for hint in LiveHint.objects.filter(is_past("published_at", HINT_TIMEOUT), state=LiveHint.State.MAKING):
        release_hint(hint)


def _hold(hint: LiveHint) -> QuerySet[LiveHint]:
    return LiveHint.objects.filter(pk=hint.pk, token=hint.token, state=LiveHint.State.MAKING)


# Start live games: choose seats, deal, take a seat by a link, and play the same deal again with other seats.


class PersonSeat(Enum):
    """The person at a seat that no bot has."""

    ME = "me"
    """The person who starts the game."""
    LINK = "link"
    """The first person who opens the link."""


COPIED_FIELDS = tuple("game edition options changed_options rules_version limits is_public has_hints".split())
"""What a game that follows another one has of it."""
SeatChoice = BotVersion | PersonSeat


@dataclass(frozen=True, slots=True)
class Sitting:
    """Everything that decides a new game but the deal."""

    game: str
    seats: Sequence[SeatChoice]
    edition: str = ""
    options: Mapping[str, Any] | None = None
    series: Mapping[str, Any] | None = None
    """Length of a series of games as JSON; None for a single game."""
    is_public: bool = False
    has_hints: bool = False
    limits: Limits | None = None


def start_live_game(*, player: LivePlayer, sitting: Sitting, address: str) -> LiveGame:
    """Deal a new game and return it; it begins at once unless a seat waits for somebody with the link.

    `address` is the network that the request came from. Raises CannotStart, UnplayableRules, TooManyGames or
    GuestsMayNotPlay.
    """
    # The checks and the deal are outside the transaction: SQLite lets nobody else write meanwhile.
    hashed = hash_address(address)
    check_may_start(player, hashed)
    variant = resolve_variant(sitting.game, sitting.edition, sitting.options)
    check_seats(player, sitting)
    if sitting.has_hints:
        check_hints(sitting, variant.edition, variant.options)
    series = parse_series_length(sitting.game, len(sitting.seats), sitting.series)
    rules = find_game(sitting.game)
    game = LiveGame(
        game=rules.key,
        edition=variant.edition,
        options=variant.options,
        changed_options=variant.changed_options,
        deal=rules.deal(variant.options, len(sitting.seats), SystemRandom()),
        rules_version=rules.rules_version,
        limits=asdict(sitting.limits or Limits()),
        is_public=sitting.is_public,
        has_hints=sitting.has_hints,
        address=hashed,
        series=series and series.to_json(),
        series_scores=[0.0] * len(sitting.seats) if series else [],
    )
    return open_game(game, [build_seat(choice, player) for choice in sitting.seats])


@transaction.atomic
def swap_seats(*, game: LiveGame, player: LivePlayer, address: str) -> LiveGame:
    """Deal a finished game again with every seat moved on by one, and return the new game, or the one there is.

    Raises NotSeated, CannotStart, TooManyGames or GuestsMayNotPlay.
    """
    game = lock_game(pk=game.pk)
    seats = list_seats(game)
    if not game.is_over or find_own_seat(seats, player) is None:
        raise CannotStart(message(gettext_noop("You can only play your own finished games again with swapped seats.")))
    if hasattr(game, "swapped"):
        return game.swapped
    hashed = check_may_go_on(game, seats, player, address)
    copied = {name: getattr(game, name) for name in (*COPIED_FIELDS, "deal")}
    again = LiveGame(**copied, address=hashed, swapped_from=game)
    moved = [seats[(seat.seat + 1) % len(seats)] for seat in seats]
    return open_game(again, [copy_person(seat) for seat in moved])


@transaction.atomic
def play_next_game(*, game: LiveGame, player: LivePlayer, address: str) -> LiveGame:
    """Start the next game of a series, with a new deal and the winner at the first seat, or return the one there is.

    Raises NotSeated, CannotStart, TooManyGames or GuestsMayNotPlay.
    """
    game = lock_game(pk=game.pk)
    seats = list_seats(game)
    if not has_next_game(game, seats) or find_own_seat(seats, player) is None:
        raise CannotStart(message(gettext_noop("You can't start another game in this series.")))
    if hasattr(game, "next"):
        return game.next
    hashed = check_may_go_on(game, seats, player, address)
    seating = next_seating(FIRST_SEATING, [seat.place or 0 for seat in seats])
    scores = add_series_game(game, seats)
    standing = [scores[seat] for seat in seating]
    return _deal_anew(game, [seats[seat] for seat in seating], hashed, game.series_number + 1, standing)


@transaction.atomic
def rematch(*, game: LiveGame, player: LivePlayer, address: str) -> LiveGame:
    """Deal a new game to those who played this one, with every seat moved on by one, or return the one there is.

    A series that is played out begins anew. Raises CannotStart, TooManyGames or GuestsMayNotPlay.
    """
    game = lock_game(pk=game.pk)
    seats = list_seats(game)
    if not has_rematch(game, seats) or find_own_seat(seats, player) is None:
        raise CannotStart(message(gettext_noop("Only your own games with a result can have a rematch.")))
    if hasattr(game, "next"):
        return game.next
    hashed = check_may_go_on(game, seats, player, address)
    moved = [seats[(seat.seat + 1) % len(seats)] for seat in seats]
    return _deal_anew(game, moved, hashed, 1, [0.0] * len(seats) if game.series else [])


def _deal_anew(
    game: LiveGame, seats: Sequence[LiveSeat], address: str, series_number: int, series_scores: list[float]
) -> LiveGame:
    """Open the game that follows one with a new deal; `seats` are those of the one before, in their new order."""
    again = LiveGame(
        **{name: getattr(game, name) for name in (*COPIED_FIELDS, "series")},
        deal=find_game(game.game).deal(game.options, len(seats), SystemRandom()),
        address=address,
        previous=game,
        series_number=series_number,
        series_scores=series_scores,
    )
    return open_game(again, [copy_person(seat) for seat in seats])


def has_rematch(game: LiveGame, seats: Sequence[LiveSeat]) -> bool:
    """Return whether a game can have a rematch: it has a result, and no series that goes on."""
    return game.state == LiveGame.State.FINISHED and not has_next_game(game, seats)


def check_may_go_on(game: LiveGame, seats: Sequence[LiveSeat], player: LivePlayer, address: str) -> str:
    """Return the hash of the address from which a person starts a game with the seats of this one.

    Raises CannotStart, TooManyGames or GuestsMayNotPlay.
    """
    hashed = hash_address(address)
    check_may_start(player, hashed)
    check_bots(player, game.game, [seat.version for seat in seats if seat.version is not None])
    return hashed


def has_next_game(game: LiveGame, seats: Sequence[LiveSeat]) -> bool:
    """Return whether the series of a game goes on after it."""
    if game.series is None or game.state != LiveGame.State.FINISHED:
        return False
    return not SeriesLength.from_json(game.series).is_over(game.series_number, add_series_game(game, seats))


def add_series_game(game: LiveGame, seats: Sequence[LiveSeat]) -> list[float]:
    """Return the series score of each seat after this game."""
    return [before + (seat.score or 0.0) for before, seat in zip(game.series_scores, seats, strict=True)]


@transaction.atomic
def take_seat(*, link: str, player: LivePlayer) -> LiveGame:
    """Let a person take the seat of a link, once, and return the game. Raises LinkUsed or Conflict."""
    found = LiveSeat.objects.filter(link=link).first() if link else None
    if found is None:
        raise LinkUsed(message(gettext_noop("This link is unknown or has already been used.")))
    game = lock_game(pk=found.game_id)
    seats = list_seats(game)
    seat = seats[found.seat]
    if seat.link != link:
        raise LinkUsed(message(gettext_noop("This link is unknown or has already been used.")))
    if find_own_seat(seats, player) is not None:
        problem = gettext_noop("You already have a seat in this game. Send the link to a friend.")
        raise Conflict(message(problem))
    seat.link, seat.user, seat.guest = None, player.user, "" if player.user else player.guest
    seat.save(update_fields=["link", "user", "guest"])
    begin_if_full(game, seats)
    return game


@transaction.atomic
def adopt_guest_games(*, player: LivePlayer) -> int:
    """Give a user the seats that they took as a guest, and return how many these were."""
    if player.user is None or not player.guest:
        return 0
    return LiveSeat.objects.filter(guest=player.guest).update(user=player.user, guest="")


@transaction.atomic
def open_game(game: LiveGame, seats: list[LiveSeat]) -> LiveGame:
    """Store a new game with its seats, and begin it unless a seat is free."""
    game.salt = secrets.token_hex(16)
    game.state = LiveGame.State.SEATING
    game.save()
    for number, seat in enumerate(seats):
        seat.game, seat.seat = game, number
        seat.bank_ms = game.bot_limits.bank_ms if seat.version else 0.0
    LiveSeat.objects.bulk_create(seats)
    begin_if_full(game, list_seats(game))
    return game


def begin_if_full(game: LiveGame, seats: list[LiveSeat]) -> None:
    """Begin a game whose last seat was taken."""
    if not any(seat.is_free for seat in seats):
        game.state, game.created_at = LiveGame.State.PLAYING, now()
        store_draft(LiveTable(game, seats, None))


def build_seat(choice: SeatChoice, player: LivePlayer) -> LiveSeat:
    """Return the row of a seat, without game and number."""
    if isinstance(choice, BotVersion):
        return LiveSeat(version=choice)
    if choice is PersonSeat.LINK:
        return LiveSeat(link=make_link())
    return LiveSeat(user=player.user, guest="" if player.user else player.guest)


def copy_person(seat: LiveSeat) -> LiveSeat:
    """Return the row of a seat in another game, with the same bot or person."""
    return LiveSeat(version=seat.version, user=seat.user, guest=seat.guest)


def check_seats(player: LivePlayer, sitting: Sitting) -> None:
    """Raise CannotStart where these can't sit at one table."""
    rules = find_game(sitting.game)
    if len(sitting.seats) not in rules.seats:
        problem = gettext_noop("%(game)s can't be played by this number of players: %(seats)s.")
        raise CannotStart(message(problem, game=rules.title, seats=len(sitting.seats)))
    if sitting.seats.count(PersonSeat.ME) != 1:
        raise CannotStart(message(gettext_noop("Take exactly one seat yourself.")))
    check_bots(player, sitting.game, [choice for choice in sitting.seats if isinstance(choice, BotVersion)])


def check_hints(sitting: Sitting, edition: str, options: Json) -> None:
    """Raise CannotStart where no hints can be given: in games with other people, and without a value function."""
    if PersonSeat.LINK in sitting.seats:
        raise CannotStart(message(gettext_noop("Hints only work against bots. Play without them or choose a bot.")))
    if not has_evaluator(sitting.game, edition, options):
        raise CannotStart(message(NO_HINT_FOR_EDITION))


def check_bots(player: LivePlayer, game: str, bots: Sequence[BotVersion]) -> None:
    """Raise CannotStart where the player may not, or not any more, play one of these bots, or no worker can run it."""
    allowed = set(list_playable_versions(player, game).values_list("pk", flat=True))
    for bot in bots:
        if bot.pk not in allowed:
            problem = gettext_noop("%(bot)s can't be played here: its author doesn't allow it, or it has no files.")
            raise CannotStart(message(problem, bot=str(bot)))
    if bots and (unrunnable := find_unrunnable_version([bot.pk for bot in bots])) is not None:
        problem = gettext_noop("No machine in this arena can run %(bot)s right now. Choose another bot.")
        raise CannotStart(message(problem, bot=unrunnable.bot.name))


def hash_address(address: str) -> str:
    """Return a hash of an address, so that the table tells nobody who was here."""
    return salted_hmac("arena.livegames", address, algorithm="sha256").hexdigest()
