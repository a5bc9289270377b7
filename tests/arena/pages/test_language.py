"""The site in Hungarian: a whole catalogue, the reader's choice of language, numbers that machines can still read."""

import difflib
import json
import os
import re
import shutil
import subprocess
import sys
from html import unescape
from pathlib import Path

import allauth
import django.conf
import django.contrib.auth
import polib
import pytest
from django.conf import settings
from django.test import Client

from arena.core.catalogues import compile_catalogues
from arena.operations.management.prepare import compile_translations
from engine.games.battleline import cards
from engine.games.battleline.options import TITLES

ROOT = Path(settings.BASE_DIR)
CATALOGUE = ROOT / "arena" / "core" / "locale" / "hu" / "LC_MESSAGES"
FORMER = ROOT / "arena" / "core" / "locale_of_former_messages" / "hu" / "LC_MESSAGES"
OTHERS = ROOT / "arena" / "core" / "locale_of_libraries" / "hu" / "LC_MESSAGES"
HOLES = re.compile(r"%\(\w+\)[sd]|\{\w+\}|%%")
MARKUP = re.compile(r"<[^>]*>")
LEAST = 12
"""Shorter words may be the same in both languages, or names."""
GEOMETRY = re.compile(
    r'\s(?:viewBox|d|points|x|y|x1|x2|y1|y2|cx|cy|r|width|height|min|max|datetime)="([^"]*)"'
    r'|<(?:meter|progress)[^>]*\svalue="([^"]*)"|\sdata-[\w-]+="(-?\d[\d.,]*)"'
)
PAGES = [
    "/",
    "/start/",
    "/rules/",
    "/rules/battleline/standard/",
    "/rules/battalion/standard/",
    "/rules/battleline/options/",
    "/rules/battalion/options/",
    "/rules/battalion/formations/",
    "/rules/battalion/formations/?show=successful",
    "/ladders/",
    "/ladders/battleline/standard/",
    "/matches/",
    "/matches/{match}/",
    "/matches/{match}/?turn=12",
    "/matches/{match}/?turn=40&view=0",
    "/bots/",
    "/bots/kingfisher/",
    "/bots/kingfisher/v/1/",
    "/queue/",
    "/status/",
    "/accounts/login/",
    "/nowhere/",
]


@pytest.fixture(scope="module")
def catalogue() -> polib.POFile:
    return polib.pofile(str(CATALOGUE / "django.po"))


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the sources and the catalogue, in which `makemessages` may write."""
    if shutil.which("xgettext") is None:
        pytest.skip("gettext is not installed (no xgettext on the path)")
    room = tmp_path_factory.mktemp("sources")
    leave = shutil.ignore_patterns("__pycache__", "static")
    for folder in ("arena", "engine", "templates"):
        shutil.copytree(ROOT / folder, room / folder, ignore=leave)
    shutil.copy(ROOT / "manage.py", room)
    return room


def collect(sources: Path) -> str:
    """The catalogue after `manage.py makemessages`."""
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "arena.settings", "PYTHONPATH": str(sources)}
    command = [sys.executable, "manage.py", "makemessages", "--verbosity", "0"]
    subprocess.run(command, cwd=sources, env=environment, check=True)
    return (sources / CATALOGUE.relative_to(ROOT) / "django.po").read_text()


def name(entry: polib.POEntry) -> tuple[str | None, str, str]:
    return entry.msgctxt, entry.msgid, entry.msgid_plural


def told(entry: polib.POEntry) -> list[str]:
    return list(entry.msgstr_plural.values()) if entry.msgid_plural else [entry.msgstr]


@pytest.mark.full
def test_makemessages_changes_nothing_where_the_sources_have_not_changed(sources):
    before = (CATALOGUE / "django.po").read_text()
    assert collect(sources) == before


def test_a_new_text_is_one_new_entry_without_a_guess(sources):
    """All else stays as is: the catalogue has every message of the sources and no other."""
    before = (CATALOGUE / "django.po").read_text()
    page = sources / "templates" / "404.html"
    page.write_text(page.read_text() + '{% trans "There is no other game here" %}')
    changed = difflib.ndiff(before.splitlines(), collect(sources).splitlines())
    added = [line[2:] for line in changed if line[0] in "+-"]
    assert sorted(added) == ["", 'msgid "There is no other game here"', 'msgstr ""']


def test_what_libraries_say_is_told_anew_only_where_they_say_it():
    """Django speaks formally to readers, and allauth in bits."""
    told_anew = {name(entry) for entry in polib.pofile(str(OTHERS / "django.po"))}
    theirs = [
        polib.mofile(str(Path(package.__file__).parent / "locale" / "hu" / "LC_MESSAGES" / "django.mo"))
        for package in (allauth, django.conf, django.contrib.auth)
    ]
    assert told_anew and told_anew - {name(entry) for one in theirs for entry in one} == set()


def test_every_message_is_translated_for_good(catalogue):
    assert [entry.msgid for entry in catalogue if entry.obsolete or entry.fuzzy or not all(told(entry))] == []


def test_every_message_of_any_release_is_translated(catalogue):
    """Rows keep the templates they were stored with: a reworded one stays in `locale_of_former_messages`.

    One that no row can have, such as the text of an error, may be taken out of the list instead.
    """
    stored = (ROOT / "tests" / "surface" / "stored" / "templates.txt").read_text().splitlines()
    former = polib.pofile(str(FORMER / "django.po"))
    known = {entry.msgid for entry in [*catalogue, *former] if entry.msgctxt is None and entry.msgstr}
    assert [template for template in map(json.loads, stored) if template not in known] == []
    wrong = [entry.msgid for entry in former if set(HOLES.findall(entry.msgid)) != set(HOLES.findall(entry.msgstr))]
    assert wrong == []


def test_a_translation_has_the_holes_and_the_markup_of_its_message(catalogue):
    """What is said of one thing may leave out the number."""
    wrong = [
        (entry.msgid, words)
        for entry in catalogue
        for words in told(entry)
        if set(HOLES.findall(words))
        not in [set(HOLES.findall(source)) for source in (entry.msgid, entry.msgid_plural or entry.msgid)]
        or sorted(MARKUP.findall(words)) != sorted(MARKUP.findall(entry.msgid))
    ]
    assert wrong == []


def test_no_article_stands_before_a_value(catalogue):
    """It is a or az by the sound of what follows: a 4., but az 5. and az 52."""
    article = re.compile(r"\b[Aa]z? (?:<[^>]*>)?(?:%\(|\{)")
    assert [words for entry in catalogue for words in told(entry) if article.search(words)] == []


def test_a_translation_bends_no_name(catalogue):
    """Hungarian endings hang on the sound of the word, which nobody knows of a name."""
    suffix = re.compile(r"(%\(\w+\)[sd]|\{\w+\})-\w|a\(z\)")
    bent = [words for entry in catalogue for words in told(entry) if suffix.search(words)]
    assert bent == []


def test_a_catalogue_is_compiled_where_it_is_not_as_its_text(tmp_path):
    folder = tmp_path / "hu" / "LC_MESSAGES"
    folder.mkdir(parents=True)
    shutil.copy(OTHERS / "django.po", folder)
    compiled = folder / "django.mo"
    assert compile_catalogues([tmp_path]) == [compiled] and compile_catalogues([tmp_path]) == []
    loaded, written = polib.mofile(str(compiled)), polib.pofile(str(folder / "django.po"))
    assert {name(entry): told(entry) for entry in loaded} == {name(entry): told(entry) for entry in written}
    compiled.write_bytes(b"of an earlier release")
    assert compile_catalogues([tmp_path]) == [compiled]


def test_translations_that_can_not_be_written_stop_no_start(tmp_path, settings):
    (tmp_path / "hu" / "LC_MESSAGES" / "django.mo").mkdir(parents=True)
    shutil.copy(OTHERS / "django.po", tmp_path / "hu" / "LC_MESSAGES")
    settings.LOCALE_PATHS = [tmp_path]
    said = []
    compile_translations(said.append)
    (sentence,) = said
    assert sentence.startswith("Translations can't be compiled")


def test_every_name_of_the_engine_is_in_the_catalogue(catalogue):
    known = {entry.msgid for entry in catalogue if entry.msgctxt is None}
    editions = list(cards.NAMES_BY_EDITION.values())
    words = {
        *TITLES.values(),
        *(word for one in cards.TILE_NAMES.values() for word in one),
        *(word for one in editions for group in (one.formations, one.tactics, one.suits) for word in group.values()),
        *(seat for one in editions for seat in one.seats),
    }
    assert words - known == set()


@pytest.fixture
def addresses(finished) -> list[str]:
    return [page.format(match=finished.pk) for page in PAGES]


def words_of(page: str) -> str:
    """What is read on a page, or heard of it."""
    page = re.sub(r"<(script|style|pre|code)\b.*?</\1>", " ", page, flags=re.DOTALL)
    spoken = " ".join(re.findall(r'\s(?:aria-label|title|alt|placeholder|content)="([^"]*)"', page))
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", page) + " " + spoken).split())


@pytest.fixture(scope="session")
def english_parts() -> list[str]:
    """The longest part of each English message, where no Hungarian one has it, too."""
    catalogue = polib.pofile(str(CATALOGUE / "django.po"))
    own = " ".join(words for entry in catalogue for words in told(entry))
    gaps = re.compile(rf"{HOLES.pattern}|<[^>]*>")
    longest = (
        max((unescape(one).strip() for one in gaps.split(entry.msgid)), key=len)
        for entry in catalogue
        if entry.msgstr != entry.msgid
    )
    return [part for part in longest if len(part) > LEAST and part not in own]


def find_untranslated(page: str, english_parts: list[str]) -> list[str]:
    """English messages that a Hungarian page still has."""
    words = words_of(page)
    return [part for part in english_parts if part in words and re.search(rf"\b{re.escape(part)}", words)]


def test_pages_are_hungarian_for_who_reads_hungarian(addresses, english_parts):
    for address in addresses:
        answer = Client().get(address, headers={"Accept-Language": "hu-HU,hu;q=0.9,en;q=0.5"})
        assert '<html lang="hu"' in answer.text, address
        assert find_untranslated(answer.text, english_parts) == [], address


def test_the_language_chosen_goes_before_that_of_the_browser(db):
    chosen = Client(headers={"Accept-Language": "en"})
    chosen.cookies[settings.LANGUAGE_COOKIE_NAME] = "hu"
    assert '<html lang="hu"' in chosen.get("/rules/").text
    assert '<html lang="en"' in Client().get("/rules/", headers={"Accept-Language": "fr"}).text


def test_drawings_are_the_same_numbers_in_both_languages(addresses):
    """A decimal comma in an attribute would be read as two numbers, or not at all."""
    for address in addresses:
        english, hungarian = (
            Client().get(address, headers={"Accept-Language": language}).text for language in ("en", "hu")
        )
        assert GEOMETRY.findall(hungarian) == GEOMETRY.findall(english), address


def test_a_page_that_was_drawn_in_one_language_is_not_shown_in_the_other(finished):
    address = f"/matches/{finished.pk}/?turn=30"
    first, hungarian, again = (
        words_of(Client().get(address, headers={"Accept-Language": language}).text) for language in ("en", "hu", "en")
    )
    assert first == again
    assert "harcmező" in hungarian and "harcmező" not in again
    assert not set(cards.SUIT_DISPLAY_NAMES.values()) & set(re.findall(r"\w+", hungarian))


def test_programs_get_the_same_numbers_in_every_language(finished):
    for address in ("/api/v1/ladders/battleline/standard/standings/", "/api/v1/bots/kingfisher/", "/api/v1/matches/"):
        english, hungarian = (
            Client().get(address, headers={"Accept-Language": language}).json() for language in ("en", "hu")
        )
        for match in [*english.get("results", []), *hungarian.get("results", [])]:
            match.pop("variant", None)  # a name for people, as sentences are
        assert english == hungarian, address


def test_the_language_is_chosen_and_remembered(db):
    reader = Client()
    answer = reader.post("/language/", {"language": "hu", "next": "/bots/"})
    assert (answer.status_code, answer["Location"]) == (302, "/bots/")
    assert '<html lang="hu"' in reader.get("/bots/").text
    reader.post("/language/", {"language": "en", "next": "/bots/"})
    assert '<html lang="en"' in reader.get("/bots/", headers={"Accept-Language": "hu"}).text


def test_a_choice_of_language_leads_to_no_other_site(db):
    answer = Client().post("/language/", {"language": "hu", "next": "https://elsewhere.example/"})
    assert not answer["Location"].startswith("http")
    assert Client().get("/language/").status_code in (302, 405)


def test_a_language_that_is_not_spoken_changes_nothing(db):
    reader = Client()
    reader.post("/language/", {"language": "xx", "next": "/bots/"})
    assert '<html lang="en"' in reader.get("/bots/").text
