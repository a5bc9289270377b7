"""Say which stored files no version refers to any more, and which refused invitations to teams no longer count."""

from collections.abc import Iterator

from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.utils.timezone import now

from arena.bots.models import Blob, BotVersion, TeamMember
from arena.bots.teams import REINVITATION_DELAY
from arena.expiry import Expired


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
