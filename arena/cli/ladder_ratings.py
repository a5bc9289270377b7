"""Estimate the rating of a bot on a ladder from its matches at home against bots that an arena has rated."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import hypot, sqrt
from pathlib import Path

from arena.cli.api import find_api
from arena.cli.bot_paths import list_samples
from arena.cli.own_versions import OWN_VERSION, is_own_version
from arena.cli.statistics import EloEstimate
from arena.comparisons.sprt import MIN_PAIRS

HOUSE_USERNAME = "house"


@dataclass(frozen=True, slots=True)
class Rating:
    """A rating in Elo, with half of its 95 % interval."""

    value: float
    margin: float


def fetch_ratings(game: str, edition: str, opponents: Iterable[str]) -> dict[str, Rating]:
    """Return the ratings of samples and of own versions, by the texts that name them, on the arena at PENNANT_URL.

    Those that aren't on the ladder of the edition are left out; without PENNANT_URL all are. Raise click.ClickException
    if the arena doesn't answer.
    """
    keys = {text: key for text in opponents if (key := _find_key(text)) is not None}
    if not keys or not os.environ.get("PENNANT_URL"):
        return {}
    rated: dict[tuple[str, ...], Rating] = {}
    for row in find_api(needs_token=False).pages(f"ladders/{game}/{edition}/standings/"):
        rating = Rating(row["rating"], row["margin_95"])
        rated[row["bot"], str(row["version"])] = rating
        if row["authors"] == [HOUSE_USERNAME]:
            rated[(row["name"],)] = rating
    return {text: rated[key] for text, key in keys.items() if key in rated}


def estimate_rating(ratings: Sequence[Rating], differences: Sequence[EloEstimate | None]) -> Rating | None:
    """Return the rating that results against rated opponents show; None if they show only bounds.

    Each opponent's rating plus the difference is an estimate with the variances of both; they are averaged with the
    reciprocals of these as weights.
    """
    weights, values = [], []
    for rating, found in zip(ratings, differences, strict=True):
        if found is not None and found.elo is not None and found.low is not None and found.high is not None:
            weights.append(1 / hypot(rating.margin, (found.high - found.low) / 2) ** 2)
            values.append(rating.value + found.elo)
    if not weights:
        return None
    total = sum(weights)
    return Rating(sum(weight * value for weight, value in zip(weights, values, strict=True)) / total, sqrt(1 / total))


def describe_rating(title: str, found: Rating | None, ratings: Mapping[str, Rating]) -> str:
    """Return the sentence on an estimated rating, with the opponents between whose ratings it lies.

    None stands for a rating that the results are too few, or too much the same, to estimate.
    """
    if found is None:
        names = " or ".join(ratings)
        return f"no rating on {title} yet: it takes {MIN_PAIRS} matches or more against {names}, not all alike"
    below = [name for name, rating in ratings.items() if rating.value < found.value]
    above = [name for name, rating in ratings.items() if rating.value >= found.value]
    lower = max(below, key=lambda name: ratings[name].value, default=None)
    upper = min(above, key=lambda name: ratings[name].value, default=None)
    place = f"between {lower} and {upper}" if lower and upper else f"above {lower}" if lower else f"below {upper}"
    return f"estimated rating on {title}: {found.value:.0f} ± {found.margin:.0f}, {place}"


def _find_key(text: str) -> tuple[str, ...] | None:
    """Return what a rating is looked up by: the name of a sample, or slug and number of a version of one's own."""
    if is_own_version(text):
        named = OWN_VERSION.fullmatch(text)
        assert named is not None
        return named[1], named[2]
    return (text,) if text in list_samples() and not Path(text).exists() else None
