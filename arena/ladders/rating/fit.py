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

from arena.ladders.rating.elo import INITIAL_DEVIATION_ELO, INITIAL_RATING_ELO, LOGITS_PER_ELO, VERSION_CHANGE_SD_ELO
from arena.ladders.rating.posterior import Posterior, PosteriorPoint, Prior, Results, invert_matrix
from arena.ladders.rating.table import PAIR_WEIGHT_BY_SEATS

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

MAX_DENSE_ENTITIES = 2000
"""No matrix of more entities is inverted: their variances are approximate and their covariances unknown."""
MAX_NEWTON_STEPS = 60
MAX_NEWTON_STEP_LOGITS = 2.0
"""Longer steps are shortened to move no strength by more."""
CONVERGENCE_TOLERANCE_LOGITS = 1e-9 * LOGITS_PER_ELO
"""The fit has converged when the next step would be no longer, if steps shrink as fast as the slower of the last two:
the first one from ratings that nearly fit is followed by a much shorter one, and then they shrink slowly. All that
remain must be below 1e-6 Elo together: a ladder computed again has these ratings."""
INITIAL_DISPERSION = 0.95
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
