"""Enter versions on ladders, and promote, pause and resume them."""

from math import hypot

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.utils.timezone import now

from arena.accounts.models import User
from arena.bots.group_only import check_is_public
from arena.bots.models import Bot, BotVersion
from arena.bots.queries.teams import list_authors_of_bot
from arena.bots.stopping import check_plays
from arena.bots.teams import check_author
from arena.errors import ArenaError, Conflict, NotYours
from arena.ladders.models import Entry, Ladder
from arena.ladders.queries.group_ladders import list_ladders_of_bot
from arena.ladders.rating.elo import INITIAL_DEVIATION_ELO, INITIAL_RATING_ELO, VERSION_CHANGE_SD_ELO
from arena.ladders.services.admission import check_admitted
from arena.ladders.services.ledger import lock_ladder
from arena.matches.models import Match
from arena.notices.models import Event
from arena.notices.services import notify_user
from engine.message import gettext_noop, message

PAUSED_BY_OWNER_REASON = message(gettext_noop("Its owner has paused it."))
STOPPED_WITH_AUTHOR_REASON = message(gettext_noop("The staff of this arena has stopped the bots of its author."))


class LadderFull(Conflict):
    """The owner has the maximum number of bots on the ladder."""


class SeasonOver(Conflict):
    """The season is closed to new entries."""


@transaction.atomic
def enter_version(*, ladder: Ladder, version: BotVersion) -> Entry | None:
    """Put an accepted version on a ladder, once. It takes over from the bot's version there and starts at its rating.

    None where a newer version of the bot was there before. Raises LadderFull, SeasonOver, ForGroupOnly or NotYours.
    """
    check_admitted(ladder, version.bot)
    ladder = lock_open_ladder(ladder)
    entries = _list_entries_of_bot(ladder, version)
    for entry in entries:
        if entry.version_id == version.pk:
            return entry
    if entries and entries[0].version.number > version.number:
        return None
    return _create_entry(ladder, version, entries)


def enter_accepted_version(*, match: Match) -> None:
    """Put the version whose trial this match was on the ladders of its game, if it was accepted and isn't held."""
    accepted = BotVersion.objects.accepted().filter(trials__match=match, is_on_hold=False, bot__stopped_at=None)
    version = accepted.select_related("bot__owner").first()
    if version is None:
        return
    for ladder in list_ladders_of_bot(version.bot):
        try:
            enter_version(ladder=ladder, version=version)
        except (SeasonOver, NotYours):
            continue
        except LadderFull as full:
            if ladder.group_id == version.bot.group_id:  # not a group's ladder on which a public bot plays, too
                _hold_version(version, full)
                return


@transaction.atomic
def promote_to_ladders(*, version: BotVersion, owner: User | None = None) -> list[Entry]:
    """Let this version play on all ladders of its bot instead of what plays for it, and return its entries.

    A version that played before goes on with its rating. Raise NotYours where it isn't the owner's, Conflict where it
    isn't accepted, LadderFull where there is no room, ForGroupOnly where its group has no ladder, AuthorSuspended.
    """
    version = BotVersion.objects.select_related("bot__owner").get(pk=version.pk)
    check_plays(version.bot, reader=owner)
    ladders = list(list_ladders_of_bot(version.bot))
    if not ladders:
        check_is_public(version.bot)
    if owner is not None:
        check_author(version.bot, owner)
    if version.state != BotVersion.State.ACCEPTED:
        problem = gettext_noop("%(version)s isn't accepted, so it can't play on a ladder.")
        raise Conflict(message(problem, version=str(version)))
    BotVersion.objects.filter(pk=version.pk).update(is_on_hold=False)
    return [enter_promoted(ladder, version) for ladder in ladders]


@transaction.atomic
def pause_entry(*, entry: Entry, owner: User) -> None:
    """Take an entry out of play until its owner resumes it. Raises NotYours."""
    _check_entry_owner(entry, owner)
    ladder = lock_ladder(entry.ladder)
    if (
        Entry.objects.active()
        .filter(pk=entry.pk)
        .update(state=Entry.State.SUSPENDED, state_reason=PAUSED_BY_OWNER_REASON)
    ):
        mark_fit_stale(ladder)


@transaction.atomic
def resume_entry(*, entry: Entry, owner: User) -> None:
    """Let a suspended entry play again; its faults until now are forgotten.

    Raises NotYours, Conflict where another version has taken over, LadderFull, SeasonOver or AuthorSuspended.
    """
    _check_entry_owner(entry, owner)
    ladder = lock_open_ladder(entry.ladder)
    entry = Entry.objects.select_related("version__bot__owner").get(pk=entry.pk)
    check_admitted(ladder, entry.version.bot)
    if entry.state == Entry.State.RETIRED:
        problem = gettext_noop("Another version plays instead of %(version)s: promote this one to let it play again.")
        raise Conflict(message(problem, version=str(entry.version)))
    check_plays(entry.version.bot, reader=owner)
    if not entry.is_active:
        _check_bot_limit(ladder, entry.version)
        activate_entry(ladder, entry)


@transaction.atomic
def pause_bot(*, bot: Bot, owner: User) -> None:
    """Take a bot out of play on all ladders that run, or on none of them. Raises as `pause_entry`."""
    for entry in _list_running_entries(bot, Entry.State.ACTIVE):
        pause_entry(entry=entry, owner=owner)


@transaction.atomic
def resume_bot(*, bot: Bot, owner: User) -> None:
    """Let a bot play again wherever it is suspended, or nowhere. Raises as `resume_entry`."""
    for entry in _list_running_entries(bot, Entry.State.SUSPENDED):
        resume_entry(entry=entry, owner=owner)


def _list_running_entries(bot: Bot, state: Entry.State) -> QuerySet[Entry]:
    entries = Entry.objects.filter(version__bot=bot, ladder__closed_at=None, state=state)
    return entries.select_related("ladder", "version__bot__owner").order_by("ladder")


def enter_promoted(ladder: Ladder, version: BotVersion) -> Entry:
    """Let an accepted version play on a ladder instead of what plays for its bot. Raises as `enter_version`."""
    check_admitted(ladder, version.bot)
    ladder = lock_open_ladder(ladder)
    entries = _list_entries_of_bot(ladder, version)
    known = next((entry for entry in entries if entry.version_id == version.pk), None)
    if known is None:
        return _create_entry(ladder, version, entries)
    if not known.is_active:
        if not any(entry.is_active for entry in entries):
            _check_bot_limit(ladder, version)
        _retire_entries(entries)
        activate_entry(ladder, known)
    return known


def _create_entry(ladder: Ladder, version: BotVersion, entries: list[Entry]) -> Entry:
    """Create an entry, child of the one that plays, or of the newest where none does."""
    if not any(entry.is_active for entry in entries):
        _check_bot_limit(ladder, version)
    in_play = [entry for entry in entries if entry.state != Entry.State.RETIRED]
    parent = next(iter([*in_play, *entries]), None)
    _retire_entries(entries)
    mark_fit_stale(ladder)
    rating = parent.rating if parent else INITIAL_RATING_ELO
    deviation = hypot(parent.deviation, VERSION_CHANGE_SD_ELO) if parent else INITIAL_DEVIATION_ELO
    is_stopped = version.bot.owner.suspended_at is not None
    return Entry.objects.create(
        ladder=ladder,
        version=version,
        parent=parent,
        state=Entry.State.SUSPENDED if is_stopped else Entry.State.ACTIVE,
        state_reason=STOPPED_WITH_AUTHOR_REASON if is_stopped else None,
        stopped_with_author=is_stopped,
        first_rating=rating,
        first_deviation=deviation,
        rating=rating,
        deviation=deviation,
    )


def activate_entry(ladder: Ladder, entry: Entry) -> None:
    """Let an entry play, without checks; the ladder is locked."""
    entry.state, entry.state_reason, entry.recent_legs = Entry.State.ACTIVE, None, ""
    entry.paired_at, entry.stopped_with_author = now(), False
    entry.save(update_fields=["state", "state_reason", "recent_legs", "paired_at", "stopped_with_author"])
    mark_fit_stale(ladder)


def _retire_entries(entries: list[Entry]) -> None:
    retired = Entry.objects.filter(pk__in=[entry.pk for entry in entries])
    retired.update(state=Entry.State.RETIRED, state_reason=None, stopped_with_author=False)


def _list_entries_of_bot(ladder: Ladder, version: BotVersion) -> list[Entry]:
    """List the entries of the version's bot, the newest version first."""
    of_bot = Entry.objects.filter(ladder=ladder, version__bot_id=version.bot_id)
    return list(of_bot.select_related("version").order_by("-version__number"))


def lock_open_ladder(ladder: Ladder) -> Ladder:
    """Read a ladder again and lock it until the end of the transaction. Raises SeasonOver."""
    ladder = lock_ladder(ladder)
    if ladder.closed_at is not None:
        problem = gettext_noop("Season %(season)s of %(ladder)s is over.")
        raise SeasonOver(message(problem, season=ladder.season, ladder=str(ladder)))
    return ladder


def _check_entry_owner(entry: Entry, owner: User) -> None:
    """Raise NotYours unless the user is an author of the entry's bot or staff."""
    if not owner.is_staff:
        check_author(entry.version.bot, owner)


def _check_bot_limit(ladder: Ladder, version: BotVersion) -> None:
    """Raise LadderFull if the owner has the maximum number of bots on the ladder."""
    owner = version.bot.owner
    playing = Entry.objects.active().filter(ladder=ladder, version__bot__owner=owner).exclude(version__bot=version.bot)
    if not owner.is_house and playing.count() >= settings.MAX_LADDER_BOTS_PER_OWNER:
        problem = gettext_noop(
            "%(most)s of your bots play on %(ladder)s already, and nobody may have more there: pause one of them, "
            "then promote %(version)s."
        )
        most = settings.MAX_LADDER_BOTS_PER_OWNER
        raise LadderFull(message(problem, most=most, ladder=str(ladder), version=str(version)))


def check_ladder_limits(bot: Bot) -> None:
    """Raise LadderFull where a bot plays on a ladder on which its owner, who is new, has too many bots then."""
    playing = Entry.objects.active().filter(version__bot=bot, ladder__closed_at=None)
    for entry in playing.select_related("ladder"):
        others = Entry.objects.active().filter(ladder=entry.ladder, version__bot__owner=bot.owner_id)
        if others.exclude(version__bot=bot).count() >= settings.MAX_LADDER_BOTS_PER_OWNER:
            problem = gettext_noop("%(person)s leads as many bots on %(ladder)s as anybody may: pause the bot first.")
            raise LadderFull(message(problem, person=bot.owner.username, ladder=str(entry.ladder)))


def _hold_version(version: BotVersion, full: ArenaError) -> None:
    """Hold a version until its owner promotes it, and notify the owner once."""
    if BotVersion.objects.filter(pk=version.pk, is_on_hold=False).update(is_on_hold=True):
        url = version.get_absolute_url()
        text = message(
            gettext_noop("%(version)s was accepted, but doesn't play. %(reason)s"),
            version=str(version),
            reason=full.message,
        )
        for user in list_authors_of_bot(version.bot):
            notify_user(user=user, event=Event.TRIAL_FINISHED, text=text, url=url)


def mark_fit_stale(ladder: Ladder) -> None:
    """Let all ratings of a ladder be computed soon: it has other entries than at its last fit."""
    Ladder.objects.filter(pk=ladder.pk).update(is_stale=True)
