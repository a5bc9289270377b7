"""What the analysis of a leg asks of a game: the chance of winning a position, and what a draw could have brought."""

from abc import ABC, abstractmethod
from random import Random

from engine.core import Move, Seat, State

UNITS_PER_CHANCE = 1_000_000
"""Chances are counted in whole millionths, so that sums of their differences are exact."""


class Evaluator(ABC):
    """The value of positions of one edition of a game with two seats.

    A value is a pure function of what lies open, both hands, and the sets of cards that are left, never their order.
    """

    version: str
    """Name of the function's version."""
    weights_hash: str
    """Hash of its weights."""

    @abstractmethod
    def win_chance(self, state: State, seat: Seat) -> float:
        """Return the chance of `seat` to win, from 0 to 1; both seats' sum is 1. Never asked of a play that is over."""

    @abstractmethod
    def order_hidden(self, state: State, seat: Seat) -> State:
        """Return a state that `seat` can't tell from this one, the same for all states that it can't tell apart."""

    @abstractmethod
    def is_graded(self, state: State, move: Move) -> bool:
        """Return whether a legal move is one of the choices that are compared. Claims are not."""

    @abstractmethod
    def expected_chance(
        self, state: State, move: Move, seat: Seat, rng: Random, *, max_cards: int | None = None
    ) -> float | None:
        """Return the mean of `seat`'s chance after a move over the cards it could have drawn; None if it draws none.

        Cards that a seat has seen before they were drawn, since it has put them back, are not chance. With `max_cards`
        no more cards than that are looked at, chosen at random whatever was drawn: cheaper, and right on average.
        """

    @abstractmethod
    def name_mistake(self, played: str, better: str) -> str:
        """Return the kind of a mistake, a word of the game's own, from the action played and the better one."""

    def chance(self, state: State, seat: Seat) -> float:
        """Return the chance of `seat`; once the play is over 1, 0, or ½ for a draw."""
        if state.outcome is None:
            return self.win_chance(state, seat)
        own, other = state.outcome.places[seat], state.outcome.places[1 - seat]
        return 0.5 if own == other else float(own < other)
