"""The manual: pages in Markdown from the folder `docs`, shown in the site's own layout, searched, and its schemas."""

import functools
import json
import posixpath
import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import shorten
from typing import Any

from django.http import FileResponse, Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.text import Truncator
from django.utils.translation import get_language, override
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from pygments import highlight
from pygments.formatters.html import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

from arena.core.messages import gettext as _
from arena.runner.data_files import AUTHORS_GUIDE, DOCS_FOLDER, ENGINE_GUIDE, PACKAGE_ROOT
from arena.runner.protocol import MESSAGES, build_message_schema, list_example_messages
from engine.core import Game
from engine.registry import GAMES

# Render Markdown as the manual shows it, and divide it into sections.
#
# Code is highlighted by Pygments, headings get the anchors that repository browsers give them, and raw HTML is shown
# as text.

LIGHT_PICTURE = "-light.png"
"""How the name of a picture's file ends that the sources name; beside it stands the one of the dark theme."""
NOT_IN_ANCHORS = re.compile(r"[^\w\- ]")

RewriteLink = Callable[[str], str | None]


@dataclass(slots=True)
class Section:
    """A heading with the text below it, up to the next heading."""

    level: int
    """1 for the title of the page, 2 for its parts, and so on."""
    title: str
    anchor: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class Document:
    """A page of Markdown, rendered."""

    html: str
    sections: list[Section] = field(default_factory=list)

    @property
    def title(self) -> str:
        """The page's first heading."""
        return self.sections[0].title if self.sections else ""


class ManualRenderer(RendererHTML):
    """Render code blocks by the site's template."""

    def fence(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        """Render a block of code, highlighted, with a button that copies it."""
        language = (tokens[idx].info.split() or [""])[0]
        return render_to_string("manual/_code.html", {"code": highlight_code(tokens[idx].content, language)})

    def image(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        """Render a picture of the manual as it is in the reader's theme, with what it shows below it."""
        name = posixpath.basename(str(tokens[idx].attrGet("src"))).removesuffix(LIGHT_PICTURE)
        return render_to_string("manual/_picture.html", {"name": name, "text": tokens[idx].content})

    def code_block(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        """Render an indented block of code like a fenced one."""
        return self.fence(tokens, idx, options, env)


def highlight_code(code: str, language: str) -> str:
    """Return code as HTML in which its parts have the classes of Pygments."""
    try:
        lexer = get_lexer_by_name(language or "text", stripnl=False)
    except ClassNotFound:
        lexer = get_lexer_by_name("text", stripnl=False)
    html: str = highlight(code, lexer, HtmlFormatter(nowrap=True))
    return html


def render_document(source: str, rewrite_link: RewriteLink) -> Document:
    """Return a page rendered, with its links rewritten; what has no address for a reader is no link."""
    parser = MarkdownIt("commonmark", {"html": False}, renderer_cls=ManualRenderer).enable("table")
    tokens = parser.parse(source)
    sections = _divide_into_sections(tokens)
    for token in tokens:
        if token.type == "table_open":
            token.attrSet("tabindex", "0")  # a wide one is scrolled
        if token.children:
            token.children = _rewrite_links(token.children, rewrite_link)
    return Document(parser.renderer.render(tokens, parser.options, {}), sections)


def _divide_into_sections(tokens: Sequence[Token]) -> list[Section]:
    """Return the sections of a page, and give its headings their anchors."""
    sections: list[Section] = []
    anchors: dict[str, int] = {}
    for number, token in enumerate(tokens):
        if token.type == "heading_open":
            title = read_text(tokens[number + 1])
            anchor = make_anchor(title, anchors)
            token.attrSet("id", anchor)
            sections.append(Section(int(token.tag[1:]), title, anchor))
        elif sections and token.type in ("inline", "fence") and tokens[number - 1].type != "heading_open":
            sections[-1].text += f"{read_text(token)}\n"
    return sections


def _rewrite_links(tokens: Sequence[Token], rewrite_link: RewriteLink) -> list[Token]:
    """Return a line's tokens with other addresses, and without links that have none."""
    kept: list[Token] = []
    is_link = False
    for token in tokens:
        if token.type == "link_open":
            address = rewrite_link(str(token.attrGet("href")))
            is_link = address is not None
            token.attrSet("href", address or "")
        if is_link or token.type not in ("link_open", "link_close"):
            kept.append(token)
    return kept


def read_text(token: Token) -> str:
    """Return what a reader sees of a line or of a block of code, without its marks."""
    if token.type == "fence":
        return token.content
    return "".join(" " if child.type == "softbreak" else child.content for child in token.children or ())


def make_anchor(title: str, used: dict[str, int]) -> str:
    """Return the anchor of a heading as repository browsers make it: a repeated one gets a number."""
    anchor = NOT_IN_ANCHORS.sub("", title.lower()).strip().replace(" ", "-")
    times = used.get(anchor, 0)
    used[anchor] = times + 1
    return f"{anchor}-{times}" if times else anchor


# Find the pages of the manual.
#
# The page of contents is `docs/README.md`: its lists of links are the order of the pages, so that every page leads to
# the next. A page in another language stands in a folder of that language: `docs/hu/first-bot.md` beside
# `docs/first-bot.md`.

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
        return _render_file(translated, source, wanted, translated.stat().st_mtime), wanted
    return _render_file(page.file, page.source, wanted, page.file.stat().st_mtime), MANUAL_LANGUAGE


@functools.lru_cache(maxsize=256)
def _render_file(file: Path, source: str, language: str, changed_at: float) -> Document:
    """Render a file, once until it changes. The language is that of the buttons."""
    folder = posixpath.dirname(source)
    return render_document(file.read_text(), lambda address: _find_address_of_link(address, folder, language))


def _find_address_of_link(address: str, folder: str, language: str) -> str | None:
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


# Search the manual: sections that have all words of a question.

WORD_PATTERN = re.compile(r"\w+")
MAX_RESULTS = 30
POINTS_FOR_TITLE = 10
"""Points for a word in the title of a section. In its text it brings one each time that it is there."""
MAX_POINTS_FOR_TEXT = 3
"""The most points that a word in the text brings, however often it is there."""
MAX_EXCERPT_CHARS = 180
EXCERPT_LEAD_CHARS = 50
"""The part of an excerpt that stands before the word that was sought."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A section that was found."""

    page: ManualPage
    section: Section
    excerpt: str


def search_manual(question: str) -> list[Finding]:
    """Return the sections that have every word of a question, best first. Words may be incomplete at their end."""
    words = WORD_PATTERN.findall(fold_accents(question))
    if not words:
        return []
    scored = [(rate_section(section, words), page, section) for page, section in list_sections()]
    found = sorted((row for row in scored if row[0]), key=lambda row: -row[0])
    return [Finding(page, section, make_excerpt(section.text, words)) for _, page, section in found[:MAX_RESULTS]]


def rate_section(section: Section, words: list[str]) -> int:
    """Return how well a section fits: 0 if one of the words is missing."""
    in_title, in_text = (
        WORD_PATTERN.findall(fold_accents(section.title)),
        WORD_PATTERN.findall(fold_accents(section.text)),
    )
    total = 0
    for word in words:
        times = sum(other.startswith(word) for other in in_text)
        points = POINTS_FOR_TITLE * any(other.startswith(word) for other in in_title) + min(times, MAX_POINTS_FOR_TEXT)
        if not points:
            return 0
        total += points
    return total


def make_excerpt(text: str, words: list[str]) -> str:
    """Return the part of a text round the first of the words, in whole words."""
    flat = " ".join(text.split())
    place = max(0, fold_accents(flat).find(words[0]) - EXCERPT_LEAD_CHARS)
    start = flat.find(" ", place) + 1 if place else 0
    return f"{'… ' if start else ''}{shorten(flat[start:], MAX_EXCERPT_CHARS, placeholder=' …')}"


def fold_accents(text: str) -> str:
    """Return a text without accents and capitals."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    return "".join(sign for sign in plain if not unicodedata.combining(sign))


# Show the manual: contents, search and pages.

EXAMPLE_ARENA = "https://arena.example"
"""The address in the sources of the manual for which each arena shows its own."""
MAX_QUESTION_LENGTH = 100
MAX_SUMMARY_LENGTH = 160
"""Of a page, for what search engines show below its title."""
PICTURE_CACHE_S = 86_400
"""A picture changes with a release at most."""


def show_contents(request: HttpRequest) -> HttpResponse:
    """Show the contents, or what a search finds."""
    question = request.GET.get("q", "").strip()[:MAX_QUESTION_LENGTH]
    context = {"parts": list_manual_parts(), "question": question, "found": search_manual(question) if question else []}
    return render(request, "manual/contents.html", context)


def show_manual_page(request: HttpRequest, name: str) -> HttpResponse:
    """Show a page of the manual."""
    page = find_manual_page(name)
    if page is None:
        raise Http404(_("The manual has no such page."))
    document, language = read_page(page)
    before, after = find_neighbours(page)
    site = request.build_absolute_uri("/").rstrip("/")
    context = {
        "page": page,
        "title": document.title,
        "summary": Truncator(document.sections[0].text).chars(MAX_SUMMARY_LENGTH) if document.sections else "",
        "headings": [section for section in document.sections if section.level == 2],
        "html": document.html.replace(EXAMPLE_ARENA, site),
        "page_language": language,
        "before": before,
        "after": after,
    }
    return render(request, "manual/page.html", context)


def send_picture(request: HttpRequest, name: str, theme: str) -> FileResponse:
    """Send a picture of the manual as it is in a theme."""
    file = find_picture(f"{name}-{theme}.png")
    if file is None:
        raise Http404(_("The manual has no such picture."))
    return FileResponse(
        file.open("rb"), content_type="image/png", headers={"Cache-Control": f"public, max-age={PICTURE_CACHE_S}"}
    )


# Send the schemas of the messages to bots, and examples of them.


def send_schema(request: HttpRequest, game: str, message: str) -> JsonResponse:
    """Send the JSON Schema of a kind of message."""
    found = find_game_with_schema(game)
    if message not in MESSAGES:
        raise Http404(_("No such message. Bots receive hello, turn and end, and answer with ready and answer."))
    with override("en"):  # the options name themselves in the reader's language
        schema = build_message_schema(found, message)
    return JsonResponse(schema, json_dumps_params={"indent": 2, "ensure_ascii": False})


def send_examples(request: HttpRequest, game: str) -> HttpResponse:
    """Send the messages of a random play, one a line."""
    found = find_game_with_schema(game)
    edition = request.GET.get("edition", next(iter(found.editions)))
    if edition not in found.editions:
        raise Http404(_("The game has no such edition."))
    lines = [json.dumps(message, separators=(",", ":")) for message in list_example_messages(found, edition)]
    return HttpResponse("\n".join(lines) + "\n", content_type="application/jsonl")


def find_game_with_schema(key: str) -> Game:
    """Return the game with this key, if it describes its messages. Raises Http404."""
    game = GAMES.get(key)
    if game is None or game.schema_file is None:
        raise Http404(_("This game's messages aren't documented."))
    return game
