"""A bot for Goofspiel with a mixed strategy: the card of the stake's rank, or one near it, at random.

Who always bids the card that equals the prize is beaten by one more, each time. Bids at random about that card, more
often above it than below, give an opponent nothing to build on.
"""

import random

from pennant_kit import run

OFFSETS = (-2, -1, 0, 0, 1, 1, 2)


def choose(message):
    view = message["view"]
    held = view["hands"][message["seat"]]
    stake = min(sum(view["stake"]), max(held))
    wanted = stake + random.choice(OFFSETS)
    return f"bid {min(held, key=lambda card: (abs(card - wanted), card))}"


run(choose)
