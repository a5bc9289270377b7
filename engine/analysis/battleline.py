"""The evaluator of Battle Line: which choices are compared, and which cards a draw could have brought."""

from collections import Counter
from collections.abc import Sequence
from random import Random
from statistics import fmean
from typing import cast

from engine.analysis.evaluator import Evaluator
from engine.core import Move, Seat, State
from engine.deal import shuffle
from engine.games.battleline.moves import CLAIM
from engine.games.battleline.position import DREW
from engine.games.battleline.redeal import redeal_hidden
from engine.games.battleline.state import BattleLineState

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
