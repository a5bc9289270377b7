"""Let people into groups by a code or an invitation, and out of them."""

from datetime import timedelta

from django.db import transaction
from django.utils.timezone import now

from arena.accounts.limits import count_join_code, forgive_attempt
from arena.accounts.models import User
from arena.errors import ArenaError, Conflict
from arena.groups.codes import new_code, read_code
from arena.groups.models import Group, Invitation, Membership
from arena.groups.services.editing import lock_group, lock_organised_group
from engine.message import gettext_noop, message

MAX_MEMBERS = 500
MAX_CODE_HOURS = 24 * 90


class WrongCode(ArenaError):
    """No group can be joined by this code."""


@transaction.atomic
def renew_join_code(*, group: Group, by: User, hours: int) -> Group:
    """Give a group a new code that is valid for these hours; the old one ends. Raise NotYours or ArenaError."""
    group = lock_organised_group(group, by)
    if not 1 <= hours <= MAX_CODE_HOURS:
        raise ArenaError(message(gettext_noop("A code is valid for 1 to %(most)s hours."), most=MAX_CODE_HOURS))
    group.join_code, group.join_code_expires_at = new_code(), now() + timedelta(hours=hours)
    group.save(update_fields=["join_code", "join_code_expires_at"])
    return group


@transaction.atomic
def end_join_code(*, group: Group, by: User) -> Group:
    """Let nobody join by the code any more. Raise NotYours."""
    group = lock_organised_group(group, by)
    group.join_code = group.join_code_expires_at = None
    group.save(update_fields=["join_code", "join_code_expires_at"])
    return group


def find_group_by_code(*, typed: str, user: User, address: str) -> Group:
    """Return the group that a code leads to. Each wrong code is counted. Raise WrongCode or TooManyActions."""
    counted = count_join_code(user=user.pk, address=address)
    code = read_code(typed)
    group = Group.objects.filter(join_code=code, join_code_expires_at__gt=now()).first() if code else None
    if group is None:
        problem = gettext_noop("No group can be joined by this code. It may have expired: ask for a new one.")
        raise WrongCode(message(problem))
    forgive_attempt(counted)
    return group


@transaction.atomic
def join_group(*, group: Group, user: User, real_name: str) -> Membership:
    """Make a user a member, who has shown the code or an invitation. Raise ArenaError or Conflict.

    Who is a member already stays it, with the same role and name.
    """
    group = lock_group(group)
    member = Membership.objects.filter(group=group, user=user).first()
    if member is not None:
        return member
    check_room(group, 1)
    Invitation.objects.filter(group=group, user=user).delete()
    return Membership.objects.create(group=group, user=user, real_name=" ".join(real_name.split()))


def check_room(group: Group, count: int) -> None:
    """Raise Conflict where so many people more would be too many for a group that is locked."""
    if Membership.objects.filter(group=group).count() + count > MAX_MEMBERS:
        problem = gettext_noop("A group has at most %(most)s members.")
        raise Conflict(message(problem, most=MAX_MEMBERS))


@transaction.atomic
def accept_invitation(*, invitation: Invitation) -> Membership:
    """Make the invited user a member. Raise Conflict."""
    return join_group(group=invitation.group, user=invitation.user, real_name=invitation.real_name)


def refuse_invitation(*, invitation: Invitation) -> None:
    """Delete an invitation, as the invited user or an organiser."""
    invitation.delete()
