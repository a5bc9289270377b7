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


def check_versions(owner: User, size: int) -> None:
    """Whether one more version, of so many bytes as it is kept, is allowed. Raises QuotaSpent."""
    _check_day(owner)
    used, limit = bytes_of(owner), settings.MEGABYTES_PER_OWNER * MIB
    if used + size > limit:
        raise QuotaSpent(
            f"Your bots take {used / MIB:.1f} of the {settings.MEGABYTES_PER_OWNER} MiB that everybody has here, "
            f"and this one would take {size / MIB:.1f} more: leave out what it doesn't need, or ask whoever runs this "
            "arena."
        )


def bytes_of(owner: User) -> int:
    """What is kept for somebody: sources and binaries of all versions, each content once."""
    versions = BotVersion.objects.filter(bot__owner=owner)
    binaries = versions.exclude(binary=None).values("binary")
    kept = Blob.objects.filter(Q(pk__in=versions.values("source")) | Q(pk__in=binaries))
    return kept.aggregate(total=Sum("size"))["total"] or 0


def _check_day(owner: User) -> None:
    today = BotVersion.objects.filter(bot__owner=owner, created_at__gt=now() - DAY).order_by("-created_at")
    uploaded = list(today.values_list("created_at", flat=True)[: settings.VERSIONS_PER_DAY])
    if len(uploaded) < settings.VERSIONS_PER_DAY:
        return
    again = localtime(uploaded[-1] + DAY)
    raise QuotaSpent(
        f"You have uploaded {settings.VERSIONS_PER_DAY} versions in 24 hours, and nobody may upload more: "
        f"it goes on at {date_format(again, 'H:i T, j F')}."
    )
