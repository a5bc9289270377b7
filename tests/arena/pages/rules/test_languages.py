"""The rules in other languages: the same page, anchor by anchor, picture by picture, and no sentence left behind."""

import re
from pathlib import Path

import pytest
from django.conf import settings
from django.template.loader import render_to_string
from django.test import Client

from engine.registry import GAMES
from tests.arena.pages.outline import Outline

OTHERS = [language for language, _title in settings.LANGUAGES if language != "en"]
EDITIONS = [(game, edition) for game, rules in GAMES.items() for edition in rules.editions]
FOLDERS = sorted(Path(settings.BASE_DIR, "templates", "games").glob("*/rules"))


def page_of(game, edition, language):
    answer = Client(headers={"accept-language": language}).get(f"/rules/{game}/{edition}/")
    assert answer.status_code == 200
    return answer.text


def outline_of(game, edition, language):
    return Outline(page_of(game, edition, language))


def variables_of(template):
    return set(re.findall(r"\{\{ ?([\w.]+)|\{% (?:card|icon|pennant) ([\w.\"-]+)", template.read_text()))


@pytest.mark.django_db
@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize(("game", "edition"), EDITIONS)
def test_a_page_is_the_same_in_every_language(game, edition, language):
    first, other = outline_of(game, edition, "en"), outline_of(game, edition, language)
    assert first.elements == other.elements
    assert not first.faults and not other.faults


@pytest.mark.django_db
@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize(("game", "edition"), EDITIONS)
def test_no_sentence_is_left_in_english(game, edition, language):
    left = outline_of(game, edition, "en").sentences & outline_of(game, edition, language).sentences
    assert not left


@pytest.mark.django_db
@pytest.mark.parametrize("language", ["en", *OTHERS])
def test_a_page_says_what_language_it_is_in(language):
    assert f'<html lang="{language}"' in page_of("battleline", "standard", language)


@pytest.mark.django_db
def test_a_language_nobody_has_written_the_rules_in_gets_english():
    assert "The cards of a complete side" in page_of("battleline", "standard", "fr")


@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.parent.name)
def test_every_part_names_the_same_things_in_every_language(folder, language):
    parts = sorted(path.name for path in (folder / "en").iterdir())
    assert parts == sorted(path.name for path in (folder / language).iterdir())
    for part in parts:
        assert variables_of(folder / "en" / part) == variables_of(folder / language / part), part


@pytest.mark.parametrize("language", ["en", *OTHERS])
def test_the_turn_describes_every_option_of_claiming(language):
    texts = [
        render_to_string(f"games/battleline/rules/{language}/turn.html", {"options": options})
        for options in ({"claims": "any"}, {"claims": "start"}, {"claims": "either"}, {"claims_any_time": True})
    ]
    assert [text.partition("</ol>")[0].count("<li>") for text in texts] == [4, 3, 4, 4]
    assert texts[0] == texts[3] and len(set(texts)) == 3


@pytest.mark.django_db
@pytest.mark.parametrize("language", ["en", *OTHERS])
def test_the_tiles_are_called_what_the_board_calls_them(language):
    answer = Client(headers={"accept-language": language}).get("/rules/battleline/terrain/")
    assert all(f"<b>{tag.name}</b>" in answer.text for tag in answer.context["tile"].values())
