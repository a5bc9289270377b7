"""Find comparisons with the versions they are about."""

from django.db.models import Prefetch, QuerySet

from arena.bots.models import Bot
from arena.bots.queries.versions import list_named_versions
from arena.comparisons.models import Comparison


def list_comparisons(*, bot: Bot | None = None, owner: str = "", state: str = "") -> QuerySet[Comparison]:
    """List comparisons with owner and versions: of a bot, of a user, in a state."""
    lookups = {"version__bot": bot, "owner__username": owner, "state": state}
    found = Comparison.objects.filter(**{name: value for name, value in lookups.items() if value})
    found = found.select_related("owner", "version__bot__owner", "baseline__bot__owner")
    return found.defer("version__build_log", "baseline__build_log")


def find_comparison(pk: int) -> Comparison | None:
    """Return that comparison with its opponents, or None."""
    return list_comparisons().prefetch_related(Prefetch("opponents", list_named_versions())).filter(pk=pk).first()
