"""Make output of untrusted programs safe to store and show."""

import re

POSSIBLY_INVISIBLE = re.compile(r"[^ -~\n\t]")


def make_visible(text: str) -> str:
    """Return the text with invisible characters escaped: controls, escape sequences and direction marks.

    Newlines and tabs are kept.
    """
    return POSSIBLY_INVISIBLE.sub(_escape, text.replace("\r\n", "\n"))


def _escape(found: re.Match[str]) -> str:
    char = found[0]
    return char if char.isprintable() else char.encode("unicode_escape").decode()
