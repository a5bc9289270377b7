"""Find versions of bots, with what names them: bot and owner."""

from django.contrib.auth.models import AnonymousUser
from django.db.models import QuerySet

from arena.accounts.models import User
from arena.bots.models import Bot, BotVersion

Reader = User | AnonymousUser | None


def list_named_versions() -> QuerySet[BotVersion]:
    """List all versions with bot and owner, without build logs."""
    return BotVersion.objects.select_related("bot__owner").defer("build_log")


def find_version(reader: Reader, slug: str, number: int) -> BotVersion | None:
    """Return that version of a bot that the reader may see, or None."""
    return list_visible_versions(reader).filter(bot__slug=slug, number=number).first()


def list_visible_versions(reader: Reader) -> QuerySet[BotVersion]:
    """List the versions of the bots that a reader may see, as `list_named_versions`."""
    return list_named_versions().filter(bot__in=Bot.objects.visible_to(reader))


def list_versions(bot: Bot) -> list[BotVersion]:
    """List the versions of a bot, newest first, without build logs; of several authors with who uploaded each."""
    found = BotVersion.objects.filter(bot=bot).defer("build_log").order_by("-number")
    versions = list(found.select_related("uploaded_by") if bot.co_authors else found)
    for version in versions:
        version.bot = bot
    return versions


def has_version(slug: str, number: int) -> bool:
    """Return whether a bot has a version of this number."""
    return BotVersion.objects.filter(bot__slug=slug, number=number).exists()


def find_previous_version(version: BotVersion) -> BotVersion | None:
    """Return the version before this one with its source, or None."""
    older = version.bot.versions.filter(number__lt=version.number).select_related("source")
    return older.order_by("-number").first()


def find_latest_number(bot: Bot) -> int:
    """Return the number of the latest version of a bot; 0 where it has none."""
    return bot.versions.order_by("-number").values_list("number", flat=True).first() or 0


def list_comparable_versions(version: BotVersion, reader: User) -> QuerySet[BotVersion]:
    """List the reader's other accepted versions for the same game, newest numbers first, without equal files."""
    own = Bot.objects.of_authors([reader])
    accepted = BotVersion.objects.accepted().filter(bot__in=own, bot__game=version.bot.game)
    accepted = accepted.exclude(source=version.source_id).select_related("bot").defer("build_log")
    return accepted.order_by("-number")


def find_newest_accepted_version(reader: Reader, slug: str) -> BotVersion | None:
    """Return the newest accepted version of a bot that the reader may see, or None."""
    accepted = list_visible_versions(reader).filter(bot__slug=slug, state=BotVersion.State.ACCEPTED)
    return accepted.order_by("-number").first()
