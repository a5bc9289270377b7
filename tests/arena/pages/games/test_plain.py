"""A game without page code of its own: its events in sentences, its views as a table, nothing hidden on them."""

from random import Random

import pytest
from django.template.loader import render_to_string
from django.utils.html import strip_tags
from django.utils.translation import override

from arena.pages.games import find_presentation
from arena.pages.games.plain import PRESENTATION, PlainBoard, list_items
from arena.pages.matches.replay import Scene, play_back, play_to
from arena.pages.svg.card import draw_preview_image
from engine.core import PUBLIC_ONLOOKER, Json
from engine.packages import load_package
from engine.registry import GAMES


@pytest.fixture
def record(monkeypatch: pytest.MonkeyPatch) -> Json:
    """A leg of Goofspiel by three, one of which goes out; every bid has a note."""
    game = load_package("goofspiel").game
    monkeypatch.setitem(GAMES, game.key, game)
    options, rng = game.options("short"), Random(4)
    deal = game.deal(options, 3, rng)
    state, actions = game.start(options, 3, deal), []
    while state.to_act is not None:
        if len(actions) == 7:
            actions.append({"seat": 2, "action": "forfeit", "verdict": "crash"})
            state.forfeit(2, "crash")
            continue
        move = rng.choice(state.moves())
        note = f"my bid is {state.text(move)}"
        actions.append({"seat": state.to_act, "action": state.text(move), "ms": 1 + state.to_act, "note": note})
        state.play(move)
    result = {"places": state.outcome.places, "scores": state.outcome.scores, "reason": state.outcome.reason}
    return {
        "game": "goofspiel", "edition": "short", "options": options, "deal": deal,
        "seats": [{}] * 3, "actions": actions, "result": result,
    }  # fmt: skip


def test_a_game_that_nobody_has_drawn_is_shown_so() -> None:
    assert find_presentation("chess", "standard") is PRESENTATION


def test_every_event_is_a_sentence(record: Json) -> None:
    playback = play_back(record, None)
    lines = [str(line) for line in PRESENTATION.describe_step(playback.steps[1])]
    assert lines[:3] == [f"Seat {seat + 1}: {record['actions'][seat]['action']}" for seat in range(3)]
    assert lines[3].startswith(("Seat 1: take (prizes", "Seat 2: take (prizes", "Seat 3: take (prizes", "Tie (Seat"))
    assert lines[4].startswith("Prize (card")
    forfeit = [str(line) for step in playback.steps for line in PRESENTATION.describe_step(step)]
    assert "Seat 3's program ended before the leg did" in forfeit
    ending = PRESENTATION.describe_ending(playback.scene(playback.last))
    assert ending.startswith("First: Seat") and ending.endswith("(played out)")


def test_simultaneous_choices_are_one_step_with_the_time_of_each_seat(record: Json) -> None:
    step = play_back(record, None).steps[1]
    assert step.seats == [0, 1, 2] and [seat for seat, _ in step.spent_by_seat] == [0, 1, 2]
    assert [spent.wall_ms for _, spent in step.spent_by_seat if spent] == [1, 2, 3]
    assert step.spent is not None and step.spent.wall_ms == 6


def test_what_each_seat_has_stands_in_its_column_and_changes_are_marked(record: Json) -> None:
    board = PRESENTATION.build_board(play_to(record, 2))
    rows = {row.label: row for row in board.rows}
    assert set(rows) == {"Points", "Hands"} and [name for _, name in board.seats] == ["Seat 1", "Seat 2", "Seat 3"]
    assert [len(cell.items) for cell in rows["Hands"].cells] == [5, 5, 5]
    assert all(cell.is_new for cell in rows["Hands"].cells)
    html = render_to_string("games/plain/board.html", {"board": board, "seats": []})
    assert "changed" in strip_tags(html)


@pytest.mark.parametrize("onlooker", [None, PUBLIC_ONLOOKER, 0, 2])
def test_every_step_has_a_picture_and_reasons(record: Json, onlooker: int | None) -> None:
    playback = play_back(record, onlooker)
    for number in range(playback.last + 1):
        scene = playback.scene(number)
        drawing = draw_preview_image(scene, PRESENTATION, ["ana", "ben", "eva"])
        assert drawing.startswith("<svg") and "eva" in drawing
        for proof in scene.proofs:
            reason = PRESENTATION.build_proof(scene, proof)
            assert [label for label, _ in reason.entries] == ["Card", "Legal", "Stake", "Held"]
            assert "Held" in render_to_string("games/plain/proof.html", {"proof": reason})


def test_points_stand_on_the_timeline(record: Json) -> None:
    levels = PRESENTATION.measure(play_back(record, None))  # type: ignore[misc]
    assert [level.values[-1] for level in levels[:2]] == list(record["result"]["scores"][:2])


def test_a_game_that_counts_no_points_has_none(record_of) -> None:
    assert PRESENTATION.measure(play_back(record_of(1), None)) == []  # type: ignore[misc]


def test_a_hand_is_on_no_table_but_that_of_its_seat(record_of) -> None:
    record = record_of(1)
    hand = play_to(record, 3).after[0]["hand"]
    for onlooker in (PUBLIC_ONLOOKER, 1):
        board = PRESENTATION.build_board(play_to(record, 3, onlooker))
        html = render_to_string("games/plain/board.html", {"board": board, "seats": []})
        assert sum(f">{card}<" in html for card in hand) == 0, "nothing of the other's hand"
    own = PRESENTATION.build_board(play_to(record, 3, 0))
    assert [item.text for item in dict(own.facts)["Hand"].items] == hand


def build_board_of(onlooker: int | None, *views: Json) -> PlainBoard:
    return PRESENTATION.build_board(Scene("standard", {}, onlooker, (), 0, list(views), list(views), [], None))


def list_cells(board: PlainBoard, label: str) -> list[list[str]]:
    """The texts of a row, by seat; a back is "back"."""
    (row,) = (row for row in board.rows if row.label == label)
    return [["back" if item.is_back else item.text for item in cell.items] for cell in row.cells]


HANDS = ({"hands": [["J"], ["?"]], "round": 3}, {"hands": [["?"], ["Q"]], "round": 3})


@pytest.mark.parametrize(
    ("onlooker", "cells"), [(None, [["J"], ["Q"]]), (0, [["J"], ["back"]]), (1, [["back"], ["Q"]])]
)
def test_a_list_with_an_element_for_each_seat_stands_in_the_seats_columns(
    onlooker: int | None, cells: list[list[str]]
) -> None:
    assert list_cells(build_board_of(onlooker, *HANDS), "Hands") == cells


def test_spectators_are_shown_no_hand() -> None:
    assert build_board_of(PUBLIC_ONLOOKER, *HANDS).rows == []


def test_as_many_cards_as_there_are_seats_are_still_one_hand() -> None:
    board = build_board_of(None, {"hand": ["J", "Q"]}, {"hand": ["K", "A"]})
    assert list_cells(board, "Hand") == [["J", "Q"], ["K", "A"]]


def test_others_may_be_told_the_number_of_cards_alone() -> None:
    board = build_board_of(None, {"hands": [["J", "Q"], 1]}, {"hands": [2, ["K"]]})
    assert list_cells(board, "Hands") == [["J", "Q"], ["K"]]


def test_what_is_hidden_inside_of_lists_and_objects_is_a_back() -> None:
    for value, texts in (
        ([["?", "7"], ["8", "9"]], ["back", "7", "8 9"]),
        ({"top": "?", "left": 3}, ["top:", "back", "left: 3"]),
        (["?"], ["back"]),
    ):
        assert ["back" if item.is_back else item.text for item in list_items(value)] == texts


def test_the_round_is_shown_and_shared_keys_are_translated() -> None:
    assert {label: cell.items[0].text for label, cell in build_board_of(0, *HANDS).facts} == {"Round": "3"}
    with override("hu"):
        board = build_board_of(0, {"points": [1, 2], "round": 3}, {"points": [1, 2], "round": 3})
        assert [row.label for row in board.rows] == ["Pontok"] and board.facts[0][0] == "Kör"
