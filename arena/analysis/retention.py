"""Say which analyses are not needed any more: those of legs whose records were removed, which nobody can look at."""

from collections.abc import Iterator

from arena.analysis.models import LegAnalysis
from arena.expiry import ByteLength, Expired


def list_expired_analyses() -> Iterator[Expired]:
    """Yield the analyses of legs without a record."""
    yield Expired(
        "analyses of removed records",
        LegAnalysis.objects.filter(leg__isnull=False, leg__record=None),
        size=ByteLength("result"),
    )
