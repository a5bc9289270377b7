"""The reader's hand and the decks of a table at which one plays."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _

from arena.pages.games.battleline.board import find_new_card_places, find_unplayable_tactics, get_hand_sort_key
from arena.pages.games.battleline.cards import LEADER_CARDS, is_tactic
from arena.pages.games.battleline.wording import Wording
from arena.pages.games.cards import Face
from arena.pages.play.table import Choice, PlayTable

GUILE_CARDS = ("scout", "redeploy", "deserter", "traitor")
CARD_DECISIONS = ("play", "return")
"""What is decided with a card of the hand."""
DECK_KEYS = {"troop": "t", "tactic": "y"}


@dataclass(frozen=True, slots=True)
class HeldCard:
    """A card of the reader's hand."""

    face: Face
    choice: Choice | None
    is_chosen: bool
    is_faded: bool
    """It can't be played, where others can."""
    spoken: str
    """Its name, its place in the hand, and why it can't be played where it can't."""
    key: str
    """The digit that chooses it; empty while digits choose something else."""
    deck: str
    """The deck it was drawn from."""
    drops: str
    """The flags on which it can be dragged, by their numbers."""

    @property
    def drag(self) -> str:
        """Return the words that a flag completes; empty where none does."""
        return self.choice.text if self.choice and self.drops else ""


@dataclass(frozen=True, slots=True)
class Deck:
    """A deck beside the hand."""

    name: str
    title: str
    left: int
    choice: Choice | None
    spoken: str
    is_hinted: bool = False

    @property
    def key(self) -> str:
        """Return the key that draws from it."""
        return DECK_KEYS[self.name]


def list_held_cards(wording: Wording, table: PlayTable) -> list[HeldCard]:
    """Return the reader's hand, in the order in which hands are shown."""
    view = table.scene.after[table.near]
    cards = sorted(view["hand"], key=get_hand_sort_key)
    new = find_new_card_places(cards, table.scene.before[table.near]["hand"]) if table.scene.number else frozenset()
    chosen = find_chosen_place(table, cards)
    return [
        build_held_card(wording, table, cards, place, is_new=place in new, is_chosen=place == chosen)
        for place in range(len(cards))
    ]


def find_chosen_place(table: PlayTable, cards: Sequence[str]) -> int | None:
    """Return the place of the chosen card in the hand."""
    return next(
        (place for place, card in enumerate(cards) if table.chosen and is_begun_with(table, list_words(card))), None
    )


def is_begun_with(table: PlayTable, words: tuple[str, ...]) -> bool:
    """Return whether these words are the first of those chosen."""
    return table.chosen[: len(words)] == words


def list_words(card: str) -> tuple[str, ...]:
    """Return the words with which the actions begin that play a card."""
    return (card,) if card in GUILE_CARDS else ("play", card)


def build_held_card(
    wording: Wording, table: PlayTable, cards: Sequence[str], place: int, is_new: bool, is_chosen: bool
) -> HeldCard:
    """Return a card of the hand with what can be done with it."""
    card, decision = cards[place], table.scene.after[table.near]["decision"]
    face = wording.face(card, is_new=is_new)
    words = ("return", card) if decision == "return" else list_words(card)
    if table.hinted[: len(words)] == words:
        face = replace(face, is_better=True)
    choice = table.choose(*words)
    values = {"card": face.name, "place": place + 1, "count": len(cards)}
    spoken = _("%(card)s, card %(place)s of %(count)s") % values
    if choice is None and table.is_own_turn:
        spoken = f"{spoken}. {describe_idle(wording, table, card)}"
    return HeldCard(
        face=face,
        choice=choice,
        is_chosen=is_chosen,
        is_faded=choice is None and table.is_own_turn and decision == "play",
        spoken=spoken,
        key="" if table.chosen or decision not in CARD_DECISIONS else str((place + 1) % 10),
        deck="tactic" if is_tactic(card) else "troop",
        drops=" ".join(list_drops(table, words)),
    )


def list_drops(table: PlayTable, words: tuple[str, ...]) -> list[str]:
    """Return the flags that complete an action of these words."""
    if words[0] != "play":
        return []
    start = " ".join(words) + " "
    return [action.removeprefix(start) for action in table.legal if action.startswith(start)]


def describe_idle(wording: Wording, table: PlayTable, card: str) -> str:
    """Return why a card of the hand can't be played now."""
    view, options = table.scene.after[table.near], table.scene.options
    if view["decision"] != "play":
        return _("You have played a card in this turn.")
    if card not in find_unplayable_tactics(options, view, table.near):
        return _("It can't be played anywhere now.")
    ahead = len(view["tactics_played"][table.near]) > len(view["tactics_played"][1 - table.near])
    if ahead or card not in LEADER_CARDS:
        other = wording.seat(1 - table.near)
        return _("You are one tactics card ahead; %(other)s must play one first.") % {"other": other}
    return _("One leader a game, and you have played yours.")


def list_decks(table: PlayTable) -> list[Deck]:
    """Return the decks of the edition, those with a choice from which the reader can draw now."""
    left = table.scene.after[table.near]["decks"]
    decks = [("troop", _("Troops"), _("Draw a troop, %(left)s left"))]
    if table.scene.options["tactics"]:
        decks.append(("tactic", _("Tactics"), _("Draw a tactics card, %(left)s left")))
    return [
        Deck(
            name=name,
            title=title,
            left=left[name],
            choice=find_draw(table, name),
            spoken=spoken % {"left": left[name]},
            is_hinted=table.hinted == ("draw", name),
        )
        for name, title, spoken in decks
    ]


def find_draw(table: PlayTable, deck: str) -> Choice | None:
    """Return the choice to draw one card of a deck; None where it can't be drawn, or only together with others."""
    choice = table.choose("draw", deck)
    return choice if choice and choice.is_action else None
