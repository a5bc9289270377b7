"""The content of the rules pages of each edition, with small positions on the engine's own table as examples."""

import json
from dataclasses import asdict, dataclass, replace
from itertools import zip_longest
from typing import Any

from arena.core.messages import gettext as _
from arena.core.messages import gettext_lazy
from arena.pages.games.battleline.board import ClaimCase, ClaimProof, LineBoard, build_flag, describe_case
from arena.pages.games.battleline.words import PLAYING_CARD_SUITS, TACTIC_ICONS, Wording
from arena.pages.games.cards import Face
from arena.pages.games.sentence import Sentence
from engine.games.battleline.cards import CARD_NAMES_BY_COLOURS, TEN_TACTICS, TWELVE_TACTICS, is_troop, remove_card
from engine.games.battleline.formations import FORMATION_NAMES
from engine.games.battleline.legal import explain_claim
from engine.games.battleline.options import PRESETS, TITLES, Rules, edition_options
from engine.games.battleline.position import Position
from engine.games.battleline.tiles import TILES
from engine.games.battleline.view import build_flag_view

# Small positions for the rules pages. They are laid on the engine's own table, so what is said of them holds.
#
# A position is a list of flags from left to right; cards are in the order in which they are placed, South's first
# unless said otherwise. The suits a, b, c, d stand for the first four of the edition.

EXAMPLE_SUITS = "abcd"


@dataclass(frozen=True, slots=True)
class ExampleFlag:
    """One flag of an example."""

    south: str = ""
    north: str = ""
    north_first: bool = False
    tile: str | None = None
    fog: bool = False
    mud: bool = False
    owner: int | None = None


EXAMPLE_WEDGES_BY_HIGHEST_VALUE = {10: "b8 b9 b10", 9: "b7 b8 b9"}
EXAMPLE_FORMATIONS = {
    "phalanx": "a8 b8 c8",
    "battalion": "d2 d7 d4",
    "skirmish": "c4 a5 b6",
    "host": "a5 b5 d3",
}
WILD_CARDS_EXAMPLE = [ExampleFlag("leader-1 b8 b9"), ExampleFlag("cavalry c8 a8"), ExampleFlag("shield d2 d1")]
WEATHER_EXAMPLE = [
    ExampleFlag("a10 b9 c3", "d4 d3 d2", fog=True, owner=0),
    ExampleFlag("a6 b6 c6", "d4 d5 d7", mud=True),
]
TIE_EXAMPLE = [ExampleFlag("a9 b4 c2", "d8 b6 a1", owner=0)]
TILES_EXAMPLE = [
    ExampleFlag("a10 b7 c7 d7", "a9 b9 c4", tile="castle", owner=0),
    ExampleFlag("c9 c8 c10 c7", "d3 d4 d5", tile="river"),
    ExampleFlag("a1 b2 d4", "d10 a2 c1", tile="hills", owner=0),
    ExampleFlag("b10 c6 d9", "b3 b4 b5", tile="woodland", owner=0),
]

LINE_EXAMPLE_OWNERS = (1, None, 0, 0, None, 1, 1, None, 0)
"""Flag by flag, who has won it."""


def lay_out_position(rules: Rules, grounds: list[ExampleFlag]) -> Position:
    """Return the engine's table with these flags."""
    table = Position(rules, ([], []), [], [])
    for place, ground in enumerate(grounds):
        if ground.tile:
            table.lay_tile(place, ground.tile)
        if ground.fog:
            table.lay_fog(place)
        if ground.mud:
            table.lay_mud(place)
        sides = [(0, ground.south), (1, ground.north)]
        for seat, cards in sides[::-1] if ground.north_first else sides:
            for name in cards.split():
                place_card(table, name, seat, place)
        if ground.owner is not None:
            table.claim(ground.owner, place)
    return table


def place_card(table: Position, name: str, seat: int, flag: int) -> None:
    """Place a card on a side of a flag."""
    card = table.names.card[translate_suit(name, table.rules.colours)]
    table.place(card, seat, flag)
    if is_troop(card):
        table.unseen = remove_card(table.unseen, card)


def translate_suit(name: str, colours: str) -> str:
    """Return the public name of a card with one of the four suits of examples."""
    return colours[EXAMPLE_SUITS.index(name[0])] + name[1:] if name[1:].isdigit() else name


def build_example(wording: Wording, rules: Rules, grounds: list[ExampleFlag], shows_cards: bool = True) -> LineBoard:
    """Return what the board's template shows of these flags."""
    table = lay_out_position(rules, grounds)
    views = [build_flag_view(table, place) for place in range(len(grounds))]
    flags = [build_flag(wording, view, view, table.names) for view in views]
    if not any(ground.north for ground in grounds):
        # Nothing is said of the other side: not even its free places.
        flags = [replace(flag, sides=(flag.sides[0], replace(flag.sides[1], free=range(0)))) for flag in flags]
    return LineBoard(flags, is_tiled=any(flag.tile for flag in flags), shows_cards=shows_cards)


def build_line_example(wording: Wording, rules: Rules, number: int) -> LineBoard:
    """Return the flags of an edition alone, as they may stand in the middle of a leg, with its tiles.

    Editions look different by their numbers.
    """
    tiles = TILES if rules.tiles != "none" else ()
    owners = [*LINE_EXAMPLE_OWNERS[number:], *LINE_EXAMPLE_OWNERS[:number]][: rules.flags]
    return build_example(
        wording,
        rules,
        [ExampleFlag(tile=tile, owner=owner) for owner, tile in zip_longest(owners, tiles[: rules.flags])],
        shows_cards=False,
    )


def build_claim_flags(rules: Rules) -> list[ExampleFlag]:
    """Return a claim at the first flag that holds only because all copies of a troop lie face up at the second."""
    return [ExampleFlag("a8 b8 c8", "d7 d5"), ExampleFlag(" ".join(["d6"] * rules.copies))]


def build_example_proof(wording: Wording, edition: str, rules: Rules) -> ClaimProof:
    """Return the proof of the claim in that example."""
    table = lay_out_position(rules, build_claim_flags(rules))
    case = ClaimCase(wording, explain_claim(table, 0, 0), build_flag_view(table, 0), table.names)
    return describe_case(case, edition, rules.copies)


def build_ending_example(wording: Wording, rules: Rules) -> LineBoard:
    """Return a line on which South has just won."""
    won = (1, 2, 3) if rules.breakthrough else (0, 2, 3)
    lost = (5, 8) if rules.breakthrough else (1,)
    owners = [0 if flag in won else 1 if flag in lost else None for flag in range(rules.flags)]
    return build_example(wording, rules, [ExampleFlag(owner=owner) for owner in owners], shows_cards=False)


# The content of the rules page of an edition. The texts are templates that ask for the rule options.

LEADER_CARDS = ("leader-1", "leader-2")
NUMBER_WORDS = {
    2: gettext_lazy("two"),
    3: gettext_lazy("three"),
    5: gettext_lazy("five"),
    6: gettext_lazy("six"),
    7: gettext_lazy("seven"),
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
        "The standard game with claims only at the start of a turn, so the other player can always respond."
    ),
    "short": gettext_lazy(
        "A quarter of an hour with one pack of playing cards: five flags, four suits, any three flags win."
    ),
    "long": gettext_lazy("Two packs of playing cards: nine flags, and two of every troop."),
    "medieval": gettext_lazy(
        "The standard game with kings and mercenaries; a player who can play any card must play one."
    ),
    "terrain": gettext_lazy("No tactics, but nine tiles: every flag has its own terrain, from Castle to Woodland."),
    "hundred-years": gettext_lazy("Each side starts with its King, and the players draft and lay all nine tiles."),
    "highlands": gettext_lazy(
        "Values 1 to 9, six-card hands, no tactics, claims only at the start of a turn. Made for players of "
        "Schotten Totten."
    ),
}
"""One sentence on each edition."""
EDITION_WITH_RELATIVE = "highlands"
"""The one whose rules say which published game they follow."""
RULE_PART_TITLES = {
    "aim": gettext_lazy("Goal"),
    "cards": gettext_lazy("Components"),
    "draft": gettext_lazy("Drafting and laying tiles"),
    "turn": gettext_lazy("The turn"),
    "formations": gettext_lazy("Formations"),
    "claims": gettext_lazy("Claiming a flag"),
    "tactics": gettext_lazy("Tactics"),
    "tiles": gettext_lazy("The nine tiles"),
    "end": gettext_lazy("Passing and game end"),
    "relative": gettext_lazy("If you know Schotten Totten"),
    "bots": gettext_lazy("For bot authors"),
    "credits": gettext_lazy("Credits"),
}
"""Titles by name of a part's template."""


@dataclass(frozen=True, slots=True)
class FormationKind:
    """A formation as the rules show it."""

    id: str
    name: str
    faces: list[Face]


@dataclass(frozen=True, slots=True)
class LineEdition:
    """An edition in the list of all of them."""

    key: str
    title: str
    brief: str


def list_editions() -> list[LineEdition]:
    """Return all editions in the engine's order."""
    return [describe_edition(key) for key in PRESETS]


def describe_edition(key: str) -> LineEdition:
    """Return an edition's title and what it is, in one sentence."""
    return LineEdition(key, _(TITLES[key]), str(EDITION_SUMMARIES[key]))


def list_rule_parts(rules: Rules, edition: str) -> dict[str, str]:
    """Return the titles by name of a part, in order."""
    absent = {
        "tactics": not rules.tactics,
        "tiles": rules.tiles == "none",
        "draft": rules.tiles != "drafted",
        "relative": edition != EDITION_WITH_RELATIVE,
    }
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
        "parts": list_rule_parts(rules, edition),
        "options": asdict(rules),
        "wire_options": [(name, json.dumps(value)) for name, value in options.items()],
        "seats": [wording.seat(0), wording.seat(1)],
        "has_court": suits == PLAYING_CARD_SUITS,
        "hand": rules.hand,
        "troops": rules.values * len(suits) * rules.copies,
        "suits": [(wording.face(f"{suit}8"), _(wording.names.suits[suit])) for suit in suits],
        "numbers": {
            name: str(NUMBER_WORDS.get(getattr(rules, name), ""))
            for name in ("flags", "envelopment", "tactics", "hand")
        },
        "kinds": list_formation_kinds(wording, suits, rules.values),
        "kind": {kind: wording.formation(kind) for kind in reversed(FORMATION_NAMES)},
        "leaders": _(" or ").join(dict.fromkeys(wording.card(card) for card in LEADER_CARDS)),
        "wilds_caption": _("With the wild cards: {wedge} 27, {phalanx} 24 and {wedge} 6.").format(
            **{kind: wording.formation(kind).lower() for kind in FORMATION_NAMES}
        ),
        "tactic": {card: wording.card(card) for card in TACTIC_ICONS},
        "tactics_deck": [wording.face(names[card]) for card in deck],
        "tile": {tile: wording.tile(tile) for tile in TILES},
        "card": name_cards(wording, suits),
        "example": build_examples(wording, edition, rules),
    }


def list_formation_kinds(wording: Wording, suits: str, highest: int) -> list[FormationKind]:
    """Return the formations, each with cards that make it."""
    return [
        FormationKind(
            kind,
            wording.formation(kind),
            [wording.face(translate_suit(card, suits)) for card in cards.split()],
        )
        for kind, cards in {"wedge": EXAMPLE_WEDGES_BY_HIGHEST_VALUE[highest], **EXAMPLE_FORMATIONS}.items()
    ]


def name_cards(wording: Wording, suits: str) -> dict[str, Sentence]:
    """Return the cards that the texts speak of."""
    return {card: wording.tokens([translate_suit(card, suits)]) for card in ("b8", "d5", "d6", "d7")}


def build_examples(wording: Wording, edition: str, rules: Rules) -> dict[str, Any]:
    """Return the examples of an edition by name."""
    built: dict[str, Any] = {
        "claim": build_example(wording, rules, build_claim_flags(rules)),
        "proof": build_example_proof(wording, edition, rules),
        "tie": build_example(wording, rules, TIE_EXAMPLE),
        "ending": build_ending_example(wording, rules),
    }
    if rules.tactics:
        built["wilds"] = build_example(wording, rules, WILD_CARDS_EXAMPLE)
        built["weather"] = build_example(wording, rules, WEATHER_EXAMPLE)
    if rules.tiles != "none":
        built["tiles"] = build_example(wording, rules, TILES_EXAMPLE)
    return built
