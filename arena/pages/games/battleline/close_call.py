"""The claim that came nearest to being refuted, in words and as a small picture.

Reads what `engine.games.battleline.narrow_claims` gives.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from arena.pages.games.battleline.wording import Wording
from arena.pages.games.cards import Face
from arena.pages.games.presentation import CloseCallTold
from engine.core import Json


@dataclass(frozen=True, slots=True)
class ClaimPicture:
    """The two sides of the claimed flag, and between them the card that would have refuted the claim."""

    claimant: int
    names: tuple[str, str]
    """By seat."""
    mine: list[Face]
    theirs: list[Face]
    free: range
    """Empty places of the other side."""
    card: Face
    lies: str
    """Where it lies; empty where it lies at no flag."""

    @property
    def other(self) -> int:
        """Return the seat against which the flag was claimed."""
        return 1 - self.claimant


def tell_close_call(wording: Wording, facts: Json, seat: int) -> CloseCallTold:
    """Return the story of a claim by this seat."""
    words = {
        "seat": wording.seat(seat),
        "flag": facts["flag"],
        "card": wording.card(facts["card"]),
        "player": wording.seat(facts["player"]),
        "count": facts["refuters"],
        "turns": facts["turns"],
    }
    only = _("Only %(card)s could have refuted it.")
    last = _("Of the %(count)d cards that could have refuted it %(card)s was the last to be seen.")
    when = ngettext(
        "%(player)s had played it %(turns)d turn earlier.",
        "%(player)s had played it %(turns)d turns earlier.",
        facts["turns"],
    )
    if not facts["turns"]:
        when = _("%(player)s had just played it.")
    lies = _("lies at flag %(flag)s") % {"flag": facts["lies_at"]} if facts["lies_at"] else ""
    sentence = f"{only if facts['refuters'] == 1 else last} {when}"
    return CloseCallTold(
        headline=_("%(card)s lies open, and %(seat)s claims flag %(flag)s") % words,
        sentence=sentence % words,
        board=ClaimPicture(
            claimant=seat,
            names=(wording.seat(0), wording.seat(1)),
            mine=list_faces(wording, facts["mine"]),
            theirs=list_faces(wording, facts["theirs"]),
            free=range(facts["free"]),
            card=list_faces(wording, [facts["card"]])[0],
            lies=lies,
        ),
    )


def list_faces(wording: Wording, cards: Sequence[str]) -> list[Face]:
    """Return how cards look that nobody follows from place to place."""
    return [replace(wording.face(card), key="") for card in cards]
