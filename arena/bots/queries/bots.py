"""Find and list bots."""

from collections.abc import Sequence

from django.contrib.auth.models import AnonymousUser
from django.db.models import OuterRef, QuerySet, Subquery
from django.utils.text import slugify

from arena.accounts.models import User
from arena.bots.models import Bot, BotVersion
from arena.groups.models import Group
from engine.registry import GAMES


def find_bot(slug: str) -> Bot | None:
    """Return the bot with its owner, or None: for staff and for what has no reader."""
    return Bot.objects.filter(slug=slug).select_related("owner").first()


def find_visible_bot(reader: User | AnonymousUser | None, slug: str) -> Bot | None:
    """Return the bot with its owner if the reader may see it, or None."""
    return Bot.objects.visible_to(reader).filter(slug=slug).select_related("owner").first()


def find_typed_bot(reader: User | AnonymousUser | None, game: str, typed: str) -> Bot | None:
    """Return the bot of a game that the reader may see by what was typed: its name, or its page's address or slug."""
    text = typed.strip()
    slug = text.partition("/bots/")[2].partition("/")[0] if "/bots/" in text else text
    bots = Bot.objects.visible_to(reader).filter(game=game).select_related("owner")
    return bots.filter(slug=slugify(slug)).first() or bots.filter(name__iexact=text).first()


def is_game_known(key: str) -> bool:
    """Return whether a game is installed, or has bots from when it was."""
    return key in GAMES or (key != "" and Bot.objects.filter(game=key).exists())


def list_bots(
    reader: User | AnonymousUser | None, *, game: str = "", author: str = "", search: str = ""
) -> QuerySet[Bot]:
    """List the bots that a reader may see with owners: of a game, of an author, with some words in their names."""
    bots = Bot.objects.visible_to(reader)
    bots = bots.called(search) if search else bots
    bots = bots.filter(game=game) if game else bots
    if author:
        bots = bots.of_authors(list(User.objects.filter(username=author)))
    return bots.select_related("owner")


def list_bots_of_group(group: Group) -> QuerySet[Bot]:
    """List the bots that are for a group only, with their owners, by name."""
    return Bot.objects.filter(group=group).select_related("owner").order_by("name_upper")


def fetch_names_of_others(owner: User) -> list[str]:
    """Return the names of all bots of other owners."""
    return list(Bot.objects.exclude(owner=owner).order_by().values_list("name", flat=True))


def list_own_bots(user: User, only_bot: int | None = None) -> QuerySet[Bot]:
    """List the bots that a user leads or works on, or only one of them."""
    bots = Bot.objects.of_authors([user])
    return bots if only_bot is None else bots.filter(pk=only_bot)


def list_newest_versions(bots: Sequence[int]) -> QuerySet[BotVersion]:
    """List the newest version of each of these bots: number, state and language."""
    newest = BotVersion.objects.filter(bot=OuterRef("bot")).order_by("-number").values("number")[:1]
    versions = BotVersion.objects.filter(bot__in=bots, number=Subquery(newest)).order_by()
    return versions.only("bot", "number", "state", "language")
