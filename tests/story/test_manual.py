"""What the manual tells a reader to type does what it says: every block is run, or says why no test can run it."""

import shutil
from pathlib import Path

import pytest

from arena.runner.data_files import PACKAGE_ROOT
from tests.story.installation import Installation
from tests.story.manual_blocks import (
    CODE,
    COMMANDS,
    DATA,
    NOT_RUN,
    ON_AN_ARENA,
    SAVED_AS,
    Block,
    list_sources,
    read_blocks,
    run_blocks,
)

SOURCES = list_sources()
RUN = [page for page in SOURCES if any(block.is_run for block in read_blocks(page))]


def name(page: Path) -> str:
    return page.relative_to(PACKAGE_ROOT).as_posix()


@pytest.mark.parametrize("page", SOURCES, ids=name)
def test_every_block_names_its_language_and_is_run_or_says_why_not(page):
    for block in read_blocks(page):
        where = f"{name(page)}:{block.line}"
        assert block.language in (COMMANDS, *CODE, *DATA), where
        known = NOT_RUN.fullmatch(block.mark) or SAVED_AS.fullmatch(block.mark) or block.mark in ("", ON_AN_ARENA)
        assert known, f"{where} has an unknown mark: {block.mark}"
        assert block.language not in DATA or not block.mark, where


@pytest.mark.parametrize("page", [page for page in SOURCES if page.name != "README.md"], ids=name)
def test_every_page_ends_with_a_way_to_the_next_step(page):
    last = page.read_text().rstrip().rpartition("\n\n")[2]
    assert last.startswith(("Next: ", "Tovább: ")) and "](" in last


def needs_checkout(blocks: list[Block]) -> bool:
    return any("uv run " in block.text for block in blocks if block.is_run)


def make_folder(blocks: list[Block], tmp_path: Path) -> Path:
    """Where a reader is: in a checkout, or anywhere."""
    folder = tmp_path / "reader"
    if needs_checkout(blocks):
        ignored = shutil.ignore_patterns(".venv", ".git", "__pycache__", ".pennant", ".*_cache")
        shutil.copytree(PACKAGE_ROOT, folder, ignore=ignored)
    else:
        folder.mkdir()
    return folder


@pytest.mark.full
@pytest.mark.parametrize("page", RUN, ids=name)
def test_a_page_does_what_it_says(page, tmp_path, request):
    blocks = read_blocks(page)
    home = tmp_path / "home"
    home.mkdir()
    folder = make_folder(blocks, tmp_path)
    if not any(block.mark == ON_AN_ARENA for block in blocks):
        request.getfixturevalue("sandbox")
        run_blocks(blocks, folder, home)
        return
    arena: Installation = request.getfixturevalue("embedded")
    with arena.up() as running:
        running.greets()
        token = arena.run("tests.story.author", "token", "ana").strip()
        run_blocks(blocks, folder, home, f"http://127.0.0.1:{arena.port}", token)
