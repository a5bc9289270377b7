"""Let a user in, and tell that person."""

import logging
from smtplib import SMTPException

from django.conf import settings
from django.core.mail import send_mail
from django.template.loader import render_to_string
from django.utils.translation import override

from arena.accounts.models import User
from arena.accounts.queries import list_addresses
from arena.accounts.signing_up import approve_account
from arena.notices.models import Event
from arena.notices.services import notify_user
from engine.message import gettext_noop, message

logger = logging.getLogger(__name__)


def admit_user(*, user: User, site: str) -> bool:
    """Approve a user who waits for it, and send a notice, and a mail to a confirmed address.

    Return whether the user waited. `site` is the address of the front page, for the mail.
    """
    if not approve_account(user=user):
        return False
    welcome = message(gettext_noop("Your account was approved: you can upload bots now."))
    notify_user(user=user, event=Event.ACCOUNT_APPROVED, text=welcome, url="/start/", about=f"user {user.pk}")
    addresses = list(list_addresses(user).filter(verified=True).values_list("email", flat=True))
    if addresses:
        _send_welcome(user, addresses, site)
    return True


def _send_welcome(user: User, addresses: list[str], site: str) -> None:
    """Send the mail in the site's language, since nobody knows the person's yet. A failure stops nothing."""
    with override(settings.LANGUAGE_CODE):
        subject = render_to_string("account/email/approved_subject.txt").strip()
        text = render_to_string("account/email/approved_message.txt", {"user": user, "site": site})
    try:
        send_mail(f"{settings.ACCOUNT_EMAIL_SUBJECT_PREFIX}{subject}", text, None, addresses)
    except (OSError, SMTPException):
        logger.exception("The mail to the approved user %s could not be sent", user.pk)
