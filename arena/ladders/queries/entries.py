"""Read the entries of bots on ladders, and which version plays for a bot.

Each reader finds what `EntryQuerySet.shown_to` says; what names opponents for anybody reads public ladders alone.
"""

from collections.abc import Sequence

from django.db.models import Q, QuerySet

from arena.accounts.models import User
from arena.bots.models import Bot, BotVersion
from arena.groups.audience import Reader
from arena.ladders.models import Entry


def list_active_entries(reader: Reader, bots: Sequence[int]) -> QuerySet[Entry]:
    """List the entries that play for these bots on running ladders, with version and ladder, best first."""
    entries = Entry.objects.active().shown_to(reader).filter(version__bot__in=bots, ladder__closed_at=None)
    entries = entries.select_related("version", "ladder__group").order_by("-is_ranked", "-rating")
    own = ("rating", "deviation", "is_ranked", "rank_low", "rank_high", "version__bot", "ladder__group__slug")
    return entries.only(*own, "ladder__game", "ladder__edition", "ladder__title", "ladder__season", "ladder__closed_at")


def list_entries_of_bots(reader: Reader, bots: Sequence[int]) -> QuerySet[Entry]:
    """List all entries of these bots, with version, bot and ladder."""
    entries = Entry.objects.shown_to(reader).filter(version__bot__in=bots)
    entries = entries.select_related("version__bot", "ladder")
    return entries.defer("version__build_log", "ladder__secret")


def list_entries_in_play(reader: Reader, bots: Sequence[int]) -> QuerySet[Entry]:
    """List the entries of these bots on running ladders, suspended or not."""
    entries = Entry.objects.shown_to(reader).filter(version__bot__in=bots, ladder__closed_at=None)
    entries = entries.exclude(state=Entry.State.RETIRED)
    entries = entries.select_related("ladder", "version").defer("ladder__secret", "version__build_log")
    return entries.order_by("version__number", "ladder")


def list_current_entries(reader: Reader, bot: Bot, versions: Sequence[BotVersion]) -> list[Entry]:
    """List what plays for a bot on running ladders or is suspended there, and what these versions were there."""
    entries = Entry.objects.shown_to(reader).filter(version__bot=bot, ladder__closed_at=None)
    entries = entries.filter(~Q(state=Entry.State.RETIRED) | Q(version__in=[one.pk for one in versions]))
    entries = entries.select_related("ladder__group", "version")
    return sorted(entries.defer("version__build_log", "ladder__secret"), key=lambda one: one.ladder.place)


def list_entries_of_version(reader: Reader, version: BotVersion) -> list[Entry]:
    """List the entries of a version on running ladders, in the games' order."""
    entries = Entry.objects.shown_to(reader).filter(version=version, ladder__closed_at=None)
    entries = entries.select_related("ladder__group")
    found = sorted(entries.defer("ladder__secret").order_by(), key=lambda one: one.ladder.place)
    for entry in found:
        entry.version = version
    return found


def list_entries_of_author(reader: Reader, author: User) -> list[Entry]:
    """Return what plays for an author on the running ladders, by game and edition."""
    playing = Entry.objects.active().shown_to(reader).filter(ladder__closed_at=None)
    entries = playing.filter(version__bot__in=Bot.objects.of_authors([author]))
    entries = entries.select_related("ladder__group", "version__bot").defer("version__build_log", "ladder__secret")
    return sorted(entries, key=lambda one: (one.ladder.game, one.ladder.place))


def fetch_entry_keys(reader: Reader, bot: Bot, **conditions: object) -> set[int]:
    """Return the keys of a bot's entries that meet the conditions."""
    return set(Entry.objects.shown_to(reader).filter(version__bot=bot, **conditions).values_list("pk", flat=True))


def find_playing_version_number(reader: Reader, bot: Bot) -> int | None:
    """Return the number of the newest version that plays for a bot on any ladder, or None."""
    playing = Entry.objects.active().shown_to(reader).filter(version__bot=bot, ladder__closed_at=None)
    return playing.order_by("-version__number").values_list("version__number", flat=True).first()


def find_playing_version(slug: str, edition: str) -> BotVersion | None:
    """Return the version that plays for a bot on the edition's public ladder, else on another; None if none does."""
    entries = Entry.objects.active().public().filter(version__bot__slug=slug, ladder__closed_at=None).order_by("pk")
    playing = list(entries.select_related("ladder", "version__bot").defer("ladder__secret", "version__build_log"))
    here = [entry for entry in playing if entry.ladder.edition == edition]
    return (here or playing)[0].version if playing else None


def find_challenge_opponent(bot: Bot, edition: str, challenger: User) -> BotVersion | None:
    """Return the version that plays for a bot as `find_playing_version` does.

    A challenger's own bot that plays on no ladder is met in its newest accepted version. None if there is none.
    """
    playing = find_playing_version(bot.slug, edition)
    if playing is not None or not bot.has_author(challenger):
        return playing
    return bot.versions.select_related("bot").accepted().order_by("-number").first()


def fetch_ratings_of_versions(versions: Sequence[int], game: str, edition: str) -> dict[int, float]:
    """Return by version the rating on the running public ladder of an edition, for those that play there."""
    entries = Entry.objects.active().public().filter(version__in=versions, ladder__closed_at=None)
    found = entries.filter(ladder__game=game, ladder__edition=edition).order_by()
    return dict(found.values_list("version", "rating"))
