"""Laying out by hand: the text of a draft, and that it may be sent exactly where the engine takes it."""

from random import Random

import pytest

from arena.pages.games.battalion.board import CARD_NAMES_HIGH_TO_LOW
from arena.pages.games.battalion.play_layout import list_checks, list_formation_cards
from arena.pages.games.battalion.play_turn import (
    DEPLOY_VERB,
    IN_HAND,
    REFORM_VERB,
    FormationDraft,
    read_draft,
    start_draft,
)
from engine.core import IllegalAction, MalformedAction
from engine.games.battalion.position import Army
from engine.replay import states

FUNNEL = ((0, 2, 4, 6), (1, 3, 5), (2, 4))


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("deploy 0=A,2=,4=/1=7 guard=", "deploy 0=A,2=,4=/1=7 guard="),
        ("deploy 0=A,2= guard=5 card=K", "deploy 0=A,2= guard=5 card=K"),
        ("deploy 0=A,2= guard=5 card=K cell=1b", "deploy 0=A,2=K guard=5"),
        ("deploy 0=A,2= guard=5 card=A cell=1b", "deploy 0=,2=A guard=5"),
        ("deploy 0=A,2=K guard=5 card=A cell=1b", "deploy 0=K,2=A guard=5"),
        ("deploy 0=A,2=9 guard=5 card=9 cell=g", "deploy 0=A,2=5 guard=9"),
        ("deploy 0=A,2=9 guard=5 card=9 cell=hand", "deploy 0=A,2= guard=5"),
        ("reform 0=A,2=9 hand=7", "reform 0=A,2=9"),
        ("reform 2=A,0=9 card=7", "reform 0=9,2=A card=7"),
    ],
)
def test_a_text_is_the_draft_after_it(text, action):
    draft = read_draft(text)
    assert str(draft) == action and read_draft(str(draft)) == draft


@pytest.mark.parametrize(
    "text",
    [
        "deploy", "attack 1a 1:2b", "deploy 0=X guard=", "deploy 0=A,2=A guard=", "deploy 0=A guard=Z", "deploy x",
        "deploy 0=A,2=,4=,6=,8= guard=", "deploy 0=/0=/0=/0= guard=", "deploy 0=,40= guard=", "deploy 0=5 guard=5",
    ],
)  # fmt: skip
def test_what_our_pages_never_write_is_no_draft(text):
    assert read_draft(text) is None


def test_cards_keep_their_order_in_another_shape_and_those_without_a_cell_are_taken_back():
    draft = start_draft(DEPLOY_VERB, FUNNEL).fill(CARD_NAMES_HIGH_TO_LOW)
    smaller = draft.with_columns(((0, 2), (0, 2)))
    assert list(smaller.cells.values()) == ["A", "K", "Q", "J", draft.guard]
    assert smaller.find_place("8") == IN_HAND


def is_taken(state, action: str) -> bool:
    try:
        state.parse(action)
    except (IllegalAction, MalformedAction):
        return False
    return True


def scramble(rng: Random, verb: str, cards: list[str]) -> FormationDraft:
    """A draft as people make them: some shape, moved about, filled or not."""
    rows = [sorted(rng.sample(range(0, 8), rng.choice((1, 2, 3, 4, 4)))) for _ in range(rng.choice((1, 2, 2, 3)))]
    if rng.random() < 0.7:
        rows = [
            [2 * x + shift for x in range(len(row))] for row, shift in zip(rows, rng.choices((0, 1), k=3), strict=False)
        ]
    mixed = rng.sample(cards, len(cards))
    draft = start_draft(verb, rows)
    return draft.fill(mixed if rng.random() < 0.9 else mixed[:3])


def test_a_deployment_may_be_sent_exactly_where_the_engine_takes_it(record_of):
    record, rng = record_of(0, "standard", "battalion", 2), Random(1)
    state = next(iter(states(record)))
    found = set()
    for _ in range(400):
        draft = scramble(rng, DEPLOY_VERB, list(CARD_NAMES_HIGH_TO_LOW))
        if rng.random() < 0.2:
            draft = draft.put("g", "").put(
                "g", rng.choice([card for card in "AKQJ" if card not in draft.laid_cards] or ["2"])
            )
        is_met = all(check.is_met for check in list_checks(draft, 0, Army()))
        if len(draft.laid_cards) == len(set(draft.laid_cards)):
            assert is_met == is_taken(state, draft.complete(CARD_NAMES_HIGH_TO_LOW)), str(draft)
            found.add(is_met)
    assert found == {True, False}


def test_a_reforming_may_be_sent_exactly_where_the_engine_takes_it(record_of):
    rng, found = Random(2), {True: 0, False: 0}
    for seed in range(6):
        for state in states(record_of(seed, "standard", "battalion", 2)):
            if state.to_act is None or state.decision == "deploy" or state.open_grammar is None:
                continue
            side = state.sides[state.to_act]
            cards = list_formation_cards(side)
            for _ in range(6):
                draft = scramble(rng, REFORM_VERB, cards)
                is_met = all(check.is_met for check in list_checks(draft, state.to_act, side))
                assert is_met == is_taken(state, draft.complete(cards)), str(draft)
                found[is_met] += 1
    assert min(found.values()) > 5, found
