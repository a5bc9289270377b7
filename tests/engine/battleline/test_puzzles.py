"""Puzzles from records: both proofs agree everywhere, and each question has one answer."""

from collections import Counter
from itertools import islice, product
from random import Random

import pytest

from engine.games.battleline.legal import find_refutation, is_claim_provable
from engine.games.battleline.plain_proof import UnknownGround, count_unseen, measure, prove
from engine.games.battleline.puzzles import (
    EASIEST,
    HARDEST,
    ProofsDisagree,
    balance,
    check_both_proofs,
    find_claim_puzzles,
    list_positions,
)
from engine.games.battleline.state import BattleLineState
from engine.registry import find_game
from engine.replay import begin, states, take
from tests.engine.analysis.plays import play_leg, random_chooser

GAME = find_game("battleline")
EDITIONS = ("standard", "advanced", "short", "long", "medieval", "highlands")


def play(edition: str, seed: int) -> dict:
    choosers = (random_chooser(f"a{seed}"), random_chooser(f"b{seed}"))
    return play_leg(f"{edition} {seed}", choosers, edition)


@pytest.mark.parametrize("edition", EDITIONS)
def test_the_plain_proof_agrees_with_the_rules_at_every_flag(edition):
    found = Counter()
    for seed in range(2):
        record = play(edition, seed)
        for state in islice(states(record), 30, None, 9):
            assert isinstance(state, BattleLineState)
            view = state.view(0)
            for flag in state.unclaimed:
                for seat in (0, 1):
                    if len(state.sides[1 - seat][flag]) < state.slots[1 - seat][flag] - 1:
                        continue  # choices of two unseen troops take too long here
                    plain = prove(record["options"], view, seat, flag + 1)
                    assert plain.holds == is_claim_provable(state, seat, flag)
                    is_full = len(state.sides[seat][flag]) == state.slots[seat][flag]
                    if is_full and not plain.holds and plain.refutations != ((),):
                        assert find_refutation(state, seat, flag)
                    found[is_full, plain.holds] += 1
    assert found[True, False] and found[False, False]


def test_two_free_places_are_filled_in_every_way():
    record = play("short", 1)
    options, found = record["options"], Counter()
    for state in islice(states(record), 12, None, 5):
        assert isinstance(state, BattleLineState)
        for flag, seat in product(state.unclaimed, (0, 1)):
            free = state.slots[1 - seat][flag] - len(state.sides[1 - seat][flag])
            if free == 2 and len(state.sides[seat][flag]) == state.slots[seat][flag]:
                plain = prove(options, state.view(seat), seat, flag + 1)
                assert plain.holds == is_claim_provable(state, seat, flag)
                assert all(len(cards) == 2 for cards in plain.refutations)
                found[plain.holds] += 1
    assert found[False]


def test_a_wild_card_stands_for_everything_it_can():
    assert measure(["G9", "leader-1", "G8"], "ROYGBP", False) == (4, 27)
    assert measure(["G8", "cavalry", "R8"], "ROYGBP", False) == (3, 24)
    assert measure(["G2", "shield", "G1"], "ROYGBP", False) == (4, 6)
    assert measure(["G9", "leader-1", "G8"], "ROYGBP", True) == (0, 27)
    assert measure(["G4", "G4", "G5"], "ROYGBP", False) == (2, 13)


def test_tiles_are_beyond_the_plain_proof():
    options = GAME.options("terrain")
    state = GAME.start(options, 2, GAME.deal(options, 2, Random(1)))
    with pytest.raises(UnknownGround):
        prove(options, state.view(0), 0, 1)
    assert not list(list_positions(play("terrain", 1)))


@pytest.mark.parametrize("edition", EDITIONS)
def test_every_puzzle_has_one_answer(edition):
    positions, answers = set(), Counter()
    for seed in range(2):
        record = play(edition, seed)
        for puzzle in find_claim_puzzles(record):
            state = begin(record)
            for entry in record["actions"][: puzzle.turn]:
                take(state, entry)
            assert state.to_act == puzzle.seat
            claim = f"claim {puzzle.flag}"
            assert (claim in state.actions()) == (puzzle.card is None)
            proof = prove(record["options"], state.view(puzzle.seat), puzzle.seat, puzzle.flag)
            assert proof.refutations == (() if puzzle.card is None else ((puzzle.card,),))
            if puzzle.card is not None:
                assert puzzle.card in count_unseen(record["options"], state.view(puzzle.seat))
                explained = state.explain(claim)
                assert explained is not None and explained["refutation"] == [puzzle.card]
            assert EASIEST <= puzzle.difficulty <= HARDEST
            positions.add((seed, puzzle.position_hash))
            answers[puzzle.card is None] += 1
    assert len(positions) == sum(answers.values())


def test_a_wrong_answer_is_noticed():
    record = next(one for one in (play("standard", seed) for seed in range(50)) if list(find_claim_puzzles(one)))
    puzzle = next(find_claim_puzzles(record))
    state = begin(record)
    for entry in record["actions"][: puzzle.turn]:
        take(state, entry)
    assert isinstance(state, BattleLineState)
    check_both_proofs(record["options"], state, puzzle.flag - 1, puzzle.card)
    with pytest.raises(ProofsDisagree):
        check_both_proofs(record["options"], state, puzzle.flag - 1, "R1" if puzzle.card is None else None)


def test_balanced_puzzles_have_both_answers_equally_often():
    found = [puzzle for seed in range(20) for puzzle in find_claim_puzzles(play("medieval", seed))]
    kept = balance(found)
    counts = Counter(puzzle.card is None for puzzle in kept)
    assert kept and counts[True] == counts[False]
    assert kept == [puzzle for puzzle in found if puzzle in kept]
