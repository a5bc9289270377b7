"""How stable is the standing over all editions, and is there a better rule?

Simulated seasons on four ladders: a bot's strength in an edition is its own plus what it is better or worse there,
times the edition's spread; six bots of the house play everywhere, others in one to four editions, and one field is
stronger. Matches are drawn by the ratings' own curve and fitted as on ladders. Each rule is compared with the true
strength, between two halves of a season, and before and after one more bot.

python -m tests.bench.overall_standing [seasons]
"""

import sys
from collections.abc import Callable, Mapping
from random import Random
from statistics import fmean

import numpy as np

from arena.contests.ladders.fit import fit_ratings
from arena.contests.ladders.overall import compute_overall_scores
from arena.contests.ladders.rating import Rating, expected_score
from tests.arena.contests.ladders.rating.ledgers import entities, matches

SPREADS_ELO = (180, 220, 300, 380)
OWN_SD = 0.35
"""Standard deviation, in spreads, of what a bot is better or worse in an edition."""
HOUSE_BOTS, OTHER_BOTS, MATCHES_EACH = 6, 18, 60

Ratings = Mapping[int, Mapping[int, Rating]]
Rule = Callable[[Ratings], dict[int, float]]


def rank_by_levels(ladders: Ratings) -> dict[int, float]:
    """Return the rule of `overall.py`."""
    return {one.bot: one.score for one in compute_overall_scores(ladders) if one.is_ranked}


def _mean_of(measure: Callable[[Mapping[int, Rating]], dict[int, float]]) -> Rule:
    def rule(ladders: Ratings) -> dict[int, float]:
        found: dict[int, list[float]] = {}
        for ratings in ladders.values():
            for bot, value in measure(ratings).items():
                found.setdefault(bot, []).append(value)
        return {bot: fmean(values) for bot, values in found.items() if len(values) > 1}

    return rule


def _standardise(ratings: Mapping[int, Rating]) -> dict[int, float]:
    values = [one.rating for one in ratings.values()]
    return {bot: (one.rating - np.mean(values)) / np.std(values) for bot, one in ratings.items()}


def _subtract_mean(ratings: Mapping[int, Rating]) -> dict[int, float]:
    middle = fmean(one.rating for one in ratings.values())
    return {bot: one.rating - middle for bot, one in ratings.items()}


def _place(ratings: Mapping[int, Rating]) -> dict[int, float]:
    order = sorted(ratings, key=lambda bot: ratings[bot].rating)
    return {bot: (number + 0.5) / len(order) for number, bot in enumerate(order)}


RULES: dict[str, Rule] = {
    "levels": rank_by_levels,
    "mean z-score": _mean_of(_standardise),
    "mean Elo": _mean_of(_subtract_mean),
    "mean percentile": _mean_of(_place),
}


def play(strengths: Mapping[int, float], games: int, rng: Random) -> dict[int, Rating]:
    """Return the fitted ratings of a field after so many matches of each bot."""
    bots = list(strengths)
    won: dict[tuple[int, int], list[int]] = {}
    for one in range(len(bots)):
        for _ in range(games // 2):
            other = rng.choice([number for number in range(len(bots)) if number != one])
            chance = expected_score(strengths[bots[one]] - strengths[bots[other]])
            points = sum(rng.random() < chance for _ in range(2))
            low, high = min(one, other), max(one, other)
            won.setdefault((low, high), []).append(points if low == one else 2 - points)
    rows = [(low, high, 2, points) for (low, high), all_points in won.items() for points in all_points]
    fitted = fit_ratings(
        entities(len(bots)), matches([(low, high, seats, 2 * points) for low, high, seats, points in rows])
    )
    return {
        bot: Rating(float(rating), float(deviation))
        for bot, rating, deviation in zip(bots, fitted.rating, fitted.deviation, strict=True)
    }


def correlate(one: Mapping[int, float], other: Mapping[int, float]) -> float:
    """Return Spearman's rank correlation over the bots in both."""
    bots = [bot for bot in one if bot in other]
    first, second = (np.argsort(np.argsort([values[bot] for bot in bots])) for values in (one, other))
    return float(np.corrcoef(first, second)[0, 1])


def count_moved(before: Mapping[int, float], after: Mapping[int, float], new: int) -> int:
    """Count how many bots stand in another order once the new one is left out."""
    first = sorted(before, key=lambda bot: -before[bot])
    second = [bot for bot in sorted(after, key=lambda bot: -after[bot]) if bot != new]
    return sum(one != other for one, other in zip(first, second, strict=True))


def run(seasons: int) -> None:
    """Print the means over the seasons by rule."""
    found: dict[str, list[tuple[float, float, int, int]]] = {name: [] for name in RULES}
    for seed in range(seasons):
        rng = Random(seed)
        count = HOUSE_BOTS + OTHER_BOTS
        true = {bot: rng.gauss(-0.4 if bot < HOUSE_BOTS else 0.2, 1) for bot in range(count + 1)}
        fields: dict[int, dict[int, float]] = {}
        editions = {
            bot: range(4) if bot < HOUSE_BOTS else rng.sample(range(4), rng.randint(1, 4)) for bot in range(count)
        }
        # Strong authors go for the last edition: its field is stronger than the others.
        for bot in range(HOUSE_BOTS, count):
            if true[bot] > 1 and 3 not in editions[bot]:
                editions[bot] = [*editions[bot], 3]
        editions[count] = [rng.randrange(4)] if seed % 2 else rng.sample(range(4), 3)
        for bot, played in editions.items():
            for edition in played:
                fields.setdefault(edition, {})[bot] = SPREADS_ELO[edition] * (true[bot] + rng.gauss(0, OWN_SD))
        without = {
            edition: {bot: one for bot, one in field.items() if bot != count} for edition, field in fields.items()
        }
        halves = [{edition: play(field, MATCHES_EACH, rng) for edition, field in without.items()} for _ in range(2)]
        state = rng.getstate()
        before = {edition: play(field, 2 * MATCHES_EACH, rng) for edition, field in without.items()}
        rng.setstate(state)
        newcomer = play_with_newcomer(before, fields, count, rng)
        for name, rule in RULES.items():
            scores = rule(before)
            moved = count_moved(scores, rule(newcomer), count)
            found[name].append(
                (correlate(rule(halves[0]), rule(halves[1])), correlate(scores, true), moved, len(scores))
            )
    print(f"{'rule':<16} halves  truth  moved by a new bot, of ranked; seasons without a move")
    for name, rows in found.items():
        halves_mean, truth, moved_mean, ranked = (fmean(column) for column in zip(*rows, strict=True))
        still = sum(not row[2] for row in rows)
        print(f"{name:<16} {halves_mean:.3f}  {truth:.3f}  {moved_mean:.2f} of {ranked:.1f}; {still} of {len(rows)}")


def play_with_newcomer(
    before: Ratings, fields: Mapping[int, Mapping[int, float]], new: int, rng: Random
) -> dict[int, dict[int, Rating]]:
    """Return the ratings with one more bot whose own results leave the others' ratings as they are."""
    return {
        edition: {
            **before[edition],
            **({new: Rating(1500 + fields[edition][new] + rng.gauss(0, 30), 30.0)} if new in fields[edition] else {}),
        }
        for edition in before
    }


if __name__ == "__main__":
    run(int(sys.argv[1]) if len(sys.argv) > 1 else 100)
