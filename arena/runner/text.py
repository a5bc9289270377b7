"""What strangers' programs write, as text that can be stored and shown anywhere."""

import re

PERHAPS = re.compile(r"[^ -~\n\t]")


def visible(text: str) -> str:
    """Spells out what a reader would not see, or what would act: controls, escapes, marks that turn the direction.

    Newlines and tabs stay. Text that is visible already stays as it is.
    """
    return PERHAPS.sub(_spelled, text.replace("\r\n", "\n"))


def _spelled(found: re.Match[str]) -> str:
    char = found[0]
    return char if char.isprintable() else char.encode("unicode_escape").decode()
