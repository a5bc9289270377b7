"""Render Markdown as the manual shows it, and divide it into sections.

Code is highlighted by Pygments, headings get the anchors that repository browsers give them, and raw HTML is shown as
text.
"""

import posixpath
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.template.loader import render_to_string
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from pygments import highlight
from pygments.formatters.html import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

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


class Renderer(RendererHTML):
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
    parser = MarkdownIt("commonmark", {"html": False}, renderer_cls=Renderer).enable("table")
    tokens = parser.parse(source)
    sections = _divide(tokens)
    for token in tokens:
        if token.type == "table_open":
            token.attrSet("tabindex", "0")  # a wide one is scrolled
        if token.children:
            token.children = _rewrite_links(token.children, rewrite_link)
    return Document(parser.renderer.render(tokens, parser.options, {}), sections)


def _divide(tokens: Sequence[Token]) -> list[Section]:
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
