"""How well shown ratings tell the truth."""

from dataclasses import dataclass, fields
from math import isnan

import numpy as np
import numpy.typing as npt

from arena.contests.ladders.rating import Z_SCORE_95

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Figures:
    rmse: float
    """Elo, both centred."""
    tau: float
    """Kendall's: of all pairs those in the right order less those in the wrong one, by their sum."""
    slope: float
    """Elo shown by an Elo of truth."""
    coverage: float
    """Share of the 95 % intervals that hold the truth; NaN without intervals."""


def compare(shown: Floats, truth: Floats, deviation: Floats | None = None) -> Figures:
    shown, truth = shown - shown.mean(), truth - truth.mean()
    above = np.triu_indices(len(truth), 1)
    order = np.sign(shown[:, None] - shown[None, :]) * np.sign(truth[:, None] - truth[None, :])
    return Figures(
        rmse=float(np.sqrt(np.mean((shown - truth) ** 2))),
        tau=float(order[above].mean()),
        slope=float(shown @ truth / (truth @ truth)),
        coverage=float("nan") if deviation is None else float(np.mean(abs(shown - truth) <= Z_SCORE_95 * deviation)),
    )


def mean_of(figures: list[Figures]) -> Figures:
    columns = {field.name: [getattr(one, field.name) for one in figures] for field in fields(Figures)}
    return Figures(**{name: _mean(values) for name, values in columns.items()})


def first_to_reach(points: list[tuple[float, float]], level: float) -> float:
    """Where a rising line first reaches a level; infinite where it doesn't. `points`: (x, y), x rising."""
    before = points[0]
    for point in points:
        if point[1] >= level:
            rise = point[1] - before[1]
            return before[0] + (point[0] - before[0]) * ((level - before[1]) / rise if rise else 0.0)
        before = point
    return float("inf")


def _mean(values: list[float]) -> float:
    known = [value for value in values if not isnan(value)]
    return float(np.mean(known)) if known else float("nan")
