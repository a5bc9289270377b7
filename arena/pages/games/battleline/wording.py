"""Names and drawings of an edition's cards, seats, formations and tiles."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from typing import Any

from django.utils.translation import get_language, gettext_lazy, pgettext_lazy
from django.utils.translation import gettext as _

from arena.pages.games.battleline.cards import SUIT_SHAPES, TACTIC_ICONS, Tag, format_card_number, is_tactic
from arena.pages.games.cards import Face, Suit
from arena.pages.games.sentence import Part, Sentence, join_parts
from engine.games.battleline import names
from engine.games.battleline.options import TITLES

SHORT_TACTIC_NAMES = {
    "leader-1": pgettext_lazy("short", "Alex."),
    "leader-2": pgettext_lazy("short", "Darius"),
    "cavalry": pgettext_lazy("short", "Cavalry"),
    "shield": pgettext_lazy("short", "Shields"),
    "fog": pgettext_lazy("short", "Fog"),
    "mud": pgettext_lazy("short", "Mud"),
    "scout": pgettext_lazy("short", "Scout"),
    "redeploy": pgettext_lazy("short", "Redeploy"),
    "deserter": pgettext_lazy("short", "Deserter"),
    "traitor": pgettext_lazy("short", "Traitor"),
}
"""Names of tactics that fit on a small card."""
SHORT_MEDIEVAL_TACTIC_NAMES = SHORT_TACTIC_NAMES | {
    "leader-1": pgettext_lazy("short", "England"),
    "leader-2": pgettext_lazy("short", "France"),
    "shield": pgettext_lazy("short", "Support"),
}
SHORT_PLAYING_CARD_TACTIC_NAMES = SHORT_TACTIC_NAMES | {
    "leader-1": pgettext_lazy("short", "Leader"),
    "leader-2": pgettext_lazy("short", "Leader"),
}
COURT_CARD_LETTERS = {
    **dict.fromkeys(("leader-1", "leader-2", "fog", "mud"), "K"),
    **dict.fromkeys(("cavalry", "shield"), "Q"),
    **dict.fromkeys(("scout", "redeploy", "deserter", "traitor"), "J"),
}
"""Letters of the court cards that stand for tactics."""

TILE_EFFECTS = {
    "castle": gettext_lazy("%(seat_0)s defends"),
    "marshes": gettext_lazy("loser discards"),
    "river": gettext_lazy("4 cards"),
    "watchtower": gettext_lazy("removes one"),
    "town": gettext_lazy("two flags"),
    "fields": gettext_lazy("draws three"),
    "fortress": gettext_lazy("%(seat_1)s defends"),
    "hills": gettext_lazy("low wins"),
    "woodland": gettext_lazy("sum only"),
}
"""Of each tile, in two words."""
TILE_RULINGS = {
    "castle": "BL-60",
    "marshes": "BL-61",
    "river": "BL-62",
    "watchtower": "BL-63",
    "town": "BL-64",
    "fields": "BL-65",
    "fortress": "BL-60",
    "hills": "BL-66",
    "woodland": "BL-67",
}
WEATHER_RULINGS = {"fog": "BL-13", "mud": "BL-14"}


@dataclass(frozen=True, eq=False)
class Wording:
    """The names that an edition gives to things."""

    names: names.Names
    short: Mapping[str, object]
    court: Mapping[str, str]
    reader: int | None = field(default=None, kw_only=True)
    """The seat of who is spoken to; None where sentences are about all seats alike."""

    def seat(self, seat: int) -> str:
        """Return the name of a seat."""
        return _(self.names.seats[seat])

    def formation(self, formation: str) -> str:
        """Return the name of a formation."""
        return _(self.names.formations[formation])

    def card(self, card: str) -> str:
        """Return the name of a card in full."""
        if is_tactic(card):
            return _(self.names.tactics[card])
        return _("%(colour)s %(number)s") % {"colour": _(self.names.suits[card[0]]), "number": format_card_number(card)}

    def face(self, card: str, **states: bool) -> Face:
        """Return how a card of this public name looks, in these states of a face."""
        face = build_face(self, card, get_language())
        changes: dict[str, Any] = states
        return replace(face, **changes) if any(states.values()) else face

    def token(self, card: str) -> Part:
        """Return the card within a sentence; read aloud it is its name."""
        return build_card_part(self, card, get_language())

    def tokens(self, cards: Iterable[str]) -> Sentence:
        """Return cards side by side."""
        return join_parts(map(self.token, cards))

    def suits(self, letters: str) -> tuple[Suit, ...]:
        """Return the suits for those who don't know them yet, or can't tell the colours apart."""
        return tuple(Suit(one, SUIT_SHAPES[one], _(self.names.suits[one])) for one in letters)

    def tile(self, tile: str) -> Tag:
        """Return the label of a tile."""
        name, hint = names.TILE_NAMES[tile]
        seats = {"seat_0": self.seat(0), "seat_1": self.seat(1)}
        return Tag(f"tile-{tile}", _(name), str(TILE_EFFECTS[tile]) % seats, _(hint) % seats, TILE_RULINGS[tile])

    def tile_token(self, tile: str) -> Part:
        """Return the tile within a sentence."""
        tag = self.tile(tile)
        return Part(tag.name, tag.icon, "tactic")

    def weather(self, card: str) -> Tag:
        """Return the label of Fog or Mud, lying at a flag."""
        effect, hint = (
            (_("sum only"), _("no formations, the higher sum wins"))
            if card == "fog"
            else (_("4 cards"), _("four cards a side"))
        )
        return Tag(TACTIC_ICONS[card], str(self.short[card]), effect, hint, WEATHER_RULINGS[card])


@dataclass(frozen=True, eq=False)
class NamedWording(Wording):
    """The wording of an edition with the names of the players for its seats."""

    edition: Wording
    """The wording under which drawings are kept, as they don't depend on who plays."""
    players: tuple[str, ...]

    def seat(self, seat: int) -> str:
        """Return the name of the player at a seat."""
        return self.players[seat]

    def face(self, card: str, **states: bool) -> Face:
        """Return how a card of this public name looks."""
        return self.edition.face(card, **states)

    def token(self, card: str) -> Part:
        """Return the card within a sentence."""
        return self.edition.token(card)


@lru_cache(maxsize=256)
def name_seats(wording: Wording, players: tuple[str, ...], reader: int | None) -> NamedWording:
    """Return the wording with these names for the seats, the same object for the same players and reader."""
    return NamedWording(wording.names, wording.short, wording.court, wording, players, reader=reader)


@cache
def build_face(wording: Wording, card: str, language: str | None) -> Face:
    """Return how a card looks. Kept by language: the same card lies in dozens of scenes."""
    suit, number, short = card[0], format_card_number(card), ""
    if is_tactic(card):
        suit, number, short = "tactic", wording.court.get(card, ""), str(wording.short[card])
    return Face(suit, TACTIC_ICONS.get(card) or SUIT_SHAPES[suit], number, wording.card(card), short, key=card)


@cache
def build_card_part(wording: Wording, card: str, language: str | None) -> Part:
    """Return the card within a sentence. Kept by language: a page of moves shows hundreds of them."""
    shown = wording.face(card)
    if shown.is_tactic:
        return Part(shown.name, shown.shape, shown.suit)
    return Part(shown.number, shown.shape, shown.suit, _(wording.names.suits[card[0]]))


ANCIENT_WORDING = Wording(names.ANCIENT_NAMES, SHORT_TACTIC_NAMES, {})
MEDIEVAL_WORDING = Wording(names.MEDIEVAL_NAMES, SHORT_MEDIEVAL_TACTIC_NAMES, {})
PLAYING_CARD_WORDING = Wording(names.PLAYING_CARD_NAMES, SHORT_PLAYING_CARD_TACTIC_NAMES, COURT_CARD_LETTERS)
WORDINGS_BY_EDITION = {
    edition: next(
        one
        for one in (ANCIENT_WORDING, MEDIEVAL_WORDING, PLAYING_CARD_WORDING)
        if one.names is names.NAMES_BY_EDITION[edition]
    )
    for edition in TITLES
}
"""By edition."""
