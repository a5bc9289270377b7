"""Refused actions read in the reader's language: in every edition, for any action at all."""

from collections.abc import Iterator
from functools import cache
from random import Random
from types import SimpleNamespace

import pytest
from django.utils.translation import override

from arena.core.messages import render_message
from arena.pages.games.battalion.words import build_proof
from engine.core import Game, IllegalAction, MalformedAction, State
from engine.message import Message
from tests.engine.facts import find_facts, write_legal_action
from tests.engine.plays import EVERY_EDITION, any_move, begin, run

PLAYS = 4
TRIED = 40
"""Actions at each step, most of them refused."""

WITH_GRAMMAR = [
    (game, edition)
    for game, edition in EVERY_EDITION
    if find_facts(game.key).write_any_action is not write_legal_action
]
"""Those whose tests write actions that are refused."""


def any_move_by_kind(state: State, rng: Random) -> int:
    """Rare kinds of moves as often as others: all decisions are come to, and games last."""
    kinds: dict[str, list[int]] = {}
    for move in state.moves():
        kinds.setdefault(state.text(move).split()[0], []).append(move)
    return rng.choice(kinds[rng.choice(sorted(kinds))])


def refusals(game: Game, edition: str, seed: int) -> Iterator[Message]:
    rng, write_any_action = Random(seed), find_facts(game.key).write_any_action
    choose = any_move_by_kind if seed % 2 else any_move
    for state in run(begin(game, edition, seed), rng, choose):
        for _ in range(TRIED):
            try:
                state.parse(write_any_action(rng, state))
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


@pytest.mark.parametrize(("game", "edition"), WITH_GRAMMAR, ids=lambda one: one if isinstance(one, str) else one.key)
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
    game, edition = next(both for both in EVERY_EDITION if both[0].key == "battalion")
    scene = SimpleNamespace(step=SimpleNamespace(seat=1), edition=edition)
    state = begin(game, edition, 1)
    for _ in zip(range(8), run(state, Random(1)), strict=False):
        explanation = state.explain("attack g 1:g") or {}
    with override("hu"):
        shown = build_proof(scene, explanation)
    refused = str(Message.from_json(explanation["refused"]))
    assert refused and shown.rulings == explanation["rulings"] and refused not in str(shown.outcome)
