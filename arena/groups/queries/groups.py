"""Find groups and their members."""

from django.contrib.auth.models import AnonymousUser
from django.db.models import Case, Count, Exists, F, IntegerField, OuterRef, Q, QuerySet, Subquery, Value, When

from arena.accounts.models import User
from arena.groups.models import Group, Invitation, Membership, SignInLink

ROLE_ORDER = Case(
    When(role=Membership.Role.OWNER, then=Value(0)),
    When(role=Membership.Role.CO_ORGANISER, then=Value(1)),
    default=Value(2),
    output_field=IntegerField(),
)
Reader = User | AnonymousUser | None


def visible_to(reader: Reader) -> QuerySet[Group]:
    """List the groups that a reader may see: those in which the reader is. Not even superusers see others."""
    if not isinstance(reader, User):
        return Group.objects.none()
    return Group.objects.filter(memberships__user=reader)


def find_group(reader: Reader, slug: str) -> Group | None:
    """Return that group if the reader is in it, or None."""
    return visible_to(reader).filter(slug=slug).first()


def list_groups(reader: User) -> QuerySet[Group]:
    """List the groups of a reader, each with `role`, the reader's own, and `members_count`."""
    own = Membership.objects.filter(group=OuterRef("pk"), user=reader)
    counts = Membership.objects.filter(group=OuterRef("pk")).order_by().values("group").annotate(count=Count("pk"))
    return (
        visible_to(reader)
        .exclude(_is_for_rehearsal())
        .annotate(role=Subquery(own.values("role")), members_count=Subquery(counts.values("count")))
    )


def list_organised_groups(user: User) -> QuerySet[Group]:
    """List the groups of which a user is an owner or a co-organiser, those for a rehearsal left out."""
    own = Group.objects.filter(memberships__user=user, memberships__role__in=Membership.ORGANISING_ROLES)
    return own.exclude(_is_for_rehearsal())


def _is_for_rehearsal() -> Q:
    """Return the condition of groups that exist for one rehearsal of a tournament alone."""
    return Q(tournaments__is_rehearsal=True)


def find_organised_group(user: User, slug: str) -> Group | None:
    """Return that group if the user is an owner or a co-organiser of it, or None."""
    return list_organised_groups(user).filter(slug=slug).first() if slug else None


def find_membership(group: Group, user: Reader) -> Membership | None:
    """Return the membership of a user in a group, or None."""
    return Membership.objects.filter(group=group, user=user).first() if isinstance(user, User) else None


def is_group_organiser(group: Group | int | None, user: object) -> bool:
    """Return whether a user, who may be anonymous, is an owner or a co-organiser of a group."""
    if group is None or not isinstance(user, User):
        return False
    return Membership.objects.filter(group=group, user=user, role__in=Membership.ORGANISING_ROLES).exists()


def list_members(group: Group) -> QuerySet[Membership]:
    """List the members with their users: owners first, then co-organisers, each by name.

    Each has `link_expires_at` where the account's one-time link is not used yet, even if it has expired; null else.
    """
    unused = SignInLink.objects.filter(membership=OuterRef("pk"), used_at=None).order_by("-pk")
    members = Membership.objects.filter(group=group).select_related("user")
    members = members.annotate(link_expires_at=Subquery(unused.values("expires_at")[:1]), rank=ROLE_ORDER)
    return members.order_by(F("rank"), "real_name", "user__username")


def fetch_real_names(reader: Reader, group: int | None) -> dict[int, str]:
    """Return the real names of a group's members by their users' keys if the reader is one of them; else none."""
    if group is None or not visible_to(reader).filter(pk=group).exists():
        return {}
    named = Membership.objects.filter(group=group).exclude(real_name="")
    return dict(named.values_list("user", "real_name"))


def find_member(group: Group, pk: int) -> Membership | None:
    """Return a membership of the group, or None."""
    return Membership.objects.filter(group=group, pk=pk).select_related("user", "group").first()


def list_unused_accounts(group: Group) -> QuerySet[Membership]:
    """List the members whose accounts a list has made, and to which nobody has signed in yet."""
    waiting = SignInLink.objects.filter(membership=OuterRef("pk"), used_at=None)
    return Membership.objects.filter(Exists(waiting), group=group, user__last_login=None).select_related("user")


def count_unused_links(group: Group) -> int:
    """Count the members who have not used their sign-in link yet, even if it has expired."""
    return list_unused_accounts(group).count()


def list_invitations_to(group: Group) -> QuerySet[Invitation]:
    """List the invitations to a group that nobody has answered yet. Whose accounts these are is not read."""
    return Invitation.objects.filter(group=group)


def list_own_invitations(user: User) -> QuerySet[Invitation]:
    """List the invitations of a user."""
    return Invitation.objects.filter(user=user).select_related("group", "created_by")


def find_own_invitation(user: User, pk: int) -> Invitation | None:
    """Return an invitation of this user, or None."""
    return list_own_invitations(user).filter(pk=pk).first()
