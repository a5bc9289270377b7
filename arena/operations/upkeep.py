"""What the arena does for itself: end rehearsals, remind authors, and mail announcements."""

import logging
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from smtplib import SMTPException, SMTPRecipientsRefused

from django.conf import settings
from django.core.mail import EmailMessage, get_connection, send_mail
from django.core.mail.backends.base import BaseEmailBackend
from django.db import transaction
from django.db.models import Q
from django.template.loader import render_to_string
from django.utils.timezone import now
from django.utils.timezone import override as override_time_zone
from django.utils.translation import override

from arena.bots.models import Bot
from arena.bots.running import STRONGEST_SAMPLE, list_samples
from arena.contests.following.services import find_preference, wants_announcements_mailed
from arena.contests.tournaments.formats import find_format
from arena.contests.tournaments.models import Tournament
from arena.contests.tournaments.services.access import Access, EntryRule, Visibility, check_organiser
from arena.contests.tournaments.services.entering import (
    Reminder,
    ask_authors,
    claim_unsent_reminders,
    enter,
    remind_authors,
    settle_reminder,
)
from arena.contests.tournaments.services.organising import (
    TournamentPlan,
    build_plan,
    cancel,
    close_entries,
    create,
    open_entries,
)
from arena.contests.tournaments.settings import Settings
from arena.core.errors import ArenaError, Conflict
from arena.core.messages import render_message
from arena.matches.models import Match
from arena.matches.services import OPEN_STATES, cancel_matches
from arena.operations.personal_data import erase_group
from arena.people.accounts.models import User
from arena.people.accounts.names import find_confirmed_address
from arena.people.accounts.services import find_time_zone
from arena.people.groups.models import Group, Membership
from arena.people.groups.services import make_private_group
from arena.people.notices.models import Notice
from arena.runner.protocol import make_visible
from engine.message import Message, gettext_noop, message

# Rehearse a tournament with the sample bots: short, for its organisers alone, and gone a day after its end.
#
# A rehearsal is a tournament of a group that has its organisers as members, so that everything that keeps a group's
# things private keeps it private, too.

REHEARSAL_RETENTION = timedelta(days=1)
"""A rehearsal is deleted so long after its end."""
MAX_REHEARSAL_AGE = timedelta(days=3)
"""One that doesn't end is deleted so long after it was begun."""
MAX_SAMPLES = 4
MAX_TITLE_LENGTH = 60
REHEARSAL_ROUNDS = 2


@transaction.atomic
def rehearse(*, tournament: Tournament, organiser: User) -> Tournament:
    """Begin a rehearsal of a tournament, and return it. Raise NotYours, Conflict or ArenaError."""
    tournament = check_organiser(tournament, organiser)
    if tournament.is_rehearsal:
        raise Conflict(message(gettext_noop("This is already a rehearsal.")))
    if tournament.rehearsals.exists():
        raise Conflict(
            message(gettext_noop("This tournament already has a rehearsal: end it before starting another."))
        )
    bots = _choose_bots(tournament)
    group = make_private_group(name=_name(tournament), owners=_list_organisers(tournament, organiser))
    made = create(organiser=organiser, plan=_build_plan(tournament, group, len(bots)))
    Tournament.objects.filter(pk=made.pk).update(is_rehearsal=True, rehearsed=tournament)
    open_entries(tournament=made, organiser=organiser)
    for bot in bots:
        enter(tournament=made, bot=bot, user=organiser)
    return close_entries(tournament=made, organiser=organiser)


@transaction.atomic
def end_rehearsal(*, tournament: Tournament, organiser: User) -> None:
    """Delete a rehearsal with its matches at once. Raise NotYours or Conflict."""
    tournament = check_organiser(tournament, organiser)
    if not tournament.is_rehearsal or tournament.group is None:
        raise Conflict(message(gettext_noop("Only rehearsals can be ended like this.")))
    _erase(tournament, tournament.group, organiser)


def end_old_rehearsals() -> int:
    """Delete the rehearsals that were over a day ago, and return how many."""
    over = Q(finished_at__lt=now() - REHEARSAL_RETENTION) | Q(created_at__lt=now() - MAX_REHEARSAL_AGE)
    old = Tournament.objects.filter(over, is_rehearsal=True, group__isnull=False)
    return sum(_end_old(tournament) for tournament in old.select_related("group", "organiser"))


@transaction.atomic
def _end_old(tournament: Tournament) -> bool:
    owners = Membership.objects.filter(group=tournament.group, role=Membership.Role.OWNER).select_related("user")
    owner = owners.first()
    if owner is None or tournament.group is None:
        return False
    _erase(tournament, tournament.group, owner.user)
    return True


def _erase(tournament: Tournament, group: Group, owner: User) -> None:
    if not tournament.is_over:
        cancel(tournament=tournament, organiser=owner)
    reason = message(gettext_noop("The rehearsal was ended."))
    open_matches = Match.objects.filter(group=group, state__in=OPEN_STATES).values_list("pk", flat=True)
    cancel_matches(matches=list(open_matches), reason=reason)
    erase_group(group=group, by=owner, confirmation=group.name)


def _choose_bots(tournament: Tournament) -> list[Bot]:
    """Return sample bots of the game. The strongest one is left out, because it takes its time."""
    names = [name for name in list_samples(tournament.game) if name != STRONGEST_SAMPLE]
    bots = Bot.objects.filter(owner__is_house=True, game=tournament.game, name__in=names, stopped_at=None, group=None)
    chosen = list(bots.filter(versions__state="accepted").distinct().order_by("pk")[:MAX_SAMPLES])
    if len(chosen) < 2:
        problem = gettext_noop("This arena has too few sample bots of this game for a rehearsal.")
        raise ArenaError(message(problem))
    return chosen


def _list_organisers(tournament: Tournament, organiser: User) -> list[User]:
    """Return all who organise a tournament, whoever begins the rehearsal first."""
    of_group = Membership.objects.filter(group=tournament.group_id, role__in=Membership.ORGANISING_ROLES)
    others = [tournament.organiser, *tournament.co_organisers.all(), *(one.user for one in of_group)]
    return list(dict.fromkeys([organiser, *others]))


def _build_plan(tournament: Tournament, group: Group, bots: int) -> TournamentPlan:
    return replace(
        build_plan(tournament),
        title=_name(tournament),
        description="",
        settings=_shorten(build_plan(tournament).settings, bots),
        is_rated=False,
        is_low_priority=False,
        allows_remote=False,
        entries_close_at=None,
        max_entrants=max(bots, 2),
        max_entrants_per_author=1,
        access=Access(group, Visibility.GROUP, EntryRule.GROUP),
    )


def _shorten(settings: Settings, bots: int) -> Settings:
    """Return the settings for a few bots, with one match a pairing and few rounds."""
    short = replace(settings, matches_per_pairing=1, max_tiebreak_matches=min(settings.max_tiebreak_matches, 1))
    short = replace(short, groups=2, advance_per_group=1, knockout_size=2, third_place_match=False)
    if "rounds" in find_format(settings.format).uses:
        short = replace(short, rounds=min(settings.rounds or REHEARSAL_ROUNDS, REHEARSAL_ROUNDS))
    return replace(short, seats=min(settings.seats, bots))


def _name(tournament: Tournament) -> str:
    return f"Rehearsal: {tournament.title}"[:MAX_TITLE_LENGTH]


# Remind authors of deadlines, by notices and by mail to their confirmed addresses.

logger = logging.getLogger(__name__)


def remind_of_deadlines() -> int:
    """Send the reminders that are due or unsent, and return how many these are. A failed mail stops nothing."""
    return _mail(claim_unsent_reminders()) + _mail(remind_authors())


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
        settle_reminder(reminder=reminder)
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


# Mail notices whose mail is due, as those of announcements. Each is claimed by an update that changes one row.

MAIL_CLAIM = timedelta(minutes=10)
"""Time for which whoever sends a mail has it; one that wasn't sent until then is due again."""
MAIL_TRIED_FOR = timedelta(days=1)
"""A mail that could not be sent for so long isn't sent any more: its notice is on the site."""
MAX_MAILS_AT_ONCE = 1000


def mail_notices() -> int:
    """Send the mails that are due by one connection, and return how many were sent.

    The first failure that isn't about one address ends it: the rest is due again later.
    """
    due = list(Notice.objects.filter(mail_due_at__lte=now()).select_related("user").order_by("pk")[:MAX_MAILS_AT_ONCE])
    if not due:
        return 0
    sent = 0
    try:
        with get_connection() as connection:
            for notice in due:
                sent += _mail_notice(notice, connection)
    except (OSError, SMTPException):
        logger.exception("Mails of announcements could not be sent, and are tried again")
    return sent


def _mail_notice(notice: Notice, connection: BaseEmailBackend) -> bool:
    """Send the mail of a notice to whom wants it and has a confirmed address. Return whether it was sent."""
    seen, claimed_until = Notice.objects.filter(pk=notice.pk, mail_due_at=notice.mail_due_at), now() + MAIL_CLAIM
    if seen.update(mail_due_at=claimed_until) != 1:
        return False  # another worker got there first, or what was announced has been deleted
    address = find_confirmed_address(notice.user)
    is_wanted = notice.user.is_active and notice.created_at > now() - MAIL_TRIED_FOR
    is_sent = False
    if address is not None and is_wanted and wants_announcements_mailed(notice.user):
        try:
            _build_notice_mail(notice, address, connection).send()
            is_sent = True
        except SMTPRecipientsRefused:
            logger.warning("The mail server refused the address of the user %s", notice.user_id)
    Notice.objects.filter(pk=notice.pk, mail_due_at=claimed_until).update(mail_due_at=None)
    return is_sent


def _build_notice_mail(notice: Notice, address: str, connection: BaseEmailBackend) -> EmailMessage:
    """Return the mail, in the language in which its reader chose how news arrive, or in the site's."""
    preference = find_preference(notice.user)
    values = notice.text.values
    with override((preference and preference.language) or settings.LANGUAGE_CODE):
        text = values["text"]
        context = {
            "user": notice.user,
            "name": values["name"],
            "text": make_visible(render_message(text) if isinstance(text, Message) else str(text)),
        }
        subject = " ".join(render_to_string("account/email/announcement_subject.txt", context).split())
        body = render_to_string("account/email/announcement_message.txt", context).strip() + "\n"
    headers = {"Auto-Submitted": "auto-generated"}
    subject = f"{settings.ACCOUNT_EMAIL_SUBJECT_PREFIX}{subject}"
    return EmailMessage(subject, body, to=[address], headers=headers, connection=connection)
