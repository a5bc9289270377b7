"""Bots whose strengths are known, and the luck of their games: worlds in which ratings can be held against truth."""

from collections.abc import Sequence
from math import erf, exp, log, pi, sin, sqrt
from random import Random

import numpy as np
import numpy.typing as npt

from arena.contests.ladders.fit import Entities, Stats, fit_ratings
from arena.contests.ladders.rating import LOGITS_PER_ELO

Floats = npt.NDArray[np.float64]

SPREAD = 200.0
"""Standard deviation of strengths, Elo."""
FORKS = 0.2
"""Share of bots that are a near copy of another."""
FORK = 15.0
QUIRK = 40.0
"""What is between two beyond their strengths: standard deviation, Elo."""
SEAT = 10.0
"""What it is worth to begin, Elo."""
SHARED = 0.1
"""How much of a game's luck lies in the deal, between two. Measured: the two legs of a deal correlate by -0.064."""
SHARED_BY_MORE = 0.3
PLENTY = 1_000_000


def draw_strengths(count: int, rng: Random, spread: float = SPREAD) -> list[float]:
    strengths = [rng.gauss(0, spread) for _ in range(count)]
    for fork in range(round(count * (1 - FORKS)), count):
        strengths[fork] = strengths[rng.randrange(round(count * (1 - FORKS)))] + rng.gauss(0, FORK)
    return strengths


class World:
    """Bots that play matches of two; each pair has an interaction of its own.

    The legs of a deal correlate alike in all pairs, or each pair has one of several `dispersions`, by chance.
    """

    def __init__(
        self, strengths: Sequence[float], rng: Random, quirk: float = QUIRK, dispersions: Sequence[float] = ()
    ) -> None:
        self.rng = rng
        self.dispersions = dispersions
        count = len(strengths)
        noise = np.random.default_rng(rng.randrange(2**32)).normal(0, quirk, (count, count))
        above = np.triu(noise, 1)
        level = np.array(strengths)
        self.leads = level[:, None] - level[None, :] + above - above.T
        """Elo of the one by row over the one by column, neither of them beginning."""

    def single(self, one: int, other: int) -> int:
        """1 or 0: whether `first` wins a game, whoever begins."""
        edge = SEAT if self.rng.random() < 0.5 else -SEAT
        return int(self.rng.random() < _chance(float(self.leads[one, other]) + edge))

    def match(self, one: int, other: int) -> int:
        """Half points of `first` in the two legs of a deal, each beginning once."""
        return mirrored(float(self.leads[one, other]), self.rng, self._shared(one, other))

    def _shared(self, one: int, other: int) -> float:
        if not self.dispersions:
            return SHARED
        dispersion = Random(f"{min(one, other)} {max(one, other)}").choice(self.dispersions)
        return sin((1 - dispersion) * pi / 2)

    def truth(self) -> Floats:
        """Of Bradley and Terry's models the one that is nearest to a round robin without end. Elo, centred."""
        one, other = np.triu_indices(len(self.leads), 1)
        halves = np.rint(4 * PLENTY * (_chances(self.leads + SEAT) + _chances(self.leads - SEAT)) / 2)[one, other]
        told = Stats(
            first=one,
            second=other,
            seats=np.full(len(one), 2),
            matches=np.full(len(one), PLENTY),
            halves=halves.astype(np.int64),
            squares=np.zeros(len(one), dtype=np.int64),
        )
        rating = fit_ratings(newcomers(len(self.leads)), told, dispersion=1.0).rating
        return np.asarray(rating - rating.mean())


def newcomers(count: int) -> Entities:
    return Entities(
        rating0=np.full(count, 1500.0),
        deviation0=np.full(count, 300.0),
        parent=np.full(count, -1),
        is_root=np.ones(count, dtype=np.bool_),
        is_active=np.ones(count, dtype=np.bool_),
        is_anchor=np.zeros(count, dtype=np.bool_),
    )


def mirrored(lead: float, rng: Random, shared: float = SHARED) -> int:
    """Half points of one who is so many Elo better. What luck gives in one leg of a deal it takes in the other."""
    deal, own = sqrt(shared) * rng.gauss(0, 1), sqrt(1 - shared)
    return sum(
        2 * (_normal(luck + own * rng.gauss(0, 1)) < _chance(lead + edge))
        for luck, edge in ((deal, SEAT), (-deal, -SEAT))
    )


def legs_of_table(strengths: Sequence[float], rng: Random, legs: int) -> list[list[int]]:
    """Places by participant in so many legs of a deal, each moving up a seat. The luck is Plackett and Luce's."""
    count, share = len(strengths), SHARED_BY_MORE
    hands = [sqrt(share) * rng.gauss(0, 1) for _ in range(count)]
    result = []
    for leg in range(legs):
        marks = [
            strength * LOGITS_PER_ELO
            - log(-log(_normal(hands[(seat + leg) % count] + sqrt(1 - share) * rng.gauss(0, 1))))
            for seat, strength in enumerate(strengths)
        ]
        result.append([1 + sum(mark > own for mark in marks) for own in marks])
    return result


def _chance(lead: float) -> float:
    return 1 / (1 + exp(-lead * LOGITS_PER_ELO))


def _chances(leads: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-leads * LOGITS_PER_ELO)))


def _normal(x: float) -> float:
    return min(max(0.5 * (1 + erf(x / sqrt(2))), 1e-15), 1 - 1e-15)
