"""Outlooks of sides: what they can still become, and which of two becomes stronger."""

from collections.abc import Iterator
from random import Random
from typing import cast

import pytest

from engine.games.battleline.cards import CARD_NAMES_BY_COLOURS, card_set
from engine.games.battleline.formations import (
    GROUND_SUM_ONLY,
    PHALANX,
    STRENGTH_RANK_BITS,
    WEDGE,
    compute_strength,
    find_best_reach,
)
from engine.games.battleline.outlook import Outlook, compare_outlooks, compute_outlook
from engine.games.battleline.state import BattleLineState
from engine.registry import GAMES
from tests.engine.plays import begin, run

GAME = GAMES["battleline"]
CARDS = CARD_NAMES_BY_COLOURS["ROYGBP"].card


def cards(words: str) -> int:
    return card_set([CARDS[name] for name in words.split()])


ALL = (1 << 60) - 1


def outlooks() -> Iterator[tuple[int, int, int, Outlook]]:
    """Sides with their free slots, what can be laid there, and their outlooks."""
    for seed in range(4):
        for state in run(begin(GAME, "standard", seed), Random(seed)):
            table = cast(BattleLineState, state)
            hand = card_set([card for card in table.hands[0] if card < 60])
            deck = table.unseen & ~hand & ~card_set([card for card in table.hands[1] if card < 60])
            for flag in range(0, 9, 4):
                side, ground = table.sets[0][flag], table.grounds[0][flag]
                free = table.slots[0][flag] - len(table.sides[0][flag])
                if not ground:
                    yield side, free, hand | deck, compute_outlook(side, free, hand, deck, ground)


def test_likelihoods_add_up_to_1_and_fall_in_strength() -> None:
    for _, _, _, found in outlooks():
        assert sum(likelihood for _, likelihood in found.reached) == pytest.approx(1)
        strengths = [strength for strength, _ in found.reached]
        assert strengths == sorted(set(strengths), reverse=True)
        assert 0 <= found.worth <= 1.1


def test_nothing_is_expected_that_is_stronger_than_what_can_be_reached() -> None:
    for side, free, there, found in outlooks():
        best = find_best_reach(side, free, there)[0] >> STRENGTH_RANK_BITS
        assert best < 0 or found.reached[0][0] >> STRENGTH_RANK_BITS <= best


def test_a_complete_side_is_what_it_is() -> None:
    side = cards("R8 R9 R10")
    assert compute_outlook(side, 0, ALL, ALL, 0).reached == ((compute_strength(side), 1.0),)


def test_cards_in_the_hand_are_sure_and_those_of_the_other_seat_never_come() -> None:
    side, hand = cards("R10 R9"), cards("R8")
    wedge = WEDGE << STRENGTH_RANK_BITS | 27
    assert compute_outlook(side, 1, hand, 0, 0).reached == ((wedge, 1.0),)
    (drawn, *_) = compute_outlook(side, 1, 0, hand, 0).reached
    assert drawn[0] == wedge and 0 < drawn[1] < 1
    assert all(strength >> STRENGTH_RANK_BITS < WEDGE for strength, _ in compute_outlook(side, 1, 0, 0, 0).reached)


def test_more_cards_of_a_value_in_the_deck_make_a_phalanx_likelier() -> None:
    few, many = (
        dict(compute_outlook(cards("R8 O8"), 1, 0, cards(deck), 0).reached)[PHALANX << STRENGTH_RANK_BITS | 24]
        for deck in ("Y8 P1", "Y8 G8 B8 P1")
    )
    assert few < many < 1


def test_fog_leaves_only_the_sum() -> None:
    found = compute_outlook(cards("R8 R9"), 1, cards("R10 B3"), ALL, GROUND_SUM_ONLY)
    assert found.reached == ((27, 1.0),)


@pytest.mark.parametrize("tie_share", [0.0, 0.5, 1.0])
def test_a_comparison_goes_through_all_pairs(tie_share: float) -> None:
    found = [outlook for *_, outlook in outlooks()][::7]
    for own, other in zip(found, found[3:], strict=False):
        expected = sum(
            likelihood * other_likelihood * (1.0 if strength > other_strength else tie_share)
            for strength, likelihood in own.reached
            for other_strength, other_likelihood in other.reached
            if strength >= other_strength
        )
        assert compare_outlooks(own, other, tie_share) == pytest.approx(expected, abs=1e-9)
