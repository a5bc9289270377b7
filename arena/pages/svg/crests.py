"""A shield for every bot, always the same for one name: something to know it by in a list."""

from zlib import crc32

from django.utils.safestring import SafeString, mark_safe

from arena.pages.svg.icons import build_icon_url

CREST_PATTERNS = ("pale", "chief", "fess", "chevron", "roundel", "bend", "quarters")
CREST_HEIGHT_TO_WIDTH = 33 / 28
"""Height by width."""
CREST_COLOURS = (
    ("#3D4F59", "#F2E6CB"),
    ("#A33B2E", "#E9D9A6"),
    ("#7A4B1F", "#F2E6CB"),
    ("#5D4A7E", "#E9D9A6"),
    ("#2F6B55", "#F2E6CB"),
    ("#6A1030", "#E9D9A6"),
    ("#E9D9A6", "#B38A3C"),
    ("#1E5184", "#F2E6CB"),
)


def draw_crest(name: str, size: int = 24) -> SafeString:
    """Draw a bot's crest, `size` pixels wide. It is decoration: the name stands beside it."""
    number = crc32(name.encode())
    field, charge = CREST_COLOURS[number // len(CREST_PATTERNS) % len(CREST_COLOURS)]
    shape = f"crest-{CREST_PATTERNS[number % len(CREST_PATTERNS)]}"
    return mark_safe(
        f'<svg class="crest" width="{size}" height="{round(size * CREST_HEIGHT_TO_WIDTH)}" aria-hidden="true" '
        f'fill="{field}" color="{charge}"><use href="{build_icon_url(shape)}"></use></svg>'
    )
