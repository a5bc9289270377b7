"""What lets a script act for its owner. A token is shown once; only its hash is kept."""

import hashlib
import secrets
from datetime import timedelta

from django.db import transaction
from django.db.models import Q
from django.utils.timezone import now

from arena.accounts.models import User
from arena.bots.models import Bot, Token
from arena.errors import ArenaError, Conflict, NotYours

PREFIX = "pnt_"
HINT = 8
"""Characters of a token, from its start, by which its owner knows it again."""
MAX_TOKENS = 20
MAX_TOKEN_NAME = 60
NOTED_EVERY = timedelta(minutes=1)
"""How exactly it is known when a token was last used: not every request is to write."""


class BadTokenName(ArenaError):
    """A token can't be called that."""


@transaction.atomic
def issue_token(*, owner: User, name: str, bot: Bot | None = None) -> tuple[Token, str]:
    """A new token, for one bot or for all there are and will be, and its text, which can't be had again.

    Raises BadTokenName, NotYours, or Conflict where its owner has enough of them.
    """
    name = " ".join(name.split())
    if not name or len(name) > MAX_TOKEN_NAME or not name.isprintable():
        raise BadTokenName(f"Say what the token is for, in {MAX_TOKEN_NAME} characters at most.")
    if bot is not None and bot.owner_id != owner.pk:
        raise NotYours(f"{bot.name} belongs to somebody else.")
    User.objects.select_for_update().get(pk=owner.pk)
    if Token.objects.valid().filter(owner=owner).count() >= MAX_TOKENS:
        raise Conflict(f"You have {MAX_TOKENS} tokens, and nobody may have more: revoke one first.")
    text = PREFIX + secrets.token_urlsafe(32)
    token = Token.objects.create(owner=owner, bot=bot, name=name, digest=digest_of(text), hint=text[:HINT])
    return token, text


def find_token(text: str) -> Token | None:
    """The token that says this, with its owner and bot, if it is valid and its owner may log in; it counts as used."""
    if not text.startswith(PREFIX):
        return None
    known = Token.objects.valid().select_related("owner", "bot")
    token = known.filter(digest=digest_of(text), owner__is_active=True).first()
    if token is not None:
        long_ago = Q(last_used_at=None) | Q(last_used_at__lt=now() - NOTED_EVERY)
        if token.last_used_at is None or token.last_used_at < now() - NOTED_EVERY:
            Token.objects.filter(long_ago, pk=token.pk).update(last_used_at=now())
    return token


def revoke_token(*, token: Token, owner: User) -> None:
    """From now on it says nothing to anybody. A second time changes nothing. Raises NotYours."""
    if token.owner_id != owner.pk:
        raise NotYours("This token belongs to somebody else.")
    Token.objects.valid().filter(pk=token.pk).update(revoked_at=now())


def digest_of(text: str) -> str:
    """A token is long and random, so a plain hash keeps it."""
    return hashlib.sha256(text.encode()).hexdigest()
