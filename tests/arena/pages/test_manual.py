"""The manual: every page is shown, its links lead somewhere, and a search finds sections."""

import json
import re
from functools import cache
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse
from markdown_it import MarkdownIt

from arena.pages.manual import CONTENTS_FILE, list_manual_pages, make_anchor, read_page, render_document
from arena.runner.data_files import DOCS_FOLDER, PACKAGE_ROOT
from tests.tools.pictures import DRAWN, PATHS_BY_PICTURE, THEMES

PAGES = list_manual_pages()
pytestmark = pytest.mark.django_db


def open_page(client: Client, page):
    response = client.get(page.get_absolute_url())
    assert response.status_code == 200, page.name
    return response


def list_links(text: str) -> list[str]:
    tokens = [child for token in MarkdownIt("commonmark").parse(text) for child in token.children or ()]
    return [
        str(token.attrGet("href") or token.attrGet("src")) for token in tokens if token.type in ("link_open", "image")
    ]


def test_every_page_has_one_title_and_leads_to_the_next(client):
    for page, following in zip(PAGES, [*PAGES[1:], None], strict=True):
        context = open_page(client, page).context
        levels = [section.level for section in read_page(page)[0].sections]
        assert levels[0] == 1 and levels.count(1) == 1, page.name
        assert context["after"] == following, page.name


def test_every_page_of_the_folder_stands_in_the_contents():
    here = {page.source for page in PAGES}
    files = [path.relative_to(DOCS_FOLDER) for path in DOCS_FOLDER.rglob("*.md")]
    ours = {f"docs/{path}" for path in files if path.parts[0] not in ("hu", "example-game")}
    assert ours - here == {f"docs/{CONTENTS_FILE.name}"}


@cache
def list_anchors(source: Path) -> set[str]:
    return {section.anchor for section in render_document(source.read_text(), str).sections}


def test_links_lead_to_files_of_the_tree_and_anchors_to_headings():
    sources = {PACKAGE_ROOT / page.source for page in PAGES} | set((DOCS_FOLDER / "hu").rglob("*.md"))
    for source, link in [(file, link) for file in sources for link in list_links(file.read_text())]:
        if link.startswith(("https://", "http://")):
            continue
        path, _, anchor = link.partition("#")
        target = (source.parent / path).resolve() if path else source
        assert target.exists(), (source, link)
        assert not anchor or anchor in list_anchors(target), (source, link)


def test_links_between_pages_are_addresses_of_the_site(client):
    page = next(page for page in PAGES if page.name == "operating")
    html = open_page(client, page).context["html"]
    assert f'href="{reverse("manual_page", args=["staff"])}"' in html
    assert ".md" not in "".join(re.findall(r'href="([^"]+)"', html))


def test_a_translated_page_leads_to_pages_of_the_site(client):
    address = reverse("manual_page", args=["tutorials/first-bot"])
    html = client.get(address, headers={"Accept-Language": "hu"}).context["html"]
    assert f'href="{reverse("manual_page", args=["explanation/deals"])}"' in html


def test_examples_have_the_address_of_this_arena(client):
    page = next(page for page in PAGES if page.name == "bots")
    html = open_page(client, page).context["html"]
    assert "http://testserver" in html and "arena.example" not in html


def test_a_search_finds_the_section_that_has_all_words(client):
    found = client.get(reverse("manual"), {"q": "verdict Timeout"}).context["found"]
    assert found and all("timeout" in f"{row.section.title} {row.section.text}".lower() for row in found)
    assert client.get(reverse("manual"), {"q": "verdict xylophone"}).context["found"] == []
    assert client.get(reverse("manual"), {"q": "  "}).context["found"] == []


def test_there_are_no_other_pages(client):
    for name in ("none", "../README", "README", "hu/operating"):
        assert client.get(f"/docs/{name}/").status_code == 404, name


def test_html_in_the_source_is_shown_as_text_and_unknown_files_are_no_links():
    source = "# A <b>\n\n[x](y.py) [z](#a) <script>"
    document = render_document(source, lambda link: None if link == "y.py" else link)
    assert "<b>" not in document.html and "<script>" not in document.html and "y.py" not in document.html
    assert '<a href="#a">z</a>' in document.html


def test_a_repeated_heading_gets_a_number():
    used: dict[str, int] = {}
    titles = ("Keep it, safe", "Keep it safe", "C++ & Rust")
    assert [make_anchor(title, used) for title in titles] == ["keep-it-safe", "keep-it-safe-1", "c--rust"]


def test_schemas_and_examples_can_be_downloaded(client):
    schema = client.get(reverse("message_schema", args=["battleline", "turn"])).json()
    examples = client.get(reverse("message_examples", args=["battleline"]), {"edition": "terrain"})
    messages = [json.loads(line) for line in examples.content.decode().splitlines()]
    turn = next(one for one in messages if one.get("type") == "turn")
    assert set(turn) <= set(schema["properties"])
    assert messages[0]["edition"] == "terrain"


@pytest.mark.parametrize(
    "path",
    ["chess/turn.json", "battleline/move.json", "chess/examples.jsonl", "battleline/examples.jsonl?edition=chess"],
)
def test_there_is_no_description_of_what_does_not_exist(client, path):
    assert client.get(f"/docs/messages/{path}").status_code == 404


def test_a_schema_is_in_english_whoever_asks(client):
    address = reverse("message_schema", args=["battleline", "hello"])
    assert client.get(address, headers={"Accept-Language": "hu"}).json() == client.get(address).json()


def test_a_picture_is_shown_in_the_theme_of_the_reader(client):
    html = render_document("# Title\n\n![a board](../pictures/replay-light.png)", lambda address: address).html
    for theme in ("light", "dark"):
        address = reverse("manual_picture", args=["replay", theme])
        assert address in html
        assert b"".join(client.get(address)) == (DOCS_FOLDER / "pictures" / f"replay-{theme}.png").read_bytes()
    assert html.count('alt="a board"') == 2
    assert client.get(reverse("manual_picture", args=["replay", "sepia"])).status_code == 404


def test_every_picture_is_there_in_both_themes():
    names = {file.stem.rpartition("-")[0] for file in (DOCS_FOLDER / "pictures").glob("*.png")}
    for name in names:
        assert all((DOCS_FOLDER / "pictures" / f"{name}-{theme}.png").is_file() for theme in THEMES), name
    assert names <= {*PATHS_BY_PICTURE, *DRAWN}, "a picture that nothing takes again"
    for name, draw in DRAWN.items():
        for theme in THEMES:
            assert draw(theme) == (DOCS_FOLDER / "pictures" / f"{name}-{theme}.png").read_bytes(), "take it again"
