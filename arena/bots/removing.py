"""Remove the files of versions for good. What they played stays, and so do the hashes of their sources."""

from collections.abc import Collection
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, Sum

from arena.bots.models import Blob, BotVersion
from engine.message import gettext_noop, message

FILES_REMOVED_REASON = message(gettext_noop("The staff of this arena has removed its files."))


@dataclass(frozen=True, slots=True)
class RemovedFiles:
    """What was removed."""

    versions: int
    blobs: int
    size: int
    """Bytes that the blobs took."""


@transaction.atomic
def remove_files(*, versions: Collection[int]) -> RemovedFiles:
    """Remove source, build and build log of these versions, and delete the blobs that no other version has.

    The versions are rejected, so that nothing plays them; what has none of its files any more is left as it is.
    """
    rows = list(BotVersion.objects.select_for_update().filter(pk__in=versions).exclude(source=None).order_by("pk"))
    blobs = {key for row in rows for key in (row.source_id, row.binary_id) if key is not None}
    for row in rows:
        row.removed_sha256, row.source, row.binary, row.build_log = row.sha256, None, None, ""
        row.state, row.state_reason, row.state_detail = BotVersion.State.REJECTED, FILES_REMOVED_REASON, None
    fields = ["removed_sha256", "source", "binary", "build_log", "state", "state_reason", "state_detail"]
    BotVersion.objects.bulk_update(rows, fields)
    users = BotVersion.objects.filter(Q(source=OuterRef("pk")) | Q(binary=OuterRef("pk")))
    unused = Blob.objects.filter(~Exists(users), pk__in=blobs).defer("content")
    size = unused.aggregate(total=Sum("size"))["total"] or 0
    return RemovedFiles(len(rows), unused.delete()[0], size)
