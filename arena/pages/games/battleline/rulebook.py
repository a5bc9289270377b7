"""What the rules page of an edition is filled with. The texts are templates that ask for the rule options."""

import json
from dataclasses import asdict, dataclass
from typing import Any

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from arena.pages.games.battleline import examples
from arena.pages.games.battleline.cards import PICTURES, PLAYING_SUITS
from arena.pages.games.battleline.wording import Wording
from arena.pages.games.cards import Face
from engine.games.battleline.cards import NAMES, TEN, TWELVE
from engine.games.battleline.formations import KIND_NAMES
from engine.games.battleline.options import HAND, PRESETS, TITLES, Rules, edition_options
from engine.games.battleline.tiles import TILES

LEADERS = ("leader-1", "leader-2")
NUMBERS = {2: "two", 3: "three", 5: "five", 9: "nine", 10: "ten", 12: "twelve"}
BRIEF = {
    "standard": "Nine flags, six colours, ten tactics, claims at any time in the turn. The game most people know.",
    "advanced": "The standard game with claims only at the start of a turn: the other player always gets an answer.",
    "short": "A quarter of an hour with one pack of playing cards: five flags, four suits, any three flags win.",
    "long": "Two packs of playing cards: nine flags, and every troop is there twice.",
    "medieval": "The standard game with kings and mercenaries; who can play any card at all has to.",
    "terrain": "No tactics, but nine tiles: every flag has ground of its own, from Castle to Woodland.",
    "hundred-years": "Each side starts with its King, and the players draft and lay the nine tiles themselves.",
}
"""One sentence on each edition."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A formation as the rules show it."""

    id: str
    name: str
    faces: list[Face]


@dataclass(frozen=True, slots=True)
class Edition:
    key: str
    title: str
    brief: str


def list_editions() -> list[Edition]:
    return [Edition(key, TITLES[key], BRIEF[key]) for key in PRESETS]


def explain_rules(wording: Wording, edition: str) -> dict[str, Any]:
    """Everything the templates of the rules ask for."""
    options = edition_options(edition, {})
    rules = Rules.read(options)
    suits = options["colours"]
    deck = {0: (), len(TEN): TEN, len(TWELVE): TWELVE}[rules.tactics]
    names = NAMES[suits].of
    return {
        "edition": Edition(edition, TITLES[edition], BRIEF[edition]),
        "editions": list_editions(),
        "options": asdict(rules),
        "wire_options": [(name, json.dumps(value)) for name, value in options.items()],
        "seats": [wording.seat(0), wording.seat(1)],
        "has_court": suits == PLAYING_SUITS,
        "hand": HAND,
        "troops": 10 * len(suits) * rules.copies,
        "suits": [(wording.face(f"{suit}8"), wording.names.suits[suit]) for suit in suits],
        "numbers": {name: NUMBERS.get(getattr(rules, name), "") for name in ("flags", "envelopment", "tactics")},
        "kinds": list_kinds(wording, suits),
        "kind": {kind: wording.kind(kind) for kind in KIND_NAMES},
        "leaders": _(" or ").join(dict.fromkeys(wording.names.tactics[card] for card in LEADERS)),
        "wilds_caption": _("The wild cards make {wedge} 27, {phalanx} 24 and {wedge} 6.").format(
            **{kind: wording.kind(kind).lower() for kind in KIND_NAMES}
        ),
        "tactic": {card: wording.names.tactics[card] for card in PICTURES},
        "tactics_deck": [wording.face(names[card]) for card in deck],
        "tile": {tile: wording.tile(tile) for tile in TILES},
        "tiles": [wording.tile(tile) for tile in TILES],
        "card": tokens(wording, suits),
        "example": draw_examples(wording, edition, rules),
    }


def list_kinds(wording: Wording, suits: str) -> list[Kind]:
    return [
        Kind(kind, wording.kind(kind), [wording.face(examples.suited(card, suits)) for card in cards.split()])
        for kind, cards in examples.FORMATIONS.items()
    ]


def tokens(wording: Wording, suits: str) -> dict[str, SafeString]:
    """Cards that the texts speak of."""
    return {card: wording.token(examples.suited(card, suits)) for card in ("a10", "b8", "d5", "d6", "d7")}


def draw_examples(wording: Wording, edition: str, rules: Rules) -> dict[str, Any]:
    drawn: dict[str, Any] = {
        "claim": examples.draw_example(wording, rules, examples.claim_example(rules)),
        "proof": examples.prove_example(wording, edition, rules),
        "tie": examples.draw_example(wording, rules, examples.TIE),
        "ending": examples.draw_ending(wording, rules),
    }
    if rules.tactics:
        drawn["wilds"] = examples.draw_example(wording, rules, examples.WILDS)
        drawn["weather"] = examples.draw_example(wording, rules, examples.WEATHER)
    if rules.tiles != "none":
        drawn["tiles"] = examples.draw_example(wording, rules, examples.TILES)
    return drawn
