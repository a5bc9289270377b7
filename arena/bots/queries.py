"""Find and list bots, their authors and their versions."""

from collections.abc import Collection, Iterable, Sequence

from django.contrib.auth.models import AnonymousUser
from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery

from arena.bots.models import Bot, BotVersion
from arena.bots.running import LEVEL_NUMBERS_BY_NAME, STRONGEST_SAMPLE
from arena.people.accounts.models import User
from arena.people.accounts.names import make_slug
from arena.people.groups.models import Group
from engine.registry import GAMES

# Find and list bots.


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
    return pick_called(Bot.objects.visible_to(reader).filter(game=game), slug)


def pick_called(bots: QuerySet[Bot], typed: str) -> Bot | None:
    """Return with its owner the one of these bots that has this slug, else this name, else a slug that is like it."""
    found = bots.filter(Q(slug=typed) | Q(name__iexact=typed) | Q(slug=make_slug(typed))).select_related("owner")
    return min(found, key=lambda bot: (bot.slug != typed, bot.name.casefold() != typed.casefold()), default=None)


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


def list_bots_with_files(owner: User) -> list[str]:
    """Return the slugs of the bots that a user leads and of which some files are left."""
    kept = BotVersion.objects.filter(bot__owner=owner).exclude(source=None)
    return list(kept.order_by("bot__slug").values_list("bot__slug", flat=True).distinct())


def list_newest_versions(bots: Sequence[int]) -> QuerySet[BotVersion]:
    """List the newest version of each of these bots: number, state, language, and what it is declared to run on."""
    newest = BotVersion.objects.filter(bot=OuterRef("bot")).order_by("-number").values("number")[:1]
    versions = BotVersion.objects.filter(bot__in=bots, number=Subquery(newest)).order_by()
    return versions.only("bot", "number", "state", "language", "declared")


# List the bots and versions of an author.

Reader = User | AnonymousUser | None


def list_bots_of_author(reader: Reader, author: User, limit: int) -> QuerySet[Bot]:
    """List the bots of an author that the reader may see."""
    return Bot.objects.visible_to(reader).of_authors([author])[:limit]


def list_version_ids_of_author(reader: Reader, author: User) -> list[int]:
    """Return the ids of all versions of an author's bots that the reader may see."""
    shown = Bot.objects.visible_to(reader).of_authors([author])
    return list(BotVersion.objects.filter(bot__in=shown).order_by().values_list("pk", flat=True))


def list_accepted_versions(owner: User, game: str, limit: int) -> QuerySet[BotVersion]:
    """List the newest accepted versions of a user's bots for a game that workers run, by name and number."""
    bots = Bot.objects.of_authors([owner])
    own = BotVersion.objects.accepted().sandboxed().filter(bot__in=bots, bot__game=game).select_related("bot")
    return own.only("number", "bot__name").order_by("-pk")[:limit]


def find_own_accepted_version(owner: User, pk: int) -> BotVersion:
    """Return an accepted version of one of the owner's bots. Raises BotVersion.DoesNotExist."""
    own = BotVersion.objects.accepted().filter(bot__in=Bot.objects.of_authors([owner]))
    return own.select_related("bot__owner").get(pk=pk)


# Search the bots, as the list of all bots does.


def search_bots(
    reader: User | None, *, words: str = "", game: str = "", language: str = "", own: bool = False
) -> QuerySet[Bot]:
    """List the bots that a reader may see: by a part of the name, game and language of any version, or one's own.

    Levels of the strongest sample stand with it, and are listed where only they are called so.
    """
    found = Bot.objects.visible_to(reader)
    if words.lower() in STRONGEST_SAMPLE:
        found = found.exclude(owner__is_house=True, name__in=LEVEL_NUMBERS_BY_NAME)
    if own and reader is not None:
        found = found.of(reader)
    if words:
        found = found.called(words)
    if game:
        found = found.filter(game=game)
    if language:
        found = found.filter(Exists(BotVersion.objects.filter(bot=OuterRef("pk"), language=language)))
    return found


def list_levels_of(bots: Iterable[Bot]) -> QuerySet[Bot]:
    """List the weaker levels of the strongest sample by name where it is among these bots, otherwise none."""
    if not any(bot.owner.is_house and bot.name == STRONGEST_SAMPLE for bot in bots):
        return Bot.objects.none()
    return Bot.objects.filter(owner__is_house=True, name__in=LEVEL_NUMBERS_BY_NAME).order_by("name")


def fetch_listed_bots(keys: Sequence[int]) -> list[Bot]:
    """Return the bots with these keys in this order, each with owner, group and `latest_version`."""
    bots = {bot.pk: bot for bot in Bot.objects.filter(pk__in=keys).select_related("owner", "group").order_by()}
    latest = {version.bot_id: version for version in list_newest_versions(keys)}
    for bot in bots.values():
        bot.latest_version = latest.get(bot.pk)
    return [bots[key] for key in keys]


def fetch_bots(keys: Collection[int]) -> dict[int, Bot]:
    """Return those of these bots that there are, by key, each with its owner."""
    return Bot.objects.filter(pk__in=keys).select_related("owner").order_by().in_bulk()


# Find versions of bots, with what names them: bot and owner.


def list_named_versions() -> QuerySet[BotVersion]:
    """List all versions with bot and owner, without build logs."""
    return BotVersion.objects.select_related("bot__owner").defer("build_log")


def find_version(reader: Reader, slug: str, number: int) -> BotVersion | None:
    """Return that version of a bot that the reader may see, or None."""
    return list_visible_versions(reader).filter(bot__slug=slug, number=number).first()


def list_visible_versions(reader: Reader) -> QuerySet[BotVersion]:
    """List the versions of the bots that a reader may see, as `list_named_versions`."""
    return list_named_versions().filter(bot__in=Bot.objects.visible_to(reader))


def find_version_of(bot: Bot, number: int) -> BotVersion:
    """Return a version of a bot by its number. Raise BotVersion.DoesNotExist."""
    return bot.versions.get(number=number)


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
    accepted = BotVersion.objects.accepted().sandboxed().filter(bot__in=own, bot__game=version.bot.game)
    accepted = accepted.exclude(source=version.source_id).select_related("bot").defer("build_log")
    return accepted.order_by("-number")


def find_newest_accepted_version(reader: Reader, slug: str) -> BotVersion | None:
    """Return the newest accepted version of a bot that the reader may see, or None."""
    accepted = list_visible_versions(reader).filter(bot__slug=slug, state=BotVersion.State.ACCEPTED)
    return accepted.order_by("-number").first()
