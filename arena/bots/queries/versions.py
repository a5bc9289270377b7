"""Find versions of bots, with what names them: bot and owner."""

from django.db.models import QuerySet

from arena.bots.models import BotVersion


def list_named_versions() -> QuerySet[BotVersion]:
    """List all versions with bot and owner, without build logs."""
    return BotVersion.objects.select_related("bot__owner").defer("build_log")


def find_version(slug: str, number: int) -> BotVersion | None:
    """Return that version of a bot, or None."""
    return list_named_versions().filter(bot__slug=slug, number=number).first()


def find_newest_accepted_version(slug: str) -> BotVersion | None:
    """Return the newest accepted version of a bot, or None."""
    accepted = list_named_versions().filter(bot__slug=slug, state=BotVersion.State.ACCEPTED)
    return accepted.order_by("-number").first()
