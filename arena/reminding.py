"""Remind authors of deadlines, by notices and by mail to their confirmed addresses."""

import logging
from collections.abc import Sequence
from smtplib import SMTPException

from django.conf import settings
from django.core.mail import send_mail
from django.db import transaction
from django.template.loader import render_to_string
from django.utils.timezone import override as override_time_zone
from django.utils.translation import override

from arena.accounts.models import User
from arena.accounts.queries import find_confirmed_address
from arena.accounts.time_zones import find_time_zone
from arena.messages import render_message
from arena.tournaments.models import Tournament
from arena.tournaments.services.reminding import Reminder, ask_authors, remind_authors

logger = logging.getLogger(__name__)


def remind_of_deadlines() -> int:
    """Send the reminders that are due, and return how many these are. A failed mail stops nothing."""
    return _mail(remind_authors())


def ask_missing_authors(*, tournament: Tournament, organiser: User) -> int:
    """Remind those who have no bot ready now, as an organiser; return how many these are. Raise as `ask_authors`."""
    reminders = ask_authors(tournament=tournament, organiser=organiser)
    transaction.on_commit(lambda: _mail(reminders))
    return len(reminders)


def _mail(reminders: Sequence[Reminder]) -> int:
    """Send reminders by mail to those with a confirmed address, and return how many reminders there are."""
    for reminder in reminders:
        address = find_confirmed_address(reminder.user)
        if address is not None:
            _send(reminder, address)
    return len(reminders)


def _send(reminder: Reminder, address: str) -> None:
    """Send the mail in the site's language, since nobody knows the person's, with times in the person's zone."""
    with override(settings.LANGUAGE_CODE), override_time_zone(find_time_zone(reminder.user)):
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
