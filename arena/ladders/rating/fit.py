"""The ratings that best explain all results of a ladder: Bradley and Terry's model with a prior, by Newton's method.

The logarithm of the posterior of strengths theta (logits: Elo times Q), with p the chance of one against another and s
the score:

    sum over matches of games / dispersion * (s ln p + (1 - s) ln(1 - p))
    - sum over roots of (theta - mean of the heads)² / 2 (300 Q)²
    - sum over heads of another season of (theta - first)² / 2 (deviation Q)²
    - sum over later versions of (theta - theta of the parent)² / 2 (80 Q)²

A head is who has no parent on the ladder, a root is a head of whom nothing was known. The sum doesn't depend on the
order of matches, so a ladder can be computed again from its ledger. The dispersion is estimated from the same
residuals until both agree, so the result doesn't depend on where the computation starts either. Intervals also allow
for what is between two bots beyond their ratings, as far as the residuals of pairs show it: one may play well against
just the other.
"""

from dataclasses import dataclass
from math import erf, sqrt

import numpy as np
import numpy.typing as npt

from arena.ladders.rating.elo import FIRST_DEVIATION, FIRST_RATING, VERSION_DEVIATION, Q
from arena.ladders.rating.posterior import Posterior, PosteriorPoint, Prior, Results, inverse
from arena.ladders.rating.table import PAIR_WEIGHT

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

MAX_DENSE_ENTITIES = 2000
"""No matrix of more entities is inverted: their variances are approximate and their covariances unknown."""
MAX_NEWTON_STEPS = 60
MAX_STEP_LOGITS = 2.0
"""Longer steps are shortened to move no strength by more."""
STEP_TOLERANCE_LOGITS = 1e-7 * Q
"""The fit has converged when no remaining step can be longer, as steps shrink at least as fast as the last one."""
INITIAL_DISPERSION = 0.95
PAIR_INTERACTION_PRIOR_WEIGHT = 200
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
    """Deviations are measured from the mean of these."""
    is_anchor: Bools
    """The mean rating of these fixes the scale."""


@dataclass(frozen=True, slots=True)
class Stats:
    """Sums of all results by pair of entities and number of seats, one row each. Integers."""

    one: Ints
    """Index of an entity, lower than `other`."""
    other: Ints
    seats: Ints
    matches: Ints
    halves: Ints
    """Half points of `one`: from 0 to 2 * seats in each match."""
    squares: Ints
    """Sum over the matches of its half points squared."""


@dataclass(frozen=True, slots=True)
class FitResult:
    """The fitted ratings, by index."""

    rating: Floats
    """Elo."""
    deviation: Floats
    """Standard deviation relative to the mean of the active entities."""
    dispersion: float
    """Variance of a match's score around the expected one, relative to that of as many independent games."""
    pair_interaction_sd: float | None
    """Standard deviation, in Elo, of a pair's results beyond the difference of ratings. None without results."""
    covariance: Floats | None
    """Covariance of the ratings, in Elo². None above MAX_DENSE_ENTITIES."""
    steps: int


def fit(
    entities: Entities,
    stats: Stats,
    *,
    anchor_mean: float = FIRST_RATING,
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
        posterior, posterior.prior.mean if start is None else start * Q, dispersion
    )
    rating = theta / Q
    rating += _scale_offset(entities, rating, anchor_mean)
    excess, weight = _sum_pair_excess(results, point)
    pair_variance = max(0.0, excess) / (weight + PAIR_INTERACTION_PRIOR_WEIGHT) if dispersion is None else 0.0
    covariance, variance = _uncertainty(entities, posterior, point, pair_variance)
    return FitResult(
        rating=rating,
        deviation=np.sqrt(variance),
        dispersion=point.dispersion,
        pair_interaction_sd=sqrt(max(0.0, excess) / weight) / Q if weight else None,
        covariance=covariance,
        steps=steps,
    )


def probability_better(fitted: FitResult, one: int, other: int) -> float:
    """Return the probability that one entity is stronger than another, given all results."""
    if one == other:
        return 0.5
    variance = float(fitted.deviation[one] ** 2 + fitted.deviation[other] ** 2)
    if fitted.covariance is not None:
        variance -= 2 * float(fitted.covariance[one, other])
    return 0.5 * (1 + erf(float(fitted.rating[one] - fitted.rating[other]) / sqrt(2 * variance)))


def _build_prior(entities: Entities) -> Prior:
    is_head = entities.parent < 0
    is_fixed = is_head & ~entities.is_root
    return Prior(
        parent=entities.parent,
        is_root=is_head & entities.is_root,
        is_fixed=is_fixed,
        mean=np.where(is_fixed, entities.rating0, FIRST_RATING) * Q,
        root=1 / (FIRST_DEVIATION * Q) ** 2,
        version=1 / (VERSION_DEVIATION * Q) ** 2,
        fixed=np.where(is_fixed, 1 / (np.where(is_fixed, entities.deviation0, 1.0) * Q) ** 2, 0.0),
    )


def _build_results(stats: Stats) -> Results:
    if np.any(stats.one >= stats.other):
        raise ValueError("no entity plays against itself, and the lower index comes first")
    seats = range(max(PAIR_WEIGHT) + 1)
    legs = np.array(seats, dtype=np.float64)[stats.seats]
    return Results(
        one=stats.one,
        other=stats.other,
        legs=legs,
        weight=np.array([count * PAIR_WEIGHT.get(count, 0.0) for count in seats])[stats.seats],
        matches=stats.matches.astype(np.float64),
        scores=stats.halves / (2 * legs),
        squares=stats.squares / (2 * legs) ** 2,
    )


def _maximize_posterior(
    posterior: Posterior, theta: Floats, dispersion: float | None
) -> tuple[Floats, PosteriorPoint, int]:
    """Return the maximum of the posterior, the posterior there, and the number of steps taken."""
    steps, length, left = 0, 0.0, np.inf
    point = posterior.look(theta, dispersion)
    while left >= STEP_TOLERANCE_LOGITS and steps < MAX_NEWTON_STEPS:
        step = posterior.step(point)
        before, length = length, float(np.max(np.abs(step)))
        theta = theta + step * (MAX_STEP_LOGITS / max(length, MAX_STEP_LOGITS))
        point = posterior.look(theta, dispersion)
        left = length * min(1.0, length / before if steps else 1.0)
        steps += 1
    return theta, point, steps


def _sum_pair_excess(results: Results, point: PosteriorPoint) -> tuple[float, float]:
    """Return the squared residuals of pairs in excess of chance, and the divisor that makes them a variance."""
    information = results.legs * results.matches * point.chance * (1 - point.chance)
    residual = results.legs * (results.scores - results.matches * point.chance)
    return float(np.sum(residual**2 - point.dispersion * information)), float(np.sum(information**2))


def _uncertainty(
    entities: Entities, posterior: Posterior, point: PosteriorPoint, pair_variance: float
) -> tuple[Floats | None, Floats]:
    """Return covariances (or None) and variances, in Elo², relative to the mean of the active entities.

    Entities without matches have the variance of their prior. `pair_variance` is that of pair interactions.
    """
    prior_variance, is_played = _prior_variance(entities), posterior.is_played()
    pair_error = pair_variance * posterior.propagate_pair_error(point) / Q**2
    if point.curvature is None:
        return None, np.asarray(
            np.where(is_played, posterior.rough_variance(point) / Q**2 + pair_error, prior_variance)
        )
    among = (
        entities.is_active if np.count_nonzero(entities.is_active) > 1 else np.ones(len(prior_variance), dtype=np.bool_)
    )
    covariance = inverse(point.curvature)
    covariance /= Q**2
    shared = covariance[:, among].mean(axis=1)
    shared -= shared[among].mean() / 2
    covariance -= shared[:, None]
    covariance -= shared[None, :]
    variance = np.where(is_played, np.diag(covariance) + pair_error, prior_variance)
    np.fill_diagonal(covariance, variance)
    return covariance, variance


def _prior_variance(entities: Entities) -> Floats:
    is_root = (entities.parent < 0) & entities.is_root
    own = np.where(is_root, FIRST_DEVIATION, np.where(entities.parent < 0, entities.deviation0, VERSION_DEVIATION)) ** 2
    variance, above = own.astype(np.float64), entities.parent.copy()
    while np.any(above >= 0):
        variance += np.where(above >= 0, own[above], 0.0)
        above = np.where(above >= 0, entities.parent[above], -1)
    return variance


def _scale_offset(entities: Entities, rating: Floats, anchor_mean: float) -> float:
    """Return the offset that fixes the scale: by the anchors, else the last season, else the mean of the heads."""
    if np.any(entities.is_anchor):
        return anchor_mean - float(rating[entities.is_anchor].mean())
    is_head = entities.parent < 0
    if np.any(is_head & ~entities.is_root):
        return 0.0
    return FIRST_RATING - float(rating[is_head].mean())
