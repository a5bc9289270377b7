"""Write the page on the presentation API: the fields of `Presentation`, and of what its functions get and return."""

import ast
import inspect
from collections.abc import Iterator
from textwrap import dedent

from arena.pages.games.cards import Face, Suit
from arena.pages.games.chart_words import ChartWords
from arena.pages.games.presentation import CloseCallTold, Level, Line, Mark, Presentation
from arena.pages.games.sentence import Part, Sentence
from arena.pages.matches.replay import Entry, Playback, Scene, Step
from arena.pages.play.table import PlayTable
from tests.tools.tables import escape_cell

CLASSES = (
    Presentation,
    Scene,
    Step,
    Entry,
    Playback,
    PlayTable,
    Line,
    Sentence,
    Part,
    Mark,
    Level,
    CloseCallTold,
    ChartWords,
    Face,
    Suit,
)
INTRODUCTION = """\
# Game presentation API

`present_edition` in a game's `pages.py` returns a `Presentation`, which uses the other classes on this page.
[Add a game](../adding-a-game.md) introduces them. Fields without a default are required. `Json` is a dictionary as in
messages to bots; a `Promise` is a text from `gettext_lazy`.
"""
LAST_LINE = "Next: [add a game](../adding-a-game.md)."


def write_presentation_reference() -> str:
    """Return the page."""
    lines = [INTRODUCTION]
    for described in CLASSES:
        lines += describe_class(described)
    return "\n".join([*lines, LAST_LINE]) + "\n"


def describe_class(described: type) -> Iterator[str]:
    """Yield the lines about a class: where it is, what it is, and a table of its fields and properties."""
    body = ast.parse(dedent(inspect.getsource(described))).body[0]
    assert isinstance(body, ast.ClassDef)
    module = described.__module__
    yield from (f"## {described.__name__}", "", f"`{module}`. {ast.get_docstring(body)}", "")
    yield from ("| field | type | default | description |", "|---|---|---|---|")
    for cells in (*list_fields(body), *list_properties(body)):
        yield f"| {' | '.join(cells)} |"
    yield ""


def list_fields(body: ast.ClassDef) -> Iterator[tuple[str, str, str, str]]:
    """Yield name, type, default and description of each field, as cells."""
    for statement, following in zip(body.body, [*body.body[1:], None], strict=True):
        if isinstance(statement, ast.AnnAssign):
            annotation = format_annotation(statement.annotation)
            yield (
                f"`{ast.unparse(statement.target)}`",
                annotation,
                format_default(statement.value),
                read_text(following),
            )


def list_properties(body: ast.ClassDef) -> Iterator[tuple[str, str, str, str]]:
    """Yield name, type and description of each property, as cells."""
    for statement in body.body:
        if isinstance(statement, ast.FunctionDef) and statement.decorator_list and statement.returns:
            text = escape_cell(ast.get_docstring(statement) or "")
            yield f"`{statement.name}`", format_annotation(statement.returns), "a property", text


def read_text(statement: ast.stmt | None) -> str:
    """Return the string that stands below a field, or nothing."""
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
        return escape_cell(str(statement.value.value))
    return ""


def format_annotation(node: ast.expr) -> str:
    """Return a type as a cell, without the quotes that some stand in."""
    is_quoted = isinstance(node, ast.Constant) and isinstance(node.value, str)
    return f"`{escape_cell(ast.literal_eval(node) if is_quoted else ast.unparse(node))}`"


def format_default(node: ast.expr | None) -> str:
    """Return the default of a field as a cell; nothing where it has none. A factory stands as its call."""
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "field":
        factories = [keyword.value for keyword in node.keywords if keyword.arg == "default_factory"]
        return f"`{ast.unparse(factories[0])}()`" if factories else ""
    return f"`{escape_cell(ast.unparse(node))}`" if node else ""
