"""Rules about the layers that import-linter can't check: who reads the database, and who writes HTML."""

import re
from collections.abc import Iterator
from pathlib import Path

ARENA = Path(__file__).parents[2] / "arena"
MANAGER = re.compile(r"\.objects\b")
MARKUP = re.compile(r"\b(mark_safe|format_html|escape|conditional_escape)\b")


def find(pattern: re.Pattern[str], folder: Path) -> Iterator[Path]:
    """Yield the modules, relative to the folder, in which the pattern occurs."""
    for module in sorted(folder.rglob("*.py")):
        if pattern.search(module.read_text()):
            yield module.relative_to(folder)


def entries_of(found: Iterator[Path]) -> set[str]:
    return {path.parts[0] for path in found}


def test_the_api_reads_through_queries():
    assert list(find(MANAGER, ARENA / "api")) == []


def test_pages_read_through_queries():
    assert list(find(MANAGER, ARENA / "pages")) == []


def test_markup_is_built_in_drawings_alone():
    assert entries_of(find(MARKUP, ARENA / "pages")) <= {"svg"}
    assert list(find(MARKUP, ARENA / "api")) == []
