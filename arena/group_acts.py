"""Let people leave a group, and with them what they have there."""

from django.db import transaction

from arena.accounts.models import User
from arena.groups.models import Membership
from arena.groups.services.members import remove_member
from arena.ladders.services.group_ladders import take_off_strangers_of_group


@transaction.atomic
def leave_group(*, member: Membership, by: User) -> None:
    """Take a person out of a group as `remove_member` does, and the person's bots off the group's ladders."""
    group = member.group
    remove_member(member=member, by=by)
    take_off_strangers_of_group(group=group)
