"""Read who may play on the ladders of a group, who does, and the newest matches there."""

from collections.abc import Sequence

from django.db.models import F, Q, QuerySet

from arena.accounts.models import User
from arena.bots.models import Bot, BotQuerySet
from arena.groups.models import Membership
from arena.groups.queries.groups import list_groups
from arena.ladders.models import Entry, Ladder, LadderQuerySet
from arena.ladders.queries.pair_stats import list_pair_stats_between
from arena.matches.models import Match


def list_admitted_bots(ladder: Ladder) -> BotQuerySet:
    """List the bots that may play on a group's ladder: of its members and of the house, public or for the group."""
    members = Membership.objects.filter(group=ladder.group_id).values("user")
    by_whom = Q(owner__in=members) | Q(owner__is_house=True)
    return Bot.objects.filter(by_whom, Q(group=None) | Q(group=ladder.group_id), game=ladder.game)


def list_ladders_of_bot(bot: Bot) -> LadderQuerySet:
    """List the running ladders on which new versions of a bot play by themselves.

    A bot for a group plays on all ladders of the group; a public one on all public ladders, and on those of groups on
    which one of its authors has entered it.
    """
    running = Ladder.objects.open().filter(game=bot.game).order_by(F("group").asc(nulls_first=True), "pk")
    if bot.group_id is not None:
        return running.filter(group=bot.group_id)
    in_play = Entry.objects.exclude(state=Entry.State.RETIRED).filter(version__bot=bot)
    return running.filter(Q(group=None) | Q(pk__in=in_play.values("ladder")))


def list_bots_to_enter(ladder: Ladder, author: User) -> QuerySet[Bot]:
    """List the bots of an author that may play on a group's ladder and don't, by name."""
    playing = Entry.objects.active().filter(ladder=ladder)
    free = list_admitted_bots(ladder).of_authors([author]).exclude(versions__entries__in=playing)
    return free.filter(stopped_at=None).order_by("name_upper")


def list_public_bots_on(ladder: Ladder, author: User | None = None) -> QuerySet[Bot]:
    """List the public bots of members, or of an author, that are in play on a group's ladder, by name."""
    in_play = Entry.objects.exclude(state=Entry.State.RETIRED).filter(ladder=ladder)
    bots = Bot.objects.filter(group=None, owner__is_house=False, versions__entries__in=in_play).distinct()
    return (bots if author is None else bots.of_authors([author])).order_by("name_upper")


def list_running_ladders_for(bot: Bot, author: User) -> list[tuple[Ladder, bool]]:
    """List the running ladders of an author's groups that a bot may play on, each with whether it is in play there."""
    ladders = Ladder.objects.open().filter(game=bot.game, group__in=list_groups(author)).select_related("group")
    in_play = Entry.objects.exclude(state=Entry.State.RETIRED).filter(version__bot=bot)
    there = set(in_play.values_list("ladder", flat=True))
    admitted = [one for one in ladders.defer("secret") if list_admitted_bots(one).filter(pk=bot.pk).exists()]
    return [(one, one.pk in there) for one in sorted(admitted, key=lambda one: (str(one.group), one.place))]


def list_newest_matches(ladder: Ladder, limit: int) -> QuerySet[Match]:
    """List the newest matches of a ladder that are over, newest first."""
    return Match.objects.over().lean().filter(ladder_match__ladder=ladder).order_by("-pk")[:limit]


def count_open_matches(ladder: Ladder) -> int:
    """Count the matches of a ladder that wait or are being played."""
    unfinished = [Match.State.QUEUED, Match.State.RUNNING]
    return Match.objects.filter(ladder_match__ladder=ladder, state__in=unfinished).count()


def fetch_pair_results(entries: Sequence[int]) -> dict[tuple[int, int], tuple[float, int]]:
    """Return the points and the number of rated matches of one of these entries against another, by both."""
    found: dict[tuple[int, int], tuple[float, int]] = {}
    for stat in list_pair_stats_between(entries, entries):
        points = stat.halves / (2 * stat.seats)
        for pair, share in (
            ((stat.low_id, stat.high_id), points),
            ((stat.high_id, stat.low_id), stat.matches - points),
        ):
            before = found.get(pair, (0.0, 0))
            found[pair] = (before[0] + share, before[1] + stat.matches)
    return found
