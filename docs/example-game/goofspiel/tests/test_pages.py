"""What a replay of Goofspiel shows: every event in words, bids to those who were told, rules in both languages."""

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import polib
import pytest
from django.conf import settings
from django.template.loader import render_to_string
from django.test import override_settings
from django.utils.translation import override as language

from arena.core.catalogues import compile_catalogues
from arena.pages.games.presentation import Presentation
from arena.pages.matches.replay import play_back, play_to
from arena.pages.svg.card import draw_preview_image
from engine import registry
from engine.core import PUBLIC_ONLOOKER, Json, forfeit_event
from goofspiel.pages import present_edition
from goofspiel.rules import GAME

PACKAGE = Path(__file__).resolve().parents[1]
ONLOOKERS = (None, PUBLIC_ONLOOKER, 0, 1, 2)


@pytest.fixture(autouse=True)
def package(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The game in the list, and its templates and translations where the site looks for them."""
    monkeypatch.setitem(registry.GAMES, GAME.key, GAME)
    engine = settings.TEMPLATES[0]
    templates = [engine | {"DIRS": [*engine["DIRS"], PACKAGE / "templates"]}]
    compile_catalogues([PACKAGE])
    with override_settings(TEMPLATES=templates, LOCALE_PATHS=[*settings.LOCALE_PATHS, PACKAGE / "locale"]):
        yield


def record_play(seats: int, plies: int | None = None, forfeit_at: int | None = None) -> Json:
    """The record of a random play, or of its beginning."""
    options, rng = GAME.options("short"), Random(seats)
    deal = GAME.deal(options, seats, rng)
    state = GAME.start(options, seats, deal)
    actions: list[Json] = []
    while state.to_act is not None and len(actions) != plies:
        if len(actions) == forfeit_at:
            actions.append(forfeit_event(state.to_act, "timeout"))
            state.forfeit(state.to_act, "timeout")
            continue
        move = rng.choice(state.moves())
        actions.append({"seat": state.to_act, "action": state.text(move), "ms": 1})
        state.play(move)
    ended = state.outcome
    result = None if ended is None else {"places": ended.places, "scores": ended.scores, "reason": ended.reason}
    return {
        "game": GAME.key, "edition": "short", "options": options, "deal": deal,
        "seats": [{}] * seats, "actions": actions, "result": result,
    }  # fmt: skip


def shown() -> Presentation:
    return present_edition("short")


@pytest.mark.parametrize("onlooker", ONLOOKERS)
@pytest.mark.parametrize("chosen", ["en", "hu"])
def test_every_step_has_a_sentence_a_board_and_a_picture(onlooker: int | None, chosen: str) -> None:
    record = record_play(3, forfeit_at=7)
    playback = play_back(record, onlooker)
    with language(chosen):
        for number in range(playback.last + 1):
            scene = playback.scene(number)
            board = shown().build_board(scene)
            assert len(board.hands) == 3 and board.stake
            if number:
                assert all(str(line) for line in shown().describe_step(scene.step))
            drawing = draw_preview_image(scene, shown(), ["ana", "ben", "eva"])
            assert drawing is not None and drawing.count("ana") == 1
            html = render_to_string("games/goofspiel/board.html", {"board": board, "seats": []})
            assert html.count('class="seat-row') == 3
        assert shown().describe_ending(scene)


@pytest.mark.parametrize("onlooker", [PUBLIC_ONLOOKER, 1, 2])
def test_a_bid_that_is_not_revealed_is_on_nobody_elses_board(onlooker: int) -> None:
    record = record_play(3, plies=4)
    board = shown().build_board(play_to(record, 9, onlooker))
    bid = record["actions"][-1]["action"].split()[1]
    assert bid in [face.number for face in board.hands[0].cards] and board.hands[0].bid is not None


def test_an_explanation_names_the_bid_the_cards_and_the_stake() -> None:
    record = record_play(2)
    scene = play_to(record, 3)
    proofs = [shown().build_proof(scene, proof) for proof in scene.proofs]
    assert [proof.seat for proof in proofs] == [0, 1]
    html = render_to_string("games/goofspiel/proof.html", {"proof": proofs[0]})
    assert "Bid by Spades" in html and "#GS-4" in html


def test_points_go_up_by_the_prizes_taken() -> None:
    record = record_play(2)
    levels = shown().measure(play_back(record, None))  # type: ignore[misc]
    assert [level.values[-1] for level in levels] == list(record["result"]["scores"])
    assert all(list(level.values) == sorted(level.values) for level in levels)


@pytest.mark.parametrize("chosen", ["en", "hu"])
@pytest.mark.parametrize("edition", GAME.editions)
def test_every_ruling_stands_in_the_rules(edition: str, chosen: str) -> None:
    with language(chosen):
        rules: dict[str, Any] = present_edition(edition).build_rules()  # type: ignore[misc]
        parts = [f"games/goofspiel/rules/{chosen}/{part}.html" for part in rules["parts"]]
        text = "".join(render_to_string(part, rules) for part in parts)
    assert [f'id="GS-{number}"' in text for number in range(1, 8)] == [True] * 6 + [False]


def test_every_text_is_translated() -> None:
    catalogue = polib.pofile(str(PACKAGE / "locale" / "hu" / "LC_MESSAGES" / "django.po"))
    assert len(catalogue) > 30
    assert [entry.msgid for entry in catalogue if entry.fuzzy or entry.obsolete or not entry.translated()] == []
    with language("hu"):
        assert str(shown().start_text) == "Felfordult az első díj."
