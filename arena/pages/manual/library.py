"""Find the pages of the manual.

The page of contents is `docs/README.md`: its lists of links are the order of the pages, so that every page leads to the
next. A page in another language stands in a folder of that language: `docs/hu/first-bot.md` beside `docs/first-bot.md`.
"""

import functools
import posixpath
from dataclasses import dataclass
from pathlib import Path

from django.urls import reverse
from django.utils.translation import get_language
from markdown_it import MarkdownIt

from arena.pages.manual.markdown import Document, Section, read_text, render_document
from arena.runner.data_files import AUTHORS_GUIDE, DOCS_FOLDER, ENGINE_GUIDE, PACKAGE_ROOT

MANUAL_LANGUAGE = "en"
"""The language in which every page exists."""
PICTURES_FOLDER = DOCS_FOLDER / "pictures"
CONTENTS_FILE = DOCS_FOLDER / "README.md"
CONTENTS_SOURCE = "docs/README.md"
NAMES_ELSEWHERE = {
    "bots/README.md": "bots",
    "engine/README.md": "engine",
    "SECURITY.md": "security",
    "CONTRIBUTING.md": "contributing",
}
"""Names of the pages outside the folder `docs`, by their path in the repository."""
FILES_ELSEWHERE = {"bots/README.md": AUTHORS_GUIDE, "engine/README.md": ENGINE_GUIDE}
"""Files that a wheel has elsewhere than a checkout. Those of the top level are in the folder of the manual there."""


@dataclass(frozen=True, slots=True)
class ManualPage:
    """A page as the contents name it."""

    name: str
    """Its path on the site, such as `how-to/add-a-worker`."""
    title: str
    source: str
    """Its path in the repository."""
    file: Path

    def get_absolute_url(self) -> str:
        """Return the page's address."""
        return reverse("manual_page", args=[self.name])


@dataclass(frozen=True, slots=True)
class ManualPart:
    """A part of the manual with its pages in order."""

    title: str
    pages: list[ManualPage]


@functools.cache
def list_manual_parts() -> list[ManualPart]:
    """Return the manual's parts as the page of contents lists them."""
    parts: list[ManualPart] = []
    tokens = MarkdownIt("commonmark").parse(CONTENTS_FILE.read_text())
    for number, token in enumerate(tokens):
        if token.type == "heading_open" and token.tag == "h2":
            parts.append(ManualPart(read_text(tokens[number + 1]), []))
        children = token.children or []
        for place, child in enumerate(children):
            target = str(child.attrGet("href") or "") if child.type == "link_open" else ""
            if parts and target.endswith(".md"):
                parts[-1].pages.append(_make_page(target, children[place + 1].content))
    return [part for part in parts if part.pages]


def _make_page(address: str, title: str) -> ManualPage:
    """Return the page to which a link of the page of contents leads."""
    source = posixpath.normpath(posixpath.join("docs", address))
    name = NAMES_ELSEWHERE.get(source, address.removesuffix(".md"))
    return ManualPage(name, title, source, _find_file(source))


def _find_file(source: str) -> Path:
    """Return the file of a page, in a checkout or in what is installed from a wheel."""
    if source in FILES_ELSEWHERE:
        return FILES_ELSEWHERE[source]
    if source.startswith("docs/"):
        return DOCS_FOLDER / source.removeprefix("docs/")
    in_checkout = PACKAGE_ROOT / source
    return in_checkout if in_checkout.is_file() else DOCS_FOLDER / source


def list_manual_pages() -> list[ManualPage]:
    """Return all pages in their order."""
    return [page for part in list_manual_parts() for page in part.pages]


def find_manual_page(name: str) -> ManualPage | None:
    """Return the page of this name."""
    return next((page for page in list_manual_pages() if page.name == name), None)


def find_neighbours(page: ManualPage) -> tuple[ManualPage | None, ManualPage | None]:
    """Return the page before a page and the one after it."""
    pages = list_manual_pages()
    place = pages.index(page)
    return (pages[place - 1] if place else None, pages[place + 1] if place + 1 < len(pages) else None)


def read_page(page: ManualPage) -> tuple[Document, str]:
    """Return a page in the reader's language, or else in English, and its language."""
    wanted = get_language() or MANUAL_LANGUAGE
    translated = DOCS_FOLDER / wanted / f"{page.name}.md"
    if wanted != MANUAL_LANGUAGE and translated.is_file():
        source = f"docs/{wanted}/{page.name}.md"
        return _render(translated, source, wanted, translated.stat().st_mtime), wanted
    return _render(page.file, page.source, wanted, page.file.stat().st_mtime), MANUAL_LANGUAGE


@functools.lru_cache(maxsize=256)
def _render(file: Path, source: str, language: str, changed_at: float) -> Document:
    """Render a file, once until it changes. The language is that of the buttons."""
    folder = posixpath.dirname(source)
    return render_document(file.read_text(), lambda address: _rewrite_link(address, folder, language))


def _rewrite_link(address: str, folder: str, language: str) -> str | None:
    """Return the address on the site to which a link leads, or None for a file of the tree that isn't shown there.

    A translated page has the address of the page that it translates.
    """
    if address.startswith(("https://", "http://", "#")):
        return address
    path, sign, anchor = address.partition("#")
    source = posixpath.normpath(posixpath.join(folder, path))
    if source.startswith(f"docs/{language}/"):
        source = f"docs/{source.removeprefix(f'docs/{language}/')}"
    if source == CONTENTS_SOURCE:
        return reverse("manual")
    page = next((page for page in list_manual_pages() if page.source == source), None)
    return f"{page.get_absolute_url()}{sign}{anchor}" if page is not None else None


def find_picture(name: str) -> Path | None:
    """Return the file of a picture of the manual."""
    return next((file for file in PICTURES_FOLDER.glob("*.png") if file.name == name), None)


def list_sections() -> list[tuple[ManualPage, Section]]:
    """Return all sections of the manual in the reader's language, with their pages."""
    return [(page, section) for page in list_manual_pages() for section in read_page(page)[0].sections]
