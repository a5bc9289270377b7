"""Let the ends of trials decide about entries, and leave versions out whose trials don't end."""

from collections.abc import Iterable
from datetime import timedelta

from django.db import transaction
from django.utils.timezone import now

from arena.bots.models import BotVersion
from arena.bots.teams import list_authors_of_bot
from arena.contests.tournaments.models import Entrant, OrganiserActKind, Tournament
from arena.contests.tournaments.queries import list_awaited_versions
from arena.contests.tournaments.services.access import check_organiser, record_act
from arena.contests.tournaments.services.entering import (
    Failure,
    FailureTexts,
    find_entry_state,
    is_full,
    notify_of_failure,
)
from arena.contests.tournaments.services.matches import lock_tournament
from arena.core.errors import ArenaError, Conflict
from arena.matches.models import Match
from arena.matches.queue import list_live_workers
from arena.matches.workers import best_capabilities
from arena.people.accounts.models import User
from arena.people.notices.models import Event
from arena.people.notices.services import notify_user
from engine.message import Message, gettext_noop, literal, message

# Let a version that passed its trial play, in the place of an older one too, and one that was refused not.
#
# Everything here is idempotent and can be called at any time before the start, as `advance_tournament` does.

State = Tournament.State
TRIAL_FAILURE = FailureTexts(
    gettext_noop(
        "%(version)s failed its trial, so it isn't playing in %(tournament)s. %(reason)s Upload a better "
        "version before entries close."
    ),
    gettext_noop("%(version)s failed its trial, so it isn't playing in %(tournament)s. %(reason)s"),
    gettext_noop("%(version)s failed its trial for your tournament %(tournament)s. %(reason)s"),
)
OLDER_PLAYS = gettext_noop("%(version)s failed its trial, so version %(number)s plays in %(tournament)s.")
NEWER_PLAYS = gettext_noop("Entries for %(tournament)s are open again, so %(version)s replaces version %(number)s.")


def update_entrants(*, match: Match) -> list[Tournament]:
    """Let the end of a trial, if this match was one, decide about entries; return the tournaments that go on."""
    version = BotVersion.objects.filter(trials__match=match).select_related("bot").first()
    return follow_trial(version=version) if version is not None and version.is_final else []


@transaction.atomic
def follow_trial(*, version: BotVersion) -> list[Tournament]:
    """Let the end of a version's trial decide about its bot's entries; return the tournaments that go on."""
    entered = Entrant.objects.not_out().filter(bot=version.bot_id, tournament__started_at=None)
    tournaments = Tournament.objects.filter(pk__in=entered.values("tournament")).order_by("pk")
    going_on = []
    for tournament in map(lock_tournament, tournaments):
        was_awaited = tournament.state == State.CHECKING and version.state == BotVersion.State.REJECTED
        if settle_versions(tournament, bot=version.bot_id) or was_awaited:
            going_on.append(tournament)
    return going_on


def settle_versions(tournament: Tournament, *, bot: int | None = None) -> bool:
    """Let all trials that have ended decide about the entries of a locked tournament, or only those of a bot.

    A version must have been uploaded before entries closed to replace another; its trial may end later, if the
    tournament still waits for it. Return whether any entry has changed.
    """
    if tournament.has_started or tournament.is_over:
        return False
    entrants = Entrant.objects.not_out().filter(tournament=tournament, **({"bot": bot} if bot else {}))
    newest = _find_newest_in_time(tournament, entrants)
    found = entrants.select_related("version__bot", "bot__owner").defer("version__build_log").order_by("pk")
    return any([_settle(tournament, entrant, newest.get(entrant.bot_id)) for entrant in found])


def _find_newest_in_time(tournament: Tournament, entrants: Iterable[Entrant]) -> dict[int, BotVersion]:
    """Return the newest accepted version of each bot of those that were uploaded before entries closed."""
    accepted = BotVersion.objects.accepted().filter(bot__in=[entrant.bot_id for entrant in entrants])
    if tournament.entries_close_at is not None:
        accepted = accepted.filter(created_at__lt=tournament.entries_close_at)
    ordered = accepted.select_related("bot").defer("build_log").order_by("bot", "number")
    return {version.bot_id: version for version in ordered}


def _settle(tournament: Tournament, entrant: Entrant, newest: BotVersion | None) -> bool:
    """Do what follows for an entry from its version's state and the newest accepted version; return whether it did."""
    was_taken_in = _take_in_again(tournament, entrant)
    version = entrant.version
    other = newest if entrant.updates_automatically else None
    if other is not None and _is_due(tournament, entrant, other):
        if _was_uploaded_while_closed(tournament, other):
            _tell_authors(tournament, entrant, NEWER_PLAYS, version=str(other), number=version.number)
        _replace(entrant, other)
    elif entrant.state == Entrant.State.ON_TRIAL and version.state == BotVersion.State.ACCEPTED:
        _replace(entrant, version)
    elif not _is_refused(entrant):
        return was_taken_in
    elif other is not None:
        _tell_authors(tournament, entrant, OLDER_PLAYS, version=str(version), number=other.number)
        _replace(entrant, other)
    else:
        _fail(tournament, entrant)
    return True


def _take_in_again(tournament: Tournament, entrant: Entrant) -> bool:
    """Let an entry whose version was left out wait for its trial again, once entries are open again."""
    if tournament.state != State.OPEN or entrant.skipped_version is None:
        return False
    if entrant.state == Entrant.State.FAILED and entrant.skipped_version == entrant.version.number:
        if is_full(tournament):
            return False
        entrant.state = Entrant.State.ON_TRIAL
    entrant.skipped_version = entrant.state_reason = None
    entrant.save(update_fields=["state", "state_reason", "skipped_version"])
    return True


def _is_due(tournament: Tournament, entrant: Entrant, version: BotVersion) -> bool:
    """Return whether a version is newer than the entered one, wasn't left out, and has a place."""
    is_newer = version.number > max(entrant.version.number, entrant.skipped_version or 0)
    return is_newer and (entrant.state != Entrant.State.FAILED or not is_full(tournament))


def _was_uploaded_while_closed(tournament: Tournament, version: BotVersion) -> bool:
    """Return whether entries were opened again after a version was uploaded."""
    opened = list(tournament.acts.filter(act=OrganiserActKind.OPEN_ENTRIES)[:2])
    return len(opened) == 2 and version.created_at < opened[0].at


def _is_refused(entrant: Entrant) -> bool:
    """Return whether an entry waits for its trial, or for approval, whose version was refused; it is told once."""
    waits = entrant.state == Entrant.State.WAITING and entrant.state_reason is None
    return (waits or entrant.state == Entrant.State.ON_TRIAL) and entrant.version.state == BotVersion.State.REJECTED


def _replace(entrant: Entrant, version: BotVersion) -> None:
    entrant.version = version
    if entrant.state != Entrant.State.WAITING:
        entrant.state = find_entry_state(version)
    entrant.state_reason = entrant.state_detail = None
    entrant.save(update_fields=["version", "state", "state_reason", "state_detail"])


def _fail(tournament: Tournament, entrant: Entrant) -> None:
    """Keep an entry whose version was refused without a version that plays, and tell its authors and the organisers."""
    version = entrant.version
    template = gettext_noop("Version %(number)s failed its trial. %(reason)s")
    entrant.state_reason = message(template, number=version.number, reason=version.state_reason or "")
    if entrant.state == Entrant.State.ON_TRIAL:
        entrant.state = Entrant.State.FAILED
    entrant.save(update_fields=["state", "state_reason"])
    failure = Failure(version, f"trial {version.pk} of entrant {entrant.pk}", version.state_reason)
    notify_of_failure(tournament, entrant, failure, TRIAL_FAILURE)


def _tell_authors(tournament: Tournament, entrant: Entrant, template: str, *, version: str, number: int) -> None:
    text = message(template, tournament=tournament.title, version=version, number=number)
    for author in list_authors_of_bot(entrant.bot):
        notify_user(user=author, event=Event.TOURNAMENT_CHECK, text=text, url=tournament.get_absolute_url())


# Leave versions out whose trials don't end: by the organiser, or where no machine can end them.

TRIAL_WAIT = timedelta(minutes=15)
"""After entries closed, the start waits so long at least for a trial that no machine can end now."""
LEFT_OUT_REASON = gettext_noop("Version %(number)s was left out: its trial wasn't finished.")
LEFT_OUT = FailureTexts(
    gettext_noop("%(version)s was left out of %(tournament)s because its trial wasn't finished. %(reason)s"),
    gettext_noop("%(version)s was left out of %(tournament)s because its trial wasn't finished. %(reason)s"),
    gettext_noop(
        "%(version)s was left out of your tournament %(tournament)s because its trial wasn't finished. %(reason)s"
    ),
)
NO_MACHINE_ENDS_IT = gettext_noop("No machine in this arena could finish it.")


@transaction.atomic
def leave_out_trials(*, tournament: Tournament, organiser: User, reason: str) -> Tournament:
    """Let the start wait for no trial any more: the versions on trial are left out, and older ones play if there are.

    Raise NotYours, Conflict, or ArenaError without a reason.
    """
    tournament = check_organiser(tournament, organiser)
    awaited = list(list_awaited_versions(tournament))
    if not awaited:
        raise Conflict(message(gettext_noop("The tournament's start isn't waiting for any trials.")))
    if not reason.strip():
        problem = gettext_noop("Give a reason; it will be public.")
        raise ArenaError(message(problem), fields=("reason",))
    for version in awaited:
        _leave_out(tournament, version, literal(reason.strip()), by=organiser)
    return tournament


def leave_out_stuck_trials(tournament: Tournament) -> None:
    """Leave versions out of a locked tournament for whose trials it has waited, and which no machine can end.

    While no machine takes work at all, it waits.
    """
    if tournament.entries_close_at is None or now() - tournament.entries_close_at < TRIAL_WAIT:
        return
    awaited = list_awaited_versions(tournament)
    able = best_capabilities([worker for worker in list_live_workers() if worker.is_able])
    unplayable = awaited if able else awaited.none()
    for one in able:
        unplayable = unplayable.filter(one.cannot_run(version="", game="bot__game"))
    stuck = {*unplayable, *(awaited.filter(held_back_at__isnull=False) if able else ())}
    for version in sorted(stuck, key=lambda one: one.pk):
        _leave_out(tournament, version, message(NO_MACHINE_ENDS_IT))


def leave_out_rest(tournament: Tournament) -> None:
    """Leave out, at the start, the entries on trial that it didn't wait for, as of bots that are stopped."""
    rest = tournament.entrants.filter(state=Entrant.State.ON_TRIAL).select_related("version__bot")
    for entrant in rest.order_by("pk"):
        _leave_out(tournament, entrant.version, message(NO_MACHINE_ENDS_IT))


def _leave_out(tournament: Tournament, version: BotVersion, reason: Message, *, by: User | None = None) -> None:
    """Leave a version on trial out, record that, and tell its authors and the organisers."""
    entrant = tournament.entrants.select_related("bot__owner").get(bot=version.bot_id)
    entrant.skipped_version = version.number
    entrant.state_reason = message(LEFT_OUT_REASON, number=version.number)
    if entrant.state == Entrant.State.ON_TRIAL:
        entrant.state = Entrant.State.FAILED
    entrant.save(update_fields=["state", "state_reason", "skipped_version"])
    template = gettext_noop("%(bot)s, version %(number)s: left out, trial not finished")
    if by is None:
        template = gettext_noop("%(bot)s, version %(number)s: left out, trial not finished. %(cause)s")
    text = message(template, bot=entrant.bot.name, number=version.number, cause=reason)
    record_act(tournament, OrganiserActKind.LEAVE_OUT, text, by=by, reason=str(reason) if by else "")
    failure = Failure(version, f"left out {version.pk} of entrant {entrant.pk}", reason)
    notify_of_failure(tournament, entrant, failure, LEFT_OUT)
