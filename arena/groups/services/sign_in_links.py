"""Links that sign a person in once, to an account that a list has made. Only a hash of the link's token is stored."""

import hashlib
import secrets
from datetime import datetime

from django.db import transaction
from django.utils.timezone import now

from arena.accounts.models import User
from arena.errors import Conflict
from arena.groups.models import Membership, SignInLink
from engine.message import gettext_noop, message

MAX_LINK_DAYS = 60
NEWCOMER_PREFIX = "newcomer-"
"""User names are public, so that of a new account tells nothing of its person, who chooses another one."""


def create_account() -> User:
    """Create an account under a random name, without a password: nobody can sign in to it but by a link."""
    user = User(username=_find_free_name())
    user.set_unusable_password()
    user.save()
    return user


def issue_link(*, membership: Membership, by: User, expires_at: datetime, is_first: bool) -> str:
    """Return the path of a new link, which is not stored. Earlier unused links of the person end."""
    unused = SignInLink.objects.filter(membership=membership, used_at=None)
    is_first = is_first or unused.filter(is_first=True).exists()
    unused.delete()
    token = secrets.token_urlsafe(32)
    SignInLink.objects.create(
        membership=membership, digest=_hash_token(token), created_by=by, expires_at=expires_at, is_first=is_first
    )
    return f"/groups/sign-in/{token}/"


def find_open_link(token: str) -> SignInLink | None:
    """Return the link with this token if it can still be used, or None."""
    found = SignInLink.objects.open().filter(digest=_hash_token(token), membership__user__is_active=True)
    return found.select_related("membership__user", "membership__group").first()


@transaction.atomic
def use_link(*, link: SignInLink, username: str, password: str) -> User:
    """Give the account the name and the password that its person chose; the link ends. Both were checked before.

    Raise Conflict where the link was used, has expired, or the name was taken meanwhile.
    """
    if SignInLink.objects.open().filter(pk=link.pk).update(used_at=now()) != 1:
        raise Conflict(message(gettext_noop("This link was used already, or it has expired.")))
    user = User.objects.select_for_update().get(pk=link.membership.user_id)
    if User.objects.filter(username=username).exclude(pk=user.pk).exists():
        raise Conflict(message(gettext_noop("Somebody has this name already: choose another one.")))
    user.username = username
    user.set_password(password)
    user.save(update_fields=["username", "password"])
    return user


def _find_free_name() -> str:
    while True:
        name = NEWCOMER_PREFIX + secrets.token_hex(3)
        if not User.objects.filter(username=name).exists():
            return name


def _hash_token(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
