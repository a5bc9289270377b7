"""Cards in preview images, boards in small, and one step of a leg as an image that stands alone, as SVG and PNG."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import resvg_py
from anyascii import anyascii
from django.template import Context, Engine
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.text import slugify

from arena.core.messages import gettext as _
from arena.pages.games.cards import Face
from arena.pages.games.presentation import Presentation
from arena.pages.matches.replay import Scene
from arena.pages.svg.icons import ICON_SHEET_PATH, build_icon_url
from arena.people.accounts.names import make_slug

# Cards in preview images, which have no style sheet: where each lies, and its drawing.

SUIT_COLOURS = {
    "R": ("#9B1C12", "#FFFFFF"),
    "O": ("#DD7010", "#1B1813"),
    "Y": ("#F9E784", "#1B1813"),
    "G": ("#12786A", "#FFFFFF"),
    "B": ("#6DB4E2", "#1B1813"),
    "P": ("#532573", "#FFFFFF"),
    "S": ("#22252B", "#FFFFFF"),
    "H": ("#9B1C12", "#FFFFFF"),
    "D": ("#DD7010", "#1B1813"),
    "C": ("#12786A", "#FFFFFF"),
    "tactic": ("#2B2A28", "#F3EBDA"),
    "troop": ("#394B52", "#FFFFFF"),
}
"""Colour of each suit and the colour on it, as in the style, for drawings that have no style sheet."""
SEAT_COLOURS = ("#9A5B1E", "#1E5184", "#6A1030", "#087A75")


@dataclass(frozen=True, slots=True)
class PlacedCard:
    """A card in an image: where it lies, in the image's units."""

    face: Face
    x: float
    y: float
    width: float
    height: float
    band: float

    @property
    def fill(self) -> str:
        """Return the colour of the suit."""
        return SUIT_COLOURS[self.face.suit][0]

    @property
    def ink(self) -> str:
        """Return the colour of what stands on the suit's colour."""
        return SUIT_COLOURS[self.face.suit][1]

    @property
    def number_size(self) -> float:
        """Return the size of the number's font."""
        return round(self.band * 0.78, 1)

    @property
    def number_y(self) -> float:
        """Return the base line of the number."""
        return round(self.band * 0.76, 1)

    @property
    def shape(self) -> float:
        """Return the side of the small shape on the band."""
        return round(self.band * 0.54, 1)

    @property
    def shape_x(self) -> float:
        """Return where the small shape is: in the middle of a tactics card's band, else at its right end."""
        is_alone = self.face.is_tactic and not self.face.number
        return round((self.width - self.shape) / 2 if is_alone else self.width - self.shape - 7, 1)

    @property
    def shape_y(self) -> float:
        """Return the top of the small shape."""
        return round((self.band - self.shape) / 2, 1)

    @property
    def big(self) -> float:
        """Return the side of the shape on the face."""
        return round(min(self.width * 0.5, (self.height - self.band) * 0.72), 1)

    @property
    def big_x(self) -> float:
        """Return the left end of the shape on the face."""
        return round((self.width - self.big) / 2, 1)

    @property
    def big_y(self) -> float:
        """Return the top of the shape on the face."""
        return round(self.band + (self.height - self.band - self.big) / 2, 1)

    @property
    def svg(self) -> SafeString:
        """Return the drawing."""
        return draw_placed_card(self)


def draw_placed_card(card: PlacedCard) -> SafeString:
    """Return the card as SVG; its shapes are named, and the document that holds it defines them."""
    face, w, h = card.face, card.width, card.height
    frame = format_html(
        '<g transform="translate({} {})"{}>'
        '<rect x="-.5" y="-.5" width="{}" height="{}" rx="6" fill="{}" stroke="#000" stroke-opacity="0.3"/>',
        *(card.x, card.y, SafeString(' opacity="0.6"') if face.is_ignored else "", w + 1, h + 1),
        card.fill if face.is_back else "#FFFDF6",
    )
    if face.is_back:
        lines = '<rect x="5" y="5" width="{}" height="{}" rx="3" fill="none" stroke="#FFF" stroke-opacity="0.4"/></g>'
        return frame + format_html(lines, w - 10, h - 10)
    band = format_html(
        '<path d="M0 {b}V5a5 5 0 0 1 5-5h{w}a5 5 0 0 1 5 5v{v}z" fill="{fill}"/>'
        '<use href="#{shape}" x="{sx}" y="{sy}" width="{s}" height="{s}" color="{ink}"/>',
        **{"b": card.band, "w": w - 10, "v": card.band - 5, "fill": card.fill, "ink": card.ink, "shape": face.shape},
        **{"sx": card.shape_x, "sy": card.shape_y, "s": card.shape},
    )
    number = format_html(
        '<text x="7" y="{}" font-family="\'Source Serif 4\', Georgia, serif" font-size="{}" font-weight="700"'
        ' fill="{}">{}</text>',
        *(card.number_y, card.number_size, card.ink, face.number),
    )
    colour = "#1B1813" if face.is_tactic else card.fill
    big = format_html(
        '<use href="#{}" x="{}" y="{}" width="{}" height="{}" color="{}"/>',
        *(face.shape, card.big_x, card.big_y, card.big, card.big, colour),
    )
    ring = format_html(
        '<rect x="-4" y="-4" width="{}" height="{}" rx="9" fill="none" stroke="#115E67" stroke-width="4"/>',
        *(w + 8, h + 8),
    )
    parts = [frame, band, number if face.number else "", big, ring if face.is_new else "", "</g>"]
    return SafeString("".join(parts))


# A board of columns with a front between them, so small that only numbers are left of the cards.

MINIATURE_WIDTH, MINIATURE_HEIGHT = 280, 106
MINIATURE_CARD_HEIGHT, MINIATURE_PITCH = 12, 13.5
MINIATURE_FAR_TOP, MINIATURE_NEAR_TOP = 31, 63
"""Where the cards next to the front begin."""
MINIATURE_ROOM = 30
"""Between the first card of a side and its last one."""


@dataclass(frozen=True, slots=True)
class MiniatureColumn:
    """A column of a small board: who owns it, and the cards of each side from the front outwards."""

    owner: int | None
    far: Sequence[Face]
    near: Sequence[Face]


def draw_miniature(columns: Sequence[MiniatureColumn], near: int, front: str, front_width: float) -> SafeString:
    """Draw a board in small, the new cards ringed. `front` is path data, 70 units high and `front_width` wide.

    The style sheet has its colours. It tells nothing to who doesn't see it.
    """
    step = MINIATURE_WIDTH / len(columns)
    scale = f"translate(0 46) scale({MINIATURE_WIDTH / front_width:.4f} .2)"
    parts = [
        format_html('<path class="area seat-{}" transform="{}" d="{}V-230H-22z"/>', 1 - near, scale, front),
        format_html('<path class="area seat-{}" transform="{}" d="{}V300H-22z"/>', near, scale, front),
        format_html('<path class="edge" transform="{}" d="{}"/>', scale, front),
    ]
    for place, column in enumerate(columns):
        left = step * place
        if column.owner is not None:
            top = MINIATURE_HEIGHT / 2 if column.owner == near else 0
            parts.append(
                format_html(
                    '<rect class="area seat-{}" x="{}" y="{}" width="{}" height="{}"/>',
                    *(column.owner, round(left, 1), top, round(step, 1), MINIATURE_HEIGHT / 2),
                )
            )
            flag = build_icon_url(f"pennant-{column.owner}")
            parts.append(
                format_html(
                    '<use class="seat-{}" href="{}" x="{}" y="47" width="12" height="12"/>',
                    *(column.owner, flag, round(left + step / 2 - 6, 1)),
                )
            )
        parts += _draw_small_side(column.far, left + 2, step - 4, MINIATURE_FAR_TOP, -1)
        parts += _draw_small_side(column.near, left + 2, step - 4, MINIATURE_NEAR_TOP, 1)
    return format_html(
        '<svg class="miniature" viewBox="0 0 {} {}" aria-hidden="true">{}</svg>',
        *(MINIATURE_WIDTH, MINIATURE_HEIGHT, SafeString("".join(parts))),
    )


def _draw_small_side(faces: Sequence[Face], x: float, width: float, top: float, direction: int) -> list[SafeString]:
    pitch = min(MINIATURE_PITCH, MINIATURE_ROOM / max(len(faces) - 1, 1))
    return [
        format_html(
            '<g class="suit-{}{}"><rect x="{}" y="{}" width="{}" height="{}" rx="1.5"/>'
            '<text x="{}" y="{}">{}</text></g>',
            *(face.suit, " new" if face.is_new else ""),
            *(round(x, 1), round(y, 1), round(width, 1), MINIATURE_CARD_HEIGHT),
            *(round(x + width / 2, 1), round(y + 9.6, 1), face.number or "★"),
        )
        for y, face in ((top + direction * pitch * place, face) for place, face in enumerate(faces))
    ]


# One step of a leg as an image that stands alone: for sharing, and as the preview of a link.

SYMBOL_ELEMENT = re.compile(r'<symbol id="([\w-]+)".*?</symbol>', re.DOTALL)
SYMBOL_REFERENCE = re.compile(r'href="#([\w-]+)"')
STYLE_VARIABLES = {"ink": "#1E1A14", "seat-0": "#9A5B1E", "seat-1": "#1E5184", "on-seat": "#FFFFFF"}
"""Variables of the page's style that the icons use; an image has no style sheet."""
NON_XML_CHARACTER = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
MAX_SENTENCE_LENGTH = 88
"""With the name of the rules, which stands in the same line."""
MAX_RULES_LENGTH = 40
WITHOUT_TABLE = "games/preview_image.svg"
"""The template for games that have none of their own: names and the sentence, without the table."""
NAME_SIZES_BY_SEATS = {2: (27, 26), 3: (21, 20), 4: (17, 16)}
"""Font size of the names and number of characters that fit, by number of seats."""

GLYPHS = re.compile(
    r"[ -~\xa0-\xac\xae-\u012b\u012e-\u0131\u0134-\u0165\u0168-\u017f\u018f\u0192\u01a0\u01a1\u01af\u01b0\u01cd-\u01dc"
    r"\u01e6\u01e7\u01f8\u01f9\u0218-\u021b\u0237\u0259\u02bb\u02bc\u02be\u02bf\u0300\u0301\u0303\u0304\u0308\u0309\u0323"
    r"\u0384-\u038a\u038c\u038e-\u03a1\u03a3-\u03ce\u03d7\u03d9\u03db\u03dd\u03e1\u0400-\u045f\u0462\u0463\u0472-\u0475\u0490-\u0493"
    r"\u0496-\u049b\u04a0-\u04a3\u04aa\u04ab\u04ae-\u04b3\u04b6\u04b7\u04ba\u04bb\u04c0-\u04c2\u04cf-\u04d1\u04d4-\u04d9\u04e2"
    r"\u04e3\u04e6-\u04e9\u04ee\u04ef\u04f2\u04f3\u1e0c-\u1e0f\u1e20\u1e21\u1e24\u1e25\u1e2a\u1e2b\u1e36-\u1e3b\u1e3e\u1e3f"
    r"\u1e42-\u1e49\u1e5a-\u1e63\u1e6c-\u1e6f\u1e80-\u1e85\u1e8e\u1e8f\u1e92\u1e93\u1e97\u1e9e\u1ea0-\u1ef9\u2013\u2014"
    r"\u2018-\u201a\u201c-\u201e\u2020\u2022\u2026\u2032\u2033\u2039\u203a\u20ac\u2116\u2122\u2191\u2193\u2212]*"
)
"""What the font of the heading can draw: Latin, Cyrillic and Greek; a letter with marks can also be put together."""


def spell_for_picture(name: str) -> str:
    """Return a name with words that the font lacks letters for spelt as in an address, and symbols called by name."""
    return " ".join(
        word if all(map(_is_drawn, word)) else make_slug(word) or slugify(anyascii(word)) or "?"
        for word in name.split(" ")
    )


def _is_drawn(character: str) -> bool:
    return bool(GLYPHS.fullmatch(character) or GLYPHS.fullmatch(unicodedata.normalize("NFD", character)))


def draw_preview_image(
    scene: Scene,
    presentation: Presentation,
    names: Sequence[str],
    rules: str = "",
    result: str = "",
    heading: str = "",
) -> str:
    """Return the scene as an SVG document of 1200 by 630 without any reference to elsewhere.

    `names` are the bots by seat, `rules` the name of the edition or variant; `result` stands in the place of what was
    done, and `heading` in that of the turn. Nothing is in it that the scene's onlooker can't see.
    """
    size, max_length = NAME_SIZES_BY_SEATS[len(names)]
    shown_rules = shorten_text(rules, MAX_RULES_LENGTH)
    context = {
        "size": size,
        "preview": presentation.lay_out_preview(presentation.build_board(scene)),
        "seats": list(
            zip(
                map(presentation.name_seat, range(len(names))),
                (shorten_text(spell_for_picture(name), max_length) for name in names),
                strict=True,
            )
        ),
        "heading": heading or format_turn_heading(scene),
        "rules": shown_rules,
        "sentence": shorten_text(result or describe_scene(scene, presentation), MAX_SENTENCE_LENGTH - len(shown_rules)),
    }
    return _fill_in([f"games/{presentation.folder}/preview_image.svg", WITHOUT_TABLE], context)


def draw_plain_image() -> str:
    """Return the same without a match: the map and the name of the product."""
    return _fill_in([WITHOUT_TABLE], {"size": 27})


def _fill_in(templates: list[str], context: dict[str, object]) -> str:
    template = Engine.get_default().select_template(templates)
    drawing = template.render(Context(context, use_l10n=False))  # a decimal comma would be read as two numbers
    symbols = SafeString("".join(read_icon_symbols()[name] for name in sorted(set(SYMBOL_REFERENCE.findall(drawing)))))
    return NON_XML_CHARACTER.sub("", drawing.replace("<defs/>", f"<defs>{symbols}</defs>", 1).strip())


def format_turn_heading(scene: Scene) -> str:
    """Return which turn is shown."""
    if scene.step.is_opening or not scene.number:
        return _("Opening, step %(number)s of %(last)s") % {"number": scene.number, "last": scene.opening}
    return _("Turn %(number)s of %(last)s") % {"number": scene.turn, "last": scene.turns}


def describe_scene(scene: Scene, presentation: Presentation) -> str:
    """Return what happened, without markup."""
    if scene.is_over:
        return f"{presentation.describe_ending(scene)}."
    if not scene.number:
        return str(presentation.start_text)
    return " ".join(f"{line}." for line in presentation.describe_step(scene.step))


def shorten_text(text: str, max_length: int) -> str:
    """Return the text, cut off with an ellipsis where it is longer."""
    return text if len(text) <= max_length else f"{text[: max_length - 1].rstrip()}…"


@cache
def read_icon_symbols() -> dict[str, str]:
    """Return the site's icons by name, as an image can hold them."""
    sheet = (Path(__file__).parents[1] / "static" / ICON_SHEET_PATH).read_text()
    for name, colour in STYLE_VARIABLES.items():
        sheet = sheet.replace(f"var(--{name})", colour)
    return {match[1]: match[0] for match in SYMBOL_ELEMENT.finditer(sheet)}


# Draw an SVG document as PNG: chat programs and social networks show no SVG as the preview of a link.

FONTS = [str(path) for path in sorted((Path(__file__).parent / "fonts").glob("*.ttf"))]
"""The site's fonts as the renderer reads them: one file for each weight; see `fonts/README.md`."""


def render_png(drawing: str) -> bytes:
    """Return an SVG document as PNG in the size that it states. No font or file from elsewhere is used."""
    return bytes(resvg_py.svg_to_bytes(svg_string=drawing, skip_system_fonts=True, font_files=FONTS))
