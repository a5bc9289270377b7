"""Chance that anyone can repeat: the shuffle, and the hash that commits to a deal before it is played."""

import hashlib
import json
from random import Random
from typing import Any, TypeVar

Card = TypeVar("Card")


def shuffle(cards: list[Card], rng: Random) -> None:
    """Shuffle in place by Fisher-Yates, using `rng.random()` alone.

    Python promises the same `random()` sequence for a seed in every version, but not that of `random.shuffle`.
    """
    for last in range(len(cards) - 1, 0, -1):
        chosen = int(rng.random() * (last + 1))
        cards[last], cards[chosen] = cards[chosen], cards[last]


def deal_hash(deal: dict[str, Any], salt: str) -> str:
    """Return the lower-case hex SHA-256 of the deal's canonical JSON followed by the salt."""
    canonical = json.dumps(deal, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256((canonical + salt).encode()).hexdigest()
