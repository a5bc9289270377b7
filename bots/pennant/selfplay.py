"""Play games between functions within this process, to train and to tune: thousands of games a minute.

There are no processes, no clocks and no sandbox. A function is given what a bot reads as `view` and `legal`.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from arena.cli.files import Interval, estimate_share
from arena.runner.match import compute_place_points, list_seatings
from engine.core import Game, Json
from engine.registry import find_game
from engine.variants import find_variant

Choose = Callable[[dict[str, Any], list[str]], str]
"""A player: given the view of its seat and the legal actions, it returns the action."""


@dataclass(frozen=True, slots=True)
class GameResult:
    """One game. `seating` has the player at each seat; places and scores are by seat."""

    deal: int
    """Number of the deal, from 0; all seatings play the same one."""
    seating: tuple[int, ...]
    places: tuple[int, ...]
    scores: tuple[float, ...]
    reason: str
    decisions: int
    """Decisions of all seats, those without a choice included."""

    def points(self, player: int) -> float:
        """Return the share of opponents that a player left behind, from 0 to 1; a shared place counts half."""
        return compute_place_points(self.places)[self.seating.index(player)]


@dataclass(frozen=True, slots=True)
class GameResults:
    """All games, in the order in which they were played."""

    games: tuple[GameResult, ...]

    def points(self, player: int) -> list[float]:
        """Return the mean points of a player over the seatings of each deal."""
        by_deal: dict[int, list[float]] = {}
        for game in self.games:
            by_deal.setdefault(game.deal, []).append(game.points(player))
        return [sum(points) / len(points) for points in by_deal.values()]

    def share(self, player: int) -> Interval:
        """Return the share of the points of a player with its 95 % interval."""
        return estimate_share(self.points(player))


def play_games(  # noqa: PLR0913 - what is played, how much of it, and whether it is shown
    players: Sequence[Choose],
    deals: int = 100,
    *,
    game: str = "battleline",
    edition: str | None = None,
    options: dict[str, Any] | None = None,
    seed: int | str = 0,
    progress: bool = True,
) -> GameResults:
    """Play `deals` deals in every seating of the players, and return all results.

    The same seed gives the same deals. `options` are changes of the edition's, as `--option` makes them. `progress`
    shows a bar on a terminal. Raises ValueError where a player returns what is not a legal action, UnknownGame and
    BadOptions.
    """
    found = find_game(game)
    variant = find_variant(found, edition or next(iter(found.editions)), options or {})
    if len(players) not in found.seats:
        raise ValueError(f"{found.key} is for {_describe_seats(found)} players, not {len(players)}")
    games = _play_all(found, variant.options, players, deals, f"{seed}")
    return GameResults(tuple(_show(games, deals * len(players)) if progress else games))


def play_game(game: Game, options: Json, deal: Json, players: Sequence[Choose]) -> tuple[Any, int]:
    """Play a deal to its end; `players` are by seat. Return the outcome and the number of decisions."""
    state = game.start(options, len(players), deal)
    while (seat := state.to_act) is not None:
        move = state.forced()
        if move is None:
            legal = state.actions()
            action = players[seat](state.view(seat), list(legal))
            move = legal[action] if action in legal else state.parse(action)
        state.play(move)
    return state.outcome, state.ply


def _play_all(game: Game, options: Json, players: Sequence[Choose], deals: int, seed: str) -> Iterator[GameResult]:
    for number in range(deals):
        deal = game.deal(options, len(players), Random(f"{seed}:{number}"))
        for seating in list_seatings(len(players)):
            outcome, decisions = play_game(game, options, deal, [players[player] for player in seating])
            yield GameResult(number, seating, tuple(outcome.places), tuple(outcome.scores), outcome.reason, decisions)


def _show(games: Iterable[GameResult], total: int) -> Iterator[GameResult]:
    """Yield the games, and show how many were played on stderr if that is a terminal."""
    columns = (TextColumn("playing"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(
        *columns, console=Console(stderr=True), transient=True, disable=not Console(stderr=True).is_terminal
    ) as bar:
        task = bar.add_task("", total=total)
        for each in games:
            yield each
            bar.advance(task)


def _describe_seats(game: Game) -> str:
    low, high = game.seats[0], game.seats[-1]
    return f"{low}" if low == high else f"{low} to {high}"
