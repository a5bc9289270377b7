"""Capabilities of the workers seen lately: whose bots their sandboxes suffice for, and which languages they run."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from django.conf import settings

from arena.matches.languages import WORKER_MEMORY
from arena.matches.models import Match, MatchQuerySet, WorkerStatus
from arena.runner.sandbox.levels import LEVELS_FOR_ALL_AUTHORS


@dataclass(frozen=True, slots=True)
class WorkerCapabilities:
    """The capabilities of one worker, or of several that are alike."""

    is_for_all: bool
    """Whether its sandbox is good enough for bots of all authors."""
    is_for_rated: bool
    """Whether it may play rated matches between bots of different authors."""
    languages: frozenset[str]

    @classmethod
    def of_report(cls, report: Mapping[str, Any], languages: Collection[str]) -> "WorkerCapabilities":
        """Return the capabilities of a worker with this sandbox report, as `Report.as_json` returns it."""
        level = report.get("level")
        keeps_legs_apart = report.get("keeps_legs_apart", level == "A")
        return cls(
            is_for_all=level in LEVELS_FOR_ALL_AUTHORS,
            is_for_rated=keeps_legs_apart or settings.ALLOW_OPEN_CHANNELS,
            languages=frozenset(languages),
        )

    def surpasses(self, other: "WorkerCapabilities") -> bool:
        """Return whether this worker can play all that the other can, and more."""
        return (
            self != other
            and self.is_for_all >= other.is_for_all
            and self.is_for_rated >= other.is_for_rated
            and self.languages >= other.languages
        )


def list_known_capabilities() -> list[WorkerCapabilities]:
    """Return the best capabilities of recent workers that take matches; none if nothing is known."""
    return best_capabilities(list(WorkerStatus.objects.recent(WORKER_MEMORY).able()))


def best_capabilities(workers: Sequence[WorkerStatus]) -> list[WorkerCapabilities]:
    """Return the capabilities of these workers that no other worker surpasses.

    Workers that have not tested their languages yet are left out.
    """
    found = {
        WorkerCapabilities.of_report(worker.report | {"level": worker.level}, worker.languages)
        for worker in workers
        if worker.languages
    }
    best = [one for one in found if not any(other.surpasses(one) for other in found)]
    return sorted(best, key=lambda one: (one.is_for_all, one.is_for_rated, sorted(one.languages)))


def unplayable_matches(capabilities: Sequence[WorkerCapabilities]) -> MatchQuerySet:
    """Return the queued matches that no worker can play; none if no capabilities are known."""
    if not capabilities:
        return Match.objects.none()
    queued = Match.objects.queued()
    for one in capabilities:
        queued = queued.unplayable(**asdict(one))
    return queued
