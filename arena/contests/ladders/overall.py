"""One standing over the editions of a game, from the ratings on their ladders.

Ratings of different ladders can't be averaged as they are: where luck counts for less, the same bots are farther apart,
and a field may be stronger than another. So a rating is measured in spreads of the bots that play in several editions,
and the ladders are lined up through these bots: strength of a bot plus level of a ladder, as near to all ratings as
can be (least squares). Each edition counts the same, however wide its ratings or large its field are; an edition that a
bot doesn't play says nothing of it; and who plays in one edition only moves nobody else.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from math import sqrt
from statistics import fmean, pstdev

from arena.contests.ladders.rating import Z_SCORE_95, Rating

MIN_EDITIONS_RANKED = 2
POINTS_PER_SPREAD = 100
MIN_SPREAD_ELO = 40.0
"""Where bots are nearer to each other, their distances are mostly chance."""
MAX_ROUNDS, ENOUGH = 500, 1e-9
"""Of the computation in turns, and the change that ends it."""


@dataclass(frozen=True, slots=True)
class OverallScore:
    """The strength of a bot over all editions that it plays, in points above the mean of those that play several."""

    bot: int
    score: float
    margin_95: float
    """What the ratings' own margins leave open; whether it would be as strong in other editions, nobody knows."""
    editions: tuple[int, ...]
    """The ladders on which it has a place, in the order given."""

    @property
    def is_ranked(self) -> bool:
        """Return whether it plays in enough editions for a place."""
        return len(self.editions) >= MIN_EDITIONS_RANKED


def compute_overall_scores(ladders: Mapping[int, Mapping[int, Rating]]) -> list[OverallScore]:
    """Return the scores of all bots from their ratings by ladder: those with a place first, best first."""
    played: dict[int, list[int]] = {}
    for ladder, ratings in ladders.items():
        for bot in ratings:
            played.setdefault(bot, []).append(ladder)
    several = {bot for bot, on in played.items() if len(on) >= MIN_EDITIONS_RANKED}
    spreads = {ladder: _find_spread(ratings, several) for ladder, ratings in ladders.items()}
    values = {
        ladder: {bot: one.rating / spreads[ladder] for bot, one in ratings.items()}
        for ladder, ratings in ladders.items()
    }
    levels = _line_up(values, {bot: on for bot, on in played.items() if bot in several})
    scores = []
    for bot, on in played.items():
        score = fmean(values[one][bot] - levels[one] for one in on)
        variance = sum((ladders[one][bot].deviation / spreads[one]) ** 2 for one in on)
        margin = Z_SCORE_95 * sqrt(variance) / len(on)
        scores.append(OverallScore(bot, POINTS_PER_SPREAD * score, POINTS_PER_SPREAD * margin, tuple(on)))
    return sorted(scores, key=lambda one: (not one.is_ranked, -one.score, one.bot))


def _find_spread(ratings: Mapping[int, Rating], several: Collection[int]) -> float:
    """Return the standard deviation of the bots that play several editions; of all, where none of them is here."""
    known = [one.rating for bot, one in ratings.items() if bot in several] or [one.rating for one in ratings.values()]
    return max(pstdev(known), MIN_SPREAD_ELO) if known else MIN_SPREAD_ELO


def _line_up(values: Mapping[int, Mapping[int, float]], played: Mapping[int, Collection[int]]) -> dict[int, float]:
    """Return the level of each ladder: bots and ladders are fitted in turns until nothing changes."""
    levels = {ladder: fmean(here.values()) if here else 0.0 for ladder, here in values.items()}
    shared = {ladder: [bot for bot in here if bot in played] for ladder, here in values.items()}
    for _ in range(MAX_ROUNDS if played else 0):
        strengths = {bot: fmean(values[one][bot] - levels[one] for one in on) for bot, on in played.items()}
        middle = fmean(strengths.values())
        fitted = {
            ladder: fmean(values[ladder][bot] - strengths[bot] + middle for bot in bots)
            for ladder, bots in shared.items()
            if bots
        }
        change = max(abs(level - levels[ladder]) for ladder, level in fitted.items())
        levels.update(fitted)
        if change < ENOUGH:
            break
    return levels
