"""The content of the rules page of an edition. The texts are templates that ask for the rule options."""

import json
from dataclasses import asdict, dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from arena.pages.games.battleline import examples
from arena.pages.games.battleline.cards import PLAYING_CARD_SUITS, TACTIC_ICONS
from arena.pages.games.battleline.wording import Wording
from arena.pages.games.cards import Face
from arena.pages.games.sentence import Sentence
from engine.games.battleline.cards import CARD_NAMES_BY_COLOURS, TEN_TACTICS, TWELVE_TACTICS
from engine.games.battleline.formations import FORMATION_NAMES
from engine.games.battleline.options import HAND_SIZE, PRESETS, TITLES, Rules, edition_options
from engine.games.battleline.tiles import TILES

LEADER_CARDS = ("leader-1", "leader-2")
NUMBER_WORDS = {
    2: gettext_lazy("two"),
    3: gettext_lazy("three"),
    5: gettext_lazy("five"),
    9: gettext_lazy("nine"),
    10: gettext_lazy("ten"),
    12: gettext_lazy("twelve"),
}
"""As they stand before a noun."""
EDITION_SUMMARIES = {
    "standard": gettext_lazy(
        "Nine flags, six colours, ten tactics, claims at any time in the turn. The game most people know."
    ),
    "advanced": gettext_lazy(
        "The standard game with claims only at the start of a turn, so that the other player can always respond."
    ),
    "short": gettext_lazy(
        "A quarter of an hour with one pack of playing cards: five flags, four suits, any three flags win."
    ),
    "long": gettext_lazy("Two packs of playing cards: nine flags, and two of every troop."),
    "medieval": gettext_lazy(
        "The standard game with kings and mercenaries; a player who can play any card has to play one."
    ),
    "terrain": gettext_lazy("No tactics, but nine tiles: every flag has its own terrain, from Castle to Woodland."),
    "hundred-years": gettext_lazy(
        "Each side starts with its King, and the players draft and lay the nine tiles themselves."
    ),
}
"""One sentence on each edition."""
RULE_PART_TITLES = {
    "aim": gettext_lazy("The aim"),
    "cards": gettext_lazy("Components"),
    "draft": gettext_lazy("Drafting and laying the tiles"),
    "turn": gettext_lazy("The turn"),
    "formations": gettext_lazy("Formations"),
    "claims": gettext_lazy("Claiming a flag"),
    "tactics": gettext_lazy("Tactics"),
    "tiles": gettext_lazy("The nine tiles"),
    "end": gettext_lazy("Passing and the end"),
    "bots": gettext_lazy("For bot authors"),
    "credits": gettext_lazy("Credits"),
}
"""Titles by name of a part's template."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A formation as the rules show it."""

    id: str
    name: str
    faces: list[Face]


@dataclass(frozen=True, slots=True)
class Edition:
    """An edition in the list of all of them."""

    key: str
    title: str
    brief: str


def list_editions() -> list[Edition]:
    """Return all editions in the engine's order."""
    return [describe_edition(key) for key in PRESETS]


def describe_edition(key: str) -> Edition:
    """Return an edition's title and what it is, in one sentence."""
    return Edition(key, _(TITLES[key]), str(EDITION_SUMMARIES[key]))


def list_rule_parts(rules: Rules) -> dict[str, str]:
    """Return the titles by name of a part, in order."""
    absent = {"tactics": not rules.tactics, "tiles": rules.tiles == "none", "draft": rules.tiles != "drafted"}
    return {part: str(title) for part, title in RULE_PART_TITLES.items() if not absent.get(part)}


def build_rules(wording: Wording, edition: str) -> dict[str, Any]:
    """Return everything the templates of the rules ask for."""
    options = edition_options(edition, {})
    rules = Rules.read(options)
    suits = options["colours"]
    deck = {0: (), len(TEN_TACTICS): TEN_TACTICS, len(TWELVE_TACTICS): TWELVE_TACTICS}[rules.tactics]
    names = CARD_NAMES_BY_COLOURS[suits].of
    return {
        "edition": describe_edition(edition),
        "editions": list_editions(),
        "parts": list_rule_parts(rules),
        "options": asdict(rules),
        "wire_options": [(name, json.dumps(value)) for name, value in options.items()],
        "seats": [wording.seat(0), wording.seat(1)],
        "has_court": suits == PLAYING_CARD_SUITS,
        "hand": HAND_SIZE,
        "troops": 10 * len(suits) * rules.copies,
        "suits": [(wording.face(f"{suit}8"), _(wording.names.suits[suit])) for suit in suits],
        "numbers": {
            name: str(NUMBER_WORDS.get(getattr(rules, name), "")) for name in ("flags", "envelopment", "tactics")
        },
        "kinds": list_formation_kinds(wording, suits),
        "kind": {kind: wording.formation(kind) for kind in reversed(FORMATION_NAMES)},
        "leaders": _(" or ").join(dict.fromkeys(wording.card(card) for card in LEADER_CARDS)),
        "wilds_caption": _("The wild cards make {wedge} 27, {phalanx} 24 and {wedge} 6.").format(
            **{kind: wording.formation(kind).lower() for kind in FORMATION_NAMES}
        ),
        "tactic": {card: wording.card(card) for card in TACTIC_ICONS},
        "tactics_deck": [wording.face(names[card]) for card in deck],
        "tile": {tile: wording.tile(tile) for tile in TILES},
        "card": name_cards(wording, suits),
        "example": build_examples(wording, edition, rules),
    }


def list_formation_kinds(wording: Wording, suits: str) -> list[Kind]:
    """Return the formations, each with cards that make it."""
    return [
        Kind(
            kind,
            wording.formation(kind),
            [wording.face(examples.translate_suit(card, suits)) for card in cards.split()],
        )
        for kind, cards in examples.EXAMPLE_FORMATIONS.items()
    ]


def name_cards(wording: Wording, suits: str) -> dict[str, Sentence]:
    """Return the cards that the texts speak of."""
    return {card: wording.tokens([examples.translate_suit(card, suits)]) for card in ("a10", "b8", "d5", "d6", "d7")}


def build_examples(wording: Wording, edition: str, rules: Rules) -> dict[str, Any]:
    """Return the examples of an edition by name."""
    built: dict[str, Any] = {
        "claim": examples.build_example(wording, rules, examples.build_claim_flags(rules)),
        "proof": examples.build_example_proof(wording, edition, rules),
        "tie": examples.build_example(wording, rules, examples.TIE_EXAMPLE),
        "ending": examples.build_ending_example(wording, rules),
    }
    if rules.tactics:
        built["wilds"] = examples.build_example(wording, rules, examples.WILD_CARDS_EXAMPLE)
        built["weather"] = examples.build_example(wording, rules, examples.WEATHER_EXAMPLE)
    if rules.tiles != "none":
        built["tiles"] = examples.build_example(wording, rules, examples.TILES_EXAMPLE)
    return built
