"""Suspend authors and reinstate them. A suspended author may sign in and read, and a banned one may not.

What stores files or lets bots play asks `check_not_suspended`.
"""

from django.db import transaction
from django.utils.timezone import now

from arena.accounts.models import User
from arena.accounts.sessions import end_all_sessions
from arena.errors import ArenaError, Conflict
from engine.message import gettext_noop, message


class AuthorSuspended(ArenaError):
    """The author was suspended by staff."""

    status = 403


def check_not_suspended(user: User, *, reader: User | None = None) -> None:
    """Raise AuthorSuspended if the user, as it was read, is suspended. `reader` asks for it if somebody else does."""
    if user.suspended_at is None:
        return
    if reader is not None and reader.pk != user.pk:
        problem = gettext_noop("The staff of this arena has suspended %(author)s, whose bots don't play.")
        raise AuthorSuspended(message(problem, author=user.username))
    problem = gettext_noop(
        "The staff of this arena has suspended your account: your bots don't play, and you can't upload or enter "
        "them anywhere."
    )
    raise AuthorSuspended(message(problem))


def check_suspendable(user: User, *, ban: bool) -> None:
    """Raise Conflict for staff and the house, and where there is nothing to change."""
    if user.is_staff or user.is_superuser or user.is_house:
        problem = gettext_noop("%(name)s works for the arena: take the rights away in the admin first.")
        raise Conflict(message(problem, name=user.username))
    if user.suspended_at is not None and not (ban and user.is_active):
        raise Conflict(message(gettext_noop("%(name)s is suspended already."), name=user.username))


@transaction.atomic
def suspend_account(*, user: User, ban: bool = False) -> int:
    """Suspend a user; with `ban` refuse sign-in and end all sessions, too. Return how many sessions ended.

    Raises Conflict as `check_suspendable` does.
    """
    user = User.objects.select_for_update().get(pk=user.pk)
    check_suspendable(user, ban=ban)
    user.suspended_at = user.suspended_at or now()
    if ban and user.is_active:
        user.is_banned, user.is_active = True, False
    user.save(update_fields=["suspended_at", "is_banned", "is_active"])
    return end_all_sessions(user=user) if ban else 0


@transaction.atomic
def reinstate_account(*, user: User) -> None:
    """Take a suspension back. Whoever could not sign in before it still can't. Raises Conflict without one."""
    user = User.objects.select_for_update().get(pk=user.pk)
    check_suspended(user)
    user.is_active = user.is_active or user.is_banned
    user.suspended_at, user.is_banned = None, False
    user.save(update_fields=["suspended_at", "is_banned", "is_active"])


def check_suspended(user: User) -> None:
    """Raise Conflict for a user who is not suspended."""
    if user.suspended_at is None:
        raise Conflict(message(gettext_noop("%(name)s is not suspended."), name=user.username))
