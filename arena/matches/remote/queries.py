"""Read which remote bots are here, what their matches wait for, and how often they are refused."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Max, Q, Sum

from arena.bots.models import REMOTE_LANGUAGE, Bot
from arena.core.messages import gettext, isolate, ngettext
from arena.matches.models import LegSeat, Match, MatchQuerySet, Participant
from arena.matches.remote.models import RemoteBot

LEGS_COUNTED = 20
"""Refusals are counted in so many of a bot's newest legs."""


# Presence.


@dataclass(frozen=True, slots=True)
class Refusals:
    """The number of refused answers in a remote bot's newest finished legs."""

    legs: int
    """At most LEGS_COUNTED."""
    answers: int


def count_recent_refusals(participants: Sequence[int]) -> Refusals:
    """Return the refusals in the newest legs of a remote bot, given by its participants, newest first."""
    newest = LegSeat.objects.filter(participant__in=participants[:LEGS_COUNTED])
    counted = newest.aggregate(legs=Count("pk"), answers=Sum("refusals"))
    return Refusals(counted["legs"], counted["answers"] or 0)


def fetch_online_bots(bots: Collection[int]) -> set[int]:
    """Return those of these bots that are remote and connected."""
    return set(RemoteBot.objects.online().filter(bot__in=bots).values_list("bot", flat=True))


@dataclass(frozen=True, slots=True)
class RemoteFigures:
    """Numbers of remote bots, and of their matches."""

    bots: int
    online: int
    playing: int
    waiting: int
    heard_at: datetime | None
    """When the server last reported bots that are connected, or were when it fell silent; or None."""


def fetch_remote_figures() -> RemoteFigures:
    """Return how many remote bots there are, how many are connected, and how many of their matches are open."""
    remote = Q(participants__version__language=REMOTE_LANGUAGE)
    states = Match.objects.filter(remote, state__in=[Match.State.QUEUED, Match.State.RUNNING])
    counts = dict(states.order_by().values_list("state").annotate(Count("pk", distinct=True)))
    return RemoteFigures(
        bots=Bot.objects.filter(is_remote=True).count(),
        online=RemoteBot.objects.online().count(),
        playing=counts.get(Match.State.RUNNING, 0),
        waiting=counts.get(Match.State.QUEUED, 0),
        heard_at=RemoteBot.objects.filter(is_online=True).aggregate(latest=Max("seen_at"))["latest"],
    )


# Matches with remote bots: what they wait for.


def keep_remote_matches(matches: MatchQuerySet) -> MatchQuerySet:
    """Return those of these matches in which a remote bot plays: no worker takes them."""
    return matches.with_player(version__language=REMOTE_LANGUAGE)


def describe_remote_waiting(matches: Collection[int]) -> Mapping[int, str]:
    """Return what the queued ones of these matches wait for, by key, in words; those without a remote bot are left out.

    It takes as many queries for many matches as for one.
    """
    parts = Participant.objects.filter(match__in=matches, version__language=REMOTE_LANGUAGE)
    rows = list(parts.order_by("match", "index").values_list("match", "version__bot", "version__bot__name"))
    online = fetch_online_bots({bot for _match, bot, _name in rows}) if rows else set()
    missing: dict[int, list[str]] = {}
    for match, bot, name in rows:
        away = missing.setdefault(match, [])
        if bot not in online and isolate(name) not in away:
            away.append(isolate(name))
    return {match: _describe_missing(names) for match, names in missing.items()}


def _describe_missing(names: list[str]) -> str:
    if not names:
        return gettext("Its remote bots are online. It starts once they have room for another leg.")
    waits = ngettext("Waits for %(bots)s to come online.", "Waits for %(bots)s to come online.", len(names))
    return waits % {"bots": ", ".join(names)}
