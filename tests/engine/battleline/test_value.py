"""The value function: a chance that depends on both hands and the set of unseen cards alone."""

import hashlib
import json
from collections.abc import Iterator
from itertools import islice
from random import Random
from typing import cast

import pytest

from engine.deal import shuffle
from engine.games.battleline.cards import CARD_NAMES_BY_COLOURS, card_set
from engine.games.battleline.formations import (
    GROUND_SUM_ONLY,
    PHALANX,
    STRENGTH_RANK_BITS,
    WEDGE,
    compute_strength,
    find_best_reach,
)
from engine.games.battleline.state import BattleLineState
from engine.games.battleline.value import (
    MAX_FLAGS_CACHED,
    WEIGHTS_PATH,
    Outlook,
    Weights,
    compare_outlooks,
    compute_outlook,
    has_value,
    read_weights_file,
    value_hash,
    win_chance,
)
from engine.registry import GAMES
from tests.engine.plays import begin, run

GAME = GAMES["battleline"]
EDITIONS = [edition for edition in GAME.editions if has_value(edition)]
MAX_WEIGHTS_BYTES = 100_000


def positions(edition: str, seeds: int = 3) -> Iterator[BattleLineState]:
    for seed in range(seeds):
        yield from cast(Iterator[BattleLineState], run(begin(GAME, edition, seed), Random(seed)))


def exchange_seats(state: BattleLineState) -> BattleLineState:
    """The same table with the seats exchanged, and the other one to act."""
    twin = state.copy()
    for name in ("hands", "sides", "stamps", "sets", "slots", "grounds", "tactics_played", "leader_played", "discards"):
        setattr(twin, name, getattr(twin, name)[::-1])
    twin.owner = tuple(None if owner is None else 1 - owner for owner in twin.owner)
    twin.to_act = None if twin.to_act is None else 1 - twin.to_act
    for flag in range(twin.rules.flags):
        twin.forget_proofs(flag)
    return twin


@pytest.mark.parametrize("edition", EDITIONS)
def test_chances_are_from_0_to_1_and_add_up_to_1(edition: str) -> None:
    for state in positions(edition):
        first = win_chance(state, 0)
        assert 0 <= first <= 1 and first + win_chance(state, 1) == 1


@pytest.mark.parametrize("edition", EDITIONS)
def test_exchanged_seats_have_exchanged_chances(edition: str) -> None:
    for state in positions(edition):
        if state.to_act is not None:
            assert win_chance(exchange_seats(state), 1) == pytest.approx(win_chance(state, 0), abs=1e-12)


@pytest.mark.parametrize("edition", EDITIONS)
def test_the_order_of_unseen_cards_makes_no_difference(edition: str) -> None:
    rng = Random(edition)
    for state in positions(edition):
        twin = state.copy()
        for cards in (*twin.decks, *twin.hands):
            shuffle(cards, rng)
        assert win_chance(twin, 0) == win_chance(state, 0)


@pytest.mark.parametrize("edition", EDITIONS)
def test_what_is_remembered_of_other_positions_makes_no_difference(edition: str) -> None:
    """Moves are judged on few deals, as searches do, so that most of each position has been met before."""
    content = read_weights_file()["editions"][edition]
    rng, known = Random(edition), Weights(content)
    for state in islice(positions(edition), 5, None, 20):
        if state.to_act is not None:
            dealt = state.redeal(state.to_act, rng)
            for move in state.moves():
                after = dealt.copy()
                after.play(move)
                assert known.win_chance(after) == Weights(content).win_chance(after)


def test_weights_remember_a_bounded_number_of_flags() -> None:
    weights, looked_at = Weights(read_weights_file()["editions"]["standard"]), 0
    for state in positions("standard", 6):
        weights.win_chance(state)
        looked_at += state.rules.flags
        remembered = sum(len(holdings.flags) for holdings in weights.known.values())
        assert remembered <= MAX_FLAGS_CACHED + state.rules.flags
    assert looked_at > 2 * MAX_FLAGS_CACHED


def test_of_equal_sides_the_one_completed_first_has_the_flag() -> None:
    """Both orders leave the same cards in the same places, and are judged one after the other."""
    chances = []
    for cards in ("R8 Y8 P8 O8 B8 G8", "O8 B8 G8 R8 Y8 P8"):
        state = cast(BattleLineState, begin(GAME, "standard", 0))
        state.hands[0][:], state.hands[1][:] = [0], [1]
        for name in cards.split():
            state.place(state.names.card[name], 0 if name[0] in "RYP" else 1, 4)
        chances.append(win_chance(state, 0))
    assert chances[0] > chances[1]


@pytest.mark.parametrize("edition", EDITIONS)
def test_the_chance_is_sure_once_the_play_is_over(edition: str) -> None:
    for seed in range(4):
        *_, state = run(begin(GAME, edition, seed), Random(seed))
        outcome = state.outcome
        assert outcome is not None
        expected = 0.5 if outcome.places[0] == outcome.places[1] else float(outcome.places[0] == 1)
        assert win_chance(cast(BattleLineState, state), 0) == expected


def test_rules_without_a_value_function_are_refused() -> None:
    assert not has_value("terrain") and not has_value("no such edition")
    with pytest.raises(ValueError, match="no value function"):
        win_chance(cast(BattleLineState, begin(GAME, "terrain", 0)), 0)


def test_weights_are_small_and_known_by_their_hash() -> None:
    content = WEIGHTS_PATH.read_bytes()
    assert len(content) <= MAX_WEIGHTS_BYTES
    assert value_hash() == hashlib.sha256(content).hexdigest()
    assert {"version", "editions", "training"} <= set(json.loads(content))


# Outlooks of sides: what they can still become, and which of two becomes stronger.

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
