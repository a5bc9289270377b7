"""Every template of a message has a Hungarian translation with the same placeholders."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from django.utils.translation import gettext, override

from arena.core import messages
from arena.core.messages import Sentence, render_message
from engine.message import message

ROOT = Path(__file__).resolve().parents[3]
FOLDERS = ("engine", "arena")
TRANSLATING = ("gettext", "gettext_lazy", "ngettext", "pgettext", "pgettext_lazy")
PLACEHOLDER = re.compile(r"%\(\w+\)[a-z]|%%")


def list_templates() -> Iterator[str]:
    """List the literals given to `gettext_noop` anywhere in the engine and the arena."""
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "gettext_noop":
                    assert isinstance(node.args[0], ast.Constant), f"{path}:{node.lineno} marks no literal"
                    yield node.args[0].value


def test_every_template_is_translated_with_its_placeholders() -> None:
    templates = sorted(set(list_templates()))
    assert len(templates) > 100, "messages are marked in all layers"
    with override("hu"):
        translated = {template: gettext(template) for template in templates}
    assert {template: text for template, text in translated.items() if not have_the_same(template, text)} == {}


def test_a_name_from_right_to_left_turns_nothing_round_it() -> None:
    told = message("%(one)s beat %(other)s %(wins)s.", one="אריה 2", other="Heron", wins=3)
    assert render_message(told) == "\u2068אריה 2\u2069 beat Heron 3."


def test_a_sentence_isolates_such_names_when_it_is_filled_in() -> None:
    sentence = messages.gettext("%(first)s leads, with %(second)s within the margin.")
    assert sentence % {"first": "דב", "second": "Heron"} == "\u2068דב\u2069 leads, with Heron within the margin."
    assert Sentence("%s, %d") % ("דב", 2) == "\u2068דב\u2069, 2" and Sentence("100%%") % {} == "100%"
    nested = Sentence("%(what)s.") % {"what": Sentence("%(name)s wins") % {"name": "דב"}}
    assert nested == "\u2068דב\u2069 wins."
    assert str(messages.gettext_lazy("%(first)s leads.") % {"first": "דב"}) == "\u2068דב\u2069 leads."


def test_pages_and_api_take_their_translations_from_where_names_are_isolated() -> None:
    taken = [
        f"{path}: {name.name}"
        for folder in ("pages", "api")
        for path in (ROOT / "arena" / folder).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ImportFrom) and node.module == "django.utils.translation"
        for name in node.names
        if name.name in {*TRANSLATING, "ngettext_lazy", "npgettext"}
    ]
    assert taken == []
    assert all(hasattr(messages, name) for name in TRANSLATING)


def have_the_same(template: str, translated: str) -> bool:
    return sorted(PLACEHOLDER.findall(translated)) == sorted(PLACEHOLDER.findall(template))
