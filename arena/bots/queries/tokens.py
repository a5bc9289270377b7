"""List the tokens of a user."""

from django.db.models import QuerySet

from arena.accounts.models import User
from arena.bots.models import Token


def list_valid_tokens(owner: User) -> QuerySet[Token]:
    """List the tokens of a user that were not revoked, each with its bot."""
    return Token.objects.valid().filter(owner=owner).select_related("bot")


def find_valid_token(owner: User, pk: int) -> Token | None:
    """Return a token of this user that was not revoked, or None."""
    return list_valid_tokens(owner).filter(pk=pk).first()


def find_own_token(owner: User, pk: int) -> Token | None:
    """Return a token of this user, revoked or not, or None."""
    return Token.objects.filter(pk=pk, owner=owner).first()
