"""The drawing of a card, the same for every game: what it needs to know, and its small form within a sentence."""

from dataclasses import dataclass
from functools import cache

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from arena.pages.svg.icons import icon


@dataclass(frozen=True, slots=True)
class Face:
    """What is drawn of a card."""

    suit: str
    """A suit letter or "tactic"; the style's class is `suit-<this>`."""
    shape: str
    number: str
    """Empty on tactics, but for the letter of a court card."""
    name: str
    short: str
    """Empty on troops."""
    is_new: bool = False
    is_back: bool = False
    is_ignored: bool = False
    """It lies there and does not count."""
    is_idle: bool = False
    """It is in a hand and may not be played as things stand."""
    key: str = ""
    """What the viewer knows the card by when it goes from one place to another; empty face down, and off the table."""

    @property
    def is_tactic(self) -> bool:
        return self.suit == "tactic"

    @property
    def spoken(self) -> str:
        if self.is_ignored:
            return _("%(card)s, does not count") % {"card": self.name}
        return _("%(card)s, can't be played now") % {"card": self.name} if self.is_idle else self.name


INKS = {
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
"""By suit, as in the style: its colour, and the colour on it. For pictures that have no style sheet."""
SEAT_INKS = ("#9A5B1E", "#1E5184", "#6A1030", "#087A75")


@dataclass(frozen=True, slots=True)
class Placed:
    """A card in a picture: where it lies, in the picture's units."""

    face: Face
    x: float
    y: float
    width: float
    height: float
    band: float

    @property
    def fill(self) -> str:
        return INKS[self.face.suit][0]

    @property
    def ink(self) -> str:
        return INKS[self.face.suit][1]

    @property
    def number_size(self) -> float:
        return round(self.band * 0.78, 1)

    @property
    def number_y(self) -> float:
        return round(self.band * 0.76, 1)

    @property
    def shape(self) -> float:
        """Side of the small shape on the band."""
        return round(self.band * 0.54, 1)

    @property
    def shape_x(self) -> float:
        """In the middle of the band of a tactics card, else at its right end."""
        is_alone = self.face.is_tactic and not self.face.number
        return round((self.width - self.shape) / 2 if is_alone else self.width - self.shape - 7, 1)

    @property
    def shape_y(self) -> float:
        return round((self.band - self.shape) / 2, 1)

    @property
    def big(self) -> float:
        """Side of the shape on the face."""
        return round(min(self.width * 0.5, (self.height - self.band) * 0.72), 1)

    @property
    def big_x(self) -> float:
        return round((self.width - self.big) / 2, 1)

    @property
    def big_y(self) -> float:
        return round(self.band + (self.height - self.band - self.big) / 2, 1)

    @property
    def svg(self) -> SafeString:
        return draw_placed(self)


def draw_placed(card: Placed) -> SafeString:
    """The card in a picture, with its drawings by name."""
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


@cache
def draw_card(face: Face, tag: str, language: str | None) -> SafeString:
    """The card as an element of this name. A replay shows thousands of them, and few different ones."""
    if face.is_back:
        return format_html(
            '<{0} class="card back{1}"><span class="hidden-text">{2}</span></{0}>',
            tag,
            " suit-tactic" if face.is_tactic else "",
            face.name,
        )
    kinds = f"suit-{face.suit}" + " new" * face.is_new + " ignored" * face.is_ignored + " idle" * face.is_idle
    return format_html(
        '<{tag} class="card {kinds}"{key}><span class="band" aria-hidden="true">{number}{icon}</span>'
        '<span class="face" aria-hidden="true">{icon}</span>{title}<span class="hidden-text">{name}</span></{tag}>',
        tag=tag,
        kinds=kinds,
        key=format_html(' data-card="{}"', face.key) if face.key else "",
        number=format_html("<b>{}</b>", face.number) if face.number else "",
        icon=icon(face.shape),
        title=format_html('<span class="title" aria-hidden="true">{}</span>', face.short) if face.is_tactic else "",
        name=face.spoken,
    )


@cache
def draw_legend(suits: tuple[tuple[str, str, str], ...]) -> SafeString:
    """Each suit by letter, shape and name."""
    rows = ((letter, icon(shape), name) for letter, shape, name in suits)
    return format_html_join("", '<li><span class="token suit-{}">{}</span>{}</li>', rows)


def draw_token(suit: str, shape: str, spoken: str, number: str) -> SafeString:
    """A card of a suit within a sentence. `spoken` is the name of the suit, for those who are read the sentence to."""
    return format_html(
        '<span class="token suit-{}">{}<span class="hidden-text">{} </span>{}</span>', suit, icon(shape), spoken, number
    )
