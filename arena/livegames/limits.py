"""Limit live games: how many a person and an address have open, and how much their bots compute."""

from datetime import timedelta

from django.conf import settings
from django.db.models import Sum
from django.utils.timezone import now

from arena.livegames.errors import GuestsMayNotPlay, TooManyGames, TooManyHints
from arena.livegames.models import LiveGame, LiveHint, LiveSeat
from arena.livegames.players import Player
from engine.message import gettext_noop, message

DAY = timedelta(hours=24)
MAX_HINTS_PER_GAME = 120
"""A play of Battle Line has some 30 turns for each seat; steps that are taken back ask for others."""


def check_may_start(player: Player, address: str) -> None:
    """Raise GuestsMayNotPlay or TooManyGames where this person, or this hashed address, may not start a game now."""
    if player.user is None and not settings.GUESTS_PLAY:
        raise GuestsMayNotPlay(message(gettext_noop("Sign in to play: this arena has no games for guests.")))
    seats = LiveSeat.objects.filter(player.seats, game__in=LiveGame.objects.open())
    if seats.values("game").distinct().count() >= settings.MAX_LIVE_GAMES_PER_PERSON:
        problem = gettext_noop("You have %(count)s games that are not over. Finish or resign one of them first.")
        raise TooManyGames(message(problem, count=settings.MAX_LIVE_GAMES_PER_PERSON))
    of_address = LiveGame.objects.filter(address=address, created_at__gt=now() - DAY)
    if of_address.open().count() >= settings.MAX_LIVE_GAMES_PER_ADDRESS:
        problem = gettext_noop("%(count)s games from your network are not over. Finish or resign one of them first.")
        raise TooManyGames(message(problem, count=settings.MAX_LIVE_GAMES_PER_ADDRESS))
    used_s = fetch_cpu_used(address)
    if used_s >= settings.MAX_LIVE_CPU_S_PER_ADDRESS:
        problem = gettext_noop(
            "Bots have computed for %(minutes)s minutes in games from your network within a day. Try again later."
        )
        raise TooManyGames(message(problem, minutes=round(used_s / 60)))


def check_may_ask_for_hint(game: LiveGame) -> None:
    """Raise TooManyHints where this game, or the network it was started from, has had as many as it may."""
    if game.hints.count() >= MAX_HINTS_PER_GAME:
        problem = gettext_noop("This game has had %(count)s hints, which is the most allowed.")
        raise TooManyHints(message(problem, count=MAX_HINTS_PER_GAME))
    used_s = fetch_cpu_used(game.address) if game.address else 0.0
    if used_s >= settings.MAX_LIVE_CPU_S_PER_ADDRESS:
        problem = gettext_noop(
            "Bots have computed for %(minutes)s minutes in games from your network within a day. Try again later."
        )
        raise TooManyHints(message(problem, minutes=round(used_s / 60)))


def fetch_cpu_used(address: str) -> float:
    """Return the processor seconds of bots and hints within a day, in games that were started from this address."""
    since = now() - DAY
    games = LiveGame.objects.filter(address=address, created_at__gt=since)
    hints = LiveHint.objects.filter(game__address=address, created_at__gt=since)
    return sum(rows.aggregate(used_s=Sum("cpu_s"))["used_s"] or 0.0 for rows in (games, hints))
