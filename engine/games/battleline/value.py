"""Estimate the chance that a seat wins, from both hands and the set of unseen cards, never their order."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import replace
from functools import cache, lru_cache
from math import exp, log
from pathlib import Path
from typing import Final, NamedTuple

from engine.core import Json
from engine.games.battleline.cards import (
    FIRST_TACTIC,
    SECOND_COPY_SHIFT_BITS,
    TROOP_SETS_BY_VALUE,
    card_set,
    is_leader,
    remove_cards,
)
from engine.games.battleline.formations import (
    BATTALION,
    GROUND_SUM_ONLY,
    HOST,
    MAX_STRENGTH_RANK,
    PHALANX,
    SKIRMISH,
    STRENGTH_RANK_BITS,
    WEDGE,
    Side,
    compute_strength,
    find_runs,
    list_phalanx_values,
    read_side,
)
from engine.games.battleline.legal import is_claim_provable
from engine.games.battleline.options import Rules, edition_options
from engine.games.battleline.position import FINISH, PLAY, Position
from engine.games.battleline.state import BattleLineState
from engine.games.battleline.tactics import may_play_tactics

# Estimate which strengths a side can still reach with known hands, and how likely it reaches each.
#
# What lies in the owner's hand is there; a card of the deck comes in time with a chance that depends on the kind of
# formation it is wanted for; what the other seat holds or the table shows never comes. Needs that overlap are treated
# as independent. Flags with tiles are not estimated.

DRAW_CHANCES_BY_KIND: Final[tuple[float, ...]] = (0.0, 0.40, 0.35, 0.35, 0.35)
"""By kind of formation: the chance that a seat draws a given card of the deck in time to use it."""
MIN_LIKELIHOOD: Final = 0.01
MAX_OUTLOOKS_CACHED: Final = 1_000
MAX_TROOPS_CACHED: Final = 2_000
MAX_WEDGES_CACHED: Final = 5_000
AVERAGE_VALUE: Final = 6
"""The value that a card not yet in the hand is taken to have."""
MAX_VALUE: Final = 10
KIND_WORTH: Final[tuple[float, ...]] = (0.12, 0.34, 0.55, 0.82, 0.94)
"""Worth of a formation by kind, from 0 to 1, without its rank."""
RANK_WORTH: Final = 1 / 400
COLOUR_MASK: Final = 1023
COLOURS: Final = range(6)
VALUES_BY_MASK: Final = tuple(
    tuple([bit + 1 for bit in range(10) if mask >> bit & 1]) for mask in range(COLOUR_MASK + 1)
)
WORTHS: Final = [
    KIND_WORTH[strength >> STRENGTH_RANK_BITS] + (strength & MAX_STRENGTH_RANK) * RANK_WORTH
    for strength in range(len(KIND_WORTH) << STRENGTH_RANK_BITS)
]
"""Worth of each strength, from 0 to 1."""

Reached = tuple[int, float]
"""A strength, and the likelihood that it is the best that the side reaches."""
NOTHING_REACHED: Final[Reached] = (-1, 0.0)


class Outlook(NamedTuple):
    """What a side can become: the likelihoods add up to 1, the best strength is first."""

    reached: tuple[Reached, ...]
    worth: float
    """Expected worth, from 0 to 1."""


class Troops:
    """A set of troops, counted once for all the sides that ask for it. It doesn't change."""

    __slots__ = ("cards", "colour_counts", "masks", "value_counts", "values")

    def __init__(self, cards: int) -> None:
        self.cards = cards
        both = cards | cards >> SECOND_COPY_SHIFT_BITS
        self.masks = [both >> 10 * colour & COLOUR_MASK for colour in COLOURS]
        """By colour: the mask of its values."""
        self.values = 0
        """The mask of all values."""
        for mask in self.masks:
            self.values |= mask
        self.colour_counts = [(cards & troops).bit_count() for troops in COLOUR_SETS]
        self.value_counts = [(cards & troops).bit_count() for troops in TROOP_SETS_BY_VALUE]


@lru_cache(maxsize=MAX_TROOPS_CACHED)
def read_troops(cards: int) -> Troops:
    """Return the troops of a card set."""
    return Troops(cards)


@lru_cache(maxsize=MAX_OUTLOOKS_CACHED)
def compute_outlook(side: int, free: int, hand: int, deck: int, ground: int) -> Outlook:
    """Return the outlook of a side with `free` slots, from the troops in its owner's hand and in the deck (card sets).

    `ground` is 0 or GROUND_SUM_ONLY.
    """
    if not free:
        strength = compute_strength(side, ground)
        return Outlook(((strength, 1.0),), compute_worth(strength, ground, side.bit_count()))
    known = read_side(side)
    total = known.troop_sum + known.wild_high + sum_of_best(hand, free)
    if ground & GROUND_SUM_ONLY:
        return Outlook(((total, 1.0),), compute_worth(total, ground, known.size + free))
    held, there = read_troops(hand), read_troops(deck)
    found: list[Reached] = []
    if known.distinct:
        add_wedges(found, known, free, held, there)
    add_phalanxes(found, known, free, held, there)
    add_battalions(found, known, free, held, there)
    if known.distinct:
        add_skirmishes(found, known, free, held, there)
    found.append((HOST << STRENGTH_RANK_BITS | total, 1.0))
    found.sort(reverse=True)
    return accumulate_outlook(found)


def accumulate_outlook(found: list[Reached]) -> Outlook:
    """Return the outlook of these strengths, best first, each reached with a likelihood of its own."""
    left, worth = 1.0, 0.0
    reached: dict[int, float] = {}
    for strength, likelihood in found:
        share = left * likelihood
        if share > MIN_LIKELIHOOD or likelihood == 1.0:
            reached[strength] = reached.get(strength, 0.0) + share
            worth += share * WORTHS[strength]
            left -= share
        if likelihood == 1.0:
            break
    return Outlook(tuple(reached.items()), worth)


def compute_worth(strength: int, ground: int, size: int) -> float:
    """Return the worth of a strength, from 0 to 1."""
    return strength / (MAX_VALUE * size) if ground & GROUND_SUM_ONLY else WORTHS[strength]


def add_wedges(found: list[Reached], side: Side, free: int, hand: Troops, deck: Troops) -> None:
    """Add the wedges that a side can reach."""
    if side.colour < 0:
        return
    size, wild_cards = side.size + free, (side.leaders, side.cavalry, side.shields)
    for colour in COLOURS if side.colour == 6 else (side.colour,):
        found += list_wedges(size, side.values, wild_cards, hand.masks[colour], deck.masks[colour])


@lru_cache(maxsize=MAX_WEDGES_CACHED)
def list_wedges(size: int, values: int, wild_cards: tuple[int, int, int], held: int, there: int) -> tuple[Reached, ...]:
    """Return the wedges of one colour, by the masks of its values on the side, in the hand and in the deck.

    `wild_cards` are the numbers of leaders, cavalry and shields.
    """
    found = []
    for rank, missing in find_runs(size, values, *wild_cards, False):
        absent = missing & ~held
        if not absent & ~there:
            likelihood = POWERS[absent.bit_count()]
            if likelihood > MIN_LIKELIHOOD:
                found.append((WEDGE << STRENGTH_RANK_BITS | rank, likelihood))
    return tuple(found)


def add_skirmishes(found: list[Reached], side: Side, free: int, hand: Troops, deck: Troops) -> None:
    """Add the skirmishes that a side can reach."""
    lacking, counts, likelihoods = ~hand.values, deck.value_counts, LIKELIHOODS[SKIRMISH][1]
    for rank, missing in find_runs(side.size + free, side.values, side.leaders, side.cavalry, side.shields, False):
        likelihood = 1.0
        for value in VALUES_BY_MASK[missing & lacking]:
            likelihood *= likelihoods[counts[value]]
        if likelihood > MIN_LIKELIHOOD:
            found.append((SKIRMISH << STRENGTH_RANK_BITS | rank, likelihood))


def add_phalanxes(found: list[Reached], side: Side, free: int, hand: Troops, deck: Troops) -> None:
    """Add the phalanxes that a side can reach."""
    likelihoods, size = LIKELIHOODS[PHALANX], side.size + free
    held, there = hand.value_counts, deck.value_counts
    for value in list_phalanx_values(side.values, side.cavalry, side.shields, False):
        lacking = free - held[value]
        likelihood = likelihoods[lacking][there[value]] if lacking > 0 else 1.0
        if likelihood > MIN_LIKELIHOOD:
            found.append((PHALANX << STRENGTH_RANK_BITS | value * size, likelihood))


def add_battalions(found: list[Reached], side: Side, free: int, hand: Troops, deck: Troops) -> None:
    """Add the battalions that a side can reach, with the sum that they are likely to have."""
    if side.colour < 0:
        return
    fixed, likelihoods = side.troop_sum + side.wild_high, LIKELIHOODS[BATTALION]
    for colour in COLOURS if side.colour == 6 else (side.colour,):
        lacking = free - hand.colour_counts[colour]
        likelihood = likelihoods[lacking][deck.colour_counts[colour]] if lacking > 0 else 1.0
        if likelihood > MIN_LIKELIHOOD:
            total = fixed + sum_of_best(hand.cards & COLOUR_SETS[colour], free)
            found.append((BATTALION << STRENGTH_RANK_BITS | total, likelihood))


@lru_cache(maxsize=MAX_OUTLOOKS_CACHED)
def sum_of_best(hand: int, free: int) -> int:
    """Return the likely sum of `free` cards: the highest of the hand, and average ones where it has fewer."""
    total = 0
    for value in range(MAX_VALUE, 0, -1):
        there = min(free, (TROOP_SETS_BY_VALUE[value] & hand).bit_count())
        total += value * there
        free -= there
        if not free:
            break
    return total + AVERAGE_VALUE * free


def compare_outlooks(own: Outlook, other: Outlook, tie_share: float) -> float:
    """Return the likelihood that the own side ends up stronger; equal strengths count `tie_share`."""
    better, weaker, lost_share = 0.0, 1.0, 1 - tie_share
    theirs = iter((*other.reached, NOTHING_REACHED))
    their_strength, their_likelihood = next(theirs)
    for strength, likelihood in own.reached:
        while their_strength > strength:
            weaker -= their_likelihood
            their_strength, their_likelihood = next(theirs)
        tied = their_likelihood if their_strength == strength else 0.0
        better += likelihood * (weaker - tied * lost_share)
    return better


def list_tail_likelihoods(chance: float, most: int) -> list[list[float]]:
    """Return by number wanted (0 to 4) and number there: the chance to draw at least as many as are wanted."""
    tails = []
    for wanted in range(5):
        row = []
        for there in range(most + 1):
            below, term = 0.0, (1 - chance) ** there
            for got in range(wanted):
                below += term
                term *= (there - got) / (got + 1) * chance / (1 - chance)
            row.append(max(0.0, 1 - below) if there >= wanted else 0.0)
        tails.append(row)
    return tails


POWERS: Final = [DRAW_CHANCES_BY_KIND[WEDGE] ** count for count in range(5)]
LIKELIHOODS: Final = [list_tail_likelihoods(chance, 20) for chance in DRAW_CHANCES_BY_KIND]
"""By kind, cards wanted, cards there: the chance to draw that many in time."""
COLOUR_SETS: Final = [
    (COLOUR_MASK << 10 * colour) | (COLOUR_MASK << 10 * colour + SECOND_COPY_SHIFT_BITS) for colour in COLOURS
]
"""The troops of each colour as card sets, all copies."""


# First the chance of each flag: the outlooks of its two sides are compared (see above) and weighted by the number
# of their free slots. Then the whole line: the chances of enough flags in all and of adjacent ones, whose turn it is,
# and what the hands hold beside troops. Every term changes its sign when the seats are exchanged, so the chances of
# the two add up to 1. The weights are learnt from play by `bots.training` and lie in files beside this one.

WEIGHTS_PATH: Final = Path(__file__).with_name("value_weights.json")
LATER_WEIGHTS_PATHS: Final = {"highlands": Path(__file__).with_name("value_weights_highlands.json")}
"""By edition that came later. It has a file of its own: seasons of the others keep the hash that they committed to."""
VALUE_VERSION: Final = "1"
"""Changes with the features; the hash changes with the weights, too."""
MIN_FLAG_LIKELIHOOD: Final = 0.02
"""Likelihoods of a flag nearer to 0 or 1 are treated as this one."""
CLAIM_CHANCE: Final = 0.99
"""The chance that a seat gets a flag that it could claim now."""
SIDE_SIZE: Final = 3
MAX_WANTED: Final = 5
"""The flags that win, at most, in the rules that have weights."""
FREE_SLOT_COUNTS: Final = 5
"""A side has 0 to 4 free slots."""
TACTIC_KINDS: Final = 10
HAND_TERMS: Final = TACTIC_KINDS + 4
CARDS_TERM: Final = TACTIC_KINDS + 2
"""Place of the number of cards among the terms of the hands."""
MAX_FLAGS_CACHED: Final = 1_000
"""Few, since the garbage collector goes through all of them; a search needs those of some deals."""

FlagKey = tuple[int | None, int, int, int, int, int, int]
"""Owner, then sides, slots and grounds by seat: what lies at a flag."""
FlagOdds = tuple[float, float, float]
"""The chance of seat 0 at a flag, that of seat 1, and the log odds of the first, kept finite."""
HoldingsKey = tuple[tuple[int, ...], tuple[int, ...], int, float, tuple[tuple[int, ...], ...], tuple[bool, ...]]
"""Hands, unseen troops, mover, tactics played, leaders played."""


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


class Holdings:
    """Who holds which cards, and what depends on that alone or on a flag with it.

    Many moves of a deal lead to the same holdings, since a card can be played at any flag.
    """

    __slots__ = ("deck", "flags", "formation", "hands", "troops")

    def __init__(self, state: Position) -> None:
        self.troops = [card_set([card for card in hand if card < FIRST_TACTIC]) for hand in state.hands]
        """The troops in the hands as card sets, by seat."""
        self.deck = remove_cards(remove_cards(state.unseen, self.troops[0]), self.troops[1])
        """The troops in the deck as a card set."""
        self.formation = (
            compute_outlook(0, SIDE_SIZE, self.troops[0], self.deck, 0).worth
            - compute_outlook(0, SIDE_SIZE, self.troops[1], self.deck, 0).worth
        )
        self.hands = read_hands(state)
        """The terms of the hands (see `Terms`), of which CARDS_TERM is still 0."""
        self.flags: dict[FlagKey, FlagOdds] = {}
        """Flags looked at under these holdings, by some weights for one mover."""


class Weights:
    """The weights of one edition, and the chances they give."""

    def __init__(self, weights: Json) -> None:
        self.advantage: list[float] = weights["advantage"]
        self.worth: list[float] = weights["worth"]
        self.lead: list[float] = weights["lead"]
        self.tempo: list[float] = weights["tempo"]
        self.line: list[float] = weights["line"]
        self.known: dict[HoldingsKey, Holdings] = {}
        """Holdings of positions looked at, all of the same rules."""
        self.known_count = 0
        """The number of these holdings and of all their flags."""

    def win_chance(self, state: Position) -> float:
        """Return the chance that seat 0 wins."""
        mover = find_mover(state)
        holdings = self.find_holdings(state, mover)
        flags = self.list_flag_odds(state, holdings, mover)
        inputs = list_line_inputs(flags, mover, find_fill(state), holdings.formation, state.rules)
        inputs += holdings.hands
        inputs[CARDS_TERM - HAND_TERMS] = compare_card_counts(state)
        odds = 0.0
        for weight, value in zip(self.line, inputs, strict=True):
            odds += weight * value
        return 1 / (1 + exp(-max(-30.0, min(30.0, odds))))

    def find_holdings(self, state: Position, mover: float) -> Holdings:
        """Return who holds which cards in the state."""
        hands = state.hands
        key = tuple(hands[0]), tuple(hands[1]), state.unseen, mover, state.tactics_played, state.leader_played
        found = self.known.get(key)
        if found is None:
            if self.known_count >= MAX_FLAGS_CACHED:
                self.known.clear()
                self.known_count = 0
            found = self.known[key] = Holdings(state)
            self.known_count += 1
        return found

    def list_flag_odds(self, state: Position, holdings: Holdings, mover: float) -> list[FlagOdds]:
        """Return the odds of every flag."""
        known = holdings.flags
        found: list[FlagOdds] = []
        for key in zip(state.owner, *state.sets, *state.slots, *state.grounds, strict=True):
            odds = known.get(key)
            if odds is None:
                flag = len(found)
                odds = self.compute_flag_odds(read_flag(state, flag, holdings), mover)
                # Of two complete sides of equal strength the first wins, which the key doesn't say.
                if state.owner[flag] is not None or not is_complete(state, 0, flag) or not is_complete(state, 1, flag):
                    known[key] = odds
                    self.known_count += 1
            found.append(odds)
        return found

    def compute_flag_odds(self, terms: FlagTerms, mover: float) -> FlagOdds:
        """Return the odds of a flag from its terms."""
        chance = terms.decided
        if chance is None:
            slots = terms.slots
            odds = self.advantage[slots] * terms.advantage + self.worth[slots] * terms.worth
            odds += self.lead[slots] + self.tempo[slots] * mover
            chance = 1 / (1 + exp(-odds))
        return chance, 1 - chance, log((chance + 0.02) / (1.02 - chance))


def win_chance(state: BattleLineState, seat: int) -> float:
    """Return the chance, from 0 to 1, that the seat wins; 1, 0.5 or 0 where the leg is finished.

    It depends on both hands and the set of the cards in the decks. The chances of the two seats add up to 1. Raises
    ValueError where the rules of the play have no value function (`has_value`).
    """
    if state.outcome is not None:
        own, other = state.outcome.places[seat], state.outcome.places[1 - seat]
        return 0.5 if own == other else 1.0 if own < other else 0.0
    weights = find_weights(state.rules)
    if weights is None:
        raise ValueError("there is no value function for these rules")
    chance = weights.win_chance(state)
    return chance if seat == 0 else 1 - chance


def has_value(edition: str, options: Json | None = None) -> bool:
    """Return whether there is a value function for the edition, or for the rules with these options in force."""
    if options is not None:
        return find_weights(Rules.read(options)) is not None
    return edition in read_weights_file()["editions"]


@cache
def value_hash(edition: str = "standard") -> str:
    """Return the SHA-256 of the file with an edition's weights, in lower-case hex."""
    return hashlib.sha256(find_weights_path(edition).read_bytes()).hexdigest()


def find_weights_path(edition: str) -> Path:
    """Return the file with the weights of an edition."""
    return LATER_WEIGHTS_PATHS.get(edition, WEIGHTS_PATH)


@cache
def read_weights_file() -> Json:
    """Return the weights of all editions with the facts of their training."""
    content: Json = json.loads(WEIGHTS_PATH.read_bytes())
    for path in LATER_WEIGHTS_PATHS.values():
        later = json.loads(path.read_bytes())
        for part in ("editions", "training"):
            content[part] |= later[part]
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
    holdings = Holdings(state)
    holdings.hands[CARDS_TERM] = compare_card_counts(state)
    flags = [read_flag(state, flag, holdings) for flag in range(state.rules.flags)]
    return Terms(flags, find_mover(state), find_fill(state), holdings.formation, holdings.hands)


def find_mover(state: Position) -> float:
    """Return 1 where seat 0 is the next to play a card, else -1."""
    next_to_play = state.to_act if state.decision == PLAY else 1 - (state.to_act or 0)
    return -1.0 if next_to_play else 1.0


def find_fill(state: Position) -> float:
    """Return the share of the slots that have been filled (see `Terms`)."""
    return state.clock / (2 * SIDE_SIZE * state.rules.flags)


def read_flag(state: Position, flag: int, holdings: Holdings) -> FlagTerms:
    """Return what the chance of a flag is computed from."""
    owner = state.owner[flag]
    if owner is not None:
        return FlagTerms(0, 0.0, 0.0, 0.0 if owner else 1.0)
    free = state.slots[0][flag] - len(state.sides[0][flag])
    other_free = state.slots[1][flag] - len(state.sides[1][flag])
    if not free and is_claim_provable(state, 0, flag):
        return FlagTerms(0, 0.0, 0.0, CLAIM_CHANCE)
    if not other_free and is_claim_provable(state, 1, flag):
        return FlagTerms(0, 0.0, 0.0, 1 - CLAIM_CHANCE)
    hand, other_hand = holdings.troops
    ground = state.grounds[0][flag]
    own = look_out(state.sets[0][flag], free, hand, holdings.deck, ground)
    other = look_out(state.sets[1][flag], other_free, other_hand, holdings.deck, ground)
    likelihood = compare_outlooks(own, other, 0.5 if free and other_free else 0.0 if free else 1.0)
    likelihood = max(MIN_FLAG_LIKELIHOOD, min(1 - MIN_FLAG_LIKELIHOOD, likelihood))
    slots = free * FREE_SLOT_COUNTS + other_free
    return FlagTerms(slots, log(likelihood / (1 - likelihood)), own.worth - other.worth, None)


def is_complete(state: Position, seat: int, flag: int) -> bool:
    """Return whether the seat's side of a flag is complete."""
    return len(state.sides[seat][flag]) >= state.slots[seat][flag]


def look_out(side: int, free: int, hand: int, deck: int, ground: int) -> Outlook:
    """Return the outlook of a side.

    The cards of a hand can be laid at one flag alone. Where nothing lies yet they count as if they were in the deck;
    what they could become is counted once for all these flags (`Terms.formation`).
    """
    return compute_outlook(side, free, hand, deck, ground) if side else compute_outlook(0, free, 0, hand | deck, ground)


def read_hands(state: Position) -> list[float]:
    """Return the terms of the hands (see `Terms`) without CARDS_TERM."""
    found = [0.0] * HAND_TERMS
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
    return found


def compare_card_counts(state: Position) -> float:
    """Return the CARDS_TERM of the hands."""
    return float(count_cards(state, 0) - count_cards(state, 1))


def count_cards(state: Position, seat: int) -> int:
    """Return the number of cards that the seat will have in hand after its turn."""
    count = len(state.hands[seat])
    is_to_draw = seat == state.to_act and state.decision == FINISH and not state.scouted
    if is_to_draw and (state.decks[0] or state.decks[1]):
        count += 1
    return min(state.rules.hand, count)


def list_line_inputs(flags: list[FlagOdds], mover: float, fill: float, formation: float, rules: Rules) -> list[float]:
    """Return the inputs of the whole line: its terms, and the same times the fill."""
    chances, others, odds = zip(*flags, strict=True)
    line = [
        2 * count_chance(chances, rules.envelopment) - 1,
        row_chance(chances) - row_chance(others) if rules.breakthrough else 0.0,
        2 * sum(chances, 0.0) - len(chances),
        sum(odds, 0.0),
        mover,
        formation,
    ]
    return [*line, *[term * fill for term in line]]


def count_chance(chances: Sequence[float], wanted: int) -> float:
    """Return the chance of at least `wanted` flags (1 to MAX_WANTED), were they independent."""
    # By how many are still wanted: five to one. A list would take twice as long.
    five, four, three, two, one = [1.0 if wanted == count else 0.0 for count in range(MAX_WANTED, 0, -1)]
    enough = 0.0
    for chance in chances:
        enough += one * chance
        one += chance * (two - one)
        two += chance * (three - two)
        three += chance * (four - three)
        four += chance * (five - four)
        five -= chance * five
    return enough


def row_chance(chances: Sequence[float]) -> float:
    """Return the chance of three adjacent flags (BREAKTHROUGH_FLAGS), were they independent."""
    # By the flags of the row that ends here. They are no list, which would take three times as long.
    none, one, two, complete = 1.0, 0.0, 0.0, 0.0
    for chance in chances:
        complete += two * chance
        none, one, two = (1 - chance) * (none + one + two), none * chance, one * chance
    return complete
