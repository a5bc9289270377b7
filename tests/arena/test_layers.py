"""Rules about the layers that import-linter can't check: who reads the database, and who writes HTML."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from django.apps import apps

ARENA = Path(__file__).parents[2] / "arena"
MANAGER = re.compile(r"\.objects\b")
MARKUP = re.compile(r"\b(mark_safe|format_html|escape|conditional_escape)\b")


def find(pattern: re.Pattern[str], folder: Path) -> Iterator[Path]:
    """Yield the modules, relative to the folder, in which the pattern occurs."""
    for module in sorted(folder.rglob("*.py")):
        if pattern.search(module.read_text()):
            yield module.relative_to(folder)


READS_AND_WRITES = frozenset(
    """
    add aggregate all annotate clear count create defer delete distinct earliest exclude exists filter first get
    get_or_create in_bulk iterator last latest only order_by prefetch_related remove select_related set update
    values values_list
    """.split()
)
"""Methods of managers."""
FETCHED = {"pages/matches/results.py part.participant.leg_seats.all"}
"""Where `all` reads what a query has fetched already."""


def list_related_managers() -> set[str]:
    """The names by which rows lead to many others."""
    found = set()
    for model in apps.get_models():
        found |= {relation.get_accessor_name() for relation in model._meta.related_objects if not relation.one_to_one}
        found |= {field.name for field in model._meta.many_to_many}
    return {name for name in found if name is not None}


def find_related_managers(folder: Path) -> Iterator[str]:
    """Yield where a related manager is asked for anything."""
    managers = list_related_managers()
    for module in sorted(folder.rglob("*.py")):
        for node in ast.walk(ast.parse(module.read_text())):
            if (
                isinstance(node, ast.Attribute)
                and node.attr in READS_AND_WRITES
                and isinstance(node.value, ast.Attribute)
                and node.value.attr in managers
                and ast.unparse(node.value.value) != "self"
            ):
                yield f"{module.relative_to(ARENA)} {ast.unparse(node)}"


def entries_of(found: Iterator[Path]) -> set[str]:
    return {path.parts[0] for path in found}


def test_the_api_reads_through_queries():
    assert list(find(MANAGER, ARENA / "api")) == []
    assert list(find_related_managers(ARENA / "api")) == []


def test_pages_read_through_queries():
    assert list(find(MANAGER, ARENA / "pages")) == []
    assert set(find_related_managers(ARENA / "pages")) == FETCHED


def test_markup_is_built_in_drawings_alone():
    assert entries_of(find(MARKUP, ARENA / "pages")) <= {"svg"}
    assert list(find(MARKUP, ARENA / "api")) == []
