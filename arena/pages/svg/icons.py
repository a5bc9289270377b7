"""The drawings of the site, from one file."""

from functools import cache

from django.templatetags.static import static
from django.utils.html import format_html
from django.utils.safestring import SafeString

SHEET = "img/icons.svg"


@cache
def icon(name: str) -> SafeString:
    """A drawing that takes the colour of its text. Never the only bearer of a meaning, so hidden from reading aloud."""
    return format_html('<svg class="icon" aria-hidden="true"><use href="{}#{}"></use></svg>', static(SHEET), name)


@cache
def icon_url(name: str) -> str:
    """A drawing of the sheet, for a picture that holds more than it."""
    return f"{static(SHEET)}#{name}"
