"""Enter, check, withdraw and disqualify entrants, and remind authors of it."""

from collections import Counter
from dataclasses import dataclass, replace
from datetime import timedelta

from django.db import transaction
from django.db.models import QuerySet
from django.utils.timezone import now

from arena.bots.models import REMOTE_LANGUAGE, Bot, BotVersion
from arena.bots.services import check_plays
from arena.bots.teams import list_authors_of_bot, list_authors_of_bots
from arena.contests.tournaments.models import (
    Check,
    Entrant,
    EntrantQuerySet,
    Invitation,
    OrganiserActKind,
    Pairing,
    Tournament,
)
from arena.contests.tournaments.services.access import (
    EntryRule,
    Visibility,
    check_entry,
    check_organiser,
    check_publishable,
    is_organiser,
    is_permitted,
    notify_organisers,
    publish_matches,
    record_act,
)
from arena.contests.tournaments.services.matches import cancel_queued_matches, find_current_round, lock_tournament
from arena.contests.tournaments.services.organising import ALREADY_OVER
from arena.core.errors import ArenaError, Conflict, NotYours
from arena.core.wake import Work, wake
from arena.matches.models import LegSeat, Match
from arena.people.accounts.models import User
from arena.people.groups.models import Membership, new_code
from arena.people.notices.models import Event, Notice
from arena.people.notices.services import notify_user
from arena.runner.program import FAULT_NAMES, Verdict
from engine.message import Message, gettext_noop, literal, message

# Enter, check, withdraw and disqualify entrants.

State = Tournament.State
PLAYABLE_STATES = Entrant.PLAYABLE_STATES
NOT_YOUR_BOT = gettext_noop("%(name)s belongs to someone else.")
CHECK_FAULT_SENTENCES = {
    Verdict.CRASH: gettext_noop("Crashed during its check."),
    Verdict.TIMEOUT: gettext_noop("Timed out during its check."),
    Verdict.START: gettext_noop("Didn't start during its check."),
}
"""The sentences on faults whose names don't begin one."""


class NotEnterable(ArenaError):
    """The error raised for a bot that can't take part. The message says why."""


@transaction.atomic
def enter(
    *, tournament: Tournament, bot: Bot, user: User, version: BotVersion | None = None, reason: str = ""
) -> Entrant:
    """Enter a bot, or change the version of its entry, as its owner or the organiser.

    Without a version the newest accepted one is entered, and newer ones replace it until entries close. One on trial
    waits for the end of its trial, and so does a bot that has no accepted version yet. Where entries are moderated, one
    that the organiser didn't make waits for approval. Once entries have closed, only organisers enter bots, with a
    reason for everybody, until the first round is drawn.

    A remote bot enters where its organisers allow that. It has no check, since the arena can't run it.

    Raise NotYours, NotPermitted, Conflict, NotEnterable, AuthorSuspended, or ArenaError without a reason.
    """
    tournament = lock_tournament(tournament)
    as_organiser = is_organiser(tournament, user)
    if not bot.has_author(user) and not as_organiser:
        raise NotYours(message(NOT_YOUR_BOT, name=bot.name))
    check_entry(tournament, bot, as_organiser=as_organiser)
    check_plays(Bot.objects.select_related("owner").get(pk=bot.pk), reader=user)
    is_late = not tournament.takes_entries
    if is_late:
        _check_late_entry(tournament, reason, as_organiser=as_organiser)
    chosen = _choose_version(tournament, bot, version)
    entrant = Entrant.objects.filter(tournament=tournament, bot=bot).first()
    waits = _must_wait(tournament, entrant, as_organiser)
    _check_place(tournament, bot, entrant)
    entrant = entrant or Entrant(tournament=tournament, bot=bot)
    is_same = entrant.pk and entrant.version_id == chosen.pk and entrant.state in PLAYABLE_STATES
    if is_same and is_late:
        raise Conflict(message(gettext_noop("%(version)s is already entered."), version=str(chosen)))
    entrant.updates_automatically, entrant.stopped_with_author = version is None and not is_late, False
    if not is_same:
        entrant.version, entrant.state = chosen, Entrant.State.WAITING if waits else find_entry_state(chosen)
        entrant.state_reason = entrant.state_detail = entrant.skipped_version = None
        entrant.entered_late = is_late
    entrant.save()
    if is_late:
        _record_late_entry(tournament, entrant, user, reason)
    wake(Work.TOURNAMENT, tournament.pk)
    return entrant


def find_entry_state(version: BotVersion) -> Entrant.State:
    """Return the state in which an entry of a version begins, which wasn't rejected: its check needs an ended trial.

    A remote bot is ready at once: the arena can't check a program that it doesn't run.
    """
    if version.language == REMOTE_LANGUAGE:
        return Entrant.State.READY
    return Entrant.State.CHECKING if version.state == BotVersion.State.ACCEPTED else Entrant.State.ON_TRIAL


def _choose_version(tournament: Tournament, bot: Bot, version: BotVersion | None) -> BotVersion:
    """Return the version that enters: the given one, or the newest accepted, or else the newest on trial.

    Raise NotEnterable.
    """
    if bot.game != tournament.game:
        raise NotEnterable(message(gettext_noop("%(name)s plays another game."), name=bot.name))
    if bot.is_remote and not tournament.allows_remote:
        template = gettext_noop("%(name)s is a remote bot, and this tournament doesn't allow remote bots.")
        raise NotEnterable(message(template, name=bot.name))
    versions = bot.versions.exclude(state=BotVersion.State.REJECTED).order_by("-number")
    chosen = version or versions.accepted().first() or versions.first()
    if chosen is None or chosen.bot_id != bot.pk or chosen.state == BotVersion.State.REJECTED:
        template = gettext_noop("%(name)s has no such version, or it failed its trial.")
        raise NotEnterable(message(template, name=bot.name))
    return chosen


def _check_place(tournament: Tournament, bot: Bot, entrant: Entrant | None) -> None:
    """Raise Conflict where there is no place for a bot that hasn't one, or where it was disqualified."""
    if entrant is None or entrant.is_out or entrant.state == Entrant.State.FAILED:
        check_room(tournament, bot)
    if entrant is not None and entrant.state == Entrant.State.DISQUALIFIED:
        template = gettext_noop("%(name)s was disqualified. %(reason)s")
        raise Conflict(message(template, name=bot.name, reason=entrant.state_reason or ""))


def _check_late_entry(tournament: Tournament, reason: str, *, as_organiser: bool) -> None:
    """Raise Conflict where a bot can't be entered after the deadline, or ArenaError where the reason is missing."""
    if not as_organiser or not tournament.takes_late_entries:
        raise Conflict(message(gettext_noop("The tournament isn't open for entries.")))
    if not reason.strip():
        problem = gettext_noop("Entries are closed, so give a reason. It will be public.")
        raise ArenaError(message(problem), fields=("reason",))


def _record_late_entry(tournament: Tournament, entrant: Entrant, organiser: User, reason: str) -> None:
    """Record that an organiser entered a bot after the deadline, and tell its authors."""
    what = gettext_noop("%(bot)s, version %(number)s, entered late")
    text = message(what, bot=entrant.bot.name, number=entrant.version.number)
    record_act(tournament, OrganiserActKind.LATE_ENTRY, text, by=organiser, reason=reason)
    template = gettext_noop("%(version)s was entered late in %(tournament)s. %(reason)s")
    told = {"version": str(entrant.version), "tournament": tournament.title, "reason": reason.strip()}
    for author in list_authors_of_bot(entrant.bot):
        if author != organiser and not author.is_house:
            notify_user(
                user=author,
                event=Event.TOURNAMENT_CHECK,
                text=message(template, **told),
                url=tournament.get_absolute_url(),
            )


def _must_wait(tournament: Tournament, entrant: Entrant | None, as_organiser: bool) -> bool:
    """Return whether an entry waits for approval: unless it was approved once, or the organiser makes it."""
    if as_organiser or not tournament.are_entries_moderated:
        return False
    return entrant is None or entrant.is_out or entrant.state == Entrant.State.WAITING


@transaction.atomic
def record_check_result(*, match: Match) -> Tournament | None:
    """Set an entrant ready or failed by its check, and return its tournament; None if the match is no check.

    A check without a result changes nothing: another one is queued.
    """
    check = Check.objects.filter(match=match).select_related("entrant__tournament", "version__bot").first()
    if check is None:
        return None
    entrant = Entrant.objects.select_for_update(of=("self",)).get(pk=check.entrant_id)
    is_awaited = entrant.version_id == check.version_id and entrant.state == Entrant.State.CHECKING
    if match.state == Match.State.FINISHED and is_awaited:
        fault = LegSeat.objects.filter(leg__match=match).exclude(verdict=Verdict.OK).order_by("leg__number").first()
        entrant.state = Entrant.State.FAILED if fault else Entrant.State.READY
        if fault:
            entrant.state_reason, entrant.state_detail = _describe_fault(fault), fault.fault_message
        entrant.save(update_fields=["state", "state_reason", "state_detail"])
        if fault:
            _notify_of_failed_check(check, entrant)
    return check.entrant.tournament


@transaction.atomic
def withdraw(*, entrant: Entrant, user: User, reason: str = "") -> Entrant:
    """Withdraw a bot, as its owner or the organiser. Raise NotYours or Conflict."""
    tournament = lock_tournament(entrant.tournament)
    if not entrant.bot.has_author(user) and not is_organiser(tournament, user):
        raise NotYours(message(NOT_YOUR_BOT, name=entrant.bot.name))
    waited = entrant.state == Entrant.State.WAITING
    left = leave(tournament, entrant, Entrant.State.WITHDRAWN, literal(reason) if reason else None)
    if not entrant.bot.has_author(user):
        act = OrganiserActKind.REFUSE_ENTRY if waited else OrganiserActKind.WITHDRAW_ENTRANT
        template = gettext_noop("Entry refused: %(bot)s") if waited else gettext_noop("%(bot)s withdrawn")
        record_act(tournament, act, message(template, bot=entrant.bot.name), by=user, reason=reason)
    return left


@transaction.atomic
def disqualify(*, entrant: Entrant, organiser: User, reason: str) -> Entrant:
    """Disqualify a bot for good. Raise NotYours or Conflict, or ArenaError without a reason."""
    tournament = check_organiser(entrant.tournament, organiser)
    if not reason.strip():
        raise ArenaError(message(gettext_noop("Give a reason; it will be public.")))
    entrant = leave(tournament, entrant, Entrant.State.DISQUALIFIED, literal(reason.strip()))
    what = message(gettext_noop("%(bot)s disqualified"), bot=entrant.bot.name)
    record_act(tournament, OrganiserActKind.DISQUALIFY_ENTRANT, what, by=organiser, reason=reason)
    text = message(
        gettext_noop("%(bot)s was disqualified from %(tournament)s. %(reason)s"),
        bot=entrant.bot.name,
        tournament=tournament.title,
        reason=reason.strip(),
    )
    payload = {"tournament": tournament.slug, "bot": entrant.bot.slug, "reason": reason.strip()}
    for user in list_authors_of_bot(entrant.bot):
        notify_user(
            user=user,
            event=Event.TOURNAMENT_LEFT,
            text=text,
            url=tournament.get_absolute_url(),
            about=f"entrant {entrant.pk}",
            payload=None if tournament.audience_id is not None else payload,
        )
    return entrant


def leave(tournament: Tournament, entrant: Entrant, state: Entrant.State, reason: Message | None) -> Entrant:
    """Take an entrant out of a tournament that is locked, without regard to who wants it. Raise Conflict.

    It loses a current pairing of two at once. At a larger table it plays the round to its end.
    """
    if tournament.is_over:
        raise Conflict(message(ALREADY_OVER))
    entrant = Entrant.objects.select_related("bot__owner", "tournament").get(pk=entrant.pk)
    if entrant.is_out:
        raise Conflict(message(gettext_noop("%(name)s is already out."), name=entrant.bot.name))
    entrant.state, entrant.state_reason, entrant.state_detail = state, reason, None
    if tournament.has_started and entrant.number is not None:
        entrant.left_in_round = _find_leaving_round(tournament, entrant)
    entrant.save(update_fields=["state", "state_reason", "state_detail", "left_in_round"])
    wake(Work.TOURNAMENT, tournament.pk)
    return entrant


def _find_leaving_round(tournament: Tournament, entrant: Entrant) -> int:
    """Return the first round that the entrant doesn't play any more; cancel its queued matches of this round."""
    last = find_current_round(tournament)
    if last is None:
        return 1
    going_on = Pairing.objects.filter(round=last, is_over=False, seats__entrant=entrant).first()
    if going_on is None or going_on.seats.count() != 2:
        return last.number + 1
    matches = going_on.pairing_matches.filter(counts=True).values_list("match", flat=True)
    cancel_queued_matches(list(matches), message(gettext_noop("One of the bots has left the tournament.")))
    return last.number


def check_room(tournament: Tournament, bot: Bot, *, approving: bool = False) -> None:
    """Raise Conflict if the tournament is full, or has the maximum number of bots of one of this bot's authors.

    Bots that wait for approval or failed their check take no place of others; `approving` asks for one of them.
    """
    there = Entrant.objects.not_out().filter(tournament=tournament).exclude(state=Entrant.State.FAILED)
    if is_full(tournament):
        template = gettext_noop("The tournament is full (%(count)s bots).")
        raise Conflict(message(template, count=tournament.max_entrants))
    if (
        not approving
        and not bot.owner.is_house
        and _count_most_of_an_author(there, bot) >= tournament.max_entrants_per_author
    ):
        most = tournament.max_entrants_per_author
        one = gettext_noop("Each author can enter one bot here. Withdraw the other first.")
        several = gettext_noop("Each author can enter %(count)s bots here. Withdraw one first.")
        raise Conflict(message(one) if most == 1 else message(several, count=most))


def is_full(tournament: Tournament) -> bool:
    """Return whether all places are taken; bots that wait for approval or failed their check take none."""
    there = Entrant.objects.filter(tournament=tournament, state__in=PLAYABLE_STATES)
    return there.count() >= tournament.max_entrants


def check_author_limits(bot: Bot) -> None:
    """Raise Conflict where a bot that has got another author has entered a tournament with too many bots of theirs."""
    entered = Entrant.objects.not_out().filter(bot=bot).exclude(tournament__state__in=[State.FINISHED, State.CANCELLED])
    for entrant in entered.select_related("tournament"):
        there = Entrant.objects.not_out().filter(tournament=entrant.tournament)
        most = entrant.tournament.max_entrants_per_author
        if _count_most_of_an_author(there, bot) > most:
            problem = gettext_noop(
                "%(name)s plays in a tournament where its authors would have more bots than allowed. "
                "Withdraw one first, or join the team after the tournament."
            )
            raise Conflict(message(problem, name=bot.name))


def _count_most_of_an_author(entrants: EntrantQuerySet, bot: Bot) -> int:
    """Return how many of these entrants are bots of the author of this bot who has most of them."""
    others = Bot.objects.of_authors(bot.author_keys).filter(pk__in=entrants.values("bot"))
    entered: Counter[int] = Counter(key for other in others for key in other.author_keys)
    return max(entered[key] for key in bot.author_keys)


def _describe_fault(row: LegSeat) -> Message:
    sentence = CHECK_FAULT_SENTENCES.get(Verdict(row.verdict))
    if sentence is not None:
        return message(sentence)
    return message(gettext_noop("%(fault)s in its check."), fault=FAULT_NAMES[Verdict(row.verdict)])


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a version that has entered can't play."""

    version: BotVersion
    about: str
    """Subject of the notice."""
    reason: Message | None
    detail: Message | None = None
    """For its authors only."""
    match: int | None = None
    """The match that showed it."""


@dataclass(frozen=True, slots=True)
class FailureTexts:
    """Templates of what is told of a version that can't play."""

    while_open: str
    """For its authors while entries are open."""
    once_closed: str
    for_organisers: str


CHECK_FAILURE = FailureTexts(
    gettext_noop(
        "%(version)s failed its check for %(tournament)s. %(reason)s %(detail)s Upload a better version before entries "
        "close."
    ),
    gettext_noop("%(version)s failed its check for %(tournament)s. %(reason)s %(detail)s"),
    gettext_noop("%(version)s failed its check for your tournament %(tournament)s. %(reason)s"),
)


def _notify_of_failed_check(check: Check, entrant: Entrant) -> None:
    failure = Failure(check.version, f"check {check.pk}", entrant.state_reason, entrant.state_detail, check.match_id)
    notify_of_failure(check.entrant.tournament, entrant, failure, CHECK_FAILURE)


def notify_of_failure(tournament: Tournament, entrant: Entrant, failure: Failure, texts: FailureTexts) -> None:
    """Tell authors and organisers why a version can't play."""
    version, reason, detail = failure.version, failure.reason or "", failure.detail or ""
    told = message(texts.for_organisers, version=str(version), tournament=tournament.title, reason=reason)
    authors = list_authors_of_bot(version.bot)
    subject = f"failed check of entrant {entrant.pk}"
    notify_organisers(tournament, Event.TOURNAMENT_CHECK, told, about=subject, besides=authors)
    text = message(
        texts.while_open if tournament.state == State.OPEN else texts.once_closed,
        version=str(version),
        tournament=tournament.title,
        reason=reason,
        detail=detail,
    )
    payload = {
        "tournament": tournament.slug,
        "bot": version.bot.slug,
        "version": version.number,
        "match": failure.match,
        "reason": str(reason),
        "detail": str(detail),
    }
    for user in authors:
        notify_user(
            user=user,
            event=Event.TOURNAMENT_CHECK,
            text=text,
            url=tournament.get_absolute_url(),
            about=failure.about,
            payload=None if tournament.audience_id is not None else payload,
        )


# What organisers decide about access while a tournament goes on: approve entries, renew the code, publish.

CHANGEABLE_STATES = (Tournament.State.DRAFT, Tournament.State.OPEN)


@transaction.atomic
def approve_entry(*, entrant: Entrant, organiser: User) -> Entrant:
    """Let an entry that waits for approval play its check, after its trial. Raise NotYours or Conflict."""
    tournament = check_organiser(entrant.tournament, organiser)
    entrant = Entrant.objects.select_related("bot__owner", "version__bot", "tournament").get(pk=entrant.pk)
    if entrant.state != Entrant.State.WAITING or tournament.has_started or tournament.is_over:
        problem = gettext_noop("%(name)s isn't waiting for approval.")
        raise Conflict(message(problem, name=entrant.bot.name))
    check_room(tournament, entrant.bot, approving=True)
    if entrant.version.state == BotVersion.State.REJECTED:
        problem = gettext_noop("%(version)s failed its trial. The bot needs another version before you can approve it.")
        raise Conflict(message(problem, version=str(entrant.version)))
    entrant.state = find_entry_state(entrant.version)
    entrant.save(update_fields=["state"])
    text = message(gettext_noop("Entry approved: %(bot)s"), bot=entrant.bot.name)
    record_act(tournament, OrganiserActKind.APPROVE_ENTRY, text, by=organiser)
    return entrant


@transaction.atomic
def renew_entry_code(*, tournament: Tournament, organiser: User) -> Tournament:
    """Give a tournament a new code; who has typed the old one stays permitted. Raise NotYours or Conflict."""
    tournament = check_organiser(tournament, organiser)
    if tournament.entry_rule != EntryRule.CODE or tournament.state not in CHANGEABLE_STATES:
        raise Conflict(message(gettext_noop("The tournament doesn't use a code.")))
    tournament.entry_code = new_code()
    tournament.save(update_fields=["entry_code"])
    record_act(tournament, OrganiserActKind.RENEW_CODE, message(gettext_noop("Entry code replaced")), by=organiser)
    return tournament


@transaction.atomic
def publish(*, tournament: Tournament, organiser: User) -> Tournament:
    """Let everybody see a tournament that was for a group, or for whoever had the link. Raise NotYours or Conflict."""
    tournament = check_organiser(tournament, organiser)
    if tournament.visibility == Visibility.PUBLIC:
        raise Conflict(message(gettext_noop("The tournament is already public.")))
    if tournament.is_rehearsal:
        raise Conflict(message(gettext_noop("A rehearsal can't be published.")))
    check_publishable(tournament)
    tournament.visibility = Visibility.PUBLIC
    tournament.save(update_fields=["visibility"])
    publish_matches(tournament)
    record_act(tournament, OrganiserActKind.PUBLISH, message(gettext_noop("Made public")), by=organiser)
    return tournament


# Invite the authors of the bots of another tournament, as where it is copied. They enter their bots themselves.

INVITED = gettext_noop("%(bot)s is invited to %(tournament)s. You can enter it with one click.")


@transaction.atomic
def invite_entrants(*, tournament: Tournament, organiser: User, source: Tournament) -> int:
    """Invite the bots of another tournament of the organiser, and return how many these are. Raise NotYours.

    Their authors are told once entries are open. Bots of the arena and those that can't play are left out.
    """
    tournament = check_organiser(tournament, organiser)
    if not is_organiser(source, organiser):
        raise NotYours(message(gettext_noop("Only the tournament's organiser can invite its bots.")))
    took_part = Entrant.objects.not_out().filter(tournament=source)
    bots = Bot.objects.filter(pk__in=took_part.values("bot"), game=tournament.game, stopped_at=None)
    invited = list(bots.filter(owner__is_house=False).select_related("owner").order_by("pk"))
    made = [Invitation(tournament=tournament, bot=bot) for bot in invited]
    Invitation.objects.bulk_create(made, ignore_conflicts=True)
    if tournament.entry_rule == EntryRule.LIST:
        tournament.permitted_authors.add(*list_authors_of_bots(invited))
    return len(invited)


def tell_invited(tournament: Tournament) -> None:
    """Tell the authors of the bots that are invited to a tournament that takes entries, each once.

    Who is invited needs no code. Who may not enter bots, as a former member of the group, isn't told.
    """
    due = tournament.invitations.filter(told_at=None).select_related("bot__owner").order_by("pk")
    for invitation in due:
        text = message(INVITED, bot=invitation.bot.name, tournament=tournament.title)
        for author in list_authors_of_bot(invitation.bot):
            if tournament.entry_rule == EntryRule.CODE:
                tournament.permitted_authors.add(author)
            if author.is_active and is_permitted(tournament, author):
                about = f"tournament {tournament.pk} invitation {invitation.bot_id}"
                _remind(Reminder(author, text, tournament), about)
    due.update(told_at=now())


# Remind authors a day and an hour before entries close, if they are expected and have no bot ready.

BUSY_STATES = (Entrant.State.WAITING, *PLAYABLE_STATES)


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
        gettext_noop("Entries for %(tournament)s close within an hour, and you haven't entered a bot."),
        gettext_noop("Entries for %(tournament)s close within an hour, and your bot %(bot)s failed its check."),
    ),
    ReminderKind(
        "day_reminder_sent_at",
        timedelta(days=1),
        gettext_noop("Entries for %(tournament)s close within a day, and you haven't entered a bot."),
        gettext_noop("Entries for %(tournament)s close within a day, and your bot %(bot)s failed its check."),
    ),
)
"""The later one first: where both are due, one is enough."""


ASKED_TO_ENTER = ReminderKind(
    "",
    timedelta(0),
    gettext_noop("The organiser of %(tournament)s is waiting for your bot: you haven't entered one."),
    gettext_noop("The organiser of %(tournament)s is waiting for your bot: %(bot)s failed its check."),
)
"""What authors are told when an organiser asks them, at most once in an hour."""


@dataclass(frozen=True, slots=True)
class Reminder:
    """What one author is told."""

    user: User
    text: Message
    tournament: Tournament
    about: str = ""
    """Subject of its notice."""


MAIL_DUE = " mail"
"""At the end of the subject of a notice whose mail has not been sent yet."""
MAIL_CLAIM = timedelta(minutes=10)
"""Time for which a mail is whoever's who left the notice, or tried to send it last."""


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
        raise Conflict(message(gettext_noop("The tournament isn't open for entries.")))
    about = f"tournament {tournament.pk} asked {now():%Y%m%d%H}"
    told = set(_list_notices(about, about + MAIL_DUE).values_list("user", flat=True))
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
    """Leave a notice, marked as one whose mail is due."""
    tournament = reminder.tournament
    if not _list_notices(about + MAIL_DUE).filter(user=reminder.user).exists():
        notify_user(
            user=reminder.user,
            event=Event.TOURNAMENT_REMINDER,
            text=reminder.text,
            url=f"{tournament.get_absolute_url()}enter/",
            about=about,
            payload=None if tournament.audience_id is not None else {"tournament": tournament.slug},
        )
        _list_notices(about).filter(user=reminder.user).update(about=about + MAIL_DUE)
    return replace(reminder, about=about)


def _list_notices(*about: str) -> QuerySet[Notice]:
    return Notice.objects.filter(event=Event.TOURNAMENT_REMINDER, about__in=about)


def claim_unsent_reminders() -> list[Reminder]:
    """Return the reminders whose worker ended before it sent the mail, claimed for MAIL_CLAIM.

    Of a tournament that takes no entries any more none is sent.
    """
    due = Notice.objects.filter(event=Event.TOURNAMENT_REMINDER, about__endswith=MAIL_DUE)
    due = due.filter(created_at__lte=now() - MAIL_CLAIM)
    claimed = [one for one in due.select_related("user") if _hold(one)]
    open_ones = Tournament.objects.open().exclude(entries_close_at__lte=now())
    tournaments = {one.pk: one for one in open_ones.filter(pk__in=[_read_tournament(one) for one in claimed])}
    reminders = []
    for notice in claimed:
        about, tournament = notice.about.removesuffix(MAIL_DUE), tournaments.get(_read_tournament(notice))
        if tournament is None:
            Notice.objects.filter(pk=notice.pk).update(about=about)
        else:
            reminders.append(Reminder(notice.user, notice.text, tournament, about))
    return reminders


def _hold(notice: Notice) -> bool:
    """Claim the mail of a notice, by an update that changes one row."""
    return Notice.objects.filter(pk=notice.pk, created_at=notice.created_at).update(created_at=now()) == 1


def _read_tournament(notice: Notice) -> int:
    return int(notice.about.split()[1])


def settle_reminder(*, reminder: Reminder) -> None:
    """Take the mark off a notice whose mail was sent, or isn't to be."""
    unsent = _list_notices(reminder.about + MAIL_DUE).filter(user=reminder.user)
    unsent.update(about=reminder.about)
