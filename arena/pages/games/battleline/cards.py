"""The cards and tiles as people see them: suit, shape, number, picture."""

from dataclasses import dataclass

from django.utils.translation import gettext as _

from arena.pages.games.cards import Face

SUIT_SHAPES = {
    "R": "triangle",
    "O": "square",
    "Y": "star",
    "G": "circle",
    "B": "diamond",
    "P": "cross",
    "S": "spade",
    "H": "heart",
    "D": "pip",
    "C": "club",
}
"""By suit letter. The shape says the suit to those who can't tell the colours."""

TACTIC_ICONS = {
    "leader-1": "leader",
    "leader-2": "leader",
    "cavalry": "cavalry",
    "shield": "shield",
    "fog": "fog",
    "mud": "mud",
    "scout": "scout",
    "redeploy": "redeploy",
    "deserter": "deserter",
    "traitor": "traitor",
}
"""By id of a tactics card."""

LEADER_CARDS = ("leader-1", "leader-2")
PLAYING_CARD_SUITS = "SHDC"


@dataclass(frozen=True, slots=True)
class Tag:
    """A dark label for what lies on the ground of a flag: picture, name, effect in two words and in a sentence."""

    icon: str
    name: str
    effect: str
    hint: str
    rule: str
    """The ruling that says it."""


def is_tactic(card: str) -> bool:
    """Return whether this is the id of a tactics card."""
    return card in TACTIC_ICONS


def format_card_number(card: str) -> str:
    """Return what a troop shows: an ace is an A."""
    return "A" if card[0] in PLAYING_CARD_SUITS and card[1:] == "1" else card[1:]


def build_face_down_card(deck: str) -> Face:
    """Return a card face down. Which deck it came from is public."""
    name = _("a tactics card, face down") if deck == "tactic" else _("a troop, face down")
    return Face(deck, "", "", name, "", is_back=True)
