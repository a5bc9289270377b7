"""Limit how many bots, versions and bytes one owner may store."""

from datetime import timedelta

from django.conf import settings
from django.db.models import Q, Sum
from django.utils.formats import date_format
from django.utils.timezone import localtime, now

from arena.accounts.models import User
from arena.bots.models import Blob, Bot, BotVersion
from arena.errors import ArenaError
from engine.message import gettext_noop, message

UPLOAD_QUOTA_PERIOD = timedelta(hours=24)
BYTES_PER_MIB = 1024 * 1024


class QuotaSpent(ArenaError):
    """The owner has reached a limit; the message says what to do, or when to try again."""

    status = 429


def check_bot_quota(owner: User) -> None:
    """Check that one more bot is allowed. Raises QuotaSpent."""
    if not has_room_for_bot(owner):
        problem = gettext_noop(
            "You have %(most)s bots, and nobody may have more here: upload new versions of those you have."
        )
        raise QuotaSpent(message(problem, most=settings.MAX_BOTS_PER_OWNER))


def has_room_for_bot(owner: User) -> bool:
    """Return whether a user may lead one more bot."""
    return Bot.objects.of(owner).count() < settings.MAX_BOTS_PER_OWNER


def check_daily_version_quota(owner: User, *, uploader: User) -> None:
    """Check that one more version is allowed today: all count for the owner. Raises QuotaSpent."""
    today = BotVersion.objects.filter(bot__owner=owner, created_at__gt=now() - UPLOAD_QUOTA_PERIOD).order_by(
        "-created_at"
    )
    uploaded = list(today.values_list("created_at", flat=True)[: settings.MAX_VERSIONS_PER_DAY])
    if len(uploaded) < settings.MAX_VERSIONS_PER_DAY:
        return
    if not uploaded:
        raise QuotaSpent(message(gettext_noop("Nobody may upload versions here at present.")))
    again = localtime(uploaded[-1] + UPLOAD_QUOTA_PERIOD)
    problem = gettext_noop(
        "You have uploaded %(most)s versions in 24 hours, and nobody may upload more: you can upload again at %(time)s."
    )
    values: dict[str, str | int] = {"most": settings.MAX_VERSIONS_PER_DAY, "time": date_format(again, "H:i T, j F")}
    if uploader.pk != owner.pk:
        problem = gettext_noop(
            "The bots that %(lead)s leads got %(most)s versions in 24 hours, and nobody's may get more: you can "
            "upload again at %(time)s."
        )
        values["lead"] = owner.username
    spent = message(problem, **values)
    raise QuotaSpent(spent, retry_after=(again - now()).total_seconds())


def check_storage_quota(owner: User, *, uploader: User) -> None:
    """Check that what is stored for an owner, the newest version included, is allowed. Raises QuotaSpent."""
    kept = count_stored_bytes(owner)
    if kept > settings.MAX_MEGABYTES_PER_OWNER * BYTES_PER_MIB:
        problem = gettext_noop(
            "Your bots would take %(kept)s of the %(most)s MiB that everybody has here: leave out what this one "
            "doesn't need, or ask whoever runs this arena."
        )
        values: dict[str, str | int] = {"kept": f"{kept / BYTES_PER_MIB:.1f}", "most": settings.MAX_MEGABYTES_PER_OWNER}
        if uploader.pk != owner.pk:
            problem = gettext_noop(
                "The bots that %(lead)s leads would take %(kept)s of the %(most)s MiB that everybody has here: leave "
                "out what this one doesn't need, or ask whoever runs this arena."
            )
            values["lead"] = owner.username
        raise QuotaSpent(message(problem, **values))


def count_stored_bytes(owner: User) -> int:
    """Return the bytes stored for an owner: sources and binaries of all versions, each content once."""
    versions = BotVersion.objects.filter(bot__owner=owner)
    binaries = versions.exclude(binary=None).values("binary")
    kept = Blob.objects.filter(Q(pk__in=versions.values("source")) | Q(pk__in=binaries))
    return kept.aggregate(total=Sum("size"))["total"] or 0
