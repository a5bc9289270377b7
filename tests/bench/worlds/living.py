"""A ladder that lives: new versions, newcomers in place of the weak, a standing every day."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from statistics import fmean

import numpy as np

from arena.contests.ladders.rating import PairResult
from tests.bench.worlds.figures import Figures, compare, mean_of
from tests.bench.worlds.strengths import QUIRK, World, draw_strengths
from tests.bench.worlds.systems import Naive, Shipped

ANCHORS = (-250.0, -100.0, 50.0, 200.0)
VERSIONS = 0.02
"""Share of the bots that have a new version on a day; it is better by so much, on average, give or take:"""
BETTER, CHANGE = 20.0, 65.0
NEWCOMERS = 0.01
WEAK = 0.2
FITS = 2
"""In a day. In the arena it is one a minute; what comes between is the online step."""


@dataclass(frozen=True, slots=True)
class Size:
    bots: int = 100
    """At any time, with the anchors."""
    games: int = 20
    """Of each in a day."""
    days: int = 150
    begin: int = 30
    """The first day that counts."""


FULL = Size()


@dataclass(frozen=True, slots=True)
class Change:
    """On the morning of a day one entry takes another's place: its new version, or somebody new."""

    old: int
    new: int
    is_version: bool


@dataclass(frozen=True, slots=True)
class History:
    """What happens, whoever rates it."""

    strengths: list[float]
    """By entry; the first ones are the anchors."""
    days: list[list[Change]]


@dataclass(slots=True)
class Watch:
    """What was seen of a system, day by day."""

    figures: list[Figures] = field(default_factory=list)
    led: list[bool] = field(default_factory=list)
    lost: list[float] = field(default_factory=list)
    anchors: list[float] = field(default_factory=list)

    def look(self, ratings: dict[int, float], deviations: dict[int, float] | None, first: int, past: History) -> None:
        active = sorted(ratings)
        truth = np.array([past.strengths[entry] for entry in active])
        deviation = None if deviations is None else np.array([deviations[entry] for entry in active])
        self.figures.append(compare(np.array([ratings[entry] for entry in active]), truth, deviation))
        best = max(active, key=past.strengths.__getitem__)
        self.led.append(first == best)
        self.lost.append(past.strengths[best] - past.strengths[first])
        self.anchors.append(fmean(ratings[entry] for entry in range(len(ANCHORS))))

    @property
    def mean(self) -> Figures:
        return mean_of(self.figures)

    @property
    def leads(self) -> float:
        """Share of the days on which the best was shown first."""
        return fmean(self.led)

    @property
    def regret(self) -> float:
        """Elo by which the best was better than who was shown first."""
        return fmean(self.lost)

    @property
    def drift(self) -> float:
        """Of the anchors, whose strength is always the same. Elo in 100 days."""
        return (self.anchors[-1] - self.anchors[0]) / (len(self.anchors) - 1) * 100


def run(seed: int, size: Size = FULL, dispersions: Sequence[float] = ()) -> tuple[Watch, Watch]:
    """What was seen of the usual way, and of the arena's. Pairs have different `dispersions` if some are given."""
    past = _history(Random(f"{seed}: history"), size)
    world = World(past.strengths, Random(f"{seed}: world"), QUIRK, dispersions)
    return _naive(past, world, size, Random(f"{seed}: naive")), _shipped(past, world, size, seed)


def _history(rng: Random, size: Size) -> History:
    strengths = [*ANCHORS, *draw_strengths(size.bots - len(ANCHORS), rng)]
    active = list(range(len(ANCHORS), size.bots))
    history = History(strengths, [])
    for _ in range(size.days):
        changes = []
        for old in list(active):
            if rng.random() < VERSIONS:
                strengths.append(strengths[old] + rng.gauss(BETTER, CHANGE))
                changes.append(Change(old, len(strengths) - 1, is_version=True))
        _take_places(active, changes)
        level = fmean(strengths[entry] for entry in active)
        for _ in range(sum(rng.random() < NEWCOMERS for _ in active)):
            weak = sorted(active, key=strengths.__getitem__)[: round(WEAK * len(active))]
            strengths.append(rng.gauss(level, 200))
            changes.append(Change(rng.choice(weak), len(strengths) - 1, is_version=False))
            _take_places(active, changes[-1:])
        history.days.append(changes)
    return history


def _take_places(active: list[int], changes: list[Change]) -> None:
    for change in changes:
        active[active.index(change.old)] = change.new


def _naive(past: History, world: World, size: Size, rng: Random) -> Watch:
    naive, watch, active = Naive(), Watch(), list(range(size.bots))
    for entry in active:
        naive.enter(entry)
    for day, changes in enumerate(past.days):
        for change in changes:
            naive.enter(change.new, change.old if change.is_version else None)
        _take_places(active, changes)
        for _ in range(size.bots * size.games // 2):
            one, other = naive.pick(active, rng)
            naive.learn(one, other, world.single(one, other))
        if day >= size.begin:
            ratings = {entry: naive.ratings[entry] for entry in active}
            watch.look(ratings, None, max(active, key=ratings.__getitem__), past)
    return watch


def _shipped(past: History, world: World, size: Size, seed: int) -> Watch:
    shipped, watch, active = Shipped(seed), Watch(), list(range(size.bots))
    for entry in active:
        shipped.enter(is_anchor=entry < len(ANCHORS))
    for day, changes in enumerate(past.days):
        for change in changes:
            if not change.is_version:
                shipped.retire(change.old)
            shipped.enter(change.old if change.is_version else None)
        _take_places(active, changes)
        for _ in range(FITS):
            for _ in range(size.bots * size.games // 4 // FITS):
                one, other = shipped.pick()
                shipped.learn((one, other), [PairResult(0, 1, world.match(one, other), 2)])
            shipped.refit()
        if day >= size.begin:
            rows = {entry: shipped.rows[entry] for entry in active}
            ratings = {entry: row.rating for entry, row in rows.items()}
            deviations = {entry: row.deviation for entry, row in rows.items()}
            watch.look(ratings, deviations, shipped.shown_first(active), past)
    return watch
