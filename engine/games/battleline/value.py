"""Estimate the chance that a seat wins, from both hands and the set of unseen cards, never their order.

First the chance of each flag: the outlooks of its two sides are compared (see `outlook`) and weighted by the number of
their free slots. Then the whole line: the chances of enough flags in all and of adjacent ones, whose turn it is, and
what the hands hold beside troops. Every term changes its sign when the seats are exchanged, so the chances of the two
add up to 1. The weights are learnt from play by `bots.training` and lie in a file beside this one.
"""

import hashlib
import json
from dataclasses import replace
from functools import cache
from math import exp, log
from pathlib import Path
from typing import Final, NamedTuple

from engine.core import Json
from engine.games.battleline.cards import FIRST_TACTIC, add_card, is_leader, remove_card
from engine.games.battleline.ending import BREAKTHROUGH_FLAGS
from engine.games.battleline.options import HAND_SIZE, Rules, edition_options
from engine.games.battleline.outlook import Outlook, compare_outlooks, compute_outlook
from engine.games.battleline.position import FINISH, PLAY, Position
from engine.games.battleline.proof import is_claim_provable
from engine.games.battleline.state import BattleLineState
from engine.games.battleline.tactics import may_play_tactics

WEIGHTS_PATH: Final = Path(__file__).with_name("value_weights.json")
VALUE_VERSION: Final = "1"
"""Changes with the features; the hash changes with the weights, too."""
MIN_FLAG_LIKELIHOOD: Final = 0.02
"""Likelihoods of a flag nearer to 0 or 1 are treated as this one."""
CLAIM_CHANCE: Final = 0.99
"""The chance that a seat gets a flag that it could claim now."""
SIDE_SIZE: Final = 3
FREE_SLOT_COUNTS: Final = 5
"""A side has 0 to 4 free slots."""
TACTIC_KINDS: Final = 10
MAX_FLAGS_CACHED: Final = 20_000

FlagKey = tuple[int, int, int, int, int, int, int, int, float]


class FlagTerms(NamedTuple):
    """What the chance of a flag is computed from, as seat 0 sees it."""

    slots: int
    """Free slots of seat 0 times FREE_SLOT_COUNTS plus those of seat 1."""
    advantage: float
    """Log odds of the likelihood that seat 0's side ends up stronger."""
    worth: float
    """Expected worth of seat 0's side less that of seat 1's."""
    decided: float | None
    """The chance itself, where the flag is claimed or could be claimed now."""


class Terms(NamedTuple):
    """What the chance of seat 0 is computed from."""

    flags: list[FlagTerms]
    mover: float
    """1 where seat 0 is the next to play a card, else -1."""
    fill: float
    """Share of the slots that have been filled, from 0 to 1 or a little more."""
    formation: float
    """Expected worth of the best formation that a hand could lay at an empty flag, seat 0's less seat 1's."""
    hands: list[float]
    """Seat 0's less seat 1's: playable tactics by kind, other tactics, tactics played, cards, sum of troops."""


class Weights:
    """The weights of one edition, and the chances they give."""

    def __init__(self, weights: Json) -> None:
        self.advantage: list[float] = weights["advantage"]
        self.worth: list[float] = weights["worth"]
        self.lead: list[float] = weights["lead"]
        self.tempo: list[float] = weights["tempo"]
        self.line: list[float] = weights["line"]

    def flag_chances(self, terms: Terms) -> list[float]:
        """Return by flag the chance of seat 0."""
        chances = []
        for slots, advantage, worth, decided in terms.flags:
            if decided is None:
                odds = self.advantage[slots] * advantage + self.worth[slots] * worth
                odds += self.lead[slots] + self.tempo[slots] * terms.mover
                chances.append(1 / (1 + exp(-odds)))
            else:
                chances.append(decided)
        return chances

    def win_chance(self, terms: Terms, rules: Rules) -> float:
        """Return the chance that seat 0 wins."""
        inputs = list_line_inputs(self.flag_chances(terms), terms, rules)
        odds = 0.0
        for weight, value in zip(self.line, inputs, strict=True):
            odds += weight * value
        return 1 / (1 + exp(-max(-30.0, min(30.0, odds))))


def win_chance(state: BattleLineState, seat: int) -> float:
    """Return the chance, from 0 to 1, that the seat wins; 1, 0.5 or 0 where the play is over.

    It depends on both hands and the set of the cards in the decks. The chances of the two seats add up to 1. Raises
    ValueError where the rules of the play have no value function (`has_value`).
    """
    if state.outcome is not None:
        own, other = state.outcome.places[seat], state.outcome.places[1 - seat]
        return 0.5 if own == other else 1.0 if own < other else 0.0
    weights = find_weights(state.rules)
    if weights is None:
        raise ValueError("there is no value function for these rules")
    chance = weights.win_chance(read_terms(state), state.rules)
    return chance if seat == 0 else 1 - chance


def has_value(edition: str) -> bool:
    """Return whether there is a value function for the edition."""
    return edition in read_weights_file()["editions"]


@cache
def value_hash() -> str:
    """Return the SHA-256 of the weights, in lower-case hex."""
    return hashlib.sha256(WEIGHTS_PATH.read_bytes()).hexdigest()


@cache
def read_weights_file() -> Json:
    """Return the weights of all editions with the facts of their training."""
    content: Json = json.loads(WEIGHTS_PATH.read_bytes())
    return content


@cache
def find_weights(rules: Rules) -> Weights | None:
    """Return the weights of the edition with these rules; None where there are none.

    When a seat may pass and how a Scout draws make no difference to them.
    """
    for edition, weights in read_weights_file()["editions"].items():
        known = Rules.read(edition_options(edition, {}))
        if replace(rules, pass_without_troop=known.pass_without_troop, scout_at_once=known.scout_at_once) == known:
            return Weights(weights)
    return None


def read_terms(state: Position) -> Terms:
    """Return what the chances of the state are computed from."""
    hands = [0, 0]
    for seat in (0, 1):
        for card in state.hands[seat]:
            if card < FIRST_TACTIC:
                hands[seat] = add_card(hands[seat], card)
    deck = find_deck(state)
    flags = [read_flag(state, flag, hands, deck) for flag in range(state.rules.flags)]
    next_to_play = state.to_act if state.decision == PLAY else 1 - (state.to_act or 0)
    mover = -1.0 if next_to_play else 1.0
    formation = (
        compute_outlook(0, SIDE_SIZE, hands[0], deck, 0).worth - compute_outlook(0, SIDE_SIZE, hands[1], deck, 0).worth
    )
    fill = state.clock / (2 * SIDE_SIZE * state.rules.flags)
    return Terms(flags, mover, fill, formation, read_hands(state))


def find_deck(state: Position) -> int:
    """Return the set of the troops in the deck."""
    deck = state.unseen
    for hand in state.hands:
        for card in hand:
            if card < FIRST_TACTIC:
                deck = remove_card(deck, card)
    return deck


def read_flag(state: Position, flag: int, hands: list[int], deck: int) -> FlagTerms:
    """Return what the chance of a flag is computed from."""
    owner = state.owner[flag]
    if owner is not None:
        return FlagTerms(0, 0.0, 0.0, 0.0 if owner else 1.0)
    first, second = state.sets[0][flag], state.sets[1][flag]
    free = state.slots[0][flag] - len(state.sides[0][flag])
    other_free = state.slots[1][flag] - len(state.sides[1][flag])
    if not free and is_claim_provable(state, 0, flag):
        return FlagTerms(0, 0.0, 0.0, CLAIM_CHANCE)
    if not other_free and is_claim_provable(state, 1, flag):
        return FlagTerms(0, 0.0, 0.0, 1 - CLAIM_CHANCE)
    tie_share = 0.5 if free and other_free else 0.0 if free else 1.0
    return compare_sides((first, second, free, other_free, hands[0], hands[1], deck, state.grounds[0][flag], tie_share))


FLAG_TERMS: Final[dict[FlagKey, FlagTerms]] = {}


def compare_sides(key: FlagKey) -> FlagTerms:
    """Return the terms of a flag that is still open: sides, free slots, hands, deck, ground, share of a tie."""
    known = FLAG_TERMS.get(key)
    if known is not None:
        return known
    if len(FLAG_TERMS) >= MAX_FLAGS_CACHED:
        FLAG_TERMS.clear()
    first, second, free, other_free, hand, other_hand, deck, ground, tie_share = key
    own = look_out(first, free, hand, deck, ground)
    other = look_out(second, other_free, other_hand, deck, ground)
    likelihood = compare_outlooks(own, other, tie_share)
    likelihood = max(MIN_FLAG_LIKELIHOOD, min(1 - MIN_FLAG_LIKELIHOOD, likelihood))
    slots = free * FREE_SLOT_COUNTS + other_free
    found = FLAG_TERMS[key] = FlagTerms(slots, log(likelihood / (1 - likelihood)), own.worth - other.worth, None)
    return found


def look_out(side: int, free: int, hand: int, deck: int, ground: int) -> Outlook:
    """Return the outlook of a side.

    The cards of a hand can be laid at one flag alone. Where nothing lies yet they count as if they were in the deck;
    what they could become is counted once for all these flags (`Terms.formation`).
    """
    return compute_outlook(side, free, hand, deck, ground) if side else compute_outlook(0, free, 0, hand | deck, ground)


def read_hands(state: Position) -> list[float]:
    """Return the terms of the hands (see `Terms`)."""
    found = [0.0] * (TACTIC_KINDS + 4)
    for seat in (0, 1):
        sign = -1.0 if seat else 1.0
        may_play = may_play_tactics(state, seat)
        may_lead = not (state.rules.leader_limit and state.leader_played[seat])
        for card in state.hands[seat]:
            if card < FIRST_TACTIC:
                found[TACTIC_KINDS + 3] += sign * (card % 10 + 1)
            elif may_play and (may_lead or not is_leader(card)):
                found[card - FIRST_TACTIC] += sign
            else:
                found[TACTIC_KINDS] += sign
        found[TACTIC_KINDS + 1] += sign * len(state.tactics_played[seat])
        found[TACTIC_KINDS + 2] += sign * count_cards(state, seat)
    return found


def count_cards(state: Position, seat: int) -> int:
    """Return the number of cards that the seat will have in hand after its turn."""
    count = len(state.hands[seat])
    is_to_draw = seat == state.to_act and state.decision == FINISH and not state.scouted
    if is_to_draw and (state.decks[0] or state.decks[1]):
        count += 1
    return min(HAND_SIZE, count)


def list_line_inputs(chances: list[float], terms: Terms, rules: Rules) -> list[float]:
    """Return the inputs of the whole line: its terms, the same times the fill, and the terms of the hands."""
    others = [1 - chance for chance in chances]
    line = [
        2 * count_chance(chances, rules.envelopment) - 1,
        row_chance(chances) - row_chance(others) if rules.breakthrough else 0.0,
        2 * sum(chances, 0.0) - len(chances),
        sum([log((chance + 0.02) / (1.02 - chance)) for chance in chances], 0.0),
        terms.mover,
        terms.formation,
    ]
    return [*line, *[term * terms.fill for term in line], *terms.hands]


def count_chance(chances: list[float], wanted: int) -> float:
    """Return the chance of at least `wanted` flags, were they independent."""
    exactly = [1.0] + [0.0] * (wanted - 1)
    enough = 0.0
    for chance in chances:
        enough += exactly[wanted - 1] * chance
        for count in range(wanted - 1, 0, -1):
            exactly[count] += chance * (exactly[count - 1] - exactly[count])
        exactly[0] -= chance * exactly[0]
    return enough


def row_chance(chances: list[float]) -> float:
    """Return the chance of BREAKTHROUGH_FLAGS adjacent flags, were they independent."""
    lengths = [1.0] + [0.0] * (BREAKTHROUGH_FLAGS - 1)
    complete = 0.0
    for chance in chances:
        complete += lengths[-1] * chance
        rest = (1 - chance) * sum(lengths, 0.0)
        lengths = [rest, *[length * chance for length in lengths[:-1]]]
    return complete
