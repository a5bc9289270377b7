"""Play legs between sample bots in this process, and count their results."""

from collections.abc import Callable, Iterator, Mapping
from random import Random
from random import seed as seed_chance
from typing import Protocol

from engine.core import Json, State
from engine.registry import find_game

GAME = find_game("battleline")


class Player(Protocol):
    """What plays a leg here: a sample as a `LocalBot`, or something that plays as one."""

    game: str

    def begin(self, options: Json, edition: str, seat: int, seed: int) -> None:
        """Tell the player that a leg begins."""

    def decide(self, state: State, seat: int) -> tuple[str, float | None]:
        """Return the action and an `eval`, where there is one."""


def play_leg(
    bots: tuple[Player, Player], edition: str, seed: str, evals: list[tuple[int, float]] | None = None
) -> float:
    """Play a leg, `bots` by seat, and return the points of seat 0. The evals of the bots are added by seat."""
    game = find_game(bots[0].game)
    options = game.options(edition)
    state = game.start(options, 2, game.deal(options, 2, Random(seed)))
    for seat, bot in enumerate(bots):
        bot.begin(options, edition, seat, Random(f"{seed} {seat}").getrandbits(50))
    while (seat_to_act := state.to_act) is not None:
        forced = state.forced()
        if forced is not None:
            state.play(forced)
            continue
        action, told = bots[seat_to_act].decide(state, seat_to_act)
        if evals is not None and told is not None:
            evals.append((seat_to_act, told))
        state.play(state.parse(action))
    assert state.outcome is not None
    places = state.outcome.places
    return 0.5 if places[0] == places[1] else float(places[0] == 1)


def play_pairs(bots: tuple[Player, Player], edition: str, seeds: Iterator[str]) -> Iterator[int]:
    """Yield for each deal twice the points of the first bot in its two legs, seats swapped: 0 to 4."""
    for seed in seeds:
        own = play_leg(bots, edition, seed) + 1 - play_leg((bots[1], bots[0]), edition, seed)
        yield round(2 * own)


def play_fresh_pairs(
    load: tuple[Callable[[], Player], Callable[[], Player]], edition: str, seeds: Iterator[str]
) -> Iterator[int]:
    """Yield the same for bots that keep something in memory: each leg has new ones."""
    for seed in seeds:
        seed_chance(seed)
        own = play_leg((load[0](), load[1]()), edition, seed) + 1 - play_leg((load[1](), load[0]()), edition, seed)
        yield round(2 * own)


def list_counts(results: Mapping[int, int]) -> list[int]:
    """Return the counts of pairs by result, as the test of versions takes them."""
    return [results.get(result, 0) for result in range(5)]
