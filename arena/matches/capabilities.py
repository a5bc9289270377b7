"""Capabilities of the workers seen lately: whose bots their sandboxes suffice for, and which languages they run."""

from collections.abc import Sequence
from dataclasses import dataclass

from arena.matches.languages import WORKER_MEMORY
from arena.matches.models import Match, MatchQuerySet, WorkerStatus
from arena.runner.sandbox.levels import LEVELS_FOR_ALL_AUTHORS


@dataclass(frozen=True, slots=True)
class WorkerCapabilities:
    """The capabilities of one worker, or of several that are alike."""

    is_for_all: bool
    """Whether its sandbox is good enough for bots of all authors."""
    languages: frozenset[str]

    def surpasses(self, other: "WorkerCapabilities") -> bool:
        """Return whether this worker can play all that the other can, and more."""
        return self != other and self.is_for_all >= other.is_for_all and self.languages >= other.languages


def list_known_capabilities() -> list[WorkerCapabilities]:
    """Return the best capabilities of recent workers with a sandbox; none if nothing is known."""
    return best_capabilities(list(WorkerStatus.objects.recent(WORKER_MEMORY).exclude(level="")))


def best_capabilities(workers: Sequence[WorkerStatus]) -> list[WorkerCapabilities]:
    """Return the capabilities of these workers that no other worker surpasses.

    Workers that have not tested their languages yet are left out.
    """
    found = {
        WorkerCapabilities(worker.level in LEVELS_FOR_ALL_AUTHORS, frozenset(worker.languages))
        for worker in workers
        if worker.languages
    }
    best = [one for one in found if not any(other.surpasses(one) for other in found)]
    return sorted(best, key=lambda one: (one.is_for_all, sorted(one.languages)))


def unplayable_matches(capabilities: Sequence[WorkerCapabilities]) -> MatchQuerySet:
    """Return the queued matches that no worker can play; none if no capabilities are known."""
    if not capabilities:
        return Match.objects.none()
    queued = Match.objects.queued()
    for one in capabilities:
        queued = queued.unplayable(is_for_all=one.is_for_all, languages=one.languages)
    return queued
