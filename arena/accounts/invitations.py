"""Invitations: links by which one person each makes an account. Only a hash of the link's token is kept."""

import hashlib
import secrets
from datetime import timedelta
from urllib.parse import urlencode

from django.utils.timezone import now

from arena.accounts.models import Invitation, User
from arena.errors import ArenaError, Conflict
from engine.message import gettext_noop, message

DEFAULT_INVITATION_DAYS = 14
MAX_INVITATION_DAYS = 365


def create_invitation(
    *, days: int = DEFAULT_INVITATION_DAYS, note: str = "", email: str = "", created_by: User | None = None
) -> tuple[Invitation, str]:
    """Create an invitation and return it with the path of its link, which is not kept. Raises ArenaError."""
    if not 1 <= days <= MAX_INVITATION_DAYS:
        problem = gettext_noop("An invitation is valid for 1 to %(most)s days.")
        raise ArenaError(message(problem, most=MAX_INVITATION_DAYS))
    token = secrets.token_urlsafe(32)
    invitation = Invitation.objects.create(
        digest=_hash_token(token),
        note=note,
        email=email,
        created_by=created_by,
        expires_at=now() + timedelta(days=days),
    )
    words = {"invitation": token, **({"email": email} if email else {})}
    return invitation, f"/accounts/signup/?{urlencode(words)}"


def find_open_invitation(token: str) -> Invitation | None:
    """Return the invitation with this token if it can still be used, or None."""
    return Invitation.objects.open().filter(digest=_hash_token(token)).first() if token else None


def use_invitation(*, token: str, user: User) -> None:
    """Use an invitation for a new user. Raises Conflict where it was used, has expired, or never was."""
    unused = Invitation.objects.open().filter(digest=_hash_token(token))
    if unused.update(used_by=user, used_at=now()) != 1:
        raise Conflict(message(gettext_noop("This invitation was used already, or it has expired.")))


def _hash_token(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
