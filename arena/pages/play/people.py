"""Tell by the session who plays: a user, or a guest with a secret in the session."""

import secrets
from datetime import timedelta

from django.http import HttpRequest

from arena.livegames.players import Player
from arena.pages.reader import reader_of

GUEST_SECRET = "guest"
"""Key of a guest's secret in the session. It stays there when the guest signs up, so that the games can be kept."""
GUEST_SESSION_AGE = timedelta(days=30)


def player_of(request: HttpRequest) -> Player:
    """Return who plays; a guest who has never played is nobody."""
    return Player.of_secret(reader_of(request), request.session.get(GUEST_SECRET, ""))


def make_player(request: HttpRequest) -> Player:
    """Return who plays, and give a new guest a secret."""
    if reader_of(request) is None and not request.session.get(GUEST_SECRET):
        request.session[GUEST_SECRET] = secrets.token_urlsafe(24)
        request.session.set_expiry(GUEST_SESSION_AGE)
    return player_of(request)
