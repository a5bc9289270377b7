"""What the analysis asks of a game, and the games that can answer: winning chances, choices and possible draws."""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from statistics import fmean
from typing import Final, cast

from engine.core import Json, Move, Seat, State
from engine.deal import shuffle
from engine.games.battleline.endgame import expect_line, solve_line
from engine.games.battleline.moves import CLAIM
from engine.games.battleline.position import DREW
from engine.games.battleline.state import BattleLineState, redeal_hidden
from engine.games.battleline.value import VALUE_VERSION, has_value, value_hash, win_chance
from engine.registry import GAMES

# What the analysis of a leg asks of a game: the chance of winning a position, and what a draw could have brought.

UNITS_PER_CHANCE = 1_000_000
"""Chances are counted in whole millionths, so that sums of their differences are exact."""


@dataclass(frozen=True, slots=True)
class Ending:
    """What is proved of a position: the result if both sides play their best from here on."""

    value: int
    """1 where the seat to act wins, 0 for a draw, -1 where it loses."""
    moves: dict[Move, int]
    """The same after each of its moves, where the one played made it worse; empty elsewhere."""


@dataclass(frozen=True, slots=True)
class Expectation:
    """What a position is worth on average to the seat to act, over all cases that fit what it could see."""

    chance: float
    """Its chance after its best action, which is the same one in every case; a draw counts as ½."""
    cases: int
    """How many different hands and orders of the decks there are."""


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

    def solve_ending(self, states: Sequence[State], played: Sequence[Move | None]) -> list[Ending | None]:
        """Return what is proved of each position of a leg, from the moves that were played in them.

        None where nothing is proved, or where the seats still have something to learn.
        """
        return [None] * len(states)

    def expect_ending(self, states: Sequence[State]) -> dict[int, Expectation]:
        """Return by number what positions of a leg are worth on average, where that is known and nothing is proved."""
        return {}

    def chance(self, state: State, seat: Seat) -> float:
        """Return the chance of `seat`; once the leg is finished 1, 0, or ½ for a draw."""
        if state.outcome is None:
            return self.win_chance(state, seat)
        own, other = state.outcome.places[seat], state.outcome.places[1 - seat]
        return 0.5 if own == other else float(own < other)


# The evaluator of Battle Line: which choices are compared, and which cards a draw could have brought.

TACTIC_VERBS = frozenset({"scout", "redeploy", "deserter", "traitor"})
OTHER_MISTAKE = "other"
MISTAKE_KINDS = (
    "flag",
    "card",
    "placement",
    "tactic-missed",
    "tactic-wasted",
    "tactic-used",
    "pass",
    "deck",
    "returned",
    "removed",
    OTHER_MISTAKE,
)
"""What is wrong with an action beside the better one: the flag, the card, both; a tactic kept, played, played like
that; a pass; the deck drawn from; the card put back; the card removed by a tile."""
SHUFFLES_PER_LONG_DRAW = 64
"""Where several cards are drawn by one action there are too many sets of them to look at each."""


class BattleLineEvaluator(Evaluator):
    """What every value function of Battle Line shares. Subclasses say what a position is worth."""

    def order_hidden(self, state: State, seat: Seat) -> State:
        """Return a copy in which the cards that `seat` can't know are in the order of their numbers."""
        table = cast(BattleLineState, state.redeal(seat, Random(0)))
        redeal_hidden(table, seat, Random(0), is_sorted=True)
        return table

    def is_graded(self, state: State, move: Move) -> bool:
        """Return whether a move is no claim: to claim what can be proved is never compared with other choices."""
        return move >> 16 != CLAIM

    def expected_chance(
        self, state: State, move: Move, seat: Seat, rng: Random, *, max_cards: int | None = None
    ) -> float | None:
        """Return the mean chance over the cards the move could have drawn, or None where it draws none."""
        table = cast(BattleLineState, state)
        drawn = list_decks_drawn_from(table, move)
        if not drawn:
            return None
        if len(drawn) > 1:
            shuffles = min(SHUFFLES_PER_LONG_DRAW, max_cards or SHUFFLES_PER_LONG_DRAW)
            return fmean(self._after(shuffle_unseen(table, rng), move, seat) for _ in range(shuffles))
        deck = drawn[0]
        cards = table.decks[deck]
        unseen = list_unseen_places(table, deck)
        if len(cards) - 1 not in unseen:
            return None
        places = unseen if max_cards is None or len(unseen) <= max_cards else rng.sample(unseen, max_cards)
        counted = Counter(cards[place] for place in places)
        total = 0.0
        for card in sorted(counted):
            other = table.copy()
            swap_to_top(other.decks[deck], card, unseen)
            total += counted[card] * self._after(other, move, seat)
        return total / len(places)

    def solve_ending(self, states: Sequence[State], played: Sequence[Move | None]) -> list[Ending | None]:
        """Solve the positions after both decks have run out, from the last one back."""
        found = solve_line(cast(Sequence[BattleLineState], states), played) if states else []
        return [None if one is None else Ending(one.value, one.moves) for one in found]

    def name_mistake(self, played: str, better: str) -> str:
        """Return a word of MISTAKE_KINDS."""
        (verb, *words), (other, *others) = played.split(), better.split()
        kinds = {"draw": "deck", "return": "returned", "remove": "removed"}
        if verb in kinds:
            return kinds[verb]
        if verb == "pass":
            return "pass"
        used, wanted = is_tactic_play(verb, words), is_tactic_play(other, others)
        if used or wanted:
            return "tactic-used" if used and wanted else "tactic-wasted" if used else "tactic-missed"
        if verb != other or len(words) != 2 or len(others) != 2:
            return OTHER_MISTAKE
        return "flag" if words[0] == others[0] else "card" if words[1] == others[1] else "placement"

    def _after(self, table: BattleLineState, move: Move, seat: Seat) -> float:
        """Play the move on this state, and return the seat's chance then."""
        table.play(move)
        return self.chance(table, seat)


def is_tactic_play(verb: str, words: Sequence[str]) -> bool:
    """Return whether an action plays a tactic: one with a verb of its own, or a card without a value."""
    return verb in TACTIC_VERBS or (verb == "play" and not words[0][1:].isdigit())


def list_decks_drawn_from(table: BattleLineState, move: Move) -> list[int]:
    """Return the deck of each card that the move draws, in order."""
    after = table.copy()
    after.play(move)
    return [cast(int, datum) for kind, _, datum, _ in after.log[table.log_size : after.log_size] if kind == DREW]


def list_unseen_places(table: BattleLineState, deck: int) -> list[int]:
    """Return the places of a deck, from the bottom, whose cards nobody has seen: all but those that were put back."""
    seen = table.knowledge[0].own_places | table.knowledge[1].own_places
    return [place for place in range(len(table.decks[deck])) if (deck, place) not in seen]


def swap_to_top(cards: list[int], card: int, unseen: list[int]) -> None:
    """Bring one of the unseen cards to the top of its deck, in exchange for what lies there."""
    place = next(place for place in reversed(unseen) if cards[place] == card)
    cards[place], cards[-1] = cards[-1], cards[place]


def shuffle_unseen(table: BattleLineState, rng: Random) -> BattleLineState:
    """Return a copy in which the cards that nobody has seen lie in the decks in another order."""
    other = table.copy()
    for deck, cards in enumerate(other.decks):
        unseen = list_unseen_places(table, deck)
        pool = [cards[place] for place in unseen]
        shuffle(pool, rng)
        for place, card in zip(unseen, pool, strict=True):
            cards[place] = card
    return other


# Find the evaluator of a game and its options; few editions have one.


EXPECTING_EDITIONS: Final = frozenset({"standard", "short"})
"""Editions whose last turns are worth a look at every case: tests/bench/bench_endgames.py has found some in them."""


class LearntBattleLineEvaluator(BattleLineEvaluator):
    """The value function of Battle Line whose weights are learnt by self-play."""

    def __init__(self, edition: str) -> None:
        self.edition = edition
        self.version = VALUE_VERSION
        self.weights_hash = value_hash(edition)

    def win_chance(self, state: State, seat: Seat) -> float:
        """Return the chance of a seat by the learnt weights."""
        return win_chance(state, seat)  # type: ignore[arg-type]  # every state of this game is a `Play`

    def expect_ending(self, states: Sequence[State]) -> dict[int, Expectation]:
        """Look at every case that the seat to act must reckon with, at the start of the last turns."""
        if self.edition not in EXPECTING_EDITIONS:
            return {}
        found = expect_line(cast(Sequence[BattleLineState], states))
        return {number: Expectation(max(one.chances.values()), one.cases) for number, one in found.items()}


def has_evaluator(game: str, edition: str, options: Json | None = None) -> bool:
    """Return whether plays of these rules can be analysed. Without `options` they are the edition's."""
    if game != "battleline" or game not in GAMES or not has_value(edition):
        return False
    return options is None or not GAMES[game].changed_options(edition, options)


def find_evaluator(game: str, edition: str, options: Json | None = None) -> Evaluator | None:
    """Return the evaluator of these rules, or None where there is none."""
    return LearntBattleLineEvaluator(edition) if has_evaluator(game, edition, options) else None
