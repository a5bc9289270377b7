"""What authors and the house do with bots."""

import hashlib

from django.db import transaction
from django.db.models import Max
from django.utils.text import slugify

from arena.accounts.models import User
from arena.bots import archive
from arena.bots.models import Bot, BotVersion
from arena.errors import ArenaError, Conflict, NotYours
from engine.registry import GAMES

MAX_NAME = 40


class BadName(ArenaError):
    """A bot can't be called that."""


@transaction.atomic
def create_bot(*, owner: User, name: str, game: str, slug: str = "") -> Bot:
    """A bot without any version, at the slug of its name unless another is given. Raises BadName or Conflict."""
    name = " ".join(name.split())
    slug = slug or slugify(name)
    if not slug or len(name) > MAX_NAME or not name.isprintable():
        raise BadName(f"A bot's name has letters or digits in it, and {MAX_NAME} characters at most.")
    if game not in GAMES:
        raise ArenaError(f"There is no game {game!r} here.")
    bot, is_new = Bot.objects.get_or_create(slug=slug, defaults={"owner": owner, "name": name, "game": game})
    if not is_new:
        raise Conflict(f"There is a bot called {bot.name} already: choose another name.")
    return bot


def submit_version(*, owner: User, bot: Bot, filename: str, content: bytes) -> BotVersion:
    """The next version of a bot from an upload; it waits for its trial. Raises BadArchive or NotYours.

    Nobody needs to read more of an upload than `archive.MAX_UPLOAD + 1` bytes before handing it in.
    """
    if bot.owner_id != owner.pk:
        raise NotYours(f"{bot.name} belongs to somebody else.")
    return add_version(bot=bot, files=archive.read_upload(filename, content), state=BotVersion.State.CHECKING)


@transaction.atomic
def add_version(*, bot: Bot, files: dict[str, bytes], state: BotVersion.State) -> BotVersion:
    Bot.objects.select_for_update().get(pk=bot.pk)
    source = archive.pack(files)
    latest = bot.versions.aggregate(number=Max("number"))["number"] or 0
    return BotVersion.objects.create(
        bot=bot,
        number=latest + 1,
        source=source,
        sha256=hashlib.sha256(source).hexdigest(),
        size=sum(len(content) for content in files.values()),
        state=state,
    )


def judge_version(*, version: BotVersion, fault: str | None) -> bool:
    """End the check of a version: rejected for a fault, accepted without one. False where it was judged before."""
    state = BotVersion.State.ACCEPTED if fault is None else BotVersion.State.REJECTED
    waiting = BotVersion.objects.checking().filter(pk=version.pk)
    return waiting.update(state=state, state_reason=fault or "") == 1
