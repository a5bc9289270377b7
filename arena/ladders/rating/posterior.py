"""The logarithm of the posterior of all strengths near a point: its slope, its curvature, the way up. In logits."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

MAX_CG_ITERATIONS = 1000
CG_TOLERANCE = 1e-5
"""A step is exact enough when so little of the slope is left: the next one sees to that."""
DISPERSION_RANGE = (0.1, 1.5)
DISPERSION_PRIOR_MATCHES = 200
"""The dispersion is 1 until results tell otherwise: so many matches speak for that."""
INVERSION_BLOCK_SIZE = 64
"""Matrices of so many rows are inverted at once."""
MAX_LOGIT_DIFFERENCE = 30.0
"""A lead of more logits is taken for one of so many: 5,000 Elo."""


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
        odds = np.take(theta, self.other) - np.take(theta, self.one)
        np.exp(np.clip(odds, -MAX_LOGIT_DIFFERENCE, MAX_LOGIT_DIFFERENCE, out=odds), out=odds)
        odds += 1
        return np.asarray(np.reciprocal(odds, out=odds))

    def given(self, amount: Floats, count: int) -> Floats:
        """By entity: what each row gives to `one` and takes from `other`."""
        return np.asarray(np.bincount(self.one, amount, count) - np.bincount(self.other, amount, count))

    def shared(self, amount: Floats, count: int) -> Floats:
        """By entity: what each row gives to both."""
        return np.asarray(np.bincount(self.one, amount, count) + np.bincount(self.other, amount, count))


@dataclass(frozen=True, slots=True)
class PosteriorPoint:
    """What the posterior is like at a point."""

    dispersion: float
    """Dispersion of a match's score."""
    chance: Floats
    """Of `one` against `other`, by row."""
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
        self.cells = (results.one * self.count + results.other, results.other * self.count + results.one)
        self.prior_push = prior.mean * (prior.fixed + (prior.root * prior.is_root if self.is_floating else 0.0))

    def look(self, theta: Floats, dispersion: float | None) -> PosteriorPoint:
        """At a point, with the dispersion that is found there unless it is known."""
        results = self.results
        chance = results.chance(theta)
        wins = results.matches * chance
        spread = chance * (1 - chance)
        told = results.weight * spread
        told *= results.matches
        matrix = self._scattered(told) if self.is_dense else None
        known = results.shared(told, self.count) if matrix is None else -matrix.sum(axis=1)
        if dispersion is None:
            residual = results.squares + chance * (wins - 2 * results.scores)
            dispersion = self._dispersion(float(results.legs @ (residual / spread)), known)
        pull = results.weight * (results.scores - wins)
        diagonal = known / dispersion + self.prior_diagonal
        return PosteriorPoint(
            dispersion=dispersion,
            chance=chance,
            slope=results.given(pull, self.count) / dispersion + self.prior_push - self._prior_pull(theta),
            information=told / dispersion,
            diagonal=diagonal,
            curvature=None if matrix is None else self._curvature(matrix / dispersion, diagonal),
        )

    def step(self, point: PosteriorPoint) -> Floats:
        """To the top of the parabola that lies on the point: by conjugate gradients."""
        step, left = np.zeros(self.count), point.slope.copy()
        eased = left / point.diagonal
        way, size = eased, float(left @ eased)
        enough = size * CG_TOLERANCE**2
        for _ in range(MAX_CG_ITERATIONS):
            if size <= enough:
                break
            bent = self._bend(point, way) if point.curvature is None else point.curvature @ way
            length = size / float(way @ bent)
            step += length * way
            left -= length * bent
            eased = left / point.diagonal
            size, before = float(left @ eased), size
            way = eased + size / before * way
        return step

    def rough_variance(self, point: PosteriorPoint) -> Floats:
        """Of each, as if those it played, but not those they played, were uncertain too."""
        own = 1 / point.diagonal
        results = self.results
        squares = point.information**2
        near = np.bincount(results.one, squares * own[results.other], self.count)
        near += np.bincount(results.other, squares * own[results.one], self.count)
        return np.asarray(own + own**2 * near)

    def propagate_pair_error(self, point: PosteriorPoint) -> Floats:
        """How far an error in what is between each two goes into the strength of each: its variance, over that error's.

        Many matches with few opponents take such an error for strength, as many with many others even it out.
        """
        return np.asarray(self.results.shared(point.information**2, self.count) / point.diagonal**2)

    def is_played(self) -> Bools:
        """By entity: whether there is any result of it."""
        matches = self.results.matches
        return np.asarray(self.results.shared(matches, self.count) > 0)

    def _dispersion(self, seen: float, known: Floats) -> float:
        """How far scores lie from their expectation, squared, over what independent games would show.

        `seen`: the sum of the squares, each over its expectation; `known`: what the results tell of each strength. A
        strength that is told by the results alone takes a match's square away, one of which they tell little, little.
        """
        parameters = float(np.sum(known / (known + self.prior_diagonal)))
        free = max(float(self.results.matches.sum()) - parameters, 0.0)
        return float(np.clip((DISPERSION_PRIOR_MATCHES + seen) / (DISPERSION_PRIOR_MATCHES + free), *DISPERSION_RANGE))

    def _scattered(self, information: Floats) -> Floats:
        """What is known of the differences, as a matrix: negative, nothing on the diagonal."""
        matrix = np.zeros((self.count, self.count))
        for cells in self.cells:
            np.subtract.at(matrix.reshape(-1), cells, information)
        return matrix

    def _bend(self, point: PosteriorPoint, way: Floats) -> Floats:
        """The curvature times a vector, without the matrix."""
        results = self.results
        pull = point.information * (way[results.one] - way[results.other])
        return results.given(pull, self.count) + self._prior_pull(way)

    def _curvature(self, curvature: Floats, diagonal: Floats) -> Floats:
        """Off the diagonal the results' share is there already."""
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
    if count <= INVERSION_BLOCK_SIZE:
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
