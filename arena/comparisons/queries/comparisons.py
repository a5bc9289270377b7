"""Find comparisons with the versions they are about."""

from django.db.models import Prefetch, Q, QuerySet

from arena.accounts.models import User
from arena.bots.models import Bot
from arena.bots.queries.versions import Reader, list_named_versions
from arena.comparisons.models import Comparison


def list_comparisons(
    reader: Reader, *, bot: Bot | None = None, owner: str = "", state: str = ""
) -> QuerySet[Comparison]:
    """List the comparisons of bots that a reader may see with owner and versions: of a bot, of a user, in a state."""
    lookups = {"version__bot": bot, "owner__username": owner, "state": state}
    found = Comparison.objects.filter(**{name: value for name, value in lookups.items() if value})
    shown = Bot.objects.visible_to(reader)
    found = found.filter(version__bot__in=shown, baseline__bot__in=shown)
    found = found.select_related("owner", "version__bot__owner", "baseline__bot__owner")
    return found.defer("version__build_log", "baseline__build_log")


def list_comparisons_of_author(author: User) -> QuerySet[Comparison]:
    """List the comparisons that a user may see and has started, or that others started for the user's bots."""
    return list_comparisons(author).filter(Q(owner=author) | Q(version__bot__in=Bot.objects.of_authors([author])))


def find_comparison(reader: Reader, pk: int) -> Comparison | None:
    """Return that comparison with its opponents if the reader may see it, or None."""
    return list_comparisons(reader).prefetch_related(Prefetch("opponents", list_named_versions())).filter(pk=pk).first()
