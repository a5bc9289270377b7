"""List the bots and versions of an author."""

from django.contrib.auth.models import AnonymousUser
from django.db.models import QuerySet

from arena.accounts.models import User
from arena.bots.models import Bot, BotVersion

Reader = User | AnonymousUser | None


def list_bots_of_author(reader: Reader, author: User, limit: int) -> QuerySet[Bot]:
    """List the bots of an author that the reader may see."""
    return Bot.objects.visible_to(reader).of_authors([author])[:limit]


def list_version_ids_of_author(reader: Reader, author: User) -> list[int]:
    """Return the ids of all versions of an author's bots that the reader may see."""
    shown = Bot.objects.visible_to(reader).of_authors([author])
    return list(BotVersion.objects.filter(bot__in=shown).order_by().values_list("pk", flat=True))


def list_accepted_versions(owner: User, game: str, limit: int) -> QuerySet[BotVersion]:
    """List the newest accepted versions of a user's bots for a game, by name and number."""
    bots = Bot.objects.of_authors([owner])
    own = BotVersion.objects.accepted().filter(bot__in=bots, bot__game=game).select_related("bot")
    return own.only("number", "bot__name").order_by("-pk")[:limit]


def find_own_accepted_version(owner: User, pk: int) -> BotVersion:
    """Return an accepted version of one of the owner's bots. Raises BotVersion.DoesNotExist."""
    own = BotVersion.objects.accepted().filter(bot__in=Bot.objects.of_authors([owner]))
    return own.select_related("bot__owner").get(pk=pk)
