"""Plays under every set of options: all pairs of values by default, all combinations with `--full`.

By default every pair of values is in one of some 20 sets of options, and each set is played 8 times; with `--full`
each is played 100 times, and each of the combinations once. PENNANT_RANDOM_PLAYS sets another number of plays.
"""

import json
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import combinations, product

import pytest

from engine.core import Game, Json
from engine.options import BadOptions, ChoiceOption, RuleOption
from engine.registry import GAMES
from engine.replay import verify
from tests.engine.plays import how_many, random_record
from tests.full import full_only, is_full_run

Pair = tuple[str, object, str, object]
NUMBERS = (1, 4, 30)
"""Of an option that may be any whole number."""
CHUNKS = 48
"""Tests that share all combinations of a game."""


def values_of(option: RuleOption) -> tuple[object, ...]:
    return tuple(value.value for value in option.values) if isinstance(option, ChoiceOption) else NUMBERS


@cache
def list_combinations(key: str) -> list[Json]:
    """All sets of options that a game accepts."""
    game = GAMES[key]
    names = [option.key for option in game.rule_options]
    found = []
    for values in product(*map(values_of, game.rule_options)):
        options = dict(zip(names, values, strict=True))
        if refusal_of(game, options) is None:
            found.append(options)
    return found


def refusal_of(game: Game, options: Json) -> str | None:
    try:
        game.options(next(iter(game.editions)), **options)
    except BadOptions as refusal:
        return str(refusal)
    return None


def pairs_of(options: Json) -> Iterator[Pair]:
    for (first, value), (second, other) in combinations(options.items(), 2):
        yield first, value, second, other


@cache
def list_covering(key: str) -> list[Json]:
    """A few of the combinations in which every pair of values is that is in any."""
    pairs = [set(pairs_of(options)) for options in list_combinations(key)]
    left = set().union(*pairs)
    found = []
    while left:
        best = max(range(len(pairs)), key=lambda number: len(pairs[number] & left))
        found.append(list_combinations(key)[best])
        left -= pairs[best]
    return found


def play(game: Game, options: Json, seeds: Iterable[int]) -> None:
    """Play left, and check the record, also as it comes out of a file."""
    edition = next(iter(game.editions))
    for seed in seeds:
        record = random_record(game, edition, seed, **options)
        assert record["options"] == options
        assert sorted(game.changed_options(record["edition"], options)) == record.get("changed_options", [])
        verify(json.loads(json.dumps(record)))


@pytest.mark.parametrize("key", GAMES)
def test_every_pair_of_values_is_played(key: str) -> None:
    covering = list_covering(key)
    assert {pair for options in covering for pair in pairs_of(options)} == {
        pair for options in list_combinations(key) for pair in pairs_of(options)
    }
    assert len(covering) <= 25
    for options in covering:
        play(GAMES[key], options, range(how_many(100 if is_full_run() else 8)))


@pytest.mark.parametrize("chunk", full_only(range(CHUNKS)))
@pytest.mark.parametrize("key", GAMES)
def test_every_combination_is_played(key: str, chunk: int) -> None:
    for number, options in enumerate(list_combinations(key)[chunk::CHUNKS]):
        play(GAMES[key], options, range(number, number + how_many(1)))
