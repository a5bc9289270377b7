"""Let the authors of slow bots wait for the time that these bots cost, instead of the whole ladder.

A match of a ladder is charged the median duration. What the bots of an author are expected to take beyond that delays
the match by as much in the queue, and no other match is queued for the author while it waits. So the bots of an author
get at most as much of a busy ladder's time as all others together, and all they can use of a worker that is free.
"""

from collections.abc import Collection, Iterable, Set
from dataclasses import dataclass

from arena.bots.models import BotVersion
from arena.matches.fair_share import estimate_bot_seconds
from arena.matches.models import Match, MatchQuerySet, Participant


@dataclass(frozen=True, slots=True)
class Delays:
    """The waiting matches of a ladder that are delayed, and the owners of the slow bots in them."""

    matches: Collection[int]
    owners: Collection[int]


def find_delays(waiting: MatchQuerySet, usual_seconds: float) -> Delays:
    """Return the delays among the waiting matches of a ladder."""
    matches = list(waiting.filter(state=Match.State.QUEUED, delay_s__gt=0).values_list("pk", flat=True))
    if not matches:
        return Delays((), frozenset())
    seated = Participant.objects.filter(match__in=matches).select_related("version__bot__owner")
    return Delays(matches, frozenset(_list_slow([one.version for one in seated], usual_seconds)))


def compute_delay(versions: Iterable[BotVersion], usual_seconds: float) -> tuple[float, Set[int]]:
    """Return the seconds that these versions take beyond the usual duration of a match, and the owners of slow ones."""
    slow = _list_slow(versions, usual_seconds)
    return sum(slow.values()), slow.keys()


def _list_slow(versions: Iterable[BotVersion], usual_seconds: float) -> dict[int, float]:
    """Return, by owner, the expected seconds of slow bots beyond the usual duration. Those of the house don't count."""
    owner_of = {version.pk: version.bot.owner_id for version in versions if not version.bot.owner.is_house}
    excess = {owner_of[version]: took - usual_seconds for version, took in estimate_bot_seconds(owner_of).items()}
    return {owner: seconds for owner, seconds in excess.items() if seconds > 0}
