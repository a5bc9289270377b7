"""Change roles and names of members, and let them go."""

from django.db import transaction

from arena.accounts.models import User
from arena.errors import Conflict
from arena.groups.models import Group, Membership
from arena.groups.services.editing import lock_group, lock_organised_group
from engine.message import gettext_noop, message

Role = Membership.Role


@transaction.atomic
def set_role(*, member: Membership, by: User, role: Role) -> Membership:
    """Give a member another role, as an owner. Raise NotYours, or Conflict for the last owner."""
    group = lock_organised_group(member.group, by, as_owner=True)
    if role != Role.OWNER:
        _check_owner_left(group, member)
    member.role = role
    member.save(update_fields=["role"])
    return member


@transaction.atomic
def set_real_name(*, member: Membership, by: User, real_name: str) -> Membership:
    """Change the name that the group sees, as its person or as an organiser. Raise NotYours."""
    if member.user_id != by.pk:
        lock_organised_group(member.group, by)
    member.real_name = " ".join(real_name.split())
    member.save(update_fields=["real_name"])
    return member


@transaction.atomic
def remove_member(*, member: Membership, by: User) -> None:
    """Take a person out of a group: oneself, or others as an organiser; organisers only as an owner.

    Raise NotYours, or Conflict for the last owner.
    """
    if member.user_id != by.pk:
        lock_organised_group(member.group, by, as_owner=member.is_organiser)
    _check_owner_left(lock_group(member.group), member)
    user, is_unused = member.user, member.sign_in_links.filter(used_at=None).exists()
    member.delete()
    if is_unused and user.last_login is None and not user.has_usable_password():
        user.delete()  # a list made the account, and nobody can sign in to it any more


def _check_owner_left(group: Group, leaving: Membership) -> None:
    owners = Membership.objects.filter(group=group, role=Role.OWNER)
    if leaving.role == Role.OWNER and not owners.exclude(pk=leaving.pk).exists():
        problem = gettext_noop("A group needs an owner: make another member its owner first, or delete the group.")
        raise Conflict(message(problem))
