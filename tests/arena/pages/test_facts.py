"""No two public pages of an arena that stands still contradict each other, and none leads to nothing."""

from pathlib import Path

import pytest

from tests.full import default_and_full
from tests.surface.surface import WITH_PAGES, unpack
from tests.tools.facts import is_clean, read_page, walk_copy

AT = "2026-11-28T12:00:00+00:00"


@pytest.mark.parametrize(
    "words", default_and_full([["--pages", "3", "--matches", "0"]], [["--pages", "40", "--matches", "10000"]])
)
def test_pages_of_an_arena_say_the_same(tmp_path: Path, words: list[str]) -> None:
    unpack(WITH_PAGES, tmp_path)
    report = walk_copy(tmp_path, words, AT)
    assert report["pages"] > 40 and report["said_twice"] > 10
    assert is_clean(report), report


def test_a_fact_is_read_with_all_of_its_text_and_nothing_else() -> None:
    page = read_page(
        '<main><a href="/x/">A</a> <p data-fact="rating:a:b">1 <b>234</b><br></p>? <img src="y"></main>'
        '<a href="?z">Z</a>'
    )
    assert page.facts == [("rating:a:b", "1 234")] and page.links == {"/x/", "?z"} and page.words == 4
