"""Store new accounts as the setting SIGN_UP says, and let in those who wait for it."""

from django.conf import settings
from django.db import transaction

from arena.accounts.invitations import use_invitation
from arena.accounts.models import User
from arena.accounts.sign_up_modes import SignUpMode
from arena.errors import NotYours
from engine.message import gettext_noop, message


@transaction.atomic
def store_new_account(*, user: User, invitation: str = "") -> None:
    """Store an account that somebody made. `invitation` is the token of a link.

    Raises NotYours where nobody may sign up, and Conflict for an invitation that can't be used.
    """
    mode = SignUpMode(settings.SIGN_UP)
    if mode == SignUpMode.CLOSED:
        raise NotYours(message(gettext_noop("Nobody can make an account here at present.")))
    if mode == SignUpMode.APPROVAL:
        user.is_active, user.awaits_approval = False, True
    user.save()
    if mode == SignUpMode.INVITATION:
        use_invitation(token=invitation, user=user)


def approve_account(*, user: User) -> bool:
    """Let a user sign in who waits for it; return whether the user did. A second call changes nothing."""
    waiting = User.objects.filter(pk=user.pk, awaits_approval=True)
    return waiting.update(awaits_approval=False, is_active=True) == 1
