"""Refused actions read in the reader's language: in every edition, for any action at all."""

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
from django.utils.translation import override

from arena.messages import render_message
from arena.pages.games.battalion.attack_proof import build_proof
from engine.core import Game, IllegalAction, MalformedAction, State
from engine.games.battalion import layout, moves
from engine.games.battalion.cards import CARDS_BY_NAME
from engine.games.battleline.cards import CARD_NAMES_BY_COLOURS
from engine.games.battleline.moves import ACTION_FORMS, CHOICES_BY_FIELD
from engine.message import Message
from tests.engine.plays import EDITION_NAMES, EVERY_EDITION, any_move, begin, run

PLAYS = 4
TRIED = 40
"""Actions at each step, most of them refused."""
RARELY, HALF = 0.02, 0.5
NASTY = ("", " ", "X9", "'", "it's", 'it\'s "so"', "x' should read 'y", "\\", "é", "a\tb", "9" * 99, "-1", "00")
CELLS = (*moves.CELL_NAMES, "4a", "1:1a")


def pick(rng: Random, words: Iterable[object]) -> str:
    return rng.choice(NASTY) if rng.random() < RARELY else str(rng.choice(list(words)))


def say_battleline(rng: Random, state: State) -> str:
    """Any words of its grammar, and sometimes others; half of the cards are in the hand."""
    table: Any = state
    flags = range(1, table.rules.flags + 1)
    names = CARD_NAMES_BY_COLOURS[table.rules.colours]
    held = [names.of[card] for card in table.hands[state.to_act or 0]]
    cards = held if held and rng.random() < HALF else list(names.card)
    lists = {name: words for name, (_, words) in CHOICES_BY_FIELD.items()}
    choices = {**lists, "CARD": cards, "FLAG": flags, "TO": [*flags, "discard"]}
    form = rng.choice(list(ACTION_FORMS.values()))
    words = " ".join(pick(rng, choices[word]) if word in choices else pick(rng, [word]) for word in form.split())
    return rng.choice([words] * 8 + ["draw troop tactic", "draw troop troop troop", f"{form} x"])


def say_rows(rng: Random, cards: list[str]) -> str:
    """A layout that may or may not hang together, of cards that may be there."""
    sizes = [rng.randint(1, 4) for _ in range(rng.choice((1, 1, 2, 2, 3, 3, 4)))]
    wide = rng.random() < 0.1
    deck = iter(cards + rng.choices(list(CARDS_BY_NAME), k=28))
    rows = []
    for size in sizes:
        x, cells = rng.choice((0, 0, 0, 1, 5)), []
        for _ in range(size + wide * 3):
            cells.append(f"{pick(rng, [x])}={pick(rng, [next(deck)])}")
            x += rng.choice((2,) * 12 + (1, 3))
        rows.append(",".join(cells))
    return "/".join(rows)


def say_layout(rng: Random, state: State) -> str:
    table: Any = state
    verb, key = rng.choice((("deploy", "guard"), ("reform", "hand"), ("reform", "hand")))
    side = table.sides[state.to_act or 0]
    own = [layout.CARD_NAMES[card] for _, card in side.laid_out()] if side.shape else list(CARDS_BY_NAME)
    cards = rng.sample(own, len(own))
    tail = rng.choice(
        (f" {key}={pick(rng, cards or ['K'])}", f" {key}={pick(rng, CARDS_BY_NAME)}", f" {rng.choice(NASTY)}", "")
    )
    if verb == "reform" and rng.random() < HALF:
        return " ".join(["reform", ",".join(f"{2 * x}={card}" for x, card in enumerate(cards)) or "0=A"])
    return f"{verb} {say_rows(rng, cards)}{tail}{'x' * rng.choice((0,) * 30 + (400,))}"


def say_battalion(rng: Random, state: State) -> str:
    if rng.random() < 0.4:
        return say_layout(rng, state)
    verb, (_, form) = rng.choice(list(moves.ACTION_FORMS.items()))
    goal = f"{rng.randint(0, 4)}:{pick(rng, CELLS)}"
    choices = {"CELL": CELLS, "CARD": CARDS_BY_NAME, "SEAT:CELL": [goal, goal, goal, "g"]}
    return " ".join([verb, *(pick(rng, choices[word]) for word in form.split())])


SAY: dict[str, Callable[[Random, State], str]] = {"battleline": say_battleline, "battalion": say_battalion}


def any_move_by_kind(state: State, rng: Random) -> int:
    """Rare kinds of moves as often as others: all decisions are come to, and games last."""
    kinds: dict[str, list[int]] = {}
    for move in state.moves():
        kinds.setdefault(state.text(move).split()[0], []).append(move)
    return rng.choice(kinds[rng.choice(sorted(kinds))])


def refusals(game: Game, edition: str, seed: int) -> Iterator[Message]:
    rng = Random(seed)
    choose = any_move_by_kind if seed % 2 else any_move
    for state in run(begin(game, edition, seed), rng, choose):
        for _ in range(TRIED):
            try:
                state.parse(SAY[game.key](rng, state))
            except (IllegalAction, MalformedAction) as refusal:
                yield refusal.message


@cache
def refused_in(game: Game, edition: str) -> dict[str, Message]:
    """The refusals of some plays by their English text."""
    return {str(refusal): refusal for seed in range(PLAYS) for refusal in refusals(game, edition, seed)}


def leaves(refusal: Message) -> Iterator[str]:
    """The names and numbers in a refusal and in the messages within it."""
    for value in refusal.values.values():
        if isinstance(value, Message):
            yield from leaves(value)
        else:
            yield str(value)


@pytest.mark.parametrize(("game", "edition"), EVERY_EDITION, ids=EDITION_NAMES)
def test_every_refusal_of_a_play_reads_in_hungarian_with_all_its_names_and_numbers(game: Game, edition: str) -> None:
    found = refused_in(game, edition)
    assert len(found) > 200
    with override("hu"):
        for text, refusal in found.items():
            rendered = render_message(refusal)
            assert rendered != text and all(leaf in rendered for leaf in leaves(refusal)), (text, rendered)
    with override("en"):
        assert all(render_message(refusal) == text for text, refusal in found.items())


def test_why_an_attack_is_refused_is_read_in_hungarian() -> None:
    game, edition = EVERY_EDITION[-1]
    scene = SimpleNamespace(step=SimpleNamespace(seat=1), edition=edition)
    state = begin(game, edition, 1)
    for _ in zip(range(8), run(state, Random(1)), strict=False):
        explanation = state.explain("attack g 1:g") or {}
    with override("hu"):
        shown = build_proof(scene, explanation)
    refused = str(Message.from_json(explanation["refused"]))
    assert refused and shown.rulings == explanation["rulings"] and refused not in str(shown.outcome)
