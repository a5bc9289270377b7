"""Tokens let a script act for its owner. A token is shown once; only its hash is kept."""

import hashlib
import secrets
from datetime import timedelta

from django.db import transaction
from django.db.models import Q
from django.utils.timezone import now

from arena.accounts.models import User
from arena.bots.models import Bot, Token
from arena.bots.teams import check_author
from arena.errors import ArenaError, Conflict, NotYours
from engine.message import gettext_noop, message

TOKEN_TEXT_PREFIX = "pnt_"
MAX_TOKEN_CHARACTERS_SHOWN = 8
"""The first characters of a token, by which its owner recognizes it."""
MAX_TOKENS_PER_USER = 20
MAX_TOKEN_NAME_LENGTH = 60
TOKEN_LAST_USE_RESOLUTION = timedelta(minutes=1)
"""The time of the last use is stored this often at most, so that not every request writes."""


class BadTokenName(ArenaError):
    """The name of a token is empty, too long or unprintable."""


@transaction.atomic
def issue_token(*, owner: User, name: str, bot: Bot | None = None) -> tuple[Token, str]:
    """Issue a token for one bot, or for all the owner's bots, and return it with its text, which is not kept.

    Raises BadTokenName, NotYours, or Conflict where its owner has enough of them.
    """
    name = " ".join(name.split())
    if not name or len(name) > MAX_TOKEN_NAME_LENGTH or not name.isprintable():
        problem = gettext_noop("Say what the token is for, in %(most)s characters at most.")
        raise BadTokenName(message(problem, most=MAX_TOKEN_NAME_LENGTH))
    if bot is not None:
        check_author(bot, owner)
    User.objects.select_for_update().get(pk=owner.pk)
    if Token.objects.valid().filter(owner=owner).count() >= MAX_TOKENS_PER_USER:
        problem = gettext_noop("You have %(most)s tokens, and nobody may have more: revoke one first.")
        raise Conflict(message(problem, most=MAX_TOKENS_PER_USER))
    text = TOKEN_TEXT_PREFIX + secrets.token_urlsafe(32)
    token = Token.objects.create(
        owner=owner, bot=bot, name=name, digest=hash_token(text), prefix=text[:MAX_TOKEN_CHARACTERS_SHOWN]
    )
    return token, text


def find_token(text: str) -> Token | None:
    """Return the valid token with this text, with its owner and bot, and note its use; None if there is none."""
    if not text.startswith(TOKEN_TEXT_PREFIX):
        return None
    known = Token.objects.valid().select_related("owner", "bot")
    token = known.filter(digest=hash_token(text), owner__is_active=True).first()
    if token is not None:
        long_ago = Q(last_used_at=None) | Q(last_used_at__lt=now() - TOKEN_LAST_USE_RESOLUTION)
        if token.last_used_at is None or token.last_used_at < now() - TOKEN_LAST_USE_RESOLUTION:
            Token.objects.filter(long_ago, pk=token.pk).update(last_used_at=now())
    return token


def revoke_token(*, token: Token, owner: User) -> None:
    """Make a token invalid; a second call changes nothing. Raises NotYours."""
    if token.owner_id != owner.pk:
        raise NotYours(message(gettext_noop("This token belongs to somebody else.")))
    Token.objects.valid().filter(pk=token.pk).update(revoked_at=now())


def delete_tokens(*, owner: User) -> None:
    """Delete all tokens of a user, the revoked ones included."""
    Token.objects.filter(owner=owner).delete()


def hash_token(text: str) -> str:
    """Return the hash by which a token is stored; a plain hash suffices for long random texts."""
    return hashlib.sha256(text.encode()).hexdigest()
