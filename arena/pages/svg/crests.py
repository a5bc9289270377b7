"""A shield for every bot, always the same for one name: something to know it by in a list."""

from zlib import crc32

from django.utils.safestring import SafeString, mark_safe

from arena.pages.svg.icons import icon_url

PATTERNS = ("pale", "chief", "fess", "chevron", "roundel", "bend", "quarters")
RATIO = 33 / 28
"""Height by width."""
COLOURS = (
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
    field, charge = COLOURS[number // len(PATTERNS) % len(COLOURS)]
    shape = f"crest-{PATTERNS[number % len(PATTERNS)]}"
    return mark_safe(
        f'<svg class="crest" width="{size}" height="{round(size * RATIO)}" aria-hidden="true" fill="{field}" '
        f'color="{charge}"><use href="{icon_url(shape)}"></use></svg>'
    )
