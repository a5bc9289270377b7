"""Enter versions on ladders, promote them, pause ladders, and see to bots that are slow."""

from collections.abc import Collection, Iterable, Mapping, Set
from contextlib import suppress
from dataclasses import dataclass
from math import hypot

from django.conf import settings
from django.db import transaction
from django.db.models import Count, Q, QuerySet
from django.utils.timezone import now

from arena.bots.models import Bot, BotVersion
from arena.bots.running import MeasuredStrength, find_origin, list_strengths, mean_or_none, read_ratings_file
from arena.bots.services import check_plays, check_sandboxed
from arena.bots.teams import check_author, check_is_public, list_authors_of_bot
from arena.contests.ladders.models import Entry, Ladder
from arena.contests.ladders.queries import explain_full_ladder, list_admitted_bots, list_ladders_of_bot
from arena.contests.ladders.rating import (
    INITIAL_DEVIATION_ELO,
    INITIAL_RATING_ELO,
    RATING_METHOD_VERSION,
    VERSION_CHANGE_SD_ELO,
)
from arena.contests.ladders.services.ledger import lock_ladder
from arena.core.errors import ArenaError, Conflict, NotYours
from arena.matches.models import Match, Participant
from arena.matches.queries import find_edition_trial
from arena.matches.slots import estimate_bot_seconds
from arena.people.accounts.models import User
from arena.people.notices.models import Event
from arena.people.notices.services import notify_user
from engine.core import Json
from engine.message import gettext_noop, message
from engine.registry import GAMES

# Decide whether a bot may play on a ladder.


def check_admitted(ladder: Ladder, bot: Bot) -> None:
    """Raise ForGroupOnly for a bot for a group on a public ladder, NotYours for one of strangers on a group's.

    Raise RunsElsewhere for a remote bot, unless the ladder is an open one.
    """
    if not ladder.clock:
        check_sandboxed(bot)
    if ladder.group_id is None:
        check_is_public(bot)
    elif not list_admitted_bots(ladder).filter(pk=bot.pk).exists():
        problem = gettext_noop("%(name)s can't play there: its lead isn't in the group.")
        raise NotYours(message(problem, name=bot.name))


def check_tried(ladder: Ladder, version: BotVersion) -> None:
    """Raise NotPassed for a version that had a fault in its trial in the ladder's edition, or is still to be tried.

    A version that was accepted before there were such trials has none, and plays everywhere, as those of remote bots
    do. One that was tried in other editions is tried in an edition that a release has added.
    """
    trial = find_edition_trial(version, ladder.edition)
    if trial.has_passed if trial is not None else not _is_tried_in_other_editions(version, ladder.edition):
        return
    if trial is None or trial.has_passed is None:
        problem = gettext_noop("%(version)s joins %(ladder)s once it passes its trial leg there.")
    else:
        problem = gettext_noop("%(version)s can't play on %(ladder)s: it had a fault in its trial leg there.")
    raise NotPassed(message(problem, version=str(version), ladder=str(ladder)))


def _is_tried_in_other_editions(version: BotVersion, edition: str) -> bool:
    """Return whether a version was tried in editions after the first, of which this is one."""
    return edition not in list(GAMES[version.bot.game].editions)[:1] and version.trials.exclude(edition="").exists()


def list_versions_without_edition_trial() -> list[int]:
    """List the versions on ladders that were tried in some editions after the first, and not in all of them.

    A release has added an edition since.
    """
    on_ladders = Entry.objects.active().filter(ladder__closed_at=None)
    playing = BotVersion.objects.accepted().may_go_on().filter(is_on_hold=False, pk__in=on_ladders.values("version"))
    tried = playing.annotate(editions=Count("trials__edition", distinct=True, filter=~Q(trials__edition="")))
    lacking = [tried.filter(bot__game=key, editions__range=(1, len(game.editions) - 2)) for key, game in GAMES.items()]
    return [pk for versions in lacking for pk in versions.order_by("pk").values_list("pk", flat=True)]


# Let the sample bots of the house begin a season with their measured ratings.
#
# What a season used is in its rows: the file is named by `Ladder.house_ratings`, and the ratings are the entries'
# first ones, with the measurement's deviation as their prior. A season that began without stays so.


def describe_house_ratings(game: str, edition: str) -> Json | None:
    """Return what fixes the first ratings of the house's bots in a new season: public from the start, or None."""
    if not list_strengths(game, edition):
        return None
    file = read_ratings_file()
    return {"version": file.version, "hash": file.hash, "method": RATING_METHOD_VERSION}


def start_from_measured(entry: Entry, version: BotVersion) -> None:
    """Give a new entry without a parent its measured rating, if it is the house's and was measured for this season."""
    ladder = entry.ladder
    strength = _list_strengths_of_season(ladder).get(version.bot.name) if version.bot.owner.is_house else None
    if strength is not None:
        anchors = Entry.objects.filter(ladder=ladder, is_anchor=True)
        names = anchors.values_list("version__bot__name", flat=True)
        at_mean = find_origin(ladder.game, ladder.edition, dict.fromkeys(names, ladder.anchor_mean))
        _set_first_rating(entry, ladder.anchor_mean if at_mean is None else at_mean, strength)


def restart_carried_samples(ladder: Ladder) -> None:
    """Give the house's entries that come from the last season their measured ratings.

    The mean of the anchors stays as it is. To be called before the first match of the season is rated.
    """
    strengths = _list_strengths_of_season(ladder)
    house = Entry.objects.filter(ladder=ladder, version__bot__owner__is_house=True).exclude(parent__ladder=ladder)
    entries = {entry.version.bot.name: entry for entry in house.select_related("version__bot") if not entry.is_known}
    carried = {name: entry.first_rating for name, entry in entries.items() if entry.is_anchor}
    origin = mean_or_none(rating - strengths[name].rating for name, rating in carried.items() if name in strengths)
    if origin is None:
        return
    known = [entry for name, entry in entries.items() if name in strengths]
    for entry in known:
        _set_first_rating(entry, origin, strengths[entry.version.bot.name])
        entry.save(update_fields=KNOWN_FIELDS)


KNOWN_FIELDS = ["first_rating", "first_deviation", "rating", "deviation", "is_known", "is_ranked", "was_ranked"]


def _set_first_rating(entry: Entry, origin: float, strength: MeasuredStrength) -> None:
    entry.first_rating = entry.rating = origin + strength.rating
    entry.first_deviation = entry.deviation = strength.deviation
    entry.is_known = entry.is_ranked = entry.was_ranked = True


def _list_strengths_of_season(ladder: Ladder) -> Mapping[str, MeasuredStrength]:
    """Return the strengths by name, if the file is still the one that the season named."""
    if ladder.house_ratings is None or ladder.house_ratings["hash"] != read_ratings_file().hash:
        return {}
    return list_strengths(ladder.game, ladder.edition)


# Enter versions on ladders, and promote, pause and resume them.

PAUSED_BY_OWNER_REASON = message(gettext_noop("Paused by its owner."))
STOPPED_WITH_AUTHOR_REASON = message(gettext_noop("The arena's staff stopped its author's bots."))


class LadderFull(Conflict):
    """The owner has the maximum number of bots on the ladder."""


class SeasonOver(Conflict):
    """The season is closed to new entries."""


class NotPassed(Conflict):
    """The version has not passed its trial in the ladder's edition."""


@transaction.atomic
def enter_version(*, ladder: Ladder, version: BotVersion) -> Entry | None:
    """Put an accepted version on a ladder, once. It takes over from the bot's version there and starts at its rating.

    None where a newer version of the bot was there before. Raises LadderFull, SeasonOver, NotPassed, ForGroupOnly or
    NotYours.
    """
    check_admitted(ladder, version.bot)
    ladder = lock_open_ladder(ladder)
    entries = _list_entries_of_bot(ladder, version)
    for entry in entries:
        if entry.version_id == version.pk:
            return entry
    if entries and entries[0].version.number > version.number:
        return None
    check_tried(ladder, version)
    return _create_entry(ladder, version, entries)


def enter_accepted_version(*, match: Match) -> None:
    """Put the version whose trial this match was on the ladders that it has passed for, unless it is held."""
    accepted = BotVersion.objects.accepted().filter(trials__match=match, is_on_hold=False, bot__stopped_at=None)
    version = accepted.select_related("bot__owner").first()
    if version is None:
        return
    for ladder in list_ladders_of_bot(version.bot):
        try:
            enter_version(ladder=ladder, version=version)
        except (SeasonOver, NotYours, NotPassed):
            continue
        except LadderFull as full:
            if ladder.group_id == version.bot.group_id and not ladder.clock:  # its own ladders, not those it joined
                _hold_version(version, full)
                return


@transaction.atomic
def promote_to_ladders(*, version: BotVersion, owner: User | None = None) -> list[Entry]:
    """Let this version play on all ladders of its bot instead of what plays for it, and return its entries.

    Ladders for which it hasn't passed are left as they are. A version that played before goes on with its rating. Raise
    NotYours where it isn't the owner's, Conflict where it isn't accepted, LadderFull where there is no room,
    ForGroupOnly where its group has no ladder, AuthorSuspended.
    """
    version = BotVersion.objects.select_related("bot__owner").get(pk=version.pk)
    check_plays(version.bot, reader=owner)
    ladders = list(list_ladders_of_bot(version.bot))
    if not ladders:
        check_is_public(version.bot)
    if owner is not None:
        check_author(version.bot, owner)
    if version.state != BotVersion.State.ACCEPTED:
        problem = gettext_noop("%(version)s hasn't been accepted, so it can't play on ladders.")
        raise Conflict(message(problem, version=str(version)))
    BotVersion.objects.filter(pk=version.pk).update(is_on_hold=False)
    entries = []
    for ladder in ladders:
        with suppress(NotPassed):
            entries.append(enter_promoted(ladder, version))
    return entries


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
        problem = gettext_noop(
            "Another version plays instead of %(version)s. To switch back, choose “Promote this version” on its page."
        )
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
        check_tried(ladder, version)
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
    entry = Entry(
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
    if parent is None:
        start_from_measured(entry, version)
    entry.save()
    return entry


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
        problem = gettext_noop("Season %(season)s of %(ladder)s is finished.")
        raise SeasonOver(message(problem, season=ladder.season, ladder=str(ladder)))
    return ladder


def _check_entry_owner(entry: Entry, owner: User) -> None:
    """Raise NotYours unless the user is an author of the entry's bot or staff."""
    if not owner.is_staff:
        check_author(entry.version.bot, owner)


def _check_bot_limit(ladder: Ladder, version: BotVersion) -> None:
    """Raise LadderFull if the owner has the maximum number of bots on the ladder."""
    problem = explain_full_ladder(ladder, version)
    if problem is not None:
        raise LadderFull(problem)


def check_ladder_limits(bot: Bot) -> None:
    """Raise LadderFull where a bot plays on a ladder on which its owner, who is new, has too many bots then."""
    playing = Entry.objects.active().filter(version__bot=bot, ladder__closed_at=None)
    for entry in playing.select_related("ladder"):
        others = Entry.objects.active().filter(ladder=entry.ladder, version__bot__owner=bot.owner_id)
        if others.exclude(version__bot=bot).count() >= settings.MAX_LADDER_BOTS_PER_OWNER:
            problem = gettext_noop(
                "%(person)s already leads the maximum number of bots on %(ladder)s. Pause the bot first."
            )
            raise LadderFull(message(problem, person=bot.owner.username, ladder=str(entry.ladder)))


def _hold_version(version: BotVersion, full: ArenaError) -> None:
    """Hold a version until its owner promotes it, and notify the owner once."""
    if BotVersion.objects.filter(pk=version.pk, is_on_hold=False).update(is_on_hold=True):
        url = version.get_absolute_url()
        text = message(
            gettext_noop("%(version)s was accepted but isn't playing. %(reason)s"),
            version=str(version),
            reason=full.message,
        )
        for user in list_authors_of_bot(version.bot):
            notify_user(user=user, event=Event.TRIAL_FINISHED, text=text, url=url)


def mark_fit_stale(ladder: Ladder) -> None:
    """Let all ratings of a ladder be computed soon: it has other entries than at its last fit."""
    Ladder.objects.filter(pk=ladder.pk).update(is_stale=True)


# Pause the pairing of a ladder, and resume it.


@transaction.atomic
def pause_ladder(*, ladder: Ladder) -> None:
    """Let no new matches be paired; those that wait or are played go on. Raises Conflict."""
    ladder = lock_ladder(ladder)
    check_pausable(ladder)
    ladder.paused_at = now()
    ladder.save(update_fields=["paused_at"])


def check_pausable(ladder: Ladder) -> None:
    """Raise Conflict for a ladder that is paused, or whose season is over."""
    if ladder.closed_at is not None:
        problem = gettext_noop("Season %(season)s of %(ladder)s is finished.")
        raise Conflict(message(problem, season=ladder.season, ladder=str(ladder)))
    if ladder.paused_at is not None:
        raise Conflict(message(gettext_noop("%(ladder)s is already paused."), ladder=str(ladder)))


@transaction.atomic
def resume_ladder(*, ladder: Ladder) -> None:
    """Let matches be paired again. Raises Conflict if the ladder isn't paused."""
    ladder = lock_ladder(ladder)
    check_paused(ladder)
    ladder.paused_at = None
    ladder.save(update_fields=["paused_at"])


def check_paused(ladder: Ladder) -> None:
    """Raise Conflict for a ladder that isn't paused."""
    if ladder.paused_at is None:
        raise Conflict(message(gettext_noop("%(ladder)s isn't paused."), ladder=str(ladder)))


# Let the authors of slow bots wait for the time that these bots cost, instead of the whole ladder.
#
# A match of a ladder is charged the median duration. What the bots of an author are expected to take beyond that
# delays the match by as much in the queue, and no other match is queued for the author while it waits. So the bots of
# an author get at most as much of a busy ladder's time as all others together, and all they can use of a worker that
# is free.


@dataclass(frozen=True, slots=True)
class Delays:
    """The waiting matches of a ladder that are delayed, and the owners of the slow bots in them."""

    matches: Collection[int]
    owners: Collection[int]


def find_delays(waiting: Iterable[Match], usual_seconds: float) -> Delays:
    """Return the delays among the waiting matches of a ladder."""
    matches = [match.pk for match in waiting if match.state == Match.State.QUEUED and match.delay_s > 0]
    if not matches:
        return Delays((), frozenset())
    seated = Participant.objects.filter(match__in=matches).select_related("version__bot__owner")
    return Delays(matches, frozenset(_list_slow([one.version for one in seated], usual_seconds)))


def compute_delay(versions: Iterable[BotVersion], usual_seconds: float) -> tuple[float, Set[int]]:
    """Return the seconds that these versions take beyond the usual duration of a match, and the owners of slow ones."""
    slow = _list_slow(versions, usual_seconds)
    return sum(slow.values()), slow.keys()


def _list_slow(versions: Iterable[BotVersion], usual_seconds: float) -> dict[int, float]:
    """Return, by owner, the expected seconds of slow bots beyond the usual duration. Those of the house don't count."""
    owner_of = {version.pk: version.bot.owner_id for version in versions if not version.bot.owner.is_house}
    excess = {owner_of[version]: took - usual_seconds for version, took in estimate_bot_seconds(owner_of).items()}
    return {owner: seconds for owner, seconds in excess.items() if seconds > 0}
