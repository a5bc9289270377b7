"""Create bots, submit and build versions, and end their trials."""

import hashlib
import zlib
from collections.abc import Mapping
from datetime import timedelta

from django.db import transaction
from django.db.models import Max
from django.utils.text import slugify
from django.utils.timezone import now

from arena.accounts.models import User
from arena.accounts.names import BadName, check_name
from arena.accounts.suspension import check_not_suspended
from arena.bots import archive, quotas
from arena.bots.closing import check_uploads_open
from arena.bots.crests import choose_crest_difference, find_crest
from arena.bots.group_only import check_membership
from arena.bots.models import Blob, Bot, BotVersion, Submission
from arena.bots.stopping import check_plays
from arena.bots.teams import check_author
from arena.errors import ArenaError, Conflict
from arena.groups.models import Group
from arena.runner.languages import find_language
from arena.runner.program import Program
from arena.times import is_past
from engine.message import Message, gettext_noop, message
from engine.registry import GAMES

MAX_BOT_NAME_LENGTH = 40
BUILD_REPUBLISH_DELAY = timedelta(seconds=60)
"""Building takes some 10 s, and a worker may have matches before it."""


class KeyReused(ArenaError):
    """The idempotency key of one upload was used for another."""

    status = 422


@transaction.atomic
def create_bot(*, owner: User, name: str, game: str, slug: str = "", group: Group | None = None) -> Bot:
    """Create a bot without any version, at the slug of its name unless another is given; for a group only with `group`.

    Raises BadName, Conflict, QuotaSpent, UploadsClosed or AuthorSuspended.
    """
    name, slug = check_bot_name(name, owner, slug)
    if game not in GAMES:
        raise ArenaError(message(gettext_noop("There is no game %(game)s here."), game=repr(game)))
    if not _lock_uploader(owner).is_house:
        quotas.check_bot_quota(owner)
    others = Bot.objects.filter(game=game).values_list("slug", "crest_difference")
    difference = choose_crest_difference(slug, {find_crest(*other) for other in others})
    if group is not None:
        check_membership(owner, group)
    fields = {"owner": owner, "name": name, "game": game, "crest_difference": difference, "group": group}
    bot, is_new = Bot.objects.get_or_create(slug=slug, defaults=fields)
    if not is_new:
        raise Conflict(
            message(gettext_noop("There is a bot called %(name)s already: choose another name."), name=bot.name)
        )
    return bot


def check_bot_name(name: str, owner: User, slug: str = "") -> tuple[str, str]:
    """Return the name as it is stored, and its slug unless another is given. Raises BadName."""
    name = check_name(name, is_reserved_allowed=owner.is_house)
    slug = slug or slugify(name)
    check_name(slug, is_reserved_allowed=owner.is_house)
    if not slug or len(name) > MAX_BOT_NAME_LENGTH:
        problem = gettext_noop("A bot's name has letters or digits in it, and %(most)s characters at most.")
        raise BadName(message(problem, most=MAX_BOT_NAME_LENGTH))
    return name, slug


@transaction.atomic
def submit_version(
    *, owner: User, bot: Bot, files: Mapping[str, bytes], hold: bool = False, key: str = ""
) -> tuple[BotVersion, bool]:
    """Add the next version of a bot and return it with True; or return the one that has these files with False.

    `files` are as `archive.read_upload` returns them. A new version waits to be built where its language needs that,
    else for its trial; with `hold` it enters no ladder by itself. What is sent again under the same `key` leads to the
    same version, with False. `owner` may be any author of the bot; the upload counts for its lead. Raises NotYours,
    BotStopped, QuotaSpent, KeyReused, UploadsClosed or AuthorSuspended.
    """
    check_author(bot, owner)
    lead = _lock_uploader(bot.owner, owner)
    check_plays(bot)
    source = archive.hash_zip(archive.pack_files(files))
    fingerprint = hashlib.sha256(f"{bot.pk} {source} {hold}".encode()).hexdigest()
    if key and (sent := Submission.objects.filter(owner=owner, key=key).select_related("version__bot").first()):
        if sent.fingerprint != fingerprint:
            problem = gettext_noop("Something else was sent under the key %(key)s: a new upload needs a new key.")
            raise KeyReused(message(problem, key=key))
        return sent.version, False
    known = bot.versions.filter(source=source).order_by("number").last()
    version = known or _add_submitted_version(lead, owner, bot, files, hold)
    if key:
        Submission.objects.create(owner=owner, key=key, fingerprint=fingerprint, version=version)
    return version, known is None


def _add_submitted_version(lead: User, by: User, bot: Bot, files: Mapping[str, bytes], hold: bool) -> BotVersion:
    quotas.check_daily_version_quota(lead, uploader=by)
    state = BotVersion.State.BUILDING if find_language(files).artefact else BotVersion.State.ON_TRIAL
    version = add_version(bot=bot, files=files, state=state, hold=hold, uploaded_by=by)
    quotas.check_storage_quota(lead, uploader=by)
    return version


@transaction.atomic
def add_version(
    *,
    bot: Bot,
    files: Mapping[str, bytes],
    state: BotVersion.State,
    hold: bool = False,
    uploaded_by: User | None = None,
) -> BotVersion:
    """Add the next version of a bot, without regard to quotas."""
    Bot.objects.select_for_update().get(pk=bot.pk)
    latest = bot.versions.aggregate(number=Max("number"))["number"] or 0
    return BotVersion.objects.create(
        bot=bot,
        number=latest + 1,
        language=find_language(files).key,
        source=store_files(files),
        size=sum(len(content) for content in files.values()),
        state=state,
        is_on_hold=hold,
        uploaded_by=uploaded_by or bot.owner,
    )


def store_files(files: Mapping[str, bytes]) -> Blob:
    """Store files, unless they are stored already. Call it in the transaction that lets a version have them.

    Until then they are locked: the cleaning-up leaves them where they are, though no version has them yet.
    """
    zipped = archive.pack_files(files)
    content = zlib.compress(zipped)
    blob, _ = Blob.objects.select_for_update(no_key=True).get_or_create(
        sha256=archive.hash_zip(zipped), defaults={"content": content, "size": len(content)}
    )
    return blob


@transaction.atomic
def store_build(*, version: BotVersion, program: Program, log: str) -> bool:
    """Store what a version is run as; it waits for its trial then. Return False if it wasn't waiting to be built."""
    waiting = BotVersion.objects.building().filter(pk=version.pk)
    if not waiting.exists():
        return False
    binary = store_files(program.files)
    return waiting.update(state=BotVersion.State.ON_TRIAL, binary=binary, build_log=_strip_nul_characters(log)) == 1


def reject_build(*, version: BotVersion, detail: Message, log: str) -> bool:
    """Reject a version whose source can't be built. Return False if it isn't waiting to be built.

    Only its owner may read the detail and the compiler's log.
    """
    waiting = BotVersion.objects.building().filter(pk=version.pk)
    reason = message(gettext_noop("It could not be built."))
    state = {"state": BotVersion.State.REJECTED, "state_reason": reason, "state_detail": detail}
    return waiting.update(**state, build_log=_strip_nul_characters(log)) == 1


@transaction.atomic
def claim_stale_builds() -> list[int]:
    """Return the versions whose building is to be published again, and count it as published now."""
    waiting = BotVersion.objects.building().may_go_on()
    stale = waiting.filter(is_past("build_published_at", BUILD_REPUBLISH_DELAY))
    found = list(stale.values_list("pk", flat=True))
    BotVersion.objects.filter(pk__in=found).update(build_published_at=now())
    return found


def record_trial_result(*, version: BotVersion, fault: Message | None, detail: Message | None = None) -> bool:
    """End a version's trial: rejected for a fault, accepted without one. Return False if it had ended before.

    Everybody may read the fault, only the version's owner the detail.
    """
    state = BotVersion.State.ACCEPTED if fault is None else BotVersion.State.REJECTED
    waiting = BotVersion.objects.on_trial().filter(pk=version.pk)
    return waiting.update(state=state, state_reason=fault, state_detail=detail) == 1


def _lock_uploader(owner: User, by: User | None = None) -> User:
    """Lock the owner: two uploads at once could both be the last one that a quota allows.

    Raises UploadsClosed or AuthorSuspended, also where it is another author who uploads and is suspended.
    """
    owner = User.objects.select_for_update().get(pk=owner.pk)
    check_not_suspended(owner, reader=by)
    if by is not None and by.pk != owner.pk:
        check_not_suspended(User.objects.get(pk=by.pk))
    if not owner.is_house:
        check_uploads_open()
    return owner


def _strip_nul_characters(log: str) -> str:
    """Return a log as a database can store it, without NUL."""
    return log.replace("\0", "\N{REPLACEMENT CHARACTER}")
