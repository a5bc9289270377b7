"""All cards of Battle Line as one seat knows them: what each tactics card does, and what is still unseen.

Only what the seat was told is used: cards face up, those in its own hand, and what was discarded. What a card of the
other hand or of a deck might be is never said.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from django.utils.functional import Promise

from arena.core.messages import gettext_lazy, ngettext
from arena.pages.games.battleline.words import Wording, is_tactic
from arena.pages.games.cards import Face, Suit
from arena.pages.matches.replay import Scene
from engine.core import Json
from engine.games.battleline.cards import CARD_NAMES_BY_COLOURS
from engine.games.battleline.game import TACTICS
from engine.games.battleline.options import Rules

TACTIC_HELP = {
    "leader-1": gettext_lazy("Counts as any troop: the one that makes the best formation."),
    "leader-2": gettext_lazy("Counts as any troop: the one that makes the best formation."),
    "cavalry": gettext_lazy("Counts as an 8 of any colour."),
    "shield": gettext_lazy("Counts as a 1, 2 or 3 of any colour."),
    "fog": gettext_lazy("Only the total counts at this flag, not formations."),
    "mud": gettext_lazy("At this flag each side needs four cards."),
    "scout": gettext_lazy("Draw three cards, then put two back."),
    "redeploy": gettext_lazy("Move one of your cards from an open flag to another, or discard it."),
    "deserter": gettext_lazy("Remove one of your opponent's cards from an open flag."),
    "traitor": gettext_lazy("Take one of your opponent's troops from an open flag and play it on your side."),
}
"""What each tactics card does, by its id."""
TACTIC_GROUPS = (
    (gettext_lazy("Stand in for a troop"), ("leader-1", "leader-2", "cavalry", "shield")),
    (gettext_lazy("Change a flag"), ("fog", "mud")),
    (gettext_lazy("Take effect once"), ("scout", "redeploy", "deserter", "traitor")),
)
TABLE, HAND, UNSEEN = "table", "hand", "unseen"
"""The places of a card that a seat can tell apart."""
PlaceLabels = Mapping[str, str | Promise]
PLACE_LABELS: PlaceLabels = {
    TABLE: gettext_lazy("on the table"),
    HAND: gettext_lazy("in your hand"),
    UNSEEN: gettext_lazy("unseen"),
}
REPLAY_PLACE_LABELS: PlaceLabels = {**PLACE_LABELS, HAND: gettext_lazy("in hand")}


@dataclass(frozen=True, slots=True)
class KnownCard:
    """A card of the full decks and where it is."""

    face: Face
    place: str
    place_label: str
    unseen: int
    """How many of its copies are unseen."""
    help: str = ""

    @property
    def label(self) -> str:
        """Return its name and place."""
        return f"{self.face.name}: {self.place_label}"


@dataclass(frozen=True, slots=True)
class KnownCards:
    """All cards as one seat knows them."""

    troops: Sequence[tuple[Suit, Sequence[KnownCard]]]
    tactics: Sequence[tuple[str, Sequence[KnownCard]]]
    """By group; empty where no tactics are played."""
    has_hand: bool
    seat: int | None = None
    """Whose eyes they are in a replay; None for those of everybody, and for the reader's own."""
    name: str = ""
    """What that seat is called."""
    has_leader_limit: bool = False
    """Each player may play one leader a game."""

    @property
    def summary(self) -> str:
        """Return how many troops are unseen."""
        count = sum(card.unseen for _suit, cards in self.troops for card in cards)
        return ngettext("%(count)s troop is unseen.", "%(count)s troops are unseen.", count) % {"count": count}


def list_known_cards(
    wording: Wording, options: Mapping[str, object], view: Json, has_hand: bool, labels: PlaceLabels = PLACE_LABELS
) -> KnownCards:
    """Return all cards as a seat with this view knows them; without a hand, as everybody does."""
    rules = Rules.read(dict(options))
    names = CARD_NAMES_BY_COLOURS[rules.colours].of
    lying = Counter(card for flag in view["flags"] for side in flag["cards"] for card in side if not is_tactic(card))
    lying.update(card for cards in view["discards"] for card in cards if not is_tactic(card))
    lying.update(card for cards in view["tactics_played"] for card in cards)
    hand = Counter(view["hand"] if has_hand else ())
    values = range(1, rules.values + 1)
    troops = [
        (suit, [know(wording, f"{suit.letter}{value}", rules.copies, lying, hand, labels) for value in values])
        for suit in wording.suits(rules.colours)
    ]
    played = Counter(names[card] for card in TACTICS[rules.tactics])
    groups = [
        (str(title), [know(wording, card, played[card], lying, hand, labels) for card in cards if card in played])
        for title, cards in TACTIC_GROUPS
    ]
    groups = [(title, cards) for title, cards in groups if cards]
    return KnownCards(troops, groups, has_hand, has_leader_limit=rules.leader_limit)


def know(
    wording: Wording, card: str, copies: int, lying: Counter[str], hand: Counter[str], labels: PlaceLabels
) -> KnownCard:
    """Return a card with its place: in the hand, else unseen while a copy of it is."""
    unseen = max(0, copies - lying[card] - hand[card])
    place = HAND if hand[card] else UNSEEN if unseen else TABLE
    return KnownCard(wording.face(card), place, str(labels[place]), unseen, str(TACTIC_HELP.get(card, "")))


def list_known_cards_of_seats(wording: Wording, scene: Scene) -> list[KnownCards]:
    """Return all cards as each seat knows them that the onlooker sees with; as everybody does where there is none."""
    seats = [seat for seat in range(len(scene.after)) if scene.sees(seat)]
    if not seats:
        return [list_known_cards(wording, scene.options, scene.after[0], has_hand=False)]
    known = [list_known_cards(wording, scene.options, scene.after[one], True, REPLAY_PLACE_LABELS) for one in seats]
    return [replace(cards, seat=seat, name=wording.seat(seat)) for seat, cards in zip(seats, known, strict=True)]
