"""What services say in English is told in the reader's language."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.utils.translation import override

from arena.pages.phrases import ERRORS, HOLE, forms, said

ROOMS = ("bots", "challenges", "comparisons", "ladders/services", "notices")
OF_PROGRAMS = (
    "This token belongs to",
    "There is no game ",
    "There is no edition ",
    "Something else was sent under the key",
    "Choose one of the ways",
    "Choose what to be told of",
    " is empty.",
    "The zip has  twice.",
    "Season  of  is over already.",
    "In the zip, or the one folder that holds all of it, .",
)
"""What a page's form can't be answered with, or what is rarer than worth a form."""


def sentences() -> Iterator[str]:
    """What errors are raised with in the services, with nothing where a value stands."""
    for room in ROOMS:
        for path in (Path(settings.BASE_DIR) / "arena" / room).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and node.exc.args:
                    text = read(node.exc.args[0])
                    if text and text.rstrip().endswith((".", ": ")):
                        yield text


def read(node: ast.expr) -> str:
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "" for part in node.values)
    return ""


def test_every_error_that_a_page_can_show_has_a_form() -> None:
    known = {HOLE.sub("", form) for form in ERRORS}
    assert [text for text in sentences() if text not in known and not text.startswith(OF_PROGRAMS)] == []


def test_a_form_knows_its_own_sentence_first() -> None:
    for pattern, form in forms():
        sentence = HOLE.sub("x", form)
        assert pattern.fullmatch(sentence)
        first = next(one for known, one in forms() if known.fullmatch(sentence))
        assert len(re.sub(HOLE, "", first)) >= len(re.sub(HOLE, "", form)), (first, form)


@pytest.mark.parametrize(
    ("sentence", "hungarian"),
    [
        (
            "There is a bot called Heron already: choose another name.",
            "Már van ilyen nevű bot: Heron. Válassz másik nevet.",
        ),
        ("Heron v2 was rejected. It could not be built.", "Heron v2: elutasítva. Nem sikerült lefordítani."),
        ("Nobody ever said this.", "Nobody ever said this."),
    ],
)
def test_a_sentence_is_told_with_all_that_is_in_it(sentence: str, hungarian: str) -> None:
    with override("hu"):
        assert said(sentence) == hungarian
    with override("en"):
        assert said(sentence) == sentence
