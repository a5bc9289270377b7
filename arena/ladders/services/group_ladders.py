"""The ladders of groups: opened, paused and ended by their organisers; who plays there, and who plays no more."""

from django.db import transaction
from django.db.models import Max, Q, QuerySet

from arena.accounts.models import User
from arena.bots.group_only import check_membership
from arena.bots.models import Bot, BotVersion
from arena.bots.samples import is_on_ladder, list_samples
from arena.bots.stopping import check_plays
from arena.bots.teams import check_author
from arena.errors import ArenaError, Conflict
from arena.groups.models import Group
from arena.groups.queries.groups import is_group_organiser
from arena.groups.services.editing import lock_organised_group
from arena.ladders.models import Entry, Ladder
from arena.ladders.queries.group_ladders import list_admitted_bots
from arena.ladders.services.admission import check_admitted
from arena.ladders.services.entering import LadderFull, enter_promoted, enter_version, mark_fit_stale
from arena.ladders.services.ledger import lock_ladder
from arena.ladders.services.seasons import carry_over, end_season, make_samples_anchors, open_season
from arena.ladders.services.stopping import pause_ladder, resume_ladder
from engine.message import gettext_noop, message
from engine.registry import GAMES


@transaction.atomic
def open_group_ladder(*, group: Group, by: User, game: str, edition: str, with_samples: bool = True) -> Ladder:
    """Open a ladder of an edition for a group alone, as an organiser, or the next season of one; return it.

    The group's own bots play on it at once, with those of the last season, and the sample bots if wished: they fix the
    scale, which without them is centred on the bots that play. Raise NotYours, ArenaError, or Conflict where one runs.
    """
    group = lock_organised_group(group, by)
    if game not in GAMES or edition not in GAMES[game].editions:
        problem = gettext_noop("There is no edition %(edition)s of %(game)s here.")
        raise ArenaError(message(problem, edition=edition, game=game))
    seasons = Ladder.objects.filter(group=group, game=game, edition=edition)
    if running := seasons.open().first():
        raise Conflict(message(gettext_noop("%(ladder)s is open already."), ladder=str(running)))
    last = seasons.order_by("season").last()
    title = f"{GAMES[game].title}, {GAMES[game].editions[edition]}"
    ladder = open_season(game=game, edition=edition, title=title, group=group)
    if last is not None:
        _continue_season(last, ladder, with_samples)
    if with_samples:
        for version in _list_samples(ladder):
            enter_version(ladder=ladder, version=version)
        make_samples_anchors(ladder=ladder)
    own = Q(group=group) | Q(versions__entries__ladder=ladder)
    for version in _list_newest_versions(list_admitted_bots(ladder).filter(own, stopped_at=None)):
        try:
            enter_version(ladder=ladder, version=version)
        except LadderFull:
            continue
    ladder.refresh_from_db()
    return ladder


@transaction.atomic
def end_group_season(*, ladder: Ladder, by: User) -> Ladder:
    """End the season of a group's ladder, as an organiser. Raise NotYours, or Conflict where it is over.

    Matches that wait or run are still played and rated; then the group reads the secret.
    """
    _check_organiser(ladder, by)
    return end_season(ladder=ladder)


@transaction.atomic
def pause_group_ladder(*, ladder: Ladder, by: User) -> None:
    """Let no new matches be paired on a group's ladder, as an organiser. Raise NotYours or Conflict."""
    _check_organiser(ladder, by)
    pause_ladder(ladder=ladder)


@transaction.atomic
def resume_group_ladder(*, ladder: Ladder, by: User) -> None:
    """Let matches be paired again on a group's ladder, as an organiser. Raise NotYours or Conflict."""
    _check_organiser(ladder, by)
    resume_ladder(ladder=ladder)


@transaction.atomic
def enter_group_ladder(*, ladder: Ladder, bot: Bot, by: User) -> Entry:
    """Let the newest accepted version of a bot play on a group's ladder, as its author who is in the group.

    Raise NotYours, ForGroupOnly, LadderFull, SeasonOver, BotStopped, AuthorSuspended, or Conflict without a version.
    """
    group = _get_group(ladder)
    check_author(bot, by)
    check_membership(by, group)
    check_plays(bot, reader=by)
    check_admitted(ladder, bot)
    version = _list_newest_versions(Bot.objects.filter(pk=bot.pk)).first()
    if version is None:
        raise Conflict(message(gettext_noop("%(name)s has no version that passed its trial."), name=bot.name))
    return enter_promoted(ladder, version)


@transaction.atomic
def leave_group_ladder(*, ladder: Ladder, bot: Bot, by: User) -> None:
    """Take a bot off a group's ladder, as its author or an organiser. Its results stay. Raise NotYours or Conflict."""
    if not is_group_organiser(_get_group(ladder), by):
        check_author(bot, by)
    ladder = lock_ladder(ladder)
    if not _take_off(ladder, Entry.objects.filter(ladder=ladder, version__bot=bot)):
        problem = gettext_noop("%(name)s doesn't play on %(ladder)s.")
        raise Conflict(message(problem, name=bot.name, ladder=str(ladder)))


@transaction.atomic
def take_off_strangers(*, ladder: Ladder) -> int:
    """Take the bots off a group's ladder that may not play there any more, and return how many entries these are."""
    strangers = Entry.objects.filter(ladder=ladder).exclude(version__bot__in=list_admitted_bots(ladder))
    return _take_off(lock_ladder(ladder), strangers)


def take_off_strangers_of_group(*, group: Group) -> None:
    """Take the bots of former members off all running ladders of a group."""
    for ladder in Ladder.objects.open().filter(group=group).order_by("pk"):
        take_off_strangers(ladder=ladder)


def _take_off(ladder: Ladder, entries: QuerySet[Entry]) -> int:
    """Retire those of these entries of a locked ladder that are in play, and return how many these are."""
    keys = list(entries.exclude(state=Entry.State.RETIRED).values_list("pk", flat=True))
    if keys:
        retired = {"state": Entry.State.RETIRED, "state_reason": None, "stopped_with_author": False}
        Entry.objects.filter(pk__in=keys).update(**retired)
        mark_fit_stale(ladder)
    return len(keys)


def _continue_season(last: Ladder, following: Ladder, with_samples: bool) -> None:
    """Let a season begin with what played in the last one; paused or not before, it runs."""
    carry_over(last=last, following=following)
    if following.paused_at is not None:
        following.paused_at = None
        following.save(update_fields=["paused_at"])
    if not with_samples:
        Entry.objects.filter(ladder=following, version__bot__owner__is_house=True).delete()
    take_off_strangers(ladder=following)


def _list_samples(ladder: Ladder) -> QuerySet[BotVersion]:
    """List the sample bots that play on the ladders of an edition, each in its newest version."""
    names = [name for name in list_samples(ladder.game) if is_on_ladder(name, ladder.edition)]
    return _list_newest_versions(Bot.objects.filter(owner__is_house=True, game=ladder.game, name__in=names))


def _list_newest_versions(bots: QuerySet[Bot]) -> QuerySet[BotVersion]:
    """List the newest accepted version of each of these bots, those on hold left out."""
    accepted = BotVersion.objects.accepted().filter(bot__in=bots, is_on_hold=False)
    newest = accepted.order_by().values("bot").annotate(newest=Max("pk")).values("newest")
    return BotVersion.objects.filter(pk__in=newest).select_related("bot__owner").order_by("pk")


def _check_organiser(ladder: Ladder, by: User) -> None:
    lock_organised_group(_get_group(ladder), by)


def _get_group(ladder: Ladder) -> Group:
    """Return the group whose ladder it is. Raises Conflict for a public one."""
    if ladder.group is None:
        raise Conflict(message(gettext_noop("%(ladder)s is no group's ladder."), ladder=str(ladder)))
    return ladder.group
