"""Stop live games with bots that the staff has stopped."""

from django.db import transaction
from django.db.models import Q, QuerySet

from arena.bots.models import BotVersion
from arena.livegames.models import LiveGame, LiveSeat
from arena.livegames.services.storing import list_seats, lock_game, void_game
from engine.message import Message, gettext_noop, message

STOPPED = (
    Q(version__bot__owner__suspended_at__isnull=False)
    | Q(version__bot__stopped_at__isnull=False)
    | Q(version__source=None)
)
"""Seats of bots whose author is suspended, that are stopped, or whose files were removed."""


def list_games_of_stopped_bots() -> QuerySet[LiveGame]:
    """List the games that are not over and have a bot that may not play any more."""
    seats = LiveSeat.objects.filter(STOPPED, version__isnull=False)
    return LiveGame.objects.open().filter(pk__in=seats.values("game"))


def end_games_of_stopped_bots() -> int:
    """End the games of bots that may not play any more without a result, and return how many these were.

    A bot that is thinking meanwhile has its answer refused.
    """
    voided = 0
    for pk in list_games_of_stopped_bots().values_list("pk", flat=True):
        with transaction.atomic():
            game = lock_game(pk)
            versions = (seat.version for seat in list_seats(game) if seat.version is not None)
            reasons = (find_stop_reason(version) for version in versions)
            reason = next(filter(None, reasons), None)
            if reason is not None and not game.is_over:
                void_game(game, reason)
                voided += 1
    return voided


def find_stop_reason(version: BotVersion) -> Message | None:
    """Return why a bot may not play any more, to the person who plays it; None where it may."""
    if version.bot.stopped_at is not None and not version.bot.is_stopped_by_staff:
        problem = gettext_noop("The owner of %(bot)s has retired it, so this game ends without a result.")
        return message(problem, bot=version.bot.name)
    if version.bot.owner.suspended_at is not None or version.bot.is_stopped_by_staff:
        problem = gettext_noop("The staff of this arena has stopped %(bot)s, so this game ends without a result.")
        return message(problem, bot=version.bot.name)
    if version.source_id is None:
        problem = gettext_noop(
            "The staff of this arena has removed the files of %(bot)s, so this game ends without a result."
        )
        return message(problem, bot=version.bot.name)
    return None
