"""What the code says, read from the code itself, and whether a page can tell it."""

import ast
import re
from collections.abc import Collection, Iterator
from pathlib import Path

from django.conf import settings
from django.utils.translation import override

from arena.pages.phrases import said
from arena.pages.phrases.telling import HOLE, NESTED, recognise

ROOT = Path(settings.BASE_DIR)
ANYTHING = "…"
"""What stands where the code puts a value in."""

FEW = 6
"""A sentence with no more letters of its own than these tells nothing."""


def read(node: ast.AST | None) -> list[str]:
    """The sentences that an expression may be, as far as they are written down there."""
    match node:
        case ast.Constant(value=str(text)):
            return [text]
        case ast.JoinedStr(values=parts):
            return ["".join(str(part.value) if isinstance(part, ast.Constant) else ANYTHING for part in parts)]
        case ast.IfExp(body=one, orelse=other):
            return read(one) + read(other)
        case ast.BoolOp(values=values):
            return [text for value in values for text in read(value)]
    return []


def modules(*rooms: str) -> Iterator[ast.Module]:
    for room in rooms:
        path = ROOT / room
        for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
            yield ast.parse(file.read_text())


def raised(*trees: ast.Module) -> list[str]:
    """What errors are raised with."""
    return [
        text
        for module in trees
        for node in ast.walk(module)
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and node.exc.args
        for text in read(node.exc.args[0])
    ]


def calls(name: str, place: int, *rooms: str) -> list[str]:
    """What a function or class of this name is called with."""
    return [
        text
        for module in modules(*rooms)
        for node in ast.walk(module)
        if isinstance(node, ast.Call) and len(node.args) > place
        if name in (getattr(node.func, "id", ""), getattr(node.func, "attr", ""))
        for text in read(node.args[place])
    ]


def returns(names: str, *rooms: str) -> list[str]:
    """What functions return whose names are like this."""
    return [
        text
        for module in modules(*rooms)
        for function in ast.walk(module)
        if isinstance(function, ast.FunctionDef) and re.fullmatch(names, function.name)
        for node in ast.walk(function)
        if isinstance(node, ast.Return)
        for text in read(node.value)
    ]


def texts(*rooms: str) -> list[str]:
    """All there is in quotes."""
    nodes = [node for module in modules(*rooms) for node in ast.walk(module)]
    parts = {id(part) for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values}
    return [text for node in nodes if id(node) not in parts for text in read(node)]


def may_be(form: str, sentence: str) -> bool:
    """Whether a form and a sentence of the code can be the same words, whatever stands in the holes of both."""
    plain = HOLE.sub(ANYTHING, form)
    return any(
        re.fullmatch(re.escape(one).replace(ANYTHING, "(?s:.*)"), other)
        for one, other in ((sentence, plain), (plain, sentence))
    )


def without_form(sentences: Collection[str], forms: Collection[str]) -> list[str]:
    return [sentence for sentence in sentences if not any(may_be(form, sentence) for form in forms)]


def never_said(forms: Collection[str], sentences: Collection[str]) -> list[str]:
    """Forms that no sentence of the code has."""
    wordy = [sentence for sentence in sentences if len(sentence.replace(ANYTHING, "")) > FEW]
    return [form for form in forms if not any(may_be(form, sentence) for sentence in wordy)]


def forms_of(sentence: str) -> set[str]:
    """The forms of a sentence and of all the sentences within it, each of which has to have one."""
    known = recognise(sentence)
    assert known is not None, sentence
    form, words = known
    within = (forms_of(part) for name, part in words.items() if name in NESTED)
    return {form}.union(*within)


def leaves(sentence: str) -> Iterator[str]:
    """The names and numbers in a sentence."""
    known = recognise(sentence)
    for name, part in known[1].items() if known else ():
        if name in NESTED:
            yield from leaves(part)
        else:
            yield part


def check_told(sentence: str) -> set[str]:
    """That a page tells this sentence in Hungarian, with all names and numbers in it. Its forms."""
    forms = forms_of(sentence)
    with override("hu"):
        told = said(sentence)
    assert told != sentence
    assert [part for part in leaves(sentence) if part not in told] == [], (sentence, told)
    assert sorted(re.findall(r"\d+", told)) == sorted(re.findall(r"\d+", sentence)), (sentence, told)
    with override("en"):
        assert said(sentence) == sentence
    return forms
