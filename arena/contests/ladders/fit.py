"""The ratings that best explain all results of a ladder: Bradley and Terry's model with a prior, by Newton's method.

The logarithm of the posterior of strengths theta (logits: Elo times q), with p the chance of one against another and s
the score:

    sum over matches of games / dispersion * (s ln p + (1 - s) ln(1 - p))
    - sum over roots of (theta - mean of the heads)² / 2 (300 q)²
    - sum over heads of another season of (theta - first)² / 2 (deviation q)²
    - sum over later versions of (theta - theta of the parent)² / 2 (80 q)²

A head is an entity without a parent on the ladder; a root is a head of which nothing was known. The sum doesn't depend
on the order of matches, so a ladder can be computed again from its ledger. The dispersion is estimated from the same
residuals until both agree, so the result doesn't depend on where the computation starts either. Intervals also allow
for pair interactions (a bot may play better against one opponent than the ratings of both say), as far as the residuals
of pairs show them.

One dispersion serves all pairs, though their deals cancel more or less luck. In worlds where a pair has 0.36, 0.82 or
0.97, weighting pairs by their true dispersions narrows the intervals by 5 % and makes no rating better, but 91 %
instead of 95 % of the intervals hold the truth: what is between two counts for strength then. Estimated for each pair
and shrunk to the ladder's, it narrows nothing (tests/bench/bench_ratings.py living --dispersions 0.36 0.82 0.97).
"""

from dataclasses import dataclass
from math import erf, sqrt

import numpy as np
import numpy.typing as npt

from arena.contests.ladders.rating import (
    INITIAL_DEVIATION_ELO,
    INITIAL_DISPERSION,
    INITIAL_RATING_ELO,
    LOGITS_PER_ELO,
    PAIR_WEIGHT_BY_SEATS,
    VERSION_CHANGE_SD_ELO,
    Z_SCORE_95,
)

# The logarithm of the posterior of all strengths: gradient, Hessian and Newton's step, in logits.

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


MAX_DENSE_ENTITIES = 2000
"""No matrix of more entities is inverted: their variances are approximate and their covariances unknown."""
MAX_NEWTON_STEPS = 60
MAX_NEWTON_STEP_LOGITS = 2.0
"""Longer steps are shortened to move no strength by more."""
CONVERGENCE_TOLERANCE_LOGITS = 1e-9 * LOGITS_PER_ELO
"""The fit has converged when the next step would be no longer, if steps shrink as fast as the slower of the last two:
the first one from ratings that nearly fit is followed by a much shorter one, and then they shrink slowly. All that
remain must be below 1e-6 Elo together: a ladder computed again has these ratings."""
MIN_REFERENCE_MATCHES, MIN_REFERENCE_ENTITIES = 20, 4
"""Deviations are measured from the mean of the active entities with so many matches, once there are so many of them: a
crowd of newcomers makes no known rating less certain."""
NO_PAIR_INTERACTION_PRIOR_WEIGHT = 200
"""Weight of the prior belief that pairs have no interaction, as a sum of squared information (two equals: half a unit
a match)."""


@dataclass(frozen=True, slots=True)
class Entities:
    """The rated entities, by index."""

    rating0: Floats
    """Prior mean in Elo of a head that is no root; ignored for the others."""
    deviation0: Floats
    """Standard deviation of that prior, in Elo."""
    parent: Ints
    """Index of the version it replaced, or -1 for a head."""
    is_root: Bools
    """Heads without prior knowledge."""
    is_active: Bools
    """Deviations are measured from the mean of those of these that have played enough."""
    is_anchor: Bools
    """The mean rating of these fixes the scale."""


@dataclass(frozen=True, slots=True)
class Stats:
    """Sums of all results by pair of entities and number of seats, one row each. Integers."""

    first: Ints
    """Index of an entity, lower than `second`."""
    second: Ints
    seats: Ints
    matches: Ints
    halves: Ints
    """Half points of `first`: from 0 to 2 * seats in each match."""
    squares: Ints
    """Sum over the matches of its half points squared."""


@dataclass(frozen=True, slots=True)
class FitResult:
    """The fitted ratings, by index."""

    rating: Floats
    """Elo."""
    deviation: Floats
    """Standard deviation relative to the mean of the reference entities."""
    dispersion: float
    """Variance of a match's score around the expected one, relative to that of as many independent games."""
    pair_interaction_sd: float | None
    """Standard deviation, in Elo, of a pair's results beyond the difference of ratings. None without results."""
    covariance: Floats | None
    """Covariance of the ratings, in Elo². None above MAX_DENSE_ENTITIES."""
    steps: int


def fit_ratings(
    entities: Entities,
    stats: Stats,
    *,
    anchor_mean: float = INITIAL_RATING_ELO,
    start: Floats | None = None,
    dispersion: float | None = None,
) -> FitResult:
    """Return all ratings, with the mean of the anchors at `anchor_mean`.

    `start` are ratings to begin with, as those of the last fit: they save steps and don't change the result. A known
    `dispersion` is not estimated, and no pair interaction is either.
    """
    count = len(entities.parent)
    if count == 0:
        return FitResult(np.empty(0), np.empty(0), dispersion or INITIAL_DISPERSION, None, None, 0)
    results = _build_results(stats)
    posterior = Posterior(_build_prior(entities), results, is_dense=count <= MAX_DENSE_ENTITIES)
    theta, point, steps = _maximize_posterior(
        posterior, posterior.prior.mean if start is None else start * LOGITS_PER_ELO, dispersion
    )
    rating = theta / LOGITS_PER_ELO
    rating += _compute_scale_offset(entities, rating, anchor_mean)
    excess, weight = _sum_pair_excess(results, point)
    pair_variance = max(0.0, excess) / (weight + NO_PAIR_INTERACTION_PRIOR_WEIGHT) if dispersion is None else 0.0
    covariance, variance = _compute_covariances(entities, posterior, point, pair_variance)
    return FitResult(
        rating=rating,
        deviation=np.sqrt(variance),
        dispersion=point.dispersion,
        pair_interaction_sd=sqrt(max(0.0, excess) / weight) / LOGITS_PER_ELO if weight else None,
        covariance=covariance,
        steps=steps,
    )


def compute_probability_stronger(fitted: FitResult, first: int, second: int) -> float:
    """Return the probability that one entity is stronger than another, given all results."""
    if first == second:
        return 0.5
    variance = float(fitted.deviation[first] ** 2 + fitted.deviation[second] ** 2)
    if fitted.covariance is not None:
        variance -= 2 * float(fitted.covariance[first, second])
    return 0.5 * (1 + erf(float(fitted.rating[first] - fitted.rating[second]) / sqrt(2 * variance)))


def _build_prior(entities: Entities) -> Prior:
    is_head = entities.parent < 0
    is_fixed = is_head & ~entities.is_root
    return Prior(
        parent=entities.parent,
        is_root=is_head & entities.is_root,
        is_fixed=is_fixed,
        mean=np.where(is_fixed, entities.rating0, INITIAL_RATING_ELO) * LOGITS_PER_ELO,
        root=1 / (INITIAL_DEVIATION_ELO * LOGITS_PER_ELO) ** 2,
        version=1 / (VERSION_CHANGE_SD_ELO * LOGITS_PER_ELO) ** 2,
        fixed=np.where(is_fixed, 1 / (np.where(is_fixed, entities.deviation0, 1.0) * LOGITS_PER_ELO) ** 2, 0.0),
    )


def _build_results(stats: Stats) -> Results:
    if np.any(stats.first >= stats.second):
        raise ValueError("no entity plays against itself, and the lower index comes first")
    seats = range(max(PAIR_WEIGHT_BY_SEATS) + 1)
    legs = np.array(seats, dtype=np.float64)[stats.seats]
    return Results(
        first=stats.first,
        second=stats.second,
        legs=legs,
        weight=np.array([count * PAIR_WEIGHT_BY_SEATS.get(count, 0.0) for count in seats])[stats.seats],
        matches=stats.matches.astype(np.float64),
        scores=stats.halves / (2 * legs),
        squares=stats.squares / (2 * legs) ** 2,
    )


def _maximize_posterior(
    posterior: Posterior, theta: Floats, dispersion: float | None
) -> tuple[Floats, PosteriorPoint, int]:
    """Return the maximum of the posterior, the posterior there, and the number of steps taken."""
    steps, length, left, ratio = 0, 0.0, np.inf, 1.0
    point = posterior.evaluate(theta, dispersion)
    while left >= CONVERGENCE_TOLERANCE_LOGITS and steps < MAX_NEWTON_STEPS:
        step = posterior.compute_newton_step(point)
        before, length = length, float(np.max(np.abs(step)))
        theta = theta + step * (MAX_NEWTON_STEP_LOGITS / max(length, MAX_NEWTON_STEP_LOGITS))
        point = posterior.evaluate(theta, dispersion)
        ratio_before, ratio = ratio, length / before if steps else 1.0
        left = length * min(1.0, max(ratio, ratio_before))
        steps += 1
    return theta, point, steps


def _sum_pair_excess(results: Results, point: PosteriorPoint) -> tuple[float, float]:
    """Return the squared residuals of pairs in excess of chance, and the divisor that makes them a variance."""
    information = results.legs * results.matches * point.chance * (1 - point.chance)
    residual = results.legs * (results.scores - results.matches * point.chance)
    return float(np.sum(residual**2 - point.dispersion * information)), float(np.sum(information**2))


def _compute_covariances(
    entities: Entities, posterior: Posterior, point: PosteriorPoint, pair_variance: float
) -> tuple[Floats | None, Floats]:
    """Return covariances (or None) and variances, in Elo², relative to the mean of the reference entities.

    Entities without matches have the variance of their prior. `pair_variance` is that of pair interactions.
    """
    prior_variance, is_played = _compute_prior_variances(entities), posterior.find_played()
    pair_error = pair_variance * posterior.propagate_pair_error(point) / LOGITS_PER_ELO**2
    if point.curvature is None:
        return None, np.asarray(
            np.where(is_played, posterior.approximate_variances(point) / LOGITS_PER_ELO**2 + pair_error, prior_variance)
        )
    among = _find_reference(entities, posterior.results)
    covariance = invert_matrix(point.curvature)
    covariance /= LOGITS_PER_ELO**2
    shared = covariance[:, among].mean(axis=1)
    shared -= shared[among].mean() / 2
    covariance -= shared[:, None]
    covariance -= shared[None, :]
    variance = np.where(is_played, np.diag(covariance) + pair_error, prior_variance)
    np.fill_diagonal(covariance, variance)
    return covariance, variance


def _find_reference(entities: Entities, results: Results) -> Bools:
    """Return the entities from whose mean deviations are measured: the active ones that have played enough."""
    count = len(entities.parent)
    settled = entities.is_active & (results.sum_by_entity(results.matches, count) >= MIN_REFERENCE_MATCHES)
    if np.count_nonzero(settled) >= MIN_REFERENCE_ENTITIES:
        return settled
    return entities.is_active if np.count_nonzero(entities.is_active) > 1 else np.ones(count, dtype=np.bool_)


def _compute_prior_variances(entities: Entities) -> Floats:
    is_root = (entities.parent < 0) & entities.is_root
    own = (
        np.where(
            is_root, INITIAL_DEVIATION_ELO, np.where(entities.parent < 0, entities.deviation0, VERSION_CHANGE_SD_ELO)
        )
        ** 2
    )
    variance, above = own.astype(np.float64), entities.parent.copy()
    while np.any(above >= 0):
        variance += np.where(above >= 0, own[above], 0.0)
        above = np.where(above >= 0, entities.parent[above], -1)
    return variance


def _compute_scale_offset(entities: Entities, rating: Floats, anchor_mean: float) -> float:
    """Return the offset that fixes the scale: by the anchors, else the last season, else the mean of the heads."""
    if np.any(entities.is_anchor):
        return anchor_mean - float(rating[entities.is_anchor].mean())
    is_head = entities.parent < 0
    if np.any(is_head & ~entities.is_root):
        return 0.0
    return INITIAL_RATING_ELO - float(rating[is_head].mean())


# Ranks that ratings support: plausible ranges, and groups that can't be told apart.

COMPARISON_BLOCK_ROWS = 512
"""Rows compared with all others at once, which bounds the memory used."""


def compute_rank_ranges(rating: Floats, deviation: Floats, covariance: Floats | None) -> tuple[Ints, Ints]:
    """Return the best and the worst plausible rank of each, from 1. Ratings are sorted, highest first.

    A rank above an entry that is stronger, or below one that is weaker, at a confidence of 95 %, is not plausible.
    """
    count = len(rating)
    best, worst = np.empty(count, dtype=np.int64), np.empty(count, dtype=np.int64)
    for begin in range(0, count, COMPARISON_BLOCK_ROWS):
        rows = slice(begin, min(begin + COMPARISON_BLOCK_ROWS, count))
        lead, margin = _compare_rows(rating, deviation, covariance, rows)
        best[rows] = 1 + np.count_nonzero(lead < -margin, axis=1)
        worst[rows] = count - np.count_nonzero(lead > margin, axis=1)
    return best, worst


def find_sure_places(rating: Floats, deviation: Floats, covariance: Floats | None, rows: Ints) -> Bools:
    """Return, for each of these rows, whether all others are stronger or weaker at a confidence of 95 %."""
    lead, margin = _compare_rows(rating, deviation, covariance, rows)
    is_apart = np.abs(lead) > margin
    is_apart[np.arange(len(rows)), rows] = True
    return np.asarray(is_apart.all(axis=1))


def assign_rank_groups(rating: Floats, deviation: Floats, covariance: Floats | None) -> Ints:
    """Return the number of each one's group; 1 is the best. Ratings are sorted, highest first.

    No member of a group differs from its first at a confidence of 95 %.
    """
    count = len(rating)
    group, first, number = np.empty(count, dtype=np.int64), 0, 1
    while first < count:
        lead, margin = _compare_rows(rating, deviation, covariance, slice(first, first + 1))
        weaker = np.flatnonzero((lead > margin)[0, first:])
        after = first + int(weaker[0]) if len(weaker) else count
        group[first:after] = number
        first, number = after, number + 1
    return group


def _compare_rows(
    rating: Floats, deviation: Floats, covariance: Floats | None, rows: slice | Ints
) -> tuple[Floats, Floats]:
    """Return the lead of each of the rows over all others, and the leads that chance explains, in Elo."""
    variance = deviation[rows, None] ** 2 + deviation[None, :] ** 2
    if covariance is not None:
        variance -= 2 * covariance[rows]
    lead = rating[rows, None] - rating[None, :]
    return lead, Z_SCORE_95 * np.sqrt(np.maximum(variance, 0.0))
