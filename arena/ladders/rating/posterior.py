"""The logarithm of the posterior of all strengths: gradient, Hessian and Newton's step, in logits."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

MAX_CG_ITERATIONS = 1000
CG_TOLERANCE = 1e-5
"""Relative residual at which a step is exact enough: the next step corrects the rest."""
DISPERSION_RANGE = (0.1, 1.5)
DISPERSION_PRIOR_MATCHES = 200
"""Weight of the prior belief that the dispersion is 1, in matches."""
INVERSION_BLOCK_SIZE = 64
"""Matrices of up to this many rows are inverted without splitting them."""
MAX_LOGIT_DIFFERENCE = 30.0
"""Larger differences are clipped: this is 5,000 Elo."""


@dataclass(frozen=True, slots=True)
class Prior:
    """The prior of the strengths, as precisions: inverse variances."""

    parent: Ints
    is_root: Bools
    is_fixed: Bools
    mean: Floats
    """Prior mean of fixed entities; of the others, the middle of the scale while nothing fixes it."""
    root: float
    version: float
    fixed: Floats


@dataclass(frozen=True, slots=True)
class Results:
    """Sums over the matches of each pair of entities with the same number of seats, one row each."""

    first: Ints
    second: Ints
    legs: Floats
    weight: Floats
    """Number of independent games that a match is worth."""
    matches: Floats
    scores: Floats
    squares: Floats

    def compute_expected_scores(self, theta: Floats) -> Floats:
        """Return the expected score of `first` against `second`, by row."""
        odds = np.take(theta, self.second) - np.take(theta, self.first)
        np.exp(np.clip(odds, -MAX_LOGIT_DIFFERENCE, MAX_LOGIT_DIFFERENCE, out=odds), out=odds)
        odds += 1
        return np.asarray(np.reciprocal(odds, out=odds))

    def sum_differences(self, amount: Floats, count: int) -> Floats:
        """Return, by entity, the sum of the rows' amounts: added to `first` and subtracted from `second`."""
        return np.asarray(np.bincount(self.first, amount, count) - np.bincount(self.second, amount, count))

    def sum_by_entity(self, amount: Floats, count: int) -> Floats:
        """Return, by entity, the sum of the rows' amounts, added to both."""
        return np.asarray(np.bincount(self.first, amount, count) + np.bincount(self.second, amount, count))


@dataclass(frozen=True, slots=True)
class PosteriorPoint:
    """The posterior at a point: gradient and Hessian."""

    dispersion: float
    """Dispersion of a match's score."""
    chance: Floats
    """Expected score of `first` against `second`, by row."""
    slope: Floats
    """Gradient, by entity."""
    information: Floats
    """Precision of the difference of the two, by row."""
    diagonal: Floats
    """Diagonal of the negative Hessian, by entity."""
    curvature: Floats | None
    """The negative Hessian, or None where there are too many entities."""


class Posterior:
    """The posterior of the strengths of entities, given their results."""

    def __init__(self, prior: Prior, results: Results, *, is_dense: bool) -> None:
        self.prior, self.results, self.is_dense = prior, results, is_dense
        self.count = len(prior.parent)
        self.children = np.flatnonzero(prior.parent >= 0)
        self.parents = prior.parent[self.children]
        self.heads = np.flatnonzero(prior.is_root | prior.is_fixed)
        self.roots = np.flatnonzero(prior.is_root)
        self.is_floating = not bool(np.any(prior.is_fixed))
        self.prior_diagonal = self._compute_prior_diagonal()
        self.cells = (results.first * self.count + results.second, results.second * self.count + results.first)
        self.prior_push = prior.mean * (prior.fixed + (prior.root * prior.is_root if self.is_floating else 0.0))

    def evaluate(self, theta: Floats, dispersion: float | None) -> PosteriorPoint:
        """Return the posterior at a point, with the dispersion estimated there unless it is known."""
        results = self.results
        chance = results.compute_expected_scores(theta)
        wins = results.matches * chance
        spread = chance * (1 - chance)
        information = results.weight * spread
        information *= results.matches
        matrix = self._build_information_matrix(information) if self.is_dense else None
        known = results.sum_by_entity(information, self.count) if matrix is None else -matrix.sum(axis=1)
        if dispersion is None:
            residual = results.squares + chance * (wins - 2 * results.scores)
            dispersion = self._estimate_dispersion(float(results.legs @ (residual / spread)), known)
        pull = results.weight * (results.scores - wins)
        diagonal = known / dispersion + self.prior_diagonal
        return PosteriorPoint(
            dispersion=dispersion,
            chance=chance,
            slope=results.sum_differences(pull, self.count) / dispersion
            + self.prior_push
            - self._multiply_prior_hessian(theta),
            information=information / dispersion,
            diagonal=diagonal,
            curvature=None if matrix is None else self._complete_hessian(matrix / dispersion, diagonal),
        )

    def compute_newton_step(self, point: PosteriorPoint) -> Floats:
        """Return Newton's step from a point, by conjugate gradients."""
        step, residual = np.zeros(self.count), point.slope.copy()
        preconditioned = residual / point.diagonal
        direction, norm = preconditioned, float(residual @ preconditioned)
        tolerance = norm * CG_TOLERANCE**2
        for _ in range(MAX_CG_ITERATIONS):
            if norm <= tolerance:
                break
            product = (
                self._multiply_hessian(point, direction) if point.curvature is None else point.curvature @ direction
            )
            length = norm / float(direction @ product)
            step += length * direction
            residual -= length * product
            preconditioned = residual / point.diagonal
            norm, before = float(residual @ preconditioned), norm
            direction = preconditioned + norm / before * direction
        return step

    def approximate_variances(self, point: PosteriorPoint) -> Floats:
        """Return the variance by entity, allowing for the uncertainty of its opponents, but not for that of theirs."""
        own = 1 / point.diagonal
        results = self.results
        squares = point.information**2
        near = np.bincount(results.first, squares * own[results.second], self.count)
        near += np.bincount(results.second, squares * own[results.first], self.count)
        return np.asarray(own + own**2 * near)

    def propagate_pair_error(self, point: PosteriorPoint) -> Floats:
        """Return, per entity, the variance of its rating caused by pair interactions of unit variance.

        Many matches against few opponents mistake an interaction for strength; many opponents average it out.
        """
        return np.asarray(self.results.sum_by_entity(point.information**2, self.count) / point.diagonal**2)

    def find_played(self) -> Bools:
        """Return, by entity, whether it has any result."""
        matches = self.results.matches
        return np.asarray(self.results.sum_by_entity(matches, self.count) > 0)

    def _estimate_dispersion(self, squared_residuals: float, information: Floats) -> float:
        """Return the variance of scores around their expectation, relative to that of independent games.

        `squared_residuals` is the sum of squared residuals, each over its expectation; `information` is what results
        give about each strength. A strength known by results alone costs a degree of freedom, others cost a part of
        one.
        """
        parameters = float(np.sum(information / (information + self.prior_diagonal)))
        free = max(float(self.results.matches.sum()) - parameters, 0.0)
        return float(
            np.clip(
                (DISPERSION_PRIOR_MATCHES + squared_residuals) / (DISPERSION_PRIOR_MATCHES + free), *DISPERSION_RANGE
            )
        )

    def _build_information_matrix(self, information: Floats) -> Floats:
        """Return the negated information about differences as a symmetric matrix with a zero diagonal."""
        matrix = np.zeros((self.count, self.count))
        for cells in self.cells:
            np.subtract.at(matrix.reshape(-1), cells, information)
        return matrix

    def _multiply_hessian(self, point: PosteriorPoint, vector: Floats) -> Floats:
        """Return the negative Hessian times a vector, without building the matrix."""
        results = self.results
        pull = point.information * (vector[results.first] - vector[results.second])
        return results.sum_differences(pull, self.count) + self._multiply_prior_hessian(vector)

    def _complete_hessian(self, curvature: Floats, diagonal: Floats) -> Floats:
        """Add the prior and the diagonal to a matrix that has the results' share off the diagonal."""
        curvature[self.children, self.parents] -= self.prior.version
        curvature[self.parents, self.children] -= self.prior.version
        if not self.is_floating:
            self._add_mean_coupling(curvature)
        curvature[np.diag_indices(self.count)] = diagonal
        return curvature

    def _multiply_prior_hessian(self, vector: Floats) -> Floats:
        """Return the negative Hessian of the prior times a vector."""
        prior = self.prior
        pull = prior.fixed * vector
        change = prior.version * (vector[self.children] - vector[self.parents])
        pull += np.bincount(self.children, change, self.count) - np.bincount(self.parents, change, self.count)
        mean = 0.0 if self.is_floating else float(vector[self.heads].mean())
        deviation = prior.root * (vector[self.roots] - mean)
        pull[self.roots] += deviation
        if not self.is_floating:
            pull[self.heads] -= float(deviation.sum()) / len(self.heads)
        return pull

    def _compute_prior_diagonal(self) -> Floats:
        prior = self.prior
        diagonal = prior.fixed + prior.version * (np.bincount(self.parents, minlength=self.count) + (prior.parent >= 0))
        diagonal[self.roots] += prior.root
        if not self.is_floating:
            share = 1 / len(self.heads)
            diagonal[self.roots] -= 2 * prior.root * share
            diagonal[self.heads] += len(self.roots) * prior.root * share**2
        return np.asarray(diagonal)

    def _add_mean_coupling(self, curvature: Floats) -> None:
        """Add the coupling of roots to the mean of the heads, which moves with each of them."""
        share, root = 1 / len(self.heads), self.prior.root
        is_root, is_head = np.zeros(self.count), np.zeros(self.count)
        is_root[self.roots], is_head[self.heads] = 1.0, share
        curvature -= root * (np.outer(is_root, is_head) + np.outer(is_head, is_root))
        curvature += root * len(self.roots) * np.outer(is_head, is_head)


def invert_matrix(matrix: Floats) -> Floats:
    """Invert a symmetric positive definite matrix by blocks, twice as fast as the general inversion."""
    count = len(matrix)
    if count <= INVERSION_BLOCK_SIZE:
        return np.asarray(np.linalg.inv(matrix), dtype=np.float64)
    half = count // 2
    side = matrix[:half, half:]
    first = invert_matrix(matrix[:half, :half])
    carried = first @ side
    last = invert_matrix(matrix[half:, half:] - side.T @ carried)
    across = carried @ last
    result = np.empty_like(matrix)
    result[:half, :half] = first + across @ carried.T
    result[:half, half:] = -across
    result[half:, :half] = -across.T
    result[half:, half:] = last
    return result
