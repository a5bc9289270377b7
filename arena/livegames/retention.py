"""Say what of live games is not needed any more: guests' games, hints, bots' logs, and where games began."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from django.db.models import Exists, OuterRef
from django.utils.timezone import now

from arena.expiry import ByteLength, Expired
from arena.livegames.models import LiveGame, LiveHint, LiveSeat

GUEST_GAME_RETENTION = timedelta(days=30)
ADDRESS_RETENTION = timedelta(days=2)
"""Limits look back for a day."""


def list_expired_live_games(*, logs_before: datetime) -> Iterator[Expired]:
    """Yield the games that no user has played, and what is in others but not for good."""
    users = LiveSeat.objects.filter(game=OuterRef("pk"), user__isnull=False)
    guests_only = LiveGame.objects.filter(~Exists(users), created_at__lt=now() - GUEST_GAME_RETENTION)
    yield Expired("live games of guests", guests_only, size=ByteLength("record"))
    started = LiveGame.objects.filter(created_at__lt=now() - ADDRESS_RETENTION).exclude(address="")
    yield Expired("addresses of live games", started, lambda some: some.update(address=""))
    hints = LiveHint.objects.filter(game__finished_at__lt=now() - ADDRESS_RETENTION)
    yield Expired("hints of live games", hints)
    logs = LiveSeat.objects.filter(game__finished_at__lt=logs_before).exclude(stderr="")
    yield Expired("logs of bots in live games", logs, lambda some: some.update(stderr=""), ByteLength("stderr"))
