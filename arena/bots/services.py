"""Create bots, submit and build versions, and say who may meet them."""

import hashlib
from collections.abc import Mapping
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F, Max
from django.utils.timezone import now

from arena.bots import teams
from arena.bots.crests import choose_crest_difference, find_crest
from arena.bots.models import (
    REMOTE_LANGUAGE,
    Blob,
    Bot,
    BotVersion,
    RunsElsewhere,
    Submission,
    UploadClosure,
)
from arena.bots.running import WorkerCapabilities
from arena.bots.teams import check_author, check_membership
from arena.core.errors import ArenaError, Conflict
from arena.core.wake import Work, wake
from arena.people.accounts.models import User
from arena.people.accounts.names import (
    RESERVED,
    RESERVED_NAMES,
    BadName,
    check_name,
    find_free_slug,
    find_lookalikes,
    make_slug,
)
from arena.people.accounts.services import AuthorSuspended, check_not_suspended
from arena.people.groups.models import Group
from arena.runner import archive
from arena.runner.program import Program
from engine.message import Message, gettext_noop, message
from engine.registry import GAMES

# Close the uploads of the whole site, and open them again.


class UploadsClosed(ArenaError):
    """Staff has closed uploads."""

    status = 403


def are_uploads_closed() -> bool:
    """Return whether nobody may upload now."""
    return UploadClosure.objects.exists()


def check_uploads_open() -> None:
    """Raise UploadsClosed while uploads are closed."""
    if are_uploads_closed():
        problem = gettext_noop("The arena's staff have closed uploads for now. Bots keep playing; try again later.")
        raise UploadsClosed(message(problem))


def check_may_upload(lead: User, by: User, bot: Bot | None = None) -> None:
    """Raise what keeps `by` from uploading now, a version of `bot` or a new one: it counts for `lead`.

    That is NotYours, AuthorSuspended where either of them is suspended, UploadsClosed but for the house, or BotStopped.
    What the quotas leave is another question: who sends the same files again needs none.
    """
    if bot is not None:
        check_author(bot, by)
    check_not_suspended(lead, reader=by)
    if by.pk != lead.pk:
        check_not_suspended(User.objects.get(pk=by.pk))
    if not lead.is_house:
        check_uploads_open()
    if bot is not None:
        check_not_stopped(bot)


def find_upload_refusal(user: User) -> Message | None:
    """Return why a user can't upload now, or None."""
    try:
        check_may_upload(user, user)
    except (AuthorSuspended, UploadsClosed) as error:
        return error.message
    return None


@transaction.atomic
def close_uploads() -> None:
    """Close uploads for everybody. Raises Conflict if they are closed."""
    check_closable()
    UploadClosure.objects.create()


@transaction.atomic
def open_uploads() -> None:
    """Open uploads again. Raises Conflict if they are open."""
    check_closed()
    UploadClosure.objects.all().delete()


def check_closable() -> None:
    """Raise Conflict if uploads are closed."""
    if are_uploads_closed():
        raise Conflict(message(gettext_noop("Uploads are already closed.")))


def check_closed() -> None:
    """Raise Conflict if uploads are open."""
    if not are_uploads_closed():
        raise Conflict(message(gettext_noop("Uploads are already open.")))


# Refuse what a stopped bot, or one of a suspended author, may not do (see `lifecycle.py`).


class BotStopped(Conflict):
    """The bot was retired by its owner or stopped by staff."""


def check_plays(bot: Bot, *, reader: User | None = None) -> None:
    """Raise BotStopped for a bot that is stopped, AuthorSuspended for one whose author is suspended.

    `reader` asks for it if somebody else than the owner does.
    """
    check_not_suspended(bot.owner, reader=reader)
    check_not_stopped(bot)


def check_not_stopped(bot: Bot) -> None:
    """Raise BotStopped for a bot that is stopped."""
    if bot.is_stopped_by_staff:
        raise BotStopped(message(gettext_noop("The arena's staff stopped %(name)s."), name=bot.name))
    if bot.stopped_at is not None:
        problem = gettext_noop("%(name)s is retired. Its owner can bring it back on its Manage page.")
        raise BotStopped(message(problem, name=bot.name))


def check_sandboxed(bot: Bot) -> None:
    """Raise RunsElsewhere for a remote bot, where a worker would have to run it."""
    if bot.is_remote:
        problem = gettext_noop(
            "%(name)s is a remote bot. Remote bots only play on open ladders and in tournaments that allow them."
        )
        raise RunsElsewhere(message(problem, name=bot.name))


# Create bots, submit and build versions, and end their trials.

MAX_BOT_NAME_LENGTH = 40
NAME_TAKEN = gettext_noop("A bot called %(name)s already exists. Choose another name.")
BUILD_LEASE = timedelta(seconds=45)
"""A worker renews its claim every few seconds while it builds a version."""
BUILD_PAUSES_S = (5, 15, 45, 120, 300, 600)
"""Seconds after which a build that the arena failed is tried again; the last pause is repeated."""


class KeyReused(ArenaError):
    """The idempotency key of one upload was used for another."""

    status = 422


@transaction.atomic
def create_bot(
    *, owner: User, name: str, game: str, slug: str = "", group: Group | None = None, is_remote: bool = False
) -> Bot:
    """Create a bot without any version, at an address by its name unless `slug` is given; for a group with `group`.

    Raises BadName, Conflict, QuotaSpent, UploadsClosed or AuthorSuspended.
    """
    name = check_bot_name(name, owner)
    if game not in GAMES:
        raise ArenaError(message(gettext_noop("This arena doesn't have a game called %(game)s."), game=repr(game)))
    owner = _lock(owner)
    check_may_upload(owner, owner)
    if not owner.is_house:
        teams.check_bot_quota(owner)
    slug = slug or find_slug_for_bot(name)
    others = Bot.objects.filter(game=game).values_list("slug", "crest_difference")
    difference = choose_crest_difference(slug, {find_crest(*other) for other in others})
    if group is not None:
        check_membership(owner, group)
    fields = {"owner": owner, "name": name, "game": game, "group": group, "is_remote": is_remote}
    fields |= {"crest_difference": difference}
    bot, is_new = Bot.objects.get_or_create(slug=slug, defaults=fields)
    if not is_new:  # made at the same moment
        raise Conflict(message(NAME_TAKEN, name=bot.name))
    return bot


def check_bot_name(name: str, owner: User) -> str:
    """Return the name as it is stored. Raises BadName."""
    name = check_name(name, is_reserved_allowed=owner.is_house)
    if not any(map(str.isalnum, name)) or len(name) > MAX_BOT_NAME_LENGTH:
        problem = gettext_noop(
            "A bot's name must contain at least one letter or digit, and can have at most %(most)s characters."
        )
        raise BadName(message(problem, most=MAX_BOT_NAME_LENGTH))
    return name


def find_slug_for_bot(name: str, renamed: Bot | None = None) -> str:
    """Return a free slug for a new name. Raises BadName if it looks reserved, Conflict if like another bot's."""
    bots = Bot.objects.exclude(pk=renamed.pk) if renamed else Bot.objects.all()
    others = dict(bots.order_by().values_list("slug", "name"))
    for other in find_lookalikes(name, others.values()):
        if other in RESERVED_NAMES:
            raise BadName(message(RESERVED, name=name))
        raise Conflict(message(NAME_TAKEN, name=other))
    return find_free_slug(make_slug(name) or "bot", {*others, *RESERVED_NAMES})


@transaction.atomic
def submit_version(
    *, owner: User, bot: Bot, files: archive.Upload, hold: bool = False, key: str = ""
) -> tuple[BotVersion, bool]:
    """Add the next version of a bot and return it with True; or return the one that has these files with False.

    A new version waits to be built where its language needs that, else for its trial; with `hold` it enters no ladder
    by itself. What is sent again under the same `key` leads to the same version, with False. `owner` may be any author
    of the bot; the upload counts for its lead. Raises NotYours, BotStopped, RunsElsewhere, QuotaSpent, KeyReused,
    UploadsClosed or AuthorSuspended.
    """
    lead = _lock(bot.owner)
    check_may_upload(lead, owner, bot)
    if bot.is_remote:
        problem = gettext_noop("%(name)s runs on its author's machine. Declare a new version instead of uploading one.")
        raise RunsElsewhere(message(problem, name=bot.name))
    fingerprint = hashlib.sha256(f"{bot.pk} {files.sha256} {hold}".encode()).hexdigest()
    if key and (sent := Submission.objects.filter(owner=owner, key=key).select_related("version__bot").first()):
        if sent.fingerprint != fingerprint:
            problem = gettext_noop("The key %(key)s was already used for a different upload. Use a new key.")
            raise KeyReused(message(problem, key=key))
        return sent.version, False
    known = bot.versions.filter(source=files.sha256).order_by("number").last()
    version = known or _add_submitted_version(lead, owner, bot, files, hold)
    if key:
        Submission.objects.create(owner=owner, key=key, fingerprint=fingerprint, version=version)
    if known is None:
        wake(Work.UPLOAD, version.pk)
    return version, known is None


def _add_submitted_version(lead: User, by: User, bot: Bot, files: archive.Upload, hold: bool) -> BotVersion:
    teams.check_daily_version_quota(lead, uploader=by)
    state = BotVersion.State.BUILDING if files.language.artefact else BotVersion.State.ON_TRIAL
    version = add_version(bot=bot, files=files, state=state, hold=hold, uploaded_by=by)
    teams.check_storage_quota(lead, uploader=by)
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
    upload = files if isinstance(files, archive.Upload) else archive.Upload(files)
    Bot.objects.select_for_update().get(pk=bot.pk)
    latest = bot.versions.aggregate(number=Max("number"))["number"] or 0
    return BotVersion.objects.create(
        bot=bot,
        number=latest + 1,
        language=upload.language.key,
        source=store_files(upload),
        size=sum(map(len, upload.values())),
        packages=dict(upload.packages),
        package_set=upload.package_set,
        state=state,
        is_on_hold=hold,
        uploaded_by=uploaded_by or bot.owner,
    )


def store_files(files: archive.PackedFiles) -> Blob:
    """Store files, unless they are stored already. Call it in the transaction that lets a version have them.

    Until then they are locked: the cleaning-up leaves them where they are, though no version has them yet.
    """
    blob, _ = Blob.objects.select_for_update(no_key=True).get_or_create(
        sha256=files.sha256, defaults={"content": files.content, "size": len(files.content)}
    )
    return blob


def store_build(*, version: BotVersion, program: Program, log: str) -> bool:
    """Store what a version is run as; it waits for its trial then. Return False if it wasn't waiting to be built."""
    files = archive.PackedFiles(program.files)
    with transaction.atomic():
        return _store_build(version, files, log)


def _store_build(version: BotVersion, files: archive.PackedFiles, log: str) -> bool:
    waiting = BotVersion.objects.building().filter(pk=version.pk)
    if not waiting.exists():
        return False
    binary = store_files(files)
    return waiting.update(state=BotVersion.State.ON_TRIAL, binary=binary, build_log=_strip_nul_characters(log)) == 1


def reject_build(*, version: BotVersion, detail: Message, log: str) -> bool:
    """Reject a version whose source can't be built. Return False if it isn't waiting to be built.

    Only its owner may read the detail and the compiler's log.
    """
    waiting = BotVersion.objects.building().filter(pk=version.pk)
    reason = message(gettext_noop("It couldn't be built."))
    state = {"state": BotVersion.State.REJECTED, "state_reason": reason, "state_detail": detail}
    return waiting.update(**state, build_log=_strip_nul_characters(log)) == 1


def claim_build(capabilities: WorkerCapabilities, waited: timedelta = timedelta(0)) -> BotVersion | None:
    """Claim the version that has waited longest to be built and that such a worker can build, for BUILD_LEASE; or None.

    It must have waited for the time given.

    The claim is renewed while it is built, see `renew_build`; a worker that stops lets go of it by itself.
    """
    waiting = BotVersion.objects.to_build(waited).filter(~capabilities.cannot_run(version="", game="bot__game"))
    for key in waiting.order_by("created_at").values_list("pk", flat=True):
        if BotVersion.objects.to_build().filter(pk=key).update(build_due_at=now() + BUILD_LEASE) == 1:
            return BotVersion.objects.select_related("bot", "source").get(pk=key)
    return None


def renew_build(*, version: BotVersion) -> None:
    """Keep the claim to build a version for another BUILD_LEASE."""
    BotVersion.objects.building().filter(pk=version.pk).update(build_due_at=now() + BUILD_LEASE)


def postpone_build(*, version: BotVersion) -> None:
    """Let go of a version that the arena failed to build: it is tried again later, with growing pauses."""
    pause = BUILD_PAUSES_S[min(version.build_failures, len(BUILD_PAUSES_S) - 1)]
    due = {"build_due_at": now() + timedelta(seconds=pause), "build_failures": F("build_failures") + 1}
    BotVersion.objects.building().filter(pk=version.pk).update(**due)


def hold_back_version(*, version: int, at: datetime) -> bool:
    """Let a version, given by its key, play in no match until staff releases it. Return False if it was held back.

    The house's bots never are: uploads have their trials against one of them.
    """
    authors = BotVersion.objects.filter(bot__owner__is_house=False)
    return authors.filter(pk=version, held_back_at=None).update(held_back_at=at) == 1


def release_held_back_versions(*, bot: Bot) -> int:
    """Let the versions of a bot play again that the arena held back, and return how many these are."""
    return BotVersion.objects.held_back().filter(bot=bot).update(held_back_at=None)


def record_trial_result(*, version: BotVersion, fault: Message | None, detail: Message | None = None) -> bool:
    """End a version's trial: rejected for a fault, accepted without one. Return False if it had ended before.

    Everybody may read the fault, only the version's owner the detail.
    """
    state = BotVersion.State.ACCEPTED if fault is None else BotVersion.State.REJECTED
    waiting = BotVersion.objects.on_trial().filter(pk=version.pk)
    return waiting.update(state=state, state_reason=fault, state_detail=detail) == 1


def _lock(owner: User) -> User:
    """Lock the owner: two uploads at once could both be the last one that a quota allows."""
    return User.objects.select_for_update().get(pk=owner.pk)


def _strip_nul_characters(log: str) -> str:
    """Return a log as a database can store it, without NUL."""
    return log.replace("\0", "\N{REPLACEMENT CHARACTER}")


# Remote bots: their authors declare versions instead of uploading them.

MAX_DECLARATION_LENGTH = 200


class BadDeclaration(ArenaError):
    """The text on what a remote bot runs on is missing, too long, or has invisible characters."""


def check_declaration(declared: str) -> str:
    """Return what a remote bot runs on, as it is stored. Raises BadDeclaration."""
    declared = " ".join(declared.split())
    if not declared or len(declared) > MAX_DECLARATION_LENGTH or not declared.isprintable():
        problem = gettext_noop("Say what the bot runs on in up to %(most)s characters, with no invisible characters.")
        raise BadDeclaration(message(problem, most=MAX_DECLARATION_LENGTH), fields=["declared"])
    return declared


@transaction.atomic
def declare_remote_version(*, bot: Bot, declared: str, by: User) -> tuple[BotVersion, bool]:
    """Add the next version of a remote bot, accepted at once, and return it with True.

    Return the newest one with False if that is declared with the same words. Raises NotYours, BotStopped, Conflict for
    a bot that workers run, BadDeclaration, QuotaSpent, UploadsClosed or AuthorSuspended.
    """
    lead = _lock(bot.owner)
    check_may_upload(lead, by, bot)
    if not bot.is_remote:
        raise Conflict(message(gettext_noop("%(name)s runs on the arena. Upload its new version."), name=bot.name))
    declared = check_declaration(declared)
    bot = Bot.objects.select_for_update(of=("self",)).select_related("owner").get(pk=bot.pk)
    newest = bot.versions.order_by("-number").first()
    if newest is not None and newest.declared == declared:
        return newest, False
    teams.check_daily_version_quota(lead, uploader=by)
    version = BotVersion.objects.create(
        bot=bot,
        number=newest.number + 1 if newest else 1,
        language=REMOTE_LANGUAGE,
        declared=declared,
        size=0,
        state=BotVersion.State.ACCEPTED,
        uploaded_by=by,
    )
    return version, True


# Say who may play live games against a bot.


class UnknownAudience(ArenaError):
    """There is no such choice of who may play against a bot."""


def offer_bot(*, bot: Bot, owner: User, played_by: str) -> None:
    """Choose who may play live games against a bot; games that have begun go on. Raises NotYours or UnknownAudience."""
    check_author(bot, owner)
    if played_by not in Bot.PlayedBy.values:
        raise UnknownAudience(message(gettext_noop("Choose everybody, owner or nobody.")))
    bot.played_by = played_by
    bot.save(update_fields=["played_by"])


# Say how a bot plays, for people who choose an opponent.

MAX_STYLE_LENGTH = 70


class BadStyle(ArenaError):
    """The sentence about how a bot plays is too long or has characters that can't be seen."""


def describe_style(*, bot: Bot, owner: User, style: str) -> None:
    """Say in a sentence how a bot plays; an empty one takes it back. Raises NotYours, AuthorSuspended or BadStyle."""
    check_author(bot, owner)
    check_not_suspended(owner)
    style = " ".join(style.split())
    if len(style) > MAX_STYLE_LENGTH or not style.isprintable():
        problem = gettext_noop("Write one sentence of up to %(most)s characters, with no invisible characters.")
        raise BadStyle(message(problem, most=MAX_STYLE_LENGTH))
    bot.style = style
    bot.save(update_fields=["style"])
