"""What the machines can play that lately said something of themselves."""

from collections.abc import Sequence
from dataclasses import dataclass

from arena.matches.languages import REMEMBERED
from arena.matches.models import Match, WorkerStatus
from arena.runner.sandbox.levels import STRANGERS


@dataclass(frozen=True, slots=True)
class Ability:
    """Of one machine, or of several that are alike."""

    is_for_all: bool
    """Its walls do for bots of strangers."""
    languages: frozenset[str]

    def surpasses(self, other: "Ability") -> bool:
        return self != other and self.is_for_all >= other.is_for_all and self.languages >= other.languages


def known_abilities() -> list[Ability]:
    """Of all machines on which bots run, but for those that another one surpasses. Empty where nothing is known."""
    return abilities_of(list(WorkerStatus.objects.recent(REMEMBERED).exclude(level="")))


def abilities_of(workers: Sequence[WorkerStatus]) -> list[Ability]:
    """As above, of these. Who hasn't looked for its languages yet is left out."""
    found = {Ability(worker.level in STRANGERS, frozenset(worker.languages)) for worker in workers if worker.languages}
    best = [one for one in found if not any(other.surpasses(one) for other in found)]
    return sorted(best, key=lambda one: (one.is_for_all, sorted(one.languages)))


def stuck(abilities: Sequence[Ability]):
    """The queued matches that nobody with these abilities may play; none where no abilities are known."""
    if not abilities:
        return Match.objects.none()
    queued = Match.objects.queued()
    for ability in abilities:
        queued = queued.unplayable(is_for_all=ability.is_for_all, languages=ability.languages)
    return queued
