"""A shield for every bot, always the same and no other's in its game: something to know it by in a list."""

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from arena.bots.crests import CREST_CHARGES, CREST_DIVISIONS, CrestDesign, find_crest
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
OWN_BORDER_COLOUR = "#1E1A14"
"""Of a border that would have the colour of its shield, and not be seen."""
TINCTURE_COLOURS = {
    "parchment": "#F2E6CB",
    "gold": "#E0B23C",
    "orange": "#DD7010",
    "crimson": "#A33B2E",
    "wine": "#6A1030",
    "violet": "#5D4A7E",
    "lapis": "#1E5184",
    "sky": "#6DB4E2",
    "green": "#2F6B55",
    "bronze": "#7A4B1F",
    "slate": "#3D4F59",
    "black": "#22252B",
}
CHARGE_ICONS = {
    "lightning": "crash",
    "crown": "leader",
    "castle": "tile-castle",
    "tower": "tile-watchtower",
    "horse": "cavalry",
    "eye": "scout",
    "tree": "tile-woodland",
    "wheat": "tile-fields",
    "waves": "tile-river",
    "diamond": "pip",
    "sword": "charge-sword",
    "key": "charge-key",
    "anchor": "charge-anchor",
    "fish": "charge-fish",
}
"""The icons of charges that have another name there."""


def draw_crest(bot: Bot, size: int = 24) -> SafeString:
    """Draw a bot's crest, `size` pixels wide. It is decoration: the name stands beside it."""
    if bot.crest_design:
        return draw_design(CrestDesign.read(bot.crest_design), size)
    number, border = find_crest(bot.slug, bot.crest_difference)
    field, charge = CREST_COLOURS[number // len(CREST_PATTERNS) % len(CREST_COLOURS)]
    shape = f"crest-{CREST_PATTERNS[number % len(CREST_PATTERNS)]}"
    outline = describe_border(border, field)
    return mark_safe(
        f'<svg class="crest" width="{size}" height="{round(size * CREST_HEIGHT_TO_WIDTH)}" aria-hidden="true" '
        f'fill="{field}" color="{charge}"{outline}><use href="{build_icon_url(shape)}"></use></svg>'
    )


def describe_border(border: int, field: str) -> str:
    """Return the attributes that draw a border around a crest of this colour, by its number; nothing for 0."""
    if not border:
        return ""
    dashes, number = divmod(border - 1, len(CREST_COLOURS))
    dashed = f' stroke-dasharray="{dashes} 1"' if dashes else ""
    colour = CREST_COLOURS[number][0]
    return f' stroke="{OWN_BORDER_COLOUR if colour == field else colour}" stroke-width="3"{dashed}'


def draw_design(design: CrestDesign, size: int) -> SafeString:
    """Draw a crest that was put together from parts."""
    return format_html(
        '<svg class="crest" viewBox="0 0 28 33" width="{}" height="{}" aria-hidden="true"><use href="{}" fill="{}" '
        'color="{}"></use><use href="{}" x="7" y="8" width="14" height="14" color="{}"></use></svg>',
        size,
        round(size * CREST_HEIGHT_TO_WIDTH),
        build_icon_url(f"crest-{design.division}"),
        TINCTURE_COLOURS[design.field],
        TINCTURE_COLOURS[design.second],
        build_icon_url(find_charge_icon(design.charge)),
        TINCTURE_COLOURS[design.charge_tincture],
    )


def draw_crest_preview(size: int) -> SafeString:
    """Draw all parts that a crest can have above each other. `crest.css` shows those that are chosen."""
    shields = [(f"shield shows-{key}", build_icon_url(f"crest-{key}"), "") for key in CREST_DIVISIONS]
    place = mark_safe(' x="7" y="8" width="14" height="14"')
    charges = [(f"charge shows-{key}", build_icon_url(find_charge_icon(key)), place) for key in CREST_CHARGES]
    parts = format_html_join("", '<use class="{}" href="{}"{}></use>', [*shields, *charges])
    height = round(size * CREST_HEIGHT_TO_WIDTH)
    return format_html(
        '<svg viewBox="0 0 28 33" width="{}" height="{}" aria-hidden="true">{}</svg>', size, height, parts
    )


def draw_crest_shield(division: str, size: int) -> SafeString:
    """Draw a divided shield in the colours that are chosen on its page."""
    return format_html(
        '<svg class="shield" width="{}" height="{}" aria-hidden="true"><use href="{}"></use></svg>',
        size,
        round(size * CREST_HEIGHT_TO_WIDTH),
        build_icon_url(f"crest-{division}"),
    )


def find_charge_icon(charge: str) -> str:
    """Return the icon of a charge."""
    return CHARGE_ICONS.get(charge, charge)


def find_tincture_colour(tincture: str) -> str:
    """Return the colour of a tincture; empty for another part of a crest."""
    return TINCTURE_COLOURS.get(tincture, "")
