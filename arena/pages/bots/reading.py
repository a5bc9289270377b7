"""What all pages about a bot read of it: the bot, its versions, and how their legs ended."""

from collections.abc import Iterable, Sequence

from django.db.models import QuerySet
from django.http import Http404

from arena.baked import baked
from arena.bots.lookups import ask_bot
from arena.bots.models import Bot, BotVersion
from arena.matches.models import Match, VerdictCount


def find_bot(slug: str) -> Bot:
    """With its owner. Raises Http404."""
    found = ask_bot(slug)
    if not found:
        raise Http404
    return found[0]


def list_versions(bot: Bot) -> list[BotVersion]:
    """Newest first, with `verdicts`."""
    versions = with_verdicts(ask_versions(bot.pk))
    for version in versions:
        version.bot = bot
    return versions


@baked
def ask_versions(bot: int) -> QuerySet[BotVersion]:
    return BotVersion.objects.filter(bot=bot).defer("build_log").order_by("-number")


def with_verdicts(versions: Iterable[BotVersion]) -> list[BotVersion]:
    """Each with `verdicts`: of all its finished matches, how many legs ended by each verdict."""
    found = list(versions)
    by_pk: dict[int, dict[str, int]] = {version.pk: {} for version in found}
    for version, verdict, legs in ask_verdicts(list(by_pk)):
        by_pk[version][verdict] = legs
    for version in found:
        version.verdicts = by_pk[version.pk]
    return found


@baked
def ask_matches(matches: Sequence[int]) -> QuerySet[Match]:
    """Newest first."""
    return Match.objects.filter(pk__in=matches).lean().order_by("-pk")


@baked
def ask_verdicts(versions: Sequence[int]) -> QuerySet:
    return VerdictCount.objects.filter(version__in=versions).order_by("pk").values_list("version", "verdict", "legs")
