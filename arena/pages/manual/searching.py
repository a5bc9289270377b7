"""Search the manual: sections that have all words of a question."""

import re
import unicodedata
from dataclasses import dataclass
from textwrap import shorten

from arena.pages.manual.library import ManualPage, list_sections
from arena.pages.manual.markdown import Section

WORD = re.compile(r"\w+")
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
    words = WORD.findall(fold(question))
    if not words:
        return []
    scored = [(rate_section(section, words), page, section) for page, section in list_sections()]
    found = sorted((row for row in scored if row[0]), key=lambda row: -row[0])
    return [Finding(page, section, make_excerpt(section.text, words)) for _, page, section in found[:MAX_RESULTS]]


def rate_section(section: Section, words: list[str]) -> int:
    """Return how well a section fits: 0 if one of the words is missing."""
    in_title, in_text = WORD.findall(fold(section.title)), WORD.findall(fold(section.text))
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
    place = max(0, fold(flat).find(words[0]) - EXCERPT_LEAD_CHARS)
    start = flat.find(" ", place) + 1 if place else 0
    return f"{'… ' if start else ''}{shorten(flat[start:], MAX_EXCERPT_CHARS, placeholder=' …')}"


def fold(text: str) -> str:
    """Return a text without accents and capitals."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    return "".join(sign for sign in plain if not unicodedata.combining(sign))
