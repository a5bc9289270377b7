"""Read what bots are on ladders: their entries, who plays for them, and what they scored against each other."""

from collections.abc import Sequence

from django.db.models import Q, QuerySet

from arena.bots.models import Bot, BotVersion
from arena.ladders.models import Entry, PairStat, RatingChange


def list_active_entries(bots: Sequence[int]) -> QuerySet[Entry]:
    """List the entries that play for these bots on running ladders, best first."""
    entries = Entry.objects.active().filter(version__bot__in=bots, ladder__closed_at=None)
    entries = entries.select_related("version").order_by("-is_ranked", "-rating")
    return entries.only("rating", "deviation", "is_ranked", "version__bot")


def list_entries_of_bots(bots: Sequence[int]) -> QuerySet[Entry]:
    """List all entries of these bots, with version, bot and ladder."""
    entries = Entry.objects.filter(version__bot__in=bots).select_related("version__bot", "ladder")
    return entries.defer("version__build_log", "ladder__secret")


def list_current_entries(bot: Bot, versions: Sequence[BotVersion]) -> list[Entry]:
    """List what plays for a bot on running ladders or is suspended there, and what these versions were there."""
    entries = Entry.objects.filter(~Q(state=Entry.State.RETIRED) | Q(version__in=[one.pk for one in versions]))
    entries = entries.filter(version__bot=bot, ladder__closed_at=None).select_related("ladder", "version")
    return sorted(entries.defer("version__build_log", "ladder__secret"), key=lambda one: one.ladder.place)


def list_entries_of_version(version: BotVersion) -> list[Entry]:
    """List the entries of a version on running ladders, in the games' order."""
    entries = Entry.objects.filter(version=version, ladder__closed_at=None).select_related("ladder")
    found = sorted(entries.defer("ladder__secret").order_by(), key=lambda one: one.ladder.place)
    for entry in found:
        entry.version = version
    return found


def find_playing_number(bot: Bot) -> int | None:
    """Return the number of the newest version that plays for a bot on any ladder, or None."""
    playing = Entry.objects.active().filter(version__bot=bot, ladder__closed_at=None)
    return playing.order_by("-version__number").values_list("version__number", flat=True).first()


def find_playing_version(slug: str, edition: str) -> BotVersion | None:
    """Return the version that plays for a bot, on the ladder of this edition where it is on it, or None."""
    playing = Entry.objects.active().filter(version__bot__slug=slug, ladder__closed_at=None)
    playing = playing.select_related("version__bot")
    entry = playing.filter(ladder__edition=edition).first() or playing.first()
    return entry.version if entry else None


def list_pair_totals(entries: Sequence[int], others: Sequence[int]) -> QuerySet[PairStat]:
    """List what these entries scored against those in rated matches."""
    met = Q(low__in=entries, high__in=others) | Q(low__in=others, high__in=entries)
    return PairStat.objects.filter(met, matches__gt=0)


def list_recent_rated_matches(entry: Entry, limit: int) -> list[int]:
    """Return the keys of an entry's newest rated matches, newest first."""
    changes = RatingChange.objects.filter(entry=entry, ladder_match__void_sequence=None).order_by("-pk")
    return list(changes.values_list("ladder_match__match", flat=True)[:limit])
