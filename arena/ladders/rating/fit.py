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

from arena.ladders.rating.elo import FIRST, FIRST_DEVIATION, VERSION_DEVIATION, Q
from arena.ladders.rating.posterior import Posterior, PosteriorPoint, Prior, Results, inverse
from arena.ladders.rating.table import WEIGHT

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

DENSE = 2000
"""With more entities than this no matrix is inverted: variances are approximate, covariances unknown."""
STEPS = 60
CAP = 2.0
"""No step moves anybody by more logits."""
NEAR = 1e-7 * Q
"""Done when nobody is going to move by more: steps shrink at least as fast as the last one did."""
FIRST_DISPERSION = 0.95

QUIRK_PRIOR = 200
"""That ratings tell all there is between two is believed until results tell otherwise: so much speaks for it, as a sum
of squared information (a match of two equals has half a unit)."""


@dataclass(frozen=True, slots=True)
class Entities:
    """What is rated, by index."""

    rating0: Floats
    """Of a head that is no root: what it is believed to be worth beforehand. Elo; of others not looked at."""
    deviation0: Floats
    """Its standard deviation. Likewise."""
    parent: Ints
    """Index of the entity it took over from, or -1: a head."""
    is_root: Bools
    """A head of which nothing is known beforehand."""
    is_active: Bools
    """Deviations are measured from the mean of these."""
    is_anchor: Bools
    """The scale hangs on these."""


@dataclass(frozen=True, slots=True)
class Stats:
    """Sums of all results of two entities at tables of one size; a row each. Whole numbers."""

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
class Fitted:
    rating: Floats
    """Elo."""
    deviation: Floats
    """Standard deviation, against the mean of the active ones."""
    dispersion: float
    """Dispersion of a match's score around what ratings tell, over what as many independent games would have."""
    pair_interaction_sd: float | None
    """Standard deviation, Elo, of what is between two beyond the difference of their ratings. None without results."""
    covariance: Floats | None
    """Of the ratings, Elo². None where there are too many."""
    steps: int


def fit(
    entities: Entities,
    stats: Stats,
    *,
    anchor_mean: float = FIRST,
    start: Floats | None = None,
    dispersion: float | None = None,
) -> Fitted:
    """All ratings, those of the anchors `anchor_mean` on average.

    `start`: ratings to begin with, those of the last fit, say; they make it short and change nothing.
    `dispersion`: the dispersion, where it is known, and that ratings tell all there is between two.
    """
    count = len(entities.parent)
    if count == 0:
        return Fitted(np.empty(0), np.empty(0), dispersion or FIRST_DISPERSION, None, None, 0)
    results = _results(stats)
    posterior = Posterior(_prior(entities), results, is_dense=count <= DENSE)
    theta, point, steps = _climb(posterior, posterior.prior.mean if start is None else start * Q, dispersion)
    rating = theta / Q
    rating += _shift(entities, rating, anchor_mean)
    excess, weight = _beyond(results, point)
    quirks = max(0.0, excess) / (weight + QUIRK_PRIOR) if dispersion is None else 0.0
    covariance, variance = _uncertainty(entities, posterior, point, quirks)
    return Fitted(
        rating=rating,
        deviation=np.sqrt(variance),
        dispersion=point.dispersion,
        pair_interaction_sd=sqrt(max(0.0, excess) / weight) / Q if weight else None,
        covariance=covariance,
        steps=steps,
    )


def probability_better(fitted: Fitted, one: int, other: int) -> float:
    """How likely it is that one entity is stronger than another, given all results."""
    if one == other:
        return 0.5
    variance = float(fitted.deviation[one] ** 2 + fitted.deviation[other] ** 2)
    if fitted.covariance is not None:
        variance -= 2 * float(fitted.covariance[one, other])
    return 0.5 * (1 + erf(float(fitted.rating[one] - fitted.rating[other]) / sqrt(2 * variance)))


def _prior(entities: Entities) -> Prior:
    is_head = entities.parent < 0
    is_fixed = is_head & ~entities.is_root
    return Prior(
        parent=entities.parent,
        is_root=is_head & entities.is_root,
        is_fixed=is_fixed,
        mean=np.where(is_fixed, entities.rating0, FIRST) * Q,
        root=1 / (FIRST_DEVIATION * Q) ** 2,
        version=1 / (VERSION_DEVIATION * Q) ** 2,
        fixed=np.where(is_fixed, 1 / (np.where(is_fixed, entities.deviation0, 1.0) * Q) ** 2, 0.0),
    )


def _results(stats: Stats) -> Results:
    if np.any(stats.one >= stats.other):
        raise ValueError("no entity plays against itself, and the lower index comes first")
    seats = range(max(WEIGHT) + 1)
    legs = np.array(seats, dtype=np.float64)[stats.seats]
    return Results(
        one=stats.one,
        other=stats.other,
        legs=legs,
        weight=np.array([count * WEIGHT.get(count, 0.0) for count in seats])[stats.seats],
        matches=stats.matches.astype(np.float64),
        scores=stats.halves / (2 * legs),
        squares=stats.squares / (2 * legs) ** 2,
    )


def _climb(posterior: Posterior, theta: Floats, dispersion: float | None) -> tuple[Floats, PosteriorPoint, int]:
    """Where the posterior is highest, what it is like there, and how many steps it took."""
    steps, length, left = 0, 0.0, np.inf
    point = posterior.look(theta, dispersion)
    while left >= NEAR and steps < STEPS:
        step = posterior.step(point)
        before, length = length, float(np.max(np.abs(step)))
        theta = theta + step * (CAP / max(length, CAP))
        point = posterior.look(theta, dispersion)
        left = length * min(1.0, length / before if steps else 1.0)
        steps += 1
    return theta, point, steps


def _beyond(results: Results, point: PosteriorPoint) -> tuple[float, float]:
    """What of the squared residuals of pairs is beyond chance, and what that is to be divided by for a variance."""
    information = results.legs * results.matches * point.chance * (1 - point.chance)
    residual = results.legs * (results.scores - results.matches * point.chance)
    return float(np.sum(residual**2 - point.dispersion * information)), float(np.sum(information**2))


def _uncertainty(
    entities: Entities, posterior: Posterior, point: PosteriorPoint, quirks: float
) -> tuple[Floats | None, Floats]:
    """Covariances (or None) and variances, Elo², against the mean of the active ones.

    Who never played has the variance of its prior. `quirks`: variance of what is between two beyond their ratings.
    """
    beforehand, is_played = _variance_beforehand(entities), posterior.is_played()
    blurred = quirks * posterior.propagate_pair_error(point) / Q**2
    if point.curvature is None:
        return None, np.asarray(np.where(is_played, posterior.rough_variance(point) / Q**2 + blurred, beforehand))
    among = entities.is_active if np.count_nonzero(entities.is_active) > 1 else np.ones(len(beforehand), dtype=np.bool_)
    covariance = inverse(point.curvature)
    covariance /= Q**2
    shared = covariance[:, among].mean(axis=1)
    shared -= shared[among].mean() / 2
    covariance -= shared[:, None]
    covariance -= shared[None, :]
    variance = np.where(is_played, np.diag(covariance) + blurred, beforehand)
    np.fill_diagonal(covariance, variance)
    return covariance, variance


def _variance_beforehand(entities: Entities) -> Floats:
    is_root = (entities.parent < 0) & entities.is_root
    own = np.where(is_root, FIRST_DEVIATION, np.where(entities.parent < 0, entities.deviation0, VERSION_DEVIATION)) ** 2
    variance, above = own.astype(np.float64), entities.parent.copy()
    while np.any(above >= 0):
        variance += np.where(above >= 0, own[above], 0.0)
        above = np.where(above >= 0, entities.parent[above], -1)
    return variance


def _shift(entities: Entities, rating: Floats, anchor_mean: float) -> float:
    """What puts the scale where it belongs. Without anchors it hangs on another season, or else on the heads' mean."""
    if np.any(entities.is_anchor):
        return anchor_mean - float(rating[entities.is_anchor].mean())
    is_head = entities.parent < 0
    if np.any(is_head & ~entities.is_root):
        return 0.0
    return FIRST - float(rating[is_head].mean())
