"""Remind authors of deadlines, by notices and by mail to their confirmed addresses."""

import logging
from smtplib import SMTPException

from django.conf import settings
from django.core.mail import send_mail
from django.template.loader import render_to_string
from django.utils.translation import override

from arena.accounts.queries import find_confirmed_address
from arena.messages import render_message
from arena.tournaments.services.reminding import Reminder, remind_authors

logger = logging.getLogger(__name__)


def remind_of_deadlines() -> int:
    """Send the reminders that are due, and return how many these are. A failed mail stops nothing."""
    reminders = remind_authors()
    for reminder in reminders:
        address = find_confirmed_address(reminder.user)
        if address is not None:
            _send(reminder, address)
    return len(reminders)


def _send(reminder: Reminder, address: str) -> None:
    """Send the mail in the site's language, since nobody knows the person's."""
    with override(settings.LANGUAGE_CODE):
        context = {
            "user": reminder.user,
            "text": render_message(reminder.text),
            "closes_at": reminder.tournament.entries_close_at,
        }
        subject = render_to_string("account/email/reminder_subject.txt", context).strip()
        text = render_to_string("account/email/reminder_message.txt", context)
    try:
        send_mail(f"{settings.ACCOUNT_EMAIL_SUBJECT_PREFIX}{subject}", text, None, [address])
    except (OSError, SMTPException):
        logger.exception("The reminder for the user %s could not be sent", reminder.user.pk)
