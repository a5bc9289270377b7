"""Whole tournaments played in no time, for the tests of all formats."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from random import Random
from types import MappingProxyType

from hypothesis import strategies as st

from arena.contests.tournaments.formats.base import Entrant, Format, Pairing, Result, decide_walkover
from arena.contests.tournaments.settings import Settings

Outcome = Callable[[Pairing, int], tuple[float, ...]]
"""The points of a pairing that is played in that round, in the order of its entrants."""
NOBODY: Mapping[int, int] = MappingProxyType({})
MOST_ROUNDS = 600
"""More than any tournament of 256 has."""


def entrants(count: int, left: Mapping[int, int] = NOBODY) -> list[Entrant]:
    """Numbers 1 to `count`; `left` tells the round from which some are gone."""
    return [Entrant(number, left.get(number)) for number in range(1, count + 1)]


def as_known(field: Iterable[Entrant], round_number: int) -> list[Entrant]:
    """The field before that round: nobody knows yet who is going to leave after it."""
    return [replace(one, left_in_round=None) if one.is_in(round_number) else one for one in field]


def play(format: Format, field: Sequence[Entrant], settings: Settings, outcome: Outcome) -> list[list[Result]]:
    """All rounds of a tournament."""
    rounds: list[list[Result]] = []
    while (pairings := format.pair(as_known(field, len(rounds) + 1), rounds, settings)) is not None:
        rounds.append([ended(pairing, field, len(rounds) + 1, outcome) for pairing in pairings])
        assert len(rounds) <= MOST_ROUNDS, "it never ends"
    return rounds


def ended(pairing: Pairing, field: Sequence[Entrant], round_number: int, outcome: Outcome) -> Result:
    """The result of a pairing, played or not."""
    unplayed = decide_walkover(pairing, field, round_number)
    if unplayed is not None:
        return unplayed
    points = outcome(pairing, round_number)
    return Result(pairing, points, tuple(10.0 * share for share in points))


def better_seed_wins(pairing: Pairing, round_number: int) -> tuple[float, ...]:
    return _shares([-number for number in pairing.entrants])


def worse_seed_wins(pairing: Pairing, round_number: int) -> tuple[float, ...]:
    return _shares(pairing.entrants)


def chance(seed: int, even: float = 0.2) -> Outcome:
    """Anybody may win, and this share of the pairings is even, where they may be. Always the same for the same seed."""

    def outcome(pairing: Pairing, round_number: int) -> tuple[float, ...]:
        rng = Random(f"{seed} {round_number} {pairing.entrants} {pairing.name}")
        if rng.random() < even and not pairing.must_decide:
            return (0.5,) * len(pairing.entrants)
        return _shares([rng.random() for _ in pairing.entrants])

    return outcome


def outcomes() -> st.SearchStrategy[Outcome]:
    """Mostly by chance, with no, some or nothing but even results."""
    by_chance = st.builds(chance, st.integers(0, 2**32 - 1), st.sampled_from([0.0, 0.1, 0.3, 0.6, 1.0]))
    return st.one_of(by_chance, st.just(better_seed_wins), st.just(worse_seed_wins))


@st.composite
def fields(draw: st.DrawFn, least: int = 2, most: int = 64, leaving: int = 0, rounds: int = 9) -> list[Entrant]:
    """A field of any size in between, of which up to `leaving` leave, each in any of so many rounds."""
    count = draw(st.integers(least, most))
    leavers = st.dictionaries(st.integers(1, count), st.integers(1, rounds), max_size=min(leaving, count))
    return entrants(count, draw(leavers) if leaving else NOBODY)


def _shares(strengths: Sequence[float]) -> tuple[float, ...]:
    """Of each the share of the others that it left behind; no two are alike."""
    return tuple(sum(own > other for other in strengths) / (len(strengths) - 1) for own in strengths)
