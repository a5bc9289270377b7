"""Words of a grammar, and sometimes others, for actions that are refused."""

from collections.abc import Iterable
from random import Random

RARELY, HALF = 0.02, 0.5
NASTY = ("", " ", "X9", "'", "it's", 'it\'s "so"', "x' should read 'y", "\\", "é", "a\tb", "9" * 99, "-1", "00")


def pick(rng: Random, words: Iterable[object]) -> str:
    return rng.choice(NASTY) if rng.random() < RARELY else str(rng.choice(list(words)))
