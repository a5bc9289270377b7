"""The drawings of the site, from one file."""

from functools import cache

from django.templatetags.static import static
from django.utils.html import format_html
from django.utils.safestring import SafeString

ICON_SHEET_PATH = "img/icons.svg"


@cache
def draw_icon(name: str) -> SafeString:
    """Draw an icon in the colour of its text; a label always stands beside it, so screen readers skip it."""
    return format_html(
        '<svg class="icon" aria-hidden="true"><use href="{}#{}"></use></svg>', static(ICON_SHEET_PATH), name
    )


@cache
def build_icon_url(name: str) -> str:
    """Return the address of an icon in the sheet, for use inside another drawing."""
    return f"{static(ICON_SHEET_PATH)}#{name}"
