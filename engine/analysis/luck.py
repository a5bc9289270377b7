"""Measure the luck of the draws of a leg from its record, without grading any decision.

The luck of a draw is the value after it less the mean over the cards it could have been. Its mean is 0 for every bot
that doesn't know the deck, whatever the value function thinks. So a result less a fixed part of its luck has the mean
of the result, and less variance. An analysis looks at every card and at every choice; here some cards are enough.
"""

from dataclasses import dataclass
from random import Random

from engine.analysis.evaluator import Evaluator
from engine.core import Json
from engine.record_hash import record_hash
from engine.replay import begin, take

LUCK_SHARE = 0.75
"""How much of the luck is taken off a result: fixed beforehand, as a share that looks at results would be biased.

Measured by tests/bench/bench_luck.py: the best share is 0.6 to 0.9, and near it the variance hardly changes."""
CARDS_PER_DRAW = 8
"""Cards by which a draw is compared: the adjustment gains as much as with all of them, at a quarter of the cost."""


@dataclass(frozen=True, slots=True)
class SeatLuck:
    """The luck of a seat's own draws, as chances of winning from -1 to 1."""

    draws: int = 0
    luck: float = 0.0
    """Sum over the draws."""
    squares: float = 0.0
    """Sum of their squares."""

    def __add__(self, other: "SeatLuck") -> "SeatLuck":
        return SeatLuck(self.draws + other.draws, self.luck + other.luck, self.squares + other.squares)


def measure_luck(record: Json, evaluator: Evaluator) -> tuple[SeatLuck, SeatLuck]:
    """Return the luck of both seats in the draws of a valid record. The same record gives the same luck."""
    seed, state = record_hash(record), begin(record)
    seats = [SeatLuck(), SeatLuck()]
    for number, entry in enumerate(record["actions"]):
        seat, expected = entry["seat"], None
        if entry["action"] != "forfeit":
            rng = Random(f"{seed}/{number}/luck")
            move = state.parse(entry["action"])
            expected = evaluator.expected_chance(state, move, seat, rng, max_cards=CARDS_PER_DRAW)
        take(state, entry)
        if expected is not None:
            luck = evaluator.chance(state, seat) - expected
            seats[seat] += SeatLuck(1, luck, luck * luck)
    return seats[0], seats[1]


def describe_value_function(evaluator: Evaluator) -> Json:
    """Return what fixes every adjustment by this function, to be published before the matches it is used for."""
    return {
        "version": evaluator.version,
        "hash": evaluator.weights_hash,
        "luck_share": LUCK_SHARE,
        "cards_per_draw": CARDS_PER_DRAW,
    }
