"""Take a person's real names out of all groups."""

from django.db import transaction

from arena.accounts.models import User
from arena.groups.models import Invitation, Membership

Role = Membership.Role


@transaction.atomic
def leave_all_groups(*, user: User) -> None:
    """Take a user out of all groups; where it was the last owner, the first co-organiser takes over."""
    for own in Membership.objects.filter(user=user).select_related("group"):
        others = Membership.objects.filter(group=own.group).exclude(user=user)
        if own.role == Role.OWNER and not others.filter(role=Role.OWNER).exists():
            heir = others.filter(role=Role.CO_ORGANISER).order_by("pk").first()
            if heir is not None:
                heir.role = Role.OWNER
                heir.save(update_fields=["role"])
        own.delete()
    Invitation.objects.filter(user=user).delete()
