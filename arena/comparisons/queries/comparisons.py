"""Find comparisons with the versions they are about."""

from django.db.models import Prefetch, QuerySet

from arena.bots.models import Bot
from arena.bots.queries.versions import list_named_versions
from arena.comparisons.models import Comparison


def list_comparisons(*, bot: Bot | None = None, owner: str = "", state: str = "") -> QuerySet[Comparison]:
    """List comparisons with owner and versions: of a bot, of a user, in a state."""
    lookups = {"version__bot": bot, "owner__username": owner, "state": state}
    found = Comparison.objects.filter(**{name: value for name, value in lookups.items() if value})
    versions = [Prefetch(name, list_named_versions()) for name in ("version", "baseline")]
    return found.select_related("owner").prefetch_related(*versions)


def find_comparison(pk: int) -> Comparison | None:
    """Return that comparison with its opponents, or None."""
    return list_comparisons().prefetch_related(Prefetch("opponents", list_named_versions())).filter(pk=pk).first()
