"""Every pair of option values is drawn: replays, previews and proofs of variants, with the names that fit."""

import pytest
from django.template.loader import render_to_string
from django.utils.translation import override

from arena.pages.formatting import record_rules_title
from arena.pages.games import find_presentation
from arena.pages.games.battleline.words import WORDINGS_BY_EDITION
from arena.pages.matches.frames import build_frames, list_moves
from arena.pages.matches.replay import play_back, seat_guests
from arena.pages.svg.card import draw_preview_image
from arena.pages.svg.timeline import build_timeline
from engine.games.battleline.cards import SUIT_DISPLAY_NAMES
from engine.registry import GAMES
from tests.engine.plays import random_record
from tests.engine.test_option_sets import list_covering
from tests.full import default_and_full

CHUNKS = 8
"""Tests that share the sets of options of a game."""


def record_of(key: str, number: int) -> dict:
    """A random play by one set of options, named after an edition that changes with the number."""
    game, options = GAMES[key], list_covering(key)[number]
    editions = list(game.editions)
    return random_record(game, editions[number % len(editions)], number, **options)


@pytest.mark.parametrize("chunk", default_and_full(range(3), range(3, CHUNKS)))
@pytest.mark.parametrize("key", GAMES)
def test_every_pair_of_option_values_is_drawn_and_told(key, chunk):
    for number in range(len(list_covering(key)))[chunk::CHUNKS]:
        check_drawings(record_of(key, number), key)


def check_drawings(record: dict, key: str) -> None:
    presentation = find_presentation(key, record["edition"], record["options"])
    playback = play_back(record, None)
    frames = build_frames(playback, seat_guests(record))
    assert len(frames["frames"]) == playback.last + 1 and all(frames["parts"])
    seats = [f"bot {seat}" for seat in range(len(record["seats"]))]
    for step in (0, playback.last // 2, playback.last):
        scene = playback.scene(step)
        assert "<svg" in draw_preview_image(scene, presentation, seats, record_rules_title(record))
        assert build_timeline(scene, presentation, playback, 1000)
    told = [str(line) for move in list_moves(playback, presentation, 1000) for line in move.lines]
    assert told and not any("None" in line or "%(" in line or "{" in line for line in told)
    for onlooker in range(len(record["seats"])):
        scene = play_back(record, onlooker).scene(playback.last // 2)
        board = presentation.build_board(scene)
        assert render_to_string(f"games/{presentation.folder}/board.html", {"board": board})


def test_cards_seats_and_tiles_of_a_variant_have_the_names_of_its_edition():
    for number in range(len(list_covering("battleline"))):
        check_names(record_of("battleline", number))


def check_names(record: dict) -> None:
    options, wording = record["options"], WORDINGS_BY_EDITION[record["edition"]]
    for troop in set(record["deal"]["troops"]):
        assert wording.card(troop).split()[0] == SUIT_DISPLAY_NAMES[troop[0]]
    assert [suit.name for suit in wording.suits(options["colours"])] == [
        SUIT_DISPLAY_NAMES[one] for one in options["colours"]
    ]
    for tile in record["deal"]["tiles"]:
        tag = wording.tile(tile)
        assert "%" not in tag.hint + tag.effect
    castle, fortress = wording.tile("castle"), wording.tile("fortress")
    assert castle.hint.startswith(wording.seat(0)) and fortress.hint.startswith(wording.seat(1))


def test_the_timeline_offers_tactics_where_a_variant_has_them():
    terrain = GAMES["battleline"].options("terrain")
    assert "tactics" not in find_presentation("battleline", "terrain", terrain).jump_labels
    assert find_presentation("battleline", "terrain", terrain | {"tactics": 10}).jump_labels.keys() == (
        find_presentation("battleline", "standard").jump_labels.keys()
    )


def test_a_variant_is_named_in_the_readers_language():
    record = random_record(GAMES["battleline"], "terrain", 1, tactics=10)
    assert record_rules_title(record) == "Battle Line, Medieval with terrain, with the ten tactics"
    with override("hu"):
        assert record_rules_title(record) == "Battle Line, Középkor tereppel, a tíz taktikakártyával"
