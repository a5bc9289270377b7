"""Draw a simulated ladder: ratings with their intervals beside the true strengths, after few matches and after many.

The fit is the arena's own. A match is two games of a pair whose results are drawn from the difference of the strengths.
"""

from dataclasses import dataclass
from itertools import combinations
from random import Random

import numpy as np
from django.template.loader import render_to_string

import arena.pages.games  # noqa: F401 - first, as it and the drawing of cards import each other
from arena.contests.ladders.fit import Entities, FitResult, Stats, fit_ratings
from arena.pages.svg.card import render_png

SEED = "ladder"
BOTS = 12
STRENGTHS_MEAN_ELO, STRENGTHS_SD_ELO = 1500, 200
MATCHES_OF_EACH_BOT = (8, 80)
"""In the left panel and in the right one; about as many, for opponents are drawn."""
SEATS = 2
INTERVAL_SDS = 1.96
LOW_ELO, HIGH_ELO = 900, 2100
TICKS_ELO = (1000, 1200, 1400, 1600, 1800, 2000)
PANEL_WIDTH, PANEL_LEFT, PANEL_GAP = 560, 40, 60
TOP, ROW_HEIGHT = 110, 48
COLOURS = {
    "light": {
        "page": "#FFFDF8",
        "ink": "#1E1A14",
        "muted": "#5B5347",
        "line": "#D8CDB9",
        "own": "#115E67",
        "truth": "#9B1C12",
    },
    "dark": {
        "page": "#192124",
        "ink": "#EFE9DC",
        "muted": "#B4B1A4",
        "line": "#2E3B3F",
        "own": "#7CC4C0",
        "truth": "#F0917F",
    },
}


@dataclass(frozen=True, slots=True)
class Row:
    """A bot of the picture: its interval, its rating and its true strength, as positions."""

    y: float
    low: float
    high: float
    rating: float
    truth: float
    is_missed: bool
    """The interval doesn't contain the truth."""


def draw_ladder(theme: str) -> bytes:
    """Return the picture in a theme, as PNG."""
    rng = Random(SEED)
    strengths = sorted((rng.gauss(STRENGTHS_MEAN_ELO, STRENGTHS_SD_ELO) for _ in range(BOTS)), reverse=True)
    panels = []
    for number, matches in enumerate(MATCHES_OF_EACH_BOT):
        fitted = fit_ratings(list_entities(), play_matches(strengths, BOTS * matches // SEATS, rng))
        left = PANEL_LEFT + number * (PANEL_WIDTH + PANEL_GAP)
        panels.append(
            {
                "title": f"After some {matches} matches of each bot",
                "left": left,
                "ticks": [(tick, place(tick, left)) for tick in TICKS_ELO],
                "rows": list_rows(strengths, fitted, left),
            }
        )
    bottom = TOP + BOTS * ROW_HEIGHT
    context = {"panels": panels, "top": TOP - 10, "bottom": bottom, **COLOURS[theme]}
    return render_png(render_to_string("manual/simulated_ladder.svg", context))


def list_entities() -> Entities:
    """Return the bots as the fit takes them: all new, and the anchors' mean is the mean of all."""
    everybody = np.ones(BOTS, dtype=bool)
    return Entities(
        rating0=np.zeros(BOTS),
        deviation0=np.zeros(BOTS),
        parent=np.full(BOTS, -1),
        is_root=everybody,
        is_active=everybody,
        is_anchor=everybody,
    )


def play_matches(strengths: list[float], count: int, rng: Random) -> Stats:
    """Return the sums of so many matches between pairs drawn at random."""
    sums = {pair: [0, 0, 0] for pair in combinations(range(BOTS), 2)}
    for _ in range(count):
        first, second = sorted(rng.sample(range(BOTS), 2))
        chance = 1 / (1 + 10 ** ((strengths[second] - strengths[first]) / 400))
        halves = 2 * sum(rng.random() < chance for _ in range(SEATS))
        for place_in_sums, value in enumerate((1, halves, halves**2)):
            sums[first, second][place_in_sums] += value
    played = {pair: values for pair, values in sums.items() if values[0]}
    pairs, values = np.array(list(played)), np.array(list(played.values()))
    return Stats(pairs[:, 0], pairs[:, 1], np.full(len(played), SEATS), *values.T)


def list_rows(strengths: list[float], fitted: FitResult, left: float) -> list[Row]:
    """Return the rows of a panel; the mean of the strengths stands where the fit puts it."""
    shift = float(np.mean(fitted.rating)) - float(np.mean(strengths))
    rows = []
    for number, strength in enumerate(strengths):
        rating, margin = float(fitted.rating[number]), INTERVAL_SDS * float(fitted.deviation[number])
        truth = strength + shift
        rows.append(
            Row(
                y=TOP + (number + 0.5) * ROW_HEIGHT,
                low=place(rating - margin, left),
                high=place(rating + margin, left),
                rating=place(rating, left),
                truth=place(truth, left),
                is_missed=abs(truth - rating) > margin,
            )
        )
    return rows


def place(rating: float, left: float) -> float:
    """Return the horizontal position of a rating in a panel."""
    share = (rating - LOW_ELO) / (HIGH_ELO - LOW_ELO)
    return round(left + min(max(share, 0.0), 1.0) * PANEL_WIDTH, 1)
