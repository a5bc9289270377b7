"""Stop bots and let them play again, rename them, remove their files, and say what of bots has expired."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet, Sum
from django.utils.timezone import now

from arena.bots.crests import choose_crest_difference, find_crest
from arena.bots.models import REMOTE_LANGUAGE, Blob, Bot, BotVersion, Submission, TeamMember, Token
from arena.bots.teams import REINVITATION_DELAY
from arena.core.database import Expired
from arena.core.errors import Conflict
from arena.people.accounts.models import User
from engine.message import Message, gettext_noop, message

# Mark a bot as stopped, by its owner or by staff, and as playing again. What lets bots play asks `check_plays`.

RETIRED_REASON = message(gettext_noop("The bot's owner retired it."))
STOPPED_BY_STAFF_REASON = message(gettext_noop("The arena's staff stopped the bot."))


def check_stoppable(bot: Bot, *, by_staff: bool) -> None:
    """Raise Conflict for a bot that is stopped already. Staff may stop one that its owner has retired."""
    if bot.stopped_at is not None and (bot.is_stopped_by_staff or not by_staff):
        raise Conflict(message(gettext_noop("%(name)s is already stopped."), name=bot.name))


def check_stopped(bot: Bot, *, by_staff: bool) -> None:
    """Raise Conflict for a bot that plays, and where staff stopped it and its owner asks."""
    if bot.stopped_at is None:
        raise Conflict(message(gettext_noop("%(name)s isn't stopped."), name=bot.name))
    if bot.is_stopped_by_staff and not by_staff:
        problem = gettext_noop("The arena's staff stopped %(name)s. Ask them to bring it back.")
        raise Conflict(message(problem, name=bot.name))


@transaction.atomic
def mark_stopped(*, bot: Bot, by_staff: bool) -> Bot:
    """Mark a bot as stopped, and return it as it is now. Raises Conflict as `check_stoppable`."""
    bot = Bot.objects.select_for_update().get(pk=bot.pk)
    check_stoppable(bot, by_staff=by_staff)
    bot.stopped_at, bot.is_stopped_by_staff = bot.stopped_at or now(), by_staff
    bot.save(update_fields=["stopped_at", "is_stopped_by_staff"])
    return bot


@transaction.atomic
def mark_playing(*, bot: Bot, by_staff: bool) -> Bot:
    """Let a bot play again, and return it as it is now. Raises Conflict as `check_stopped`."""
    bot = Bot.objects.select_for_update().get(pk=bot.pk)
    check_stopped(bot, by_staff=by_staff)
    bot.stopped_at, bot.is_stopped_by_staff = None, False
    bot.save(update_fields=["stopped_at", "is_stopped_by_staff"])
    return bot


# Give a bot another name.


@transaction.atomic
def rename_bot(*, bot: Bot, name: str, slug: str = "") -> None:
    """Give a bot another name, by which it has another address and perhaps another crest; the slug must be free.

    Without a slug the name is one.
    """
    slug = slug or name
    others = Bot.objects.filter(game=bot.game).exclude(pk=bot.pk).values_list("slug", "crest_difference")
    bot.name, bot.slug = name, slug
    bot.crest_difference = choose_crest_difference(slug, {find_crest(*other) for other in others})
    bot.save(update_fields=["name", "slug", "crest_difference"])


def forget_style(*, bot: Bot) -> None:
    """Take away what its authors say of how a bot plays, and of what a remote one runs on."""
    bot.style = ""
    bot.save(update_fields=["style"])
    bot.versions.update(declared="")


# Remove the files of versions for good. What they played stays, and so do the hashes of their sources.

FILES_REMOVED_REASON = message(gettext_noop("The arena's staff removed its files."))
AUTHOR_GONE_REASON = message(gettext_noop("The bot's author deleted their account and the bot's files."))


@dataclass(frozen=True, slots=True)
class RemovedFiles:
    """What was removed."""

    versions: int
    blobs: int
    size: int
    """Bytes that the blobs took."""


@transaction.atomic
def remove_files(*, versions: Collection[int], reason: Message = FILES_REMOVED_REASON) -> RemovedFiles:
    """Remove source, build and build log of these versions, and delete the blobs that no other version has.

    The versions are rejected, so that nothing plays them; what has none of its files any more is left as it is. Those
    of remote bots have no files, and are rejected alone.
    """
    kept = Q(source__isnull=False) | Q(language=REMOTE_LANGUAGE)
    rows = list(BotVersion.objects.select_for_update().filter(kept, pk__in=versions).order_by("pk"))
    blobs = {key for row in rows for key in (row.source_id, row.binary_id) if key is not None}
    for row in rows:
        row.removed_sha256, row.source, row.binary, row.build_log = row.sha256, None, None, ""
        row.state, row.state_reason, row.state_detail = BotVersion.State.REJECTED, reason, None
    fields = ["removed_sha256", "source", "binary", "build_log", "state", "state_reason", "state_detail"]
    BotVersion.objects.bulk_update(rows, fields)
    users = BotVersion.objects.filter(Q(source=OuterRef("pk")) | Q(binary=OuterRef("pk")))
    unused = Blob.objects.filter(~Exists(users), pk__in=blobs).defer("content")
    size = unused.aggregate(total=Sum("size"))["total"] or 0
    return RemovedFiles(len(rows), unused.delete()[1].get("bots.Blob", 0), size)


# Forget what only an author needs.


def forget_tokens_and_uploads(*, user: User) -> None:
    """Delete a user's tokens, the revoked ones included, and the keys that the user sent uploads under."""
    Token.objects.filter(owner=user).delete()
    Submission.objects.filter(owner=user).delete()


# Say which stored files no version refers to any more, and which refused invitations to teams no longer count.


def list_declined_invitations() -> Iterator[Expired]:
    """Yield the refused and withdrawn invitations to teams after which there may be others again."""
    declined = TeamMember.objects.filter(declined_at__lt=now() - REINVITATION_DELAY)
    yield Expired("refused invitations to teams", declined)


def list_orphan_files() -> Iterator[Expired]:
    """Yield the files that no version has as its source or its binary.

    An upload that is about to refer to such files holds them locked: see `store_files`.
    """
    versions = BotVersion.objects.filter(Q(source=OuterRef("pk")) | Q(binary=OuterRef("pk")))
    yield Expired("files of no version", Blob.objects.filter(~Exists(versions)), _remove_unlocked, F("size"))


def _remove_unlocked(rows: QuerySet[Blob]) -> None:
    """Delete the files that nobody is about to use. Whether a version has them is looked up once they are locked."""
    keys = [blob.pk for blob in rows.only("pk").select_for_update(skip_locked=True, of=("self",))]
    rows.filter(pk__in=keys).delete()
