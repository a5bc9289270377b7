"""The drawing of a card, the same for every game: what it needs to know, and its small form within a sentence."""

from dataclasses import dataclass

from django.utils.html import format_html
from django.utils.safestring import SafeString

from arena.pages.icons import icon


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

    @property
    def is_tactic(self) -> bool:
        return self.suit == "tactic"


def draw_token(suit: str, shape: str, spoken: str, number: str) -> SafeString:
    """A card of a suit within a sentence. `spoken` is the name of the suit, for those who are read the sentence to."""
    return format_html(
        '<span class="token suit-{}">{}<span class="hidden-text">{} </span>{}</span>', suit, icon(shape), spoken, number
    )
