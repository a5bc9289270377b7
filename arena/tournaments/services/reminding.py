"""Remind authors a day and an hour before entries close, if they are expected and have no bot ready."""

from dataclasses import dataclass
from datetime import timedelta

from django.db import transaction
from django.db.models import QuerySet
from django.utils.timezone import now

from arena.accounts.models import User
from arena.bots.queries.teams import list_authors_of_bot
from arena.errors import Conflict
from arena.groups.models import Membership
from arena.notices.models import Event, Notice
from arena.notices.services import notify_user
from arena.tournaments.models import Entrant, Tournament
from arena.tournaments.services.access import EntryRule
from arena.tournaments.services.organisers import check_organiser
from engine.message import Message, gettext_noop, message

BUSY_STATES = (Entrant.State.WAITING, Entrant.State.CHECKING, Entrant.State.READY)


@dataclass(frozen=True, slots=True)
class ReminderKind:
    """One of the two times at which authors are reminded."""

    field: str
    """Column of a tournament that says when its reminders were sent."""
    before: timedelta
    nothing: str
    """Template of the sentence for who has entered nothing."""
    failed: str
    """Template of the sentence for whose bots have failed their check."""


REMINDER_KINDS = (
    ReminderKind(
        "hour_reminder_sent_at",
        timedelta(hours=1),
        gettext_noop("Entries of %(tournament)s close within an hour, and you have entered no bot."),
        gettext_noop("Entries of %(tournament)s close within an hour, and your bot %(bot)s has failed its check."),
    ),
    ReminderKind(
        "day_reminder_sent_at",
        timedelta(days=1),
        gettext_noop("Entries of %(tournament)s close within a day, and you have entered no bot."),
        gettext_noop("Entries of %(tournament)s close within a day, and your bot %(bot)s has failed its check."),
    ),
)
"""The later one first: where both are due, one is enough."""


ASKED_TO_ENTER = ReminderKind(
    "",
    timedelta(0),
    gettext_noop("The organiser of %(tournament)s waits for your bot: you have entered none."),
    gettext_noop("The organiser of %(tournament)s waits for your bot: %(bot)s has failed its check."),
)
"""What authors are told when an organiser asks them, at most once in an hour."""


@dataclass(frozen=True, slots=True)
class Reminder:
    """What one author is told."""

    user: User
    text: Message
    tournament: Tournament


@transaction.atomic
def remind_authors() -> list[Reminder]:
    """Leave the notices that are due, and return them for mail. A second call sends none again."""
    open_ones = Tournament.objects.open().filter(entries_close_at__gt=now())
    reminders = []
    for tournament in open_ones.filter(entries_close_at__lte=now() + timedelta(days=1)).select_related("group"):
        kind = _claim(tournament)
        if kind is not None:
            about = f"tournament {tournament.pk} {kind.before} {tournament.entries_close_at:%Y%m%d%H%M}"
            reminders += [_remind(reminder, about) for reminder in _list_reminders(tournament, kind)]
    return reminders


@transaction.atomic
def ask_authors(*, tournament: Tournament, organiser: User) -> list[Reminder]:
    """Remind the authors who are expected and have no bot ready now, as an organiser; return them for mail.

    Who was asked within the hour is left out. Raise NotYours, or Conflict where no entries are taken.
    """
    tournament = check_organiser(tournament, organiser)
    if tournament.state != Tournament.State.OPEN:
        raise Conflict(message(gettext_noop("The tournament takes no entries now.")))
    about = f"tournament {tournament.pk} asked {now():%Y%m%d%H}"
    told = set(Notice.objects.filter(event=Event.TOURNAMENT_REMINDER, about=about).values_list("user", flat=True))
    asked = [one for one in _list_reminders(tournament, ASKED_TO_ENTER) if one.user.pk not in told]
    return [_remind(reminder, about) for reminder in asked]


def _claim(tournament: Tournament) -> ReminderKind | None:
    """Return the reminder that is due and that nobody else sends: claimed by an update that changes one row."""
    for kind in REMINDER_KINDS:
        if tournament.entries_close_at is None or tournament.entries_close_at > now() + kind.before:
            continue
        later = {one.field: now() for one in REMINDER_KINDS if one.before >= kind.before}
        unsent = Tournament.objects.filter(pk=tournament.pk, **{kind.field: None})
        return kind if unsent.update(**later) == 1 else None
    return None


def _list_reminders(tournament: Tournament, kind: ReminderKind) -> list[Reminder]:
    entrants = tournament.entrants.select_related("bot__owner")
    failed = {
        user: entrant.bot.name
        for entrant in entrants.filter(state=Entrant.State.FAILED)
        for user in list_authors_of_bot(entrant.bot)
    }
    busy = {key for entrant in entrants.filter(state__in=BUSY_STATES) for key in entrant.bot.author_keys}
    told = {user.pk for user in failed}
    rows = [
        Reminder(user, message(kind.failed, tournament=tournament.title, bot=bot), tournament)
        for user, bot in failed.items()
    ]
    text = message(kind.nothing, tournament=tournament.title)
    rows += [
        Reminder(user, text, tournament)
        for user in list_expected_authors(tournament)
        if user.pk not in busy and user.pk not in told
    ]
    return [row for row in rows if row.user.is_active]


def list_expected_authors(tournament: Tournament) -> QuerySet[User]:
    """List the authors who were asked to enter bots: members of the group, those on the list, those with the code.

    Where anyone may enter, nobody in particular is expected.
    """
    members = Membership.objects.filter(group=tournament.group_id, role=Membership.Role.MEMBER)
    if tournament.entry_rule in (EntryRule.CODE, EntryRule.LIST):
        return tournament.permitted_authors.filter(is_active=True)
    is_for_members = tournament.entry_rule == EntryRule.GROUP or tournament.audience_id is not None
    expected = members.values("user") if is_for_members else []
    return User.objects.filter(pk__in=expected, is_active=True)


def _remind(reminder: Reminder, about: str) -> Reminder:
    tournament = reminder.tournament
    notify_user(
        user=reminder.user,
        event=Event.TOURNAMENT_REMINDER,
        text=reminder.text,
        url=f"{tournament.get_absolute_url()}enter/",
        about=about,
        payload=None if tournament.audience_id is not None else {"tournament": tournament.slug},
    )
    return reminder
