"""Announce something to those of a tournament, and tell them by itself of a changed deadline or of absent bots."""

from datetime import datetime, timedelta, tzinfo

from django.db import transaction
from django.utils.timezone import get_default_timezone, localtime, now

from arena.bots.teams import list_authors_of_bot
from arena.contests.tournaments.models import Tournament, TournamentAnnouncement
from arena.contests.tournaments.queries import list_absent_bots, list_audience
from arena.contests.tournaments.services.access import check_organiser
from arena.core.errors import Conflict
from arena.people.accounts.limits import TooManyActions, count_announcement, count_changed_deadline
from arena.people.accounts.models import User
from arena.people.notices.announcing import check_text, take_back, tell_all
from arena.people.notices.models import Event
from arena.people.notices.services import notify_user
from engine.message import Message, gettext_noop, literal, message


def may_announce(tournament: Tournament) -> bool:
    """Return whether anybody besides organisers sees a tournament."""
    return tournament.state != Tournament.State.DRAFT and not tournament.is_rehearsal


def announce(*, tournament: Tournament, organiser: User, text: str) -> TournamentAnnouncement:
    """Announce a plain text to the authors and to whom it is for: by notice, and by mail to those who want it.

    Raise NotYours, Conflict, ArenaError or TooManyActions. Call it outside a transaction.
    """
    text = check_text(text)
    with transaction.atomic():
        tournament = check_organiser(tournament, organiser)
        if not may_announce(tournament):
            problem = gettext_noop("No one else can see this tournament yet. Open entries first.")
            raise Conflict(message(problem))
    count_announcement(user=organiser.pk)
    with transaction.atomic():
        made = TournamentAnnouncement.objects.create(tournament=tournament, author=organiser, text=literal(text))
        people = list_audience(tournament).exclude(pk=organiser.pk)
        url = tournament.get_absolute_url()
        tell_all(people, name=tournament.title, describe=lambda _: literal(text), url=url, about=made.about)
    return made


@transaction.atomic
def delete_announcement(*, announcement: TournamentAnnouncement, organiser: User) -> None:
    """Delete an announcement and its notices, as an organiser. Raise NotYours."""
    check_organiser(announcement.tournament, organiser)
    take_back([announcement])


def announce_deadline(tournament: Tournament, old: datetime | None, *, by: User | None) -> None:
    """Tell those of a tournament that its deadline was changed, within the transaction of that.

    It takes the place of what was told of an earlier change. Where that happens often, no mail is sent.
    """
    new = tournament.entries_close_at
    if new == old or not may_announce(tournament):
        return
    take_back(TournamentAnnouncement.objects.filter(tournament=tournament, is_deadline=True), only_unseen=True)
    made = TournamentAnnouncement.objects.create(
        tournament=tournament, author=by, text=describe_deadline(old, new, None), is_deadline=True
    )
    people = list_audience(tournament)
    tell_all(
        people.exclude(pk=by.pk) if by else people,
        name=tournament.title,
        describe=lambda zone: describe_deadline(old, new, zone),
        url=tournament.get_absolute_url(),
        about=made.about,
        is_mailed=_may_mail_deadline(tournament),
    )


def _may_mail_deadline(tournament: Tournament) -> bool:
    try:
        count_changed_deadline(tournament=tournament.pk)
    except TooManyActions:
        return False
    return True


def describe_deadline(old: datetime | None, new: datetime | None, zone: tzinfo | None) -> Message:
    """Return the sentence of a changed deadline, with times in a zone; None stands for the arena's."""
    if old is None or old <= now():
        if new is None:
            return message(gettext_noop("Entries are open again, without a deadline."))
        reopened = gettext_noop("Entries are open again until %(new)s.")
        return message(reopened if old else gettext_noop("Entries close at %(new)s."), new=_write_time(new, zone))
    if new is None:
        return message(gettext_noop("The deadline, %(old)s, was removed."), old=_write_time(old, zone))
    if new <= now():
        return message(gettext_noop("Entries were closed before the deadline, %(old)s."), old=_write_time(old, zone))
    template = gettext_noop("The deadline has moved from %(old)s to %(new)s.")
    return message(template, old=_write_time(old, zone), new=_write_time(new, zone))


def _write_time(at: datetime, zone: tzinfo | None) -> str:
    return f"{localtime(at, zone or get_default_timezone()):%Y-%m-%d %H:%M %Z}"


# Tell authors that a match waits for their remote bot, and organisers where nobody has started it. Nothing is decided
# against it by itself: it may be the arena's connection that fails, so organisers decide such a pairing.

AUTHORS_TOLD_AFTER = timedelta(minutes=1)
ORGANISERS_TOLD_AFTER = timedelta(minutes=10)
MATCH_WAITS = gettext_noop(
    "%(bot)s is offline, and its match in %(tournament)s is waiting for it. Start it, or the organisers can decide "
    "the pairing without it."
)
BOT_MISSING = gettext_noop(
    "Round %(number)s of %(tournament)s has been waiting 10 minutes for %(bot)s, a remote bot that is offline. You can "
    "decide its pairing."
)


def tell_of_absence(tournament: Tournament) -> None:
    """Tell of remote bots that keep a running tournament waiting: authors, then organisers; each once for a pairing."""
    for absent in list_absent_bots(tournament):
        values: dict[str, str | int] = {"bot": absent.bot.name, "tournament": tournament.title, "number": absent.round}
        about = f"absence of {absent.bot.pk} in pairing {absent.pairing}"
        url = f"{tournament.get_absolute_url()}rounds/{absent.round}/"
        if now() - absent.since >= AUTHORS_TOLD_AFTER:
            for author in list_authors_of_bot(absent.bot):
                text = message(MATCH_WAITS, **values)
                notify_user(user=author, event=Event.TOURNAMENT_REMINDER, text=text, url=url, about=about)
        if now() - absent.since >= ORGANISERS_TOLD_AFTER:
            for organiser in {tournament.organiser, *tournament.co_organisers.all()}:
                text = message(BOT_MISSING, **values)
                url = f"{tournament.get_absolute_url()}organise/"
                notify_user(user=organiser, event=Event.TOURNAMENT_REMINDER, text=text, url=url, about=f"{about}, told")
