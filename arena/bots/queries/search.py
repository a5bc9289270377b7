"""Search the bots, as the list of all bots does."""

from collections.abc import Sequence

from django.db.models import Exists, OuterRef, QuerySet

from arena.accounts.models import User
from arena.bots.models import Bot, BotVersion
from arena.bots.queries.bots import list_newest_versions


def search_bots(
    reader: User | None, *, words: str = "", game: str = "", language: str = "", own: bool = False
) -> QuerySet[Bot]:
    """List the bots that a reader may see: by a part of the name, game and language of any version, or one's own."""
    found = Bot.objects.visible_to(reader)
    if own and reader is not None:
        found = found.of(reader)
    if words:
        found = found.called(words)
    if game:
        found = found.filter(game=game)
    if language:
        found = found.filter(Exists(BotVersion.objects.filter(bot=OuterRef("pk"), language=language)))
    return found


def fetch_listed_bots(keys: Sequence[int]) -> list[Bot]:
    """Return the bots with these keys in this order, each with owner, group and `latest_version`."""
    bots = {bot.pk: bot for bot in Bot.objects.filter(pk__in=keys).select_related("owner", "group").order_by()}
    latest = {version.bot_id: version for version in list_newest_versions(keys)}
    for bot in bots.values():
        bot.latest_version = latest.get(bot.pk)
    return [bots[key] for key in keys]
