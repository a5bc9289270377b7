"""Small drawings: icons from one file, a crest for every bot, and QR codes."""

from functools import cache

from django.templatetags.static import static
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from qrcode.constants import ERROR_CORRECT_M
from qrcode.main import QRCode

from arena.bots.crests import CREST_CHARGES, CREST_DIVISIONS, CrestDesign, find_crest
from arena.bots.models import Bot

# The drawings of the site, from one file.

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


# A shield for every bot, always the same and no other's in its game: something to know it by in a list.

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


# Draw a QR code as one path, black on white in every theme: cameras need the contrast.

QR_QUIET_ZONE = 4
"""Modules of white around it, as the standard asks for."""


def draw_qr_code(text: str) -> SafeString:
    """Return the code of a text as SVG; the text stands beside it, so screen readers skip it."""
    code = QRCode(error_correction=ERROR_CORRECT_M, border=QR_QUIET_ZONE)
    code.add_data(text)
    rows = code.get_matrix()
    runs = "".join(f"M{x} {y}h1v1h-1z" for y, row in enumerate(rows) for x, is_dark in enumerate(row) if is_dark)
    drawing = (
        '<svg class="qr" viewBox="0 0 {0} {0}" aria-hidden="true" shape-rendering="crispEdges">'
        '<rect width="{0}" height="{0}" fill="#fff"/><path d="{1}" fill="#000"/></svg>'
    )
    return format_html(drawing, len(rows), runs)
