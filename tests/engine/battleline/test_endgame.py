"""Endgames are solved as plain minimax solves them, on positions that random play reaches in every edition.

With `--full` it is 10,000 positions an edition, which takes hours.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import permutations
from random import Random
from statistics import fmean

import pytest

from engine.games.battleline.cards import is_troop
from engine.games.battleline.endgame import (
    DRAW,
    LOSS,
    SOLVING_BUDGET,
    WIN,
    Solver,
    expect,
    find_sure_move,
    is_open,
    solve,
)
from engine.games.battleline.game import BattleLine
from engine.games.battleline.options import PRESETS
from engine.games.battleline.state import BattleLineState
from tests.full import is_full_run

GAME = BattleLine()
MOST_POSITIONS = 1_500
"""Positions below one that minimax looks at, at most: larger endgames are left out."""
COVERED = [edition for edition in PRESETS if edition != "long"]
"""Editions whose decks can both be empty while a leg goes on. In the other one the flags are full long before."""
POSITIONS, POSITIONS_IN_FULL = 10, 10_000
LEGS, LEGS_IN_FULL = 6, 5_000
EXPECTATIONS, EXPECTATIONS_IN_FULL = 20, 2_000
MAX_HIDDEN_CARDS = 4


class TooLarge(Exception):
    """There are too many positions for minimax."""


def minimax(state: BattleLineState, seat: int, left: list[int]) -> int:
    """Return the value of a state for a seat, by looking at every move of every position up to the end."""
    if state.outcome is not None:
        own, other = state.outcome.places[seat], state.outcome.places[1 - seat]
        return DRAW if own == other else WIN if own < other else LOSS
    left[0] -= 1
    if left[0] < 0:
        raise TooLarge
    values = []
    for move in state.moves():
        after = state.copy()
        after.play(move)
        values.append(minimax(after, seat, left))
    return max(values) if state.to_act == seat else min(values)


def rate_moves(state: BattleLineState) -> dict[int, int]:
    """Return the value of each move for the seat to act, by minimax."""
    assert state.to_act is not None
    left, rated = [MOST_POSITIONS], {}
    for move in state.moves():
        after = state.copy()
        after.play(move)
        rated[move] = minimax(after, state.to_act, left)
    return rated


def play_at_random(edition: str, rng: Random) -> list[BattleLineState]:
    """Return all states of a random leg in which there was a choice, the last one first.

    Half of the legs claim when they can, so that both kinds of end are there.
    """
    options = GAME.options(edition)
    state = GAME.start(options, 2, GAME.deal(options, 2, rng))
    claims = rng.random() < 0.5
    states = []
    while state.to_act is not None:
        moves = state.moves()
        if len(moves) > 1:
            states.append(state.copy())
        state.play(moves[0] if claims and state.text(moves[0]).startswith("claim") else rng.choice(moves))
    return states[::-1]


def list_endgames(edition: str, count: int) -> Iterator[tuple[BattleLineState, dict[int, int]]]:
    """Yield open positions that minimax can look through, with the values of their moves."""
    found = leg = 0
    while found < count:
        for state in play_at_random(edition, Random(f"endgame {edition} {leg}")):
            if found == count or not is_open(state):
                break
            try:
                rated = rate_moves(state)
            except TooLarge:
                break
            yield state, rated
            found += 1
        leg += 1


@pytest.mark.parametrize("edition", COVERED)
def test_endgames_are_solved_as_minimax_solves_them(edition: str, capsys: pytest.CaptureFixture[str]) -> None:
    counts = Counter[str]()
    for state, rated in list_endgames(edition, POSITIONS_IN_FULL if is_full_run() else POSITIONS):
        solution = solve(state)
        assert solution is not None
        assert solution.moves == rated
        assert solution.value == max(rated.values())
        assert solution.best_moves == [move for move in rated if rated[move] == solution.value]
        sure = find_sure_move(state)
        assert (
            sure is None if solution.value == LOSS else sure is not None and rated[sure[0]] == sure[1] == solution.value
        )
        counts["positions"] += 1
        counts["draws"] += solution.value == DRAW
        counts["in which the move matters"] += len(set(rated.values())) > 1
    if is_full_run():
        with capsys.disabled():
            print(f"\n{edition}: {dict(counts)}")


def list_cases(state: BattleLineState, seat: int) -> Iterator[BattleLineState]:
    """Yield a state for every order of the hidden cards over the places where they can be."""
    other = 1 - seat
    hand = state.hands[other]
    places = [
        [*[(hand, at) for at in range(len(hand)) if is_troop(hand[at]) == (deck == 0)]]
        + [(cards, at) for at in range(len(cards))]
        for deck, cards in enumerate(state.decks)
    ]
    troops, tactics = [[where[at] for where, at in spots] for spots in places]
    for first in permutations(troops):
        for second in permutations(tactics):
            case = state.copy()
            for spots, cards in zip(places, (first, second), strict=True):
                for (where, at), card in zip(spots, cards, strict=True):
                    copied = case.hands[other] if where is hand else case.decks[0 if where is state.decks[0] else 1]
                    copied[at] = card
            case.found = None
            yield case


@pytest.mark.parametrize("edition", PRESETS)
def test_positions_whose_cards_are_all_given_are_solved_with_decks_too(edition: str) -> None:
    """Expectations look at such positions: each is one case of what is hidden."""
    for leg in range(LEGS_IN_FULL if is_full_run() else LEGS):
        for state in play_at_random(edition, Random(f"case {edition} {leg}")):
            if is_open(state):
                break
            try:
                rated = rate_moves(state)
            except TooLarge:
                break
            assert Solver(state, SOLVING_BUDGET).rate_moves(state).moves == rated


@pytest.mark.parametrize("edition", ["terrain", "highlands"])
def test_expectations_are_means_over_all_cases(edition: str) -> None:
    """Cards of the other hand are put on the decks, where they may have been as well."""
    found = 0
    for state, _ in list_endgames(edition, EXPECTATIONS_IN_FULL if is_full_run() else EXPECTATIONS):
        assert state.to_act is not None
        hand = state.hands[1 - state.to_act]
        if not 2 <= len(hand) <= MAX_HIDDEN_CARDS:
            continue
        for card in (hand.pop(), hand.pop()):
            state.decks[0 if is_troop(card) else 1].append(card)
        state.found = None
        try:
            rated = [rate_moves(case) for case in list_cases(state, state.to_act)]
        except TooLarge:
            continue
        expected = expect(state)
        assert expected is not None
        means = {move: fmean((one[move] + 1) / 2 for one in rated) for move in rated[0]}
        assert expected.chances == pytest.approx(means)
        found += 1
    assert found > 0


@pytest.mark.parametrize("edition", COVERED)
def test_open_positions_hide_nothing(edition: str) -> None:
    for leg in range(5):
        rng = Random(f"open {edition} {leg}")
        for state in play_at_random(edition, rng):
            if not is_open(state):
                continue
            for seat in (0, 1):
                other = state.redeal(seat, rng)
                assert [sorted(hand) for hand in other.hands] == [sorted(hand) for hand in state.hands]


def test_hidden_cards_and_small_budgets_give_no_solution() -> None:
    states = play_at_random("highlands", Random("budget"))
    assert solve(states[-1]) is None
    assert expect(states[-1]) is None
    early = [state for state in states if is_open(state)][-1]
    assert solve(early, budget=3) is None
    assert expect(early) is None
