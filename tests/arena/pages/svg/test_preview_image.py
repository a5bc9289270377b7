"""The presentation of one step: an SVG that stands alone, for every edition and every pair of eyes."""

import re
from html import escape
from xml.etree import ElementTree

import pytest
from django.conf import settings
from django.utils.translation import override

from arena.pages.games import find_presentation
from arena.pages.matches.replay import PUBLIC_ONLOOKER, play_back
from arena.pages.svg.card import (
    GLYPHS,
    NAME_SIZES_BY_SEATS,
    SEAT_COLOURS,
    SUIT_COLOURS,
    draw_preview_image,
    render_png,
    spell_for_picture,
)
from engine.games.battleline.options import TITLES
from tests.arena.pages.test_language import GEOMETRY
from tests.engine.battleline.facts import find_look
from tests.full import one_of_each

SVG = "{http://www.w3.org/2000/svg}"
LEGS = [*((edition, "battleline", 2) for edition in TITLES), *(("standard", "battalion", seats) for seats in (2, 3, 4))]
DIFFERENT_LEGS = one_of_each(LEGS, kind=lambda leg: (find_look(leg[0]), *leg[1:]))
"""By default one of the editions that look alike."""
HOSTILE = ['<b onload="x">', "O'Neill & Söhne \x07 \u202e", "<script>", "]]>"]


@pytest.mark.parametrize(("edition", "game", "players"), DIFFERENT_LEGS)
def test_every_picture_is_whole_and_well_formed(record_of, edition, game, players):
    record, presentation = record_of(1, edition, game, players), find_presentation(game, edition)
    for onlooker in (None, 0, PUBLIC_ONLOOKER):
        playback = play_back(record, onlooker)
        for number in {0, 1, 5, 17, playback.last // 2, playback.last}:
            drawing = draw_preview_image(playback.scene(number), presentation, HOSTILE[:players])
            root = ElementTree.fromstring(drawing)
            assert (root.tag, root.get("width"), root.get("height")) == (f"{SVG}svg", "1200", "630")
            symbols = {symbol.get("id") for symbol in root.iter(f"{SVG}symbol")}
            references = {one.get("href") for one in root.iter(f"{SVG}use")}
            assert references == {f"#{name}" for name in symbols}
            assert not re.search(r"https?://(?!www.w3.org/2000/svg)|url\((?!#)| style=|<script|var\(", drawing)
            assert "None" not in drawing


@pytest.mark.parametrize(("edition", "game", "players"), DIFFERENT_LEGS)
def test_its_numbers_are_the_same_in_every_language(record_of, edition, game, players):
    playback, presentation = play_back(record_of(1, edition, game, players), None), find_presentation(game, edition)
    for number in {0, 5, playback.last // 2, playback.last}:
        drawn = []
        for language in ("en", "hu"):
            with override(language):
                drawn.append(draw_preview_image(playback.scene(number), presentation, HOSTILE[:players]))
        assert GEOMETRY.findall(drawn[0]) == GEOMETRY.findall(drawn[1])


def test_names_are_shown_as_they_are_written(record_of):
    playback = play_back(record_of(1), None)
    drawing = draw_preview_image(playback.scene(3), find_presentation("battleline", "standard"), HOSTILE[:2])
    text = "".join(ElementTree.fromstring(drawing).itertext())
    assert HOSTILE[0] in text and "O'Neill & Söhne" in text and "\x07" not in text


def test_a_name_that_the_font_has_no_letters_for_is_spelt_as_in_its_address(record_of):
    playback, presentation = play_back(record_of(1), None), find_presentation("battleline", "standard")
    text = "".join(
        ElementTree.fromstring(draw_preview_image(playback.scene(3), presentation, ["北京 Bot 3", "Đỏ Őri"])).itertext()
    )
    assert "beijing Bot 3" in text and "Đỏ Őri" in text
    assert [spell_for_picture(name) for name in ("אריה 2", "ไทย", "🙂")] == ["ryh 2", "aithy", "slight_smile"]
    for name in ("Nguyễn Văn Thắng", "Щука її ђ Ґ", "Ωμέγα Ἀ", "Ģirts Šķēle", "Ḥārit"):
        assert spell_for_picture(name) == name.replace("Ἀ", "a")


def draw_letter(letter: str) -> bytes:
    """Return a picture of one letter in the font of the heading: of a box if the font lacks it."""
    return render_png(
        '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"><text y="30" font-size="20" font-weight="600" '
        f"font-family=\"'Source Serif 4'\">{escape(letter)}</text></svg>"
    )


def test_the_font_has_every_letter_that_is_drawn():
    box = draw_letter("北")
    drawn = [chr(code) for code in range(0x21, 0x2213) if GLYPHS.fullmatch(chr(code))]
    assert len(drawn) > 700 and [letter for letter in drawn if draw_letter(letter) == box] == []


def test_a_long_name_is_cut(record_of):
    playback = play_back(record_of(1), None)
    drawing = draw_preview_image(playback.scene(3), find_presentation("battleline", "standard"), ["a" * 99, "b"])
    assert "a" * (NAME_SIZES_BY_SEATS[2][1] - 1) + "…" in drawing and "a" * NAME_SIZES_BY_SEATS[2][1] not in drawing


def test_the_step_is_told_in_the_picture(record_of):
    playback, presentation = play_back(record_of(1), None), find_presentation("battleline", "standard")
    assert str(presentation.describe_step(playback.steps[3])[0]) in draw_preview_image(
        playback.scene(3), presentation, ["a", "b"]
    )
    assert presentation.describe_ending(playback.scene(playback.last)) in draw_preview_image(
        playback.scene(playback.last), presentation, ["a", "b"]
    )


def test_the_colours_are_those_of_the_style():
    folder = settings.BASE_DIR / "arena/pages/static/css"
    style = "".join((folder / name).read_text() for name in ("tokens.css", "cards.css"))
    assert all(colour in style for pair in SUIT_COLOURS.values() for colour in pair)
    assert all(f"--seat-{seat}: light-dark({colour}" in style for seat, colour in enumerate(SEAT_COLOURS))


def test_names_are_joined_in_the_language_of_the_reader(record_of):
    playback, presentation = play_back(record_of(1), None), find_presentation("battleline", "standard")
    with override("hu"):
        drawing = draw_preview_image(playback.scene(3), presentation, ["a", "b"])
    text = "".join(ElementTree.fromstring(drawing).itertext())
    assert " – " in text and " v " not in text
