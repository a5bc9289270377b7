"""How much one owner may put in."""

from datetime import timedelta

from django.conf import settings
from django.db.models import Q, Sum
from django.utils.formats import date_format
from django.utils.timezone import localtime, now

from arena.accounts.models import User
from arena.bots.models import Blob, Bot, BotVersion
from arena.errors import ArenaError

DAY = timedelta(hours=24)
MIB = 1024 * 1024


class QuotaSpent(ArenaError):
    """The owner has as much as anybody may have. The message says what to do, or when it goes on."""

    status = 429


def check_bots(owner: User) -> None:
    """Whether one more bot is allowed. Raises QuotaSpent."""
    if Bot.objects.of(owner).count() >= settings.BOTS_PER_OWNER:
        raise QuotaSpent(
            f"You have {settings.BOTS_PER_OWNER} bots, and nobody may have more here: "
            "upload new versions of those you have."
        )


def check_day(owner: User) -> None:
    """Whether one more version is allowed today. Raises QuotaSpent."""
    today = BotVersion.objects.filter(bot__owner=owner, created_at__gt=now() - DAY).order_by("-created_at")
    uploaded = list(today.values_list("created_at", flat=True)[: settings.VERSIONS_PER_DAY])
    if len(uploaded) < settings.VERSIONS_PER_DAY:
        return
    if not uploaded:
        raise QuotaSpent("Nobody may upload versions here at present.")
    again = localtime(uploaded[-1] + DAY)
    raise QuotaSpent(
        f"You have uploaded {settings.VERSIONS_PER_DAY} versions in 24 hours, and nobody may upload more: "
        f"it goes on at {date_format(again, 'H:i T, j F')}.",
        retry_after=(again - now()).total_seconds(),
    )


def check_bytes(owner: User) -> None:
    """Whether what is kept for somebody now, the newest version with it, is allowed. Raises QuotaSpent."""
    kept = bytes_of(owner)
    if kept > settings.MEGABYTES_PER_OWNER * MIB:
        raise QuotaSpent(
            f"Your bots would take {kept / MIB:.1f} of the {settings.MEGABYTES_PER_OWNER} MiB that everybody has here: "
            "leave out what this one doesn't need, or ask whoever runs this arena."
        )


def bytes_of(owner: User) -> int:
    """What is kept for somebody: sources and binaries of all versions, each content once."""
    versions = BotVersion.objects.filter(bot__owner=owner)
    binaries = versions.exclude(binary=None).values("binary")
    kept = Blob.objects.filter(Q(pk__in=versions.values("source")) | Q(pk__in=binaries))
    return kept.aggregate(total=Sum("size"))["total"] or 0
