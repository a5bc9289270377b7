"""Chance that anyone can repeat: the shuffle, the check of a dealt deck, and the hash that commits to a deal."""

import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import Any, Final, TypeVar

from engine.core import BadDeal

MAX_CARDS_NAMED: Final = 5

Card = TypeVar("Card")


def shuffle(cards: list[Card], rng: Random) -> None:
    """Shuffle in place by Fisher-Yates, using `rng.random()` alone.

    Python promises the same `random()` sequence for a seed in every version, but not that of `random.shuffle`.
    """
    for last in range(len(cards) - 1, 0, -1):
        chosen = int(rng.random() * (last + 1))
        cards[last], cards[chosen] = cards[chosen], cards[last]


def check_deck(name: str, cards: Any, expected: Sequence[str | int]) -> None:
    """Raise BadDeal where `cards`, the part of a deal with this name, are not the expected ones in some order."""
    types = {type(card) for card in expected} or {str}
    if not isinstance(cards, list) or not all(type(card) in types for card in cards):
        raise BadDeal(f"{name} should be a list of cards")
    if Counter(cards) != Counter(expected):
        odd = set(cards) ^ set(expected) or {card for card in cards if cards.count(card) > 1}
        named = " ".join(str(card) for card in sorted(odd, key=str)[:MAX_CARDS_NAMED])
        raise BadDeal(f"{name} are not the deck of these rules: look at {named}")


def derive_seed(salt: str, seat: int) -> int:
    """Return the number below 2**53 that a bot at this seat is given for its own chance in the leg with this salt."""
    return int.from_bytes(hashlib.sha256(f"{salt}:seed:{seat}".encode()).digest()) >> 203


def deal_hash(deal: dict[str, Any], salt: str) -> str:
    """Return the lower-case hex SHA-256 of the deal's canonical JSON followed by the salt."""
    canonical = json.dumps(deal, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256((canonical + salt).encode()).hexdigest()
