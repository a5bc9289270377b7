"""Create groups, and change how they are called."""

from collections.abc import Sequence
from itertools import chain, count

from django.db import transaction
from django.utils.text import slugify

from arena.accounts.models import User
from arena.accounts.suspension import check_not_suspended
from arena.errors import ArenaError, Conflict, NotYours
from arena.groups.models import Group, Membership
from engine.message import gettext_noop, message

CREATE_PERMISSION = "tournaments.add_tournament"
"""Whoever may organise tournaments may make groups: one permission makes an organiser."""
MAX_GROUPS_OF_OWNER = 50
RESERVED_SLUGS = frozenset({"new", "join", "sign-in", "invitations"})
"""Words that stand in the place of a slug in addresses."""


@transaction.atomic
def create_group(*, owner: User, name: str, description: str = "", real_name: str = "") -> Group:
    """Create a group whose only member is its owner. Raise NotYours, Conflict, ArenaError or AuthorSuspended."""
    check_not_suspended(owner)
    if not owner.has_perm(CREATE_PERMISSION):
        problem = gettext_noop("Your account may not make groups. An administrator of this arena can permit it.")
        raise NotYours(message(problem))
    name = _check_name(name)
    User.objects.select_for_update().get(pk=owner.pk)
    if Membership.objects.filter(user=owner, role=Membership.Role.OWNER).count() >= MAX_GROUPS_OF_OWNER:
        problem = gettext_noop("You own %(most)s groups, and nobody may own more: delete one first.")
        raise Conflict(message(problem, most=MAX_GROUPS_OF_OWNER))
    group = Group.objects.create(name=name, slug=_find_free_slug(name), description=description, created_by=owner)
    Membership.objects.create(group=group, user=owner, role=Membership.Role.OWNER, real_name=real_name.strip())
    return group


@transaction.atomic
def make_private_group(*, name: str, owners: Sequence[User]) -> Group:
    """Create a group that nobody else joins, whose members all own it, for what only they should see."""
    group = Group.objects.create(name=_check_name(name), slug=_find_free_slug(name), created_by=owners[0])
    Membership.objects.bulk_create(Membership(group=group, user=owner, role=Membership.Role.OWNER) for owner in owners)
    return group


@transaction.atomic
def edit_group(*, group: Group, by: User, name: str, description: str) -> Group:
    """Change name and description; the address stays. Raise NotYours or ArenaError."""
    group = lock_organised_group(group, by)
    group.name, group.description = _check_name(name), description
    group.save(update_fields=["name", "description"])
    return group


def lock_group(group: Group) -> Group:
    """Lock a group within a transaction and return it."""
    return Group.objects.select_for_update().get(pk=group.pk)


def lock_organised_group(group: Group, user: User, *, as_owner: bool = False) -> Group:
    """Lock a group and return it. Raise NotYours unless the user organises it, or with `as_owner` owns it."""
    group = lock_group(group)
    if as_owner:
        check_owner(group, user)
    elif not Membership.objects.filter(group=group, user=user, role__in=Membership.ORGANISING_ROLES).exists():
        raise NotYours(message(gettext_noop("Only owners and co-organisers of the group may do that.")))
    return group


def check_owner(group: Group, user: User) -> None:
    """Raise NotYours unless a user owns the group."""
    if not Membership.objects.filter(group=group, user=user, role=Membership.Role.OWNER).exists():
        raise NotYours(message(gettext_noop("Only an owner of the group may do that.")))


def _check_name(name: str) -> str:
    name = " ".join(name.split())
    if not name:
        raise ArenaError(message(gettext_noop("A group needs a name.")))
    return name


def _find_free_slug(name: str) -> str:
    """Return a slug that no group has, with a number if the name is used already."""
    stem = slugify(name)[:60].strip("-") or "group"
    taken = {*RESERVED_SLUGS, *Group.objects.filter(slug__startswith=stem).values_list("slug", flat=True)}
    numbered = (f"{stem}-{number}" for number in count(2))
    return next(slug for slug in chain([stem], numbered) if slug not in taken)
