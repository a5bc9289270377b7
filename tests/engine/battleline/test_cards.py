"""Card sets: arithmetic on many cards at once is that on one after the other."""

from hypothesis import given
from hypothesis import strategies as st

from engine.games.battleline.cards import card_set, remove_cards

DOUBLED_DECK = [card for card in range(60) for _ in (0, 1)]


@given(st.permutations(DOUBLED_DECK), st.integers(0, 120), st.integers(0, 120))
def test_removing_a_part_leaves_the_rest(cards: list[int], size: int, part: int) -> None:
    there = cards[:size]
    assert remove_cards(card_set(there), card_set(there[:part])) == card_set(there[part:])
