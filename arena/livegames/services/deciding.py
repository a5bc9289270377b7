"""Decisions of people: a step, taking it back, and leaving.

One's own steps are a draft first. They are stored, and can't be taken back any more, once a card is seen, a die is
rolled, another seat is to decide or the game is over.
"""

from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.utils.timezone import now

from arena.livegames.errors import (
    ForbiddenAction,
    GameOver,
    NotSeated,
    NotYourTurn,
    StaleTable,
    TooManyDecisions,
)
from arena.livegames.models import LiveGame, LiveSeat
from arena.livegames.players import Player
from arena.livegames.position import build_state, fetch_entries, find_rules, play_forced_moves
from arena.livegames.services.storing import list_seats, lock_game, store_decisions
from engine.core import IllegalAction, Json, MalformedAction, State, forfeit_event
from engine.message import gettext_noop, message

ABANDONED_AFTER = timedelta(hours=24)
"""A person who has not decided for this long has left the game."""
MINUTE = timedelta(minutes=1)
NO_SEAT = gettext_noop("You have no seat in this game: you can only look on.")


@dataclass(slots=True)
class Table:
    """A locked game with the seat of a person who is about to change it."""

    game: LiveGame
    seats: list[LiveSeat]
    own: LiveSeat
    stored: list[Json]

    @property
    def decisions(self) -> int:
        """Return the number of decisions that the person sees: stored ones and the own draft."""
        return len(self.stored) + len(self.own.draft)

    def build_state(self) -> State:
        """Return the state that the person sees."""
        return build_state(self.game, len(self.seats), [*self.stored, *self.own.draft])


@transaction.atomic
def take_step(*, game: LiveGame, player: Player, action: str, at: int) -> LiveGame:
    """Take a step in a person's name, and return the game.

    `at` is the number of decisions that the person saw. A step that is sent twice is taken once. Raises NotSeated,
    GameOver, NotYourTurn, StaleTable, ForbiddenAction or TooManyDecisions.
    """
    table = open_table(game, player)
    if is_repeated(table, action, at):
        return table.game
    check_turn(table, at)
    check_rate(table.game)
    state, own = table.build_state(), table.own
    length = state.log_length
    try:
        move = state.parse(action)
    except (IllegalAction, MalformedAction) as refused:
        raise ForbiddenAction(refused.message) from refused
    own.draft.append({"seat": own.seat, "action": state.text(move)})
    state.play(move)
    own.draft += play_forced_moves(state, seat=own.seat)
    told = state.events(own.seat, length)
    if state.to_act != own.seat or find_rules(table.game).is_revealing(told):
        store_draft(table, state)
    else:
        own.save(update_fields=["draft"])
    return table.game


@transaction.atomic
def undo_step(*, game: LiveGame, player: Player, at: int) -> LiveGame:
    """Take back a person's last step, if it is not stored yet, and return the game.

    Raises NotSeated, GameOver, NotYourTurn or StaleTable.
    """
    table = open_table(game, player)
    check_turn(table, at)
    draft = table.own.draft
    if not draft:
        problem = gettext_noop("There is nothing to take back: what you did last has shown you a card, or it was sent.")
        raise StaleTable(message(problem))
    while draft and draft.pop().get("auto"):
        pass
    table.own.save(update_fields=["draft"])
    return table.game


@transaction.atomic
def resign(*, game: LiveGame, player: Player) -> LiveGame:
    """Let a person leave the game, which the others win or go on with. Raises NotSeated or GameOver."""
    table = open_table(game, player)
    leave(table, "resigned")
    return table.game


def abandon_idle_games() -> list[int]:
    """Let people leave who have not decided for ABANDONED_AFTER, and return the games in which bots may go on.

    Games that waited so long for somebody with a link are removed.
    """
    idle = LiveGame.objects.filter(decided_at__lt=now() - ABANDONED_AFTER)
    idle.filter(state=LiveGame.State.SEATING).delete()
    left = []
    for game in idle.playing().filter(bot_to_act=None):
        with transaction.atomic():
            locked = lock_game(game.pk)
            seats = list_seats(locked)
            if locked.state == LiveGame.State.PLAYING and locked.seat_to_act is not None:
                leave(Table(locked, seats, seats[locked.seat_to_act], fetch_entries(locked)), "abandoned")
                left.append(locked.pk)
    return left


def open_table(game: LiveGame, player: Player) -> Table:
    """Lock a game and return it with the seat of the person. Raises NotSeated or GameOver."""
    locked = lock_game(game.pk)
    seats = list_seats(locked)
    own = find_own_seat(seats, player)
    if own is None:
        raise NotSeated(message(NO_SEAT))
    if locked.is_over:
        raise GameOver(message(gettext_noop("This game is over, so nothing more can be played in it.")))
    return Table(locked, seats, own, fetch_entries(locked))


def find_own_seat(seats: list[LiveSeat], player: Player) -> LiveSeat | None:
    """Return the seat of a person, or None."""
    for seat in seats:
        if player.user is not None and seat.user_id == player.user.pk:
            return seat
        if player.guest and seat.guest == player.guest:
            return seat
    return None


def is_repeated(table: Table, action: str, at: int) -> bool:
    """Return whether this very step was taken before: the button was pressed twice, or the answer was lost."""
    entries = [*table.stored, *table.own.draft]
    return at < len(entries) and entries[at]["seat"] == table.own.seat and entries[at]["action"] == action


def check_turn(table: Table, at: int) -> None:
    """Raise NotYourTurn where another seat is to decide, and StaleTable where the person has seen another state."""
    if table.game.state == LiveGame.State.SEATING:
        raise NotYourTurn(message(gettext_noop("The game begins when every seat is taken.")))
    if table.game.seat_to_act != table.own.seat:
        raise NotYourTurn(message(gettext_noop("It is not your turn.")))
    if at != table.decisions:
        problem = gettext_noop("The game has gone on since this page was loaded, so nothing was played. Look again.")
        raise StaleTable(message(problem))


def check_rate(game: LiveGame) -> None:
    """Raise TooManyDecisions where many decisions were stored within a minute."""
    recent = game.stored_decisions.filter(created_at__gt=now() - MINUTE).count()
    if recent >= settings.MAX_LIVE_DECISIONS_PER_MINUTE:
        problem = gettext_noop("This game has had %(count)s decisions within a minute. Wait a moment, then go on.")
        raise TooManyDecisions(message(problem, count=recent), retry_after=MINUTE.total_seconds() / 4)


def store_draft(table: Table, state: State) -> None:
    """Store the steps of a person, which the state has taken, for good."""
    steps, table.own.draft = table.own.draft, []
    table.own.save(update_fields=["draft"])
    store_decisions(table.game, table.seats, state, steps, table.stored)


def leave(table: Table, reason: str) -> None:
    """Put a person out of the game. Their draft is dropped."""
    if table.game.state == LiveGame.State.SEATING:
        table.game.delete()
        return
    state = build_state(table.game, len(table.seats), table.stored)
    if state.is_out(table.own.seat):
        raise GameOver(message(gettext_noop("You are out of this game already.")))
    if table.own.draft:
        table.own.draft = []
        table.own.save(update_fields=["draft"])
    state.forfeit(table.own.seat, reason)
    store_decisions(table.game, table.seats, state, [forfeit_event(table.own.seat, reason)], table.stored)
