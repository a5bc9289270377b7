"""A sentence is known again by its form, and told in the reader's language."""

import re
from functools import cache, lru_cache

from django.utils.translation import get_language, gettext

from arena.messages import render_message
from arena.pages.phrases import faults, services
from engine.message import Message, MessageError

FORMS = (
    *(services.ERRORS + services.REASONS + services.NOTICES + services.LANGUAGES),
    *faults.VERDICTS,
)
HOLE = re.compile(r"%\((\w+)\)s")
NESTED = ("error", "reason")
"""Holes that are filled by what has a form of its own. All others are filled by what is the same in every language."""
NUMBER = r"[+-]?\d+"
QUOTED = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
FILLINGS = {
    "words": QUOTED,
    "log": r".*",
    "signal": r"SIG\w+",
    **dict.fromkeys(("limit", "code", "ms", "cpu", "wall", "late", "took", "mib", "seconds"), NUMBER),
}
"""By hole what can stand in it, where that is not just any words in one line."""
ENGLISH = "en"
DEEPEST = 6
"""So many sentences may stand in each other: a notice has a reason, that a fault, and that how the bot ended."""
LONGEST = 1000
"""Characters of a sentence. What is longer is a log."""


def said(sentence: object) -> str:
    """The sentence in the reader's language, and what fills its holes, where that is a sentence too.

    Of several lines the first and the last: a failure may end with a log, and a compiler's log ends with a sentence.
    """
    if isinstance(sentence, MessageError):
        sentence = sentence.message
    if isinstance(sentence, Message) and sentence.template != "%(text)s":
        return render_message(sentence)
    text, language = str(sentence), get_language() or ENGLISH
    if language == ENGLISH:
        return text
    lines = text.split("\n")
    for at in {0, len(lines) - 1}:
        if len(lines[at]) <= LONGEST:
            lines[at] = tell(lines[at], language, DEEPEST)
    return "\n".join(lines)


@lru_cache(maxsize=4096)
def tell(line: str, language: str, depth: int) -> str:
    """A line in the language that is in force, with the sentences in it down to a depth."""
    known = recognise(line) if depth else None
    if known is None:
        return line
    form, words = known
    return gettext(form) % {
        name: tell(part, language, depth - 1) if name in NESTED else part for name, part in words.items()
    }


def recognise(line: str) -> tuple[str, dict[str, str]] | None:
    """The form of a sentence and what fills its holes; None where it has none."""
    for pattern, form in patterns():
        found = pattern.fullmatch(line)
        if found:
            return form, found.groupdict()
    return None


@cache
def patterns() -> list[tuple[re.Pattern[str], str]]:
    """How each sentence is known again."""
    return [(compile_form(form), form) for form in FORMS]


def compile_form(form: str) -> re.Pattern[str]:
    parts = HOLE.split(form)
    return re.compile(
        "".join(
            f"(?P<{part}>{FILLINGS.get(part, '.+?')})" if at % 2 else re.escape(part) for at, part in enumerate(parts)
        )
    )
