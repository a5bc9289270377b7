"""Estimate how long a queued match is going to wait, and say why."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from django.utils.translation import gettext, ngettext

from arena.matches.capabilities import WorkerCapabilities, best_capabilities, unplayable_matches
from arena.matches.models import Match
from arena.matches.queries.queue import (
    count_matches_ahead,
    count_running_matches,
    list_latest_times,
    list_live_workers,
)
from engine.registry import GAMES

MATCHES_TIMED = 50
"""The number of the latest matches from whose durations the next ones are estimated."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """The place of a match in the queue."""

    ahead: int
    """Number of matches played before it."""
    seconds: float | None
    """Estimated seconds until it is played; None where unknown."""
    reason: str
    """Sentence in the reader's language that says what it waits for."""


@dataclass(frozen=True, slots=True)
class _Arena:
    """The figures that waiting times are estimated from."""

    capabilities: Sequence[WorkerCapabilities]
    workers: int
    drained: int
    able: int
    running: int
    match_seconds: float | None
    """Mean duration of the latest matches; None before the first."""

    def seconds(self, ahead: int) -> float | None:
        """Return the estimated seconds until a match with so many before it starts; None where unknown.

        As many are played at a time as are now, or one on each worker; those running are taken to be half over.
        """
        if self.match_seconds is None:
            return None if ahead or self.running else 0.0
        parallel = _parallel(self.running, self.able)
        started = 0.5 if self.running else 0.0
        return self.match_seconds * (ahead + started) / parallel

    def hindrance(self) -> str:
        """Return why nothing can be played, or an empty text."""
        if self.running or self.able:
            return ""
        if self.drained and self.drained == self.workers:
            return gettext("Every worker is being drained: it ends its match and takes no other.")
        if self.workers:
            return gettext("No sandbox works on the machines here, and bots never run without one.")
        return gettext("No worker has reported in the last minute.")


def _parallel(running: int, able: int) -> int:
    return max(running, able, 1)


def count_parallel_matches() -> int:
    """Return how many matches are played at a time: as many as are now, or one on each worker that can."""
    able = sum(worker.is_able for worker in list_live_workers())
    return _parallel(count_running_matches(), able)


def place_in_queue(match: Match) -> Waiting:
    """Return the place of a match in the queue, whether it waits or not."""
    return places_in_queue([match])[match.pk]


def places_in_queue(matches: Sequence[Match]) -> dict[int, Waiting]:
    """Return the places of matches by id, in as many queries for many as for one."""
    queued = [match for match in matches if match.state == Match.State.QUEUED]
    places = {match.pk: _place_outside_queue(match) for match in matches}
    if queued:
        arena = _read_arena()
        keys = [match.pk for match in queued]
        unplayable = set(unplayable_matches(arena.capabilities).filter(pk__in=keys).values_list("pk", flat=True))
        for pk, ahead in count_matches_ahead(keys).items():
            places[pk] = _place(ahead, pk in unplayable, arena)
    for match in queued:
        if match.game not in GAMES:
            reason = gettext("It waits because its game is not installed on this arena now.")
            places[match.pk] = Waiting(places[match.pk].ahead, None, reason)
    return places


def _place_outside_queue(match: Match) -> Waiting:
    if match.is_over:
        return Waiting(0, None, gettext("It is over."))
    return Waiting(0, 0.0, gettext("It is being played."))


def _read_arena() -> _Arena:
    workers = list(list_live_workers())
    able = [worker for worker in workers if worker.is_able]
    took = [
        (finished - started).total_seconds()
        for started, finished in list_latest_times(MATCHES_TIMED)
        if started and finished
    ]
    return _Arena(
        capabilities=best_capabilities(able),
        workers=len(workers),
        drained=sum(worker.drained_at is not None for worker in workers),
        able=len(able),
        running=count_running_matches(),
        match_seconds=fmean(took) if took else None,
    )


def _place(ahead: int, is_stuck: bool, arena: _Arena) -> Waiting:
    if reason := arena.hindrance():
        return Waiting(ahead, None, reason)
    if is_stuck:
        reason = gettext("No worker here has both the languages of its bots and a sandbox that suffices for them.")
        return Waiting(ahead, None, reason)
    if ahead == 0:
        reason = gettext("It is the next to be played.")
    else:
        reason = ngettext("%(count)d match is played before it.", "%(count)d matches are played before it.", ahead)
        reason %= {"count": ahead}
    return Waiting(ahead, arena.seconds(ahead), reason)
