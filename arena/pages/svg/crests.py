"""A shield for every bot, always the same and no other's in its game: something to know it by in a list."""

from django.utils.safestring import SafeString, mark_safe

from arena.bots.crests import find_crest
from arena.bots.models import Bot
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


def draw_crest(bot: Bot, size: int = 24) -> SafeString:
    """Draw a bot's crest, `size` pixels wide. It is decoration: the name stands beside it."""
    number, border = find_crest(bot.slug, bot.crest_difference)
    field, charge = CREST_COLOURS[number // len(CREST_PATTERNS) % len(CREST_COLOURS)]
    shape = f"crest-{CREST_PATTERNS[number % len(CREST_PATTERNS)]}"
    return mark_safe(
        f'<svg class="crest" width="{size}" height="{round(size * CREST_HEIGHT_TO_WIDTH)}" aria-hidden="true" '
        f'fill="{field}" color="{charge}"{describe_border(border)}><use href="{build_icon_url(shape)}"></use></svg>'
    )


def describe_border(border: int) -> str:
    """Return the attributes that draw a border around the crest, by its number; nothing for 0."""
    if not border:
        return ""
    dashes, colour = divmod(border - 1, len(CREST_COLOURS))
    dashed = f' stroke-dasharray="{dashes} 1"' if dashes else ""
    return f' stroke="{CREST_COLOURS[colour][0]}" stroke-width="3"{dashed}'
