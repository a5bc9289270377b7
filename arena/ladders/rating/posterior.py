"""The logarithm of the posterior of all strengths near a point: its slope, its curvature, the way up. In logits."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

TURNS = 1000
ENOUGH = 1e-8
"""A step is exact enough when so little of the slope is left."""
LEAF = 64
"""Matrices of so many rows are inverted at once."""
FAR = 500.0
"""Logits beyond which a chance is a chance of none."""


@dataclass(frozen=True, slots=True)
class Prior:
    """What is believed of entities beforehand. Precisions: inverse variances."""

    parent: Ints
    is_root: Bools
    is_fixed: Bools
    mean: Floats
    """Of the fixed ones; of the others, where the scale's middle is to lie while nothing fixes it."""
    root: float
    version: float
    fixed: Floats


@dataclass(frozen=True, slots=True)
class Results:
    """Sums over the matches of two entities, one row for each two and size of the table."""

    one: Ints
    other: Ints
    legs: Floats
    weight: Floats
    """Games that a match is worth."""
    matches: Floats
    scores: Floats
    squares: Floats

    def chance(self, theta: Floats) -> Floats:
        """Of `one` against `other`, by row."""
        lead = np.clip(theta[self.one] - theta[self.other], -FAR, FAR)
        return np.asarray(1 / (1 + np.exp(-lead)))

    def by_entity(self, of_one: Floats, of_other: Floats, count: int) -> Floats:
        """Sums of what the rows say of each."""
        return np.asarray(
            np.bincount(self.one, of_one, count) + np.bincount(self.other, of_other, count), dtype=np.float64
        )


@dataclass(frozen=True, slots=True)
class Told:
    """What the results say at a point, whatever their dispersion."""

    chance: Floats
    """By row."""
    pull: Floats
    """By entity: slope of the likelihood."""
    information: Floats
    """By row: precision of the difference of the two."""
    known: Floats
    """By entity: sum of the information."""


@dataclass(frozen=True, slots=True)
class Surface:
    """What the posterior is like at a point."""

    phi: float
    slope: Floats
    information: Floats
    """By row: precision of the difference of the two."""
    diagonal: Floats
    """Of the curvature, by entity."""
    curvature: Floats | None
    """All of it, unless there is too much."""


class Posterior:
    """Of the strengths of so many entities, given their results."""

    def __init__(self, prior: Prior, results: Results, *, is_dense: bool) -> None:
        self.prior, self.results, self.is_dense = prior, results, is_dense
        self.count = len(prior.parent)
        self.children = np.flatnonzero(prior.parent >= 0)
        self.parents = prior.parent[self.children]
        self.heads = np.flatnonzero(prior.is_root | prior.is_fixed)
        self.roots = np.flatnonzero(prior.is_root)
        self.is_floating = not bool(np.any(prior.is_fixed))
        self.prior_diagonal = self._prior_diagonal()
        self.prior_push = prior.mean * (prior.fixed + (prior.root * prior.is_root if self.is_floating else 0.0))
        self.cells = results.one * self.count + results.other

    def told(self, theta: Floats) -> Told:
        """What the results say if all of it were independent."""
        results, count = self.results, self.count
        chance = results.chance(theta)
        wins = results.matches * chance
        pull = results.weight * (results.scores - wins)
        information = results.weight * wins * (1 - chance)
        return Told(
            chance=chance,
            pull=results.by_entity(pull, -pull, count),
            information=information,
            known=results.by_entity(information, information, count),
        )

    def at(self, theta: Floats, told: Told, phi: float) -> Surface:
        information, diagonal = told.information / phi, told.known / phi + self.prior_diagonal
        return Surface(
            phi=phi,
            slope=told.pull / phi + self.prior_push - self._prior_pull(theta),
            information=information,
            diagonal=diagonal,
            curvature=self._curvature(information, diagonal) if self.is_dense else None,
        )

    def step(self, surface: Surface) -> Floats:
        """To the top of the parabola that lies on the surface: by conjugate gradients."""
        step, left = np.zeros(self.count), surface.slope.copy()
        eased = left / surface.diagonal
        way, size = eased, float(left @ eased)
        enough = size * ENOUGH**2
        for _ in range(TURNS):
            if size <= enough:
                break
            bent = self._bend(surface, way) if surface.curvature is None else surface.curvature @ way
            length = size / float(way @ bent)
            step += length * way
            left -= length * bent
            eased = left / surface.diagonal
            size, before = float(left @ eased), size
            way = eased + size / before * way
        return step

    def rough_variance(self, surface: Surface) -> Floats:
        """Of each, as if those it played, but not those they played, were uncertain too."""
        own = 1 / surface.diagonal
        results = self.results
        squares = surface.information**2
        around = results.by_entity(squares * own[results.other], squares * own[results.one], self.count)
        return np.asarray(own + own**2 * around)

    def is_played(self) -> Bools:
        """By entity: whether there is any result of it."""
        matches = self.results.matches
        return np.asarray(self.results.by_entity(matches, matches, self.count) > 0)

    def parameters(self, told: Told) -> float:
        """How many strengths the results tell, as far as they tell them: each counts from 0 to 1."""
        return float(np.sum(told.known / (told.known + self.prior_diagonal)))

    def _bend(self, surface: Surface, way: Floats) -> Floats:
        """The curvature times a vector, without the matrix."""
        results = self.results
        pull = surface.information * (way[results.one] - way[results.other])
        return results.by_entity(pull, -pull, self.count) + self._prior_pull(way)

    def _curvature(self, information: Floats, diagonal: Floats) -> Floats:
        above = np.bincount(self.cells, information, self.count**2).reshape(self.count, self.count)
        curvature = np.asarray(-(above + above.T), dtype=np.float64)
        curvature[self.children, self.parents] -= self.prior.version
        curvature[self.parents, self.children] -= self.prior.version
        if not self.is_floating:
            self._add_mean(curvature)
        curvature[np.diag_indices(self.count)] = diagonal
        return curvature

    def _prior_pull(self, way: Floats) -> Floats:
        """The prior's curvature times a vector."""
        prior = self.prior
        pull = prior.fixed * way
        grown = prior.version * (way[self.children] - way[self.parents])
        pull += np.bincount(self.children, grown, self.count) - np.bincount(self.parents, grown, self.count)
        mean = 0.0 if self.is_floating else float(way[self.heads].mean())
        apart = prior.root * (way[self.roots] - mean)
        pull[self.roots] += apart
        if not self.is_floating:
            pull[self.heads] -= float(apart.sum()) / len(self.heads)
        return pull

    def _prior_diagonal(self) -> Floats:
        prior = self.prior
        diagonal = prior.fixed + prior.version * (np.bincount(self.parents, minlength=self.count) + (prior.parent >= 0))
        diagonal[self.roots] += prior.root
        if not self.is_floating:
            share = 1 / len(self.heads)
            diagonal[self.roots] -= 2 * prior.root * share
            diagonal[self.heads] += len(self.roots) * prior.root * share**2
        return np.asarray(diagonal)

    def _add_mean(self, curvature: Floats) -> None:
        """Roots are believed to lie around the mean of the heads, which moves with each of them."""
        share, root = 1 / len(self.heads), self.prior.root
        is_root, is_head = np.zeros(self.count), np.zeros(self.count)
        is_root[self.roots], is_head[self.heads] = 1.0, share
        curvature -= root * (np.outer(is_root, is_head) + np.outer(is_head, is_root))
        curvature += root * len(self.roots) * np.outer(is_head, is_head)


def inverse(matrix: Floats) -> Floats:
    """Of a symmetric, positive definite matrix: by quarters, twice as fast as the general way."""
    count = len(matrix)
    if count <= LEAF:
        return np.asarray(np.linalg.inv(matrix), dtype=np.float64)
    half = count // 2
    side = matrix[:half, half:]
    first = inverse(matrix[:half, :half])
    carried = first @ side
    last = inverse(matrix[half:, half:] - side.T @ carried)
    across = carried @ last
    result = np.empty_like(matrix)
    result[:half, :half] = first + across @ carried.T
    result[:half, half:] = -across
    result[half:, :half] = -across.T
    result[half:, half:] = last
    return result
