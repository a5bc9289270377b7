"""What services say in English is told in the reader's language."""

import re
from collections.abc import Iterator

import pytest
from django.utils.translation import override

from arena.pages.phrases import said
from arena.pages.phrases.services import ERRORS, LANGUAGES
from arena.pages.phrases.telling import FILLINGS, FORMS, HOLE, NESTED, recognise
from arena.runner.languages import LANGUAGES as SPOKEN
from tests.arena.pages.spoken import ANYTHING, modules, never_said, raised, texts

ROOMS = (
    "arena/bots",
    "arena/challenges",
    "arena/comparisons",
    "arena/ladders/services",
    "arena/matches",
    "arena/notices",
)
OF_PROGRAMS = (
    "This token belongs to",
    "There is no game …",
    "There is no edition …",
    "Something else was sent under the key",
    "Choose one of the ways",
    "Choose what to be told of",
    "… is empty.",
    "The zip has … twice.",
    "Season … of … is over already.",
    "In the zip, or the one folder that holds all of it, ….",
)
"""What a page's form can't be answered with, or what is rarer than worth a form."""
NAMES = {"Python", "JavaScript", "C", "C++", "Rust", "Go", "Java"}
"""Languages are called so everywhere."""
SAMPLES = {
    "ending": "the bot exited with code 1",
    "spent": "1 ms of processor time within 2 ms",
    "words": "'x'",
    "signal": "SIGKILL",
    "state": "draft",
}
"""What may stand in a hole where not everything may."""


def sentences() -> Iterator[str]:
    """What errors are raised with in the services."""
    for text in raised(*modules(*ROOMS)):
        if text.rstrip().endswith((".", ": ", f": {ANYTHING}")):
            yield text


def fill(form: str) -> str:
    return HOLE.sub(lambda hole: SAMPLES.get(hole[1], "7" if hole[1] in FILLINGS else "x"), form)


def test_every_error_that_a_page_can_show_has_a_form() -> None:
    known = {HOLE.sub(ANYTHING, form) for form in ERRORS}
    assert [text for text in sentences() if text not in known and not text.startswith(OF_PROGRAMS)] == []
    assert never_said(ERRORS, texts(*ROOMS)) == []


def test_a_form_knows_its_own_sentence_first() -> None:
    for form in FORMS:
        assert recognise(fill(form)) is not None, form
        first, _words = recognise(fill(form)) or ("", {})
        assert first == form or len(HOLE.sub("", first)) > len(HOLE.sub("", form)), (first, form)


def test_every_language_has_a_name_or_a_title_in_the_readers_language() -> None:
    assert {language.title for language in SPOKEN.values()} == NAMES | set(LANGUAGES)
    assert {said(title) for title in NAMES} == NAMES


@pytest.mark.parametrize(
    ("sentence", "hungarian"),
    [
        ("Nobody ever said this.", "Nobody ever said this."),
        ("bot.c:1: error\nThe compiler made an empty file.", "bot.c:1: error\nA fordító üres fájlt készített."),
        ("", ""),
    ],
)
def test_a_sentence_is_told_with_all_that_is_in_it(sentence: str, hungarian: str) -> None:
    with override("hu"):
        assert said(sentence) == hungarian
    with override("en"):
        assert said(sentence) == sentence


def test_a_long_log_is_told_at_once() -> None:
    for log in ("x" * 60_000 + "\n", "note: it\n" * 6_000, "it was rejected. " * 4_000 + "\n"):
        with override("hu"):
            assert said(f"{log}The compiler made an empty file.") == f"{log}A fordító üres fájlt készített."


def test_holes_with_sentences_are_told_and_others_are_left() -> None:
    assert set(SAMPLES) <= set(FILLINGS) and {name for form in FORMS for name in HOLE.findall(form)} >= set(FILLINGS)
    assert set(NESTED) <= {name for form in FORMS for name in HOLE.findall(form)}
    assert all(re.fullmatch(FILLINGS[name], sample) for name, sample in SAMPLES.items())
