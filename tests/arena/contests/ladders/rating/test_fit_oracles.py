"""The fit against published figures of others."""

import numpy as np
import pytest

from arena.contests.ladders.fit import fit_ratings
from arena.contests.ladders.rating import LOGITS_PER_ELO
from tests.arena.contests.ladders.rating.ledgers import SINGLE, Row, known, stats

# Citations among four journals of statistics: Stigler, Statistical Science 9 (1994).
CITATIONS: list[Row] = [
    (0, 1, 730, 33),
    (0, 2, 498, 320),
    (0, 3, 221, 284),
    (1, 2, 68, 813),
    (1, 3, 17, 276),
    (2, 3, 142, 325),
]
# The example of Wikipedia's article on Bradley and Terry's model.
FOUR: list[Row] = [(0, 1, 2, 3), (0, 3, 1, 4), (1, 2, 5, 3), (2, 3, 1, 3)]
TRIANGLE: list[Row] = [(0, 1, 22.5, 7.5), (1, 2, 22.5, 7.5), (0, 2, 27, 3)]

NO_PRIOR = 1e5


def test_citations_of_journals_without_a_prior() -> None:
    fitted = fit_ratings(known(4, NO_PRIOR), stats(CITATIONS), dispersion=SINGLE)
    logits = (fitted.rating - fitted.rating[0]) * LOGITS_PER_ELO
    assert logits == pytest.approx([0, -2.949072, -0.479570, 0.268954], abs=1e-6)
    centred = fitted.rating - fitted.rating.mean()
    assert centred == pytest.approx([137.2235, -375.0828, 53.9137, 183.9456], abs=1e-4)
    assert fitted.deviation == pytest.approx([7.5273, 12.6084, 7.2338, 9.2152], abs=1e-4)


def test_wikipedias_example_without_a_prior() -> None:
    fitted = fit_ratings(known(4, NO_PRIOR), stats(FOUR), dispersion=SINGLE)
    strengths = np.exp(fitted.rating * LOGITS_PER_ELO)
    strengths /= np.exp(np.log(strengths).mean())
    assert strengths == pytest.approx([0.639835, 1.043315, 0.659810, 2.270374], abs=1e-6)


def test_a_triangle_without_a_prior() -> None:
    fitted = fit_ratings(known(3, NO_PRIOR), stats(TRIANGLE), dispersion=SINGLE)
    assert fitted.rating == pytest.approx([190.848450, 0, -190.848450], abs=1e-5)


@pytest.mark.parametrize(
    "rows, ratings, deviations",
    [
        (TRIANGLE, [185.305354, 0, -185.305354], [39.674584, 33.927176, 39.674584]),
        (CITATIONS, [136.937267, -374.183904, 53.742999, 183.503637], None),
        ([(0, 1, 1, 0)], [111.939218, -111.939218], [149.615429] * 2),
        ([(0, 1, 10, 0)], [256.611870, -256.611870], [108.706773] * 2),
        ([(0, 1, 0, 10)], [-256.611870, 256.611870], [108.706773] * 2),
        ([(0, 1, 60, 40)], [34.974005, -34.974005], [17.663477] * 2),
    ],
)
def test_with_a_prior_as_computed_elsewhere(
    rows: list[Row], ratings: list[float], deviations: list[float] | None
) -> None:
    fitted = fit_ratings(known(len(ratings), 300), stats(rows), dispersion=SINGLE)
    assert fitted.rating == pytest.approx(ratings, abs=1e-6)
    if deviations is not None:
        assert fitted.deviation == pytest.approx(deviations, abs=1e-6)
