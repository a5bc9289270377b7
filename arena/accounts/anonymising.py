"""Take from an account what tells whose it is."""

import logging
import secrets

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.contrib.admin.models import LogEntry
from django.db import transaction
from django.db.models import Q

from arena.accounts.models import Invitation, User
from arena.accounts.sessions import end_all_sessions
from arena.errors import Conflict
from engine.message import gettext_noop, message

PSEUDONYM_PREFIX = "author-"
logger = logging.getLogger(__name__)


@transaction.atomic
def anonymise_account(*, user: User) -> str:
    """Give an account a pseudonym, and remove all by which its person is known or signs in; return the pseudonym.

    Raises Conflict for staff, whose rights somebody else should take over first, and for the house.
    """
    user = User.objects.select_for_update().get(pk=user.pk)
    if user.is_staff or user.is_superuser or user.is_house:
        problem = gettext_noop("%(name)s works for the arena: take the rights away in the admin first.")
        raise Conflict(message(problem, name=user.username))
    name, pseudonym = user.username, _find_free_pseudonym()
    addresses = {user.email, *EmailAddress.objects.filter(user=user).values_list("email", flat=True)} - {""}
    end_all_sessions(user=user)
    Authenticator.objects.filter(user=user).delete()
    EmailAddress.objects.filter(user=user).delete()
    Invitation.objects.filter(Q(used_by=user) | Q(email__in=addresses)).update(note="", email="")
    LogEntry.objects.filter(object_repr__in=[name, *addresses]).update(object_repr=pseudonym)
    user.username, user.email, user.first_name, user.last_name = pseudonym, "", "", ""
    user.time_zone, user.last_login, user.awaits_approval = "", None, False
    user.set_unusable_password()
    user.save()
    user.groups.clear()
    user.user_permissions.clear()
    logger.warning("A user was anonymised, and is called %s now", pseudonym)
    return pseudonym


def _find_free_pseudonym() -> str:
    while True:
        pseudonym = PSEUDONYM_PREFIX + secrets.token_hex(3)
        if not User.objects.filter(username=pseudonym).exists():
            return pseudonym
