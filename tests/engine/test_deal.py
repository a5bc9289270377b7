"""The shuffle and the hash that commits to a deal."""

import hashlib
from collections import Counter
from random import Random

import pytest

from engine.deal import deal_hash, shuffle


def test_a_seed_gives_the_same_order_for_ever() -> None:
    """Should this differ on some Python, a deal could no longer be made from its seed there."""
    cards = list(range(12))
    shuffle(cards, Random("pennant"))
    assert cards == [0, 3, 4, 1, 10, 11, 2, 7, 6, 8, 5, 9]
    cards = list(range(12))
    shuffle(cards, Random(2026))
    assert cards == [8, 4, 6, 9, 2, 3, 11, 0, 7, 10, 5, 1]


class Scripted(Random):
    """Gives these numbers in order."""

    def __init__(self, numbers: list[float]) -> None:
        super().__init__()
        self.numbers = numbers

    def random(self) -> float:
        return self.numbers.pop(0)


def test_the_shuffle_goes_from_the_last_card_down_and_asks_once_a_card() -> None:
    cards = list("abcd")
    rng = Scripted([0.0, 0.99, 0.5])
    shuffle(cards, rng)
    assert cards == ["d", "b", "c", "a"] and not rng.numbers


@pytest.mark.parametrize("size", [0, 1, 2, 60])
def test_a_shuffle_is_a_permutation(size: int) -> None:
    for seed in range(20):
        cards = list(range(size))
        shuffle(cards, Random(seed))
        assert sorted(cards) == list(range(size))


def test_every_order_comes_about_equally_often() -> None:
    rng, rounds = Random(24), 48_000
    orders: Counter[tuple[int, ...]] = Counter()
    for _ in range(rounds):
        cards = [0, 1, 2, 3]
        shuffle(cards, rng)
        orders[tuple(cards)] += 1
    expected = rounds / 24
    chi_squared = sum((count - expected) ** 2 / expected for count in orders.values())
    assert len(orders) == 24 and chi_squared < 49.7, "23 degrees of freedom, one in a thousand"


def test_the_hash_is_that_of_the_canonical_json_and_the_salt() -> None:
    deal = {"troops": ["R1", "é"], "tactics": [], "dice": [{"b": 1, "a": None}]}
    text = '{"dice":[{"a":null,"b":1}],"tactics":[],"troops":["R1","\\u00e9"]}pepper'
    assert deal_hash(deal, "pepper") == hashlib.sha256(text.encode("ascii")).hexdigest()


def test_the_hash_of_a_known_deal_is_known() -> None:
    """As `printf '{"troops":["R1","B2"]}salt' | sha256sum` says."""
    assert (
        deal_hash({"troops": ["R1", "B2"]}, "salt")
        == "827d04dd543757dd66b56600e144a6fc76c540dea22d7278cbfe144c1bfd1271"
    )


def test_the_hash_depends_on_every_card_and_on_the_salt() -> None:
    deal = {"troops": ["R1", "B2"]}
    assert len({deal_hash(deal, "a"), deal_hash(deal, "b"), deal_hash({"troops": ["B2", "R1"]}, "a")}) == 3
