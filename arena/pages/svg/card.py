"""Cards in preview images, which have no style sheet: where each lies, and its drawing."""

from dataclasses import dataclass

from django.utils.html import format_html
from django.utils.safestring import SafeString

from arena.pages.games.cards import Face

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
