"""Chance that anyone can repeat: our own shuffle, and the hash that commits to a deal before it is played."""

import hashlib
import json
from random import Random
from typing import Any, TypeVar

Card = TypeVar("Card")


def shuffle(cards: list[Card], rng: Random) -> None:
    """Fisher-Yates in place, on `rng.random()` alone.

    Python promises the same `random()` sequence for a seed in every version, but not that of `random.shuffle`.
    """
    for last in range(len(cards) - 1, 0, -1):
        chosen = int(rng.random() * (last + 1))
        cards[last], cards[chosen] = cards[chosen], cards[last]


def deal_hash(deal: dict[str, Any], salt: str) -> str:
    """Lower-case hex SHA-256 over the canonical JSON of the deal with the salt's text appended."""
    canonical = json.dumps(deal, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256((canonical + salt).encode()).hexdigest()
