"""Remind authors of deadlines, by notices and by mail to their confirmed addresses."""

import logging
from smtplib import SMTPException

from allauth.account.models import EmailAddress
from django.conf import settings
from django.core.mail import send_mail
from django.template.loader import render_to_string
from django.utils.translation import override

from arena.messages import render_message
from arena.tournaments.services.reminding import Reminder, remind_authors

logger = logging.getLogger(__name__)


def remind_of_deadlines() -> int:
    """Send the reminders that are due, and return how many these are. A failed mail stops nothing."""
    reminders = remind_authors()
    users = [reminder.user.pk for reminder in reminders]
    confirmed = EmailAddress.objects.filter(user__in=users, verified=True, primary=True)
    addresses = dict(confirmed.values_list("user", "email"))
    for reminder in reminders:
        if reminder.user.pk in addresses:
            _send(reminder, addresses[reminder.user.pk])
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
