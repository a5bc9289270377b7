"""Hints in practice games: asked for by a person, made by a worker, and stored once.

As with bots' answers, the work is in the database and a message is only a hint to look there. One is made from what the
seat can know, so it may be made by whoever is free, and be made again.
"""

import secrets
from datetime import timedelta
from time import process_time

from django.db import transaction
from django.db.models import F, QuerySet
from django.utils.timezone import now

from arena.livegames.errors import NoHint
from arena.livegames.limits import check_may_ask_for_hint
from arena.livegames.models import LiveGame, LiveHint
from arena.livegames.players import Player
from arena.livegames.position import build_state, fetch_entries
from arena.livegames.queries.hints import hash_position
from arena.livegames.services.deciding import check_turn, open_table
from arena.log_context import log_with
from arena.matches.play import carry_out
from arena.times import is_past
from engine.analysis.evaluators import find_evaluator
from engine.analysis.hint import Hint, find_hint
from engine.core import Json
from engine.message import gettext_noop, message

MAX_TRIES = 3
HINT_TIMEOUT = timedelta(seconds=20)
"""It takes about a second: after this time its worker is gone."""
REPUBLISH_DELAY = timedelta(seconds=5)
NO_HINT_FOR_EDITION = gettext_noop("No hint for this edition: it has no value function. Play without hints.")


@transaction.atomic
def request_hint(*, game: LiveGame, player: Player, at: int) -> LiveHint:
    """Queue a hint for the decision that a person is to make, and return it, or the one there is.

    `at` is the number of decisions that the person saw. One that failed is tried again. Raises NotSeated, GameOver,
    NoHint, NotYourTurn, StaleTable or TooManyHints.
    """
    table = open_table(game, player)
    check_has_hints(table.game)
    check_turn(table, at)
    position = hash_position(table.game.decisions, table.own.draft)
    known = table.game.hints.filter(position=position).first()
    if known is not None and known.state != LiveHint.State.FAILED:
        return known
    check_may_ask_for_hint(table.game)
    if known is not None:
        known.state, known.tries, known.published_at = LiveHint.State.WAITING, 0, now()
        known.save()
        return known
    return LiveHint.objects.create(
        game=table.game, number=table.game.decisions, draft=table.own.draft, position=position
    )


def check_has_hints(game: LiveGame) -> None:
    """Raise NoHint where nobody may ask for hints, or where none can be made."""
    if not game.has_hints:
        problem = gettext_noop("This game was started without hints. They can be switched on when a game is started.")
        raise NoHint(message(problem))
    if find_evaluator(game.game, game.edition, game.options) is None:
        raise NoHint(message(NO_HINT_FOR_EDITION))


def make_hint(*, hint_id: int) -> bool:
    """Make and store a hint that waits, unless another worker does. Return whether one was stored."""
    token = secrets.token_hex(16)
    claimed = LiveHint.objects.filter(pk=hint_id, state=LiveHint.State.WAITING)
    changes = {"state": LiveHint.State.MAKING, "token": token, "published_at": now()}
    if claimed.update(**changes, tries=F("tries") + 1) != 1:
        return False
    hint = LiveHint.objects.select_related("game").get(pk=hint_id)
    with log_with(live_game_id=hint.game_id):
        return carry_out(hint, lambda: compute_hint(hint), lambda _error: release_hint(hint))


def compute_hint(hint: LiveHint) -> None:
    """Compute a claimed hint and store it; where the game has gone on meanwhile, there is none."""
    began, game = process_time(), hint.game
    found, evaluator = None, find_evaluator(game.game, game.edition, game.options)
    if evaluator is not None and is_awaited(hint):
        entries = [*fetch_entries(game), *hint.draft]
        found = find_hint(build_state(game, game.seats.count(), entries), evaluator)
    _hold(hint).update(
        state=LiveHint.State.FAILED if found is None else LiveHint.State.DONE,
        result=None if found is None else describe_hint(found),
        cpu_s=F("cpu_s") + process_time() - began,
    )


def is_awaited(hint: LiveHint) -> bool:
    """Return whether the person is still to make the decision that a hint is for."""
    if hint.game.seat_to_act is None:
        return False
    seat = hint.game.seats.get(seat=hint.game.seat_to_act)
    return hash_position(hint.game.decisions, seat.draft) == hint.position


def describe_hint(found: Hint) -> list[Json]:
    """Return a hint as it is stored."""
    rated = [found.best] if found.second is None else [found.best, found.second]
    return [{"action": one.action, "chance": one.chance} for one in rated]


def release_hint(hint: LiveHint) -> None:
    """Let go of a hint that the arena failed to make; after MAX_TRIES there is none."""
    state = LiveHint.State.FAILED if hint.tries >= MAX_TRIES else LiveHint.State.WAITING
    _hold(hint).update(state=state)


def pick_hints_to_republish() -> list[int]:
    """Let go of the hints of lost workers, and return those that wait and that no worker was told of lately."""
    for hint in LiveHint.objects.filter(is_past("published_at", HINT_TIMEOUT), state=LiveHint.State.MAKING):
        release_hint(hint)
    waiting = LiveHint.objects.filter(is_past("published_at", REPUBLISH_DELAY), state=LiveHint.State.WAITING)
    picked = list(waiting.values_list("pk", flat=True))
    LiveHint.objects.filter(pk__in=picked).update(published_at=now())
    return picked


def _hold(hint: LiveHint) -> QuerySet[LiveHint]:
    return LiveHint.objects.filter(pk=hint.pk, token=hint.token, state=LiveHint.State.MAKING)
