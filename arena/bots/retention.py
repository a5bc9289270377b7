"""Say which stored files no version refers to any more."""

from collections.abc import Iterator

from django.db.models import Exists, F, OuterRef, Q, QuerySet

from arena.bots.models import Blob, BotVersion
from arena.expiry import Expired


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
