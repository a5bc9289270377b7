"""Small positions for the rules pages. They are laid on the engine's own table, so what is said of them holds.

A position is a list of flags from left to right; cards are in the order in which they are placed, South's first unless
said otherwise. The suits a, b, c, d stand for the first four of the edition.
"""

from dataclasses import dataclass, replace
from itertools import zip_longest

from arena.pages.games.battleline.board import FLAG_COLUMN_WIDTH, Flag, build_flag, draw_front_line
from arena.pages.games.battleline.claim_proof import Case, Proof, describe_case
from arena.pages.games.battleline.wording import Wording
from engine.games.battleline.cards import is_troop, remove_card
from engine.games.battleline.explain import explain_claim
from engine.games.battleline.options import Rules
from engine.games.battleline.position import Position
from engine.games.battleline.tiles import TILES
from engine.games.battleline.view import build_flag_view

EXAMPLE_SUITS = "abcd"


@dataclass(frozen=True, slots=True)
class Ground:
    """One flag of an example."""

    south: str = ""
    north: str = ""
    north_first: bool = False
    tile: str | None = None
    fog: bool = False
    mud: bool = False
    owner: int | None = None


@dataclass(frozen=True, slots=True)
class Example:
    """Some flags, for the board's own template."""

    flags: list[Flag]
    front: str
    width: int
    shows_cards: bool = True
    """False for flags alone, without the sides."""

    @property
    def is_tiled(self) -> bool:
        """Return whether a flag has a tile."""
        return any(flag.tile for flag in self.flags)


EXAMPLE_FORMATIONS = {
    "wedge": "b8 b9 b10",
    "phalanx": "a8 b8 c8",
    "battalion": "d2 d7 d4",
    "skirmish": "c4 a5 b6",
    "host": "a5 b5 d3",
}
WILD_CARDS_EXAMPLE = [Ground("leader-1 b8 b9"), Ground("cavalry c8 a8"), Ground("shield d2 d1")]
WEATHER_EXAMPLE = [
    Ground("a10 b9 c3", "d4 d3 d2", fog=True, owner=0),
    Ground("a6 b6 c6", "d4 d5 d7", mud=True),
]
TIE_EXAMPLE = [Ground("a9 b4 c2", "d8 b6 a1", owner=0)]
TILES_EXAMPLE = [
    Ground("a10 b7 c7 d7", "a9 b9 c4", tile="castle", owner=0),
    Ground("c9 c8 c10 c7", "d3 d4 d5", tile="river"),
    Ground("a1 b2 d4", "d10 a2 c1", tile="hills", owner=0),
    Ground("b10 c6 d9", "b3 b4 b5", tile="woodland", owner=0),
]

LINE_EXAMPLE_OWNERS = (1, None, 0, 0, None, 1, 1, None, 0)
"""Flag by flag, who has won it."""


def lay_out_position(rules: Rules, grounds: list[Ground]) -> Position:
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


def build_example(wording: Wording, rules: Rules, grounds: list[Ground], shows_cards: bool = True) -> Example:
    """Return what the board's template shows of these flags."""
    table = lay_out_position(rules, grounds)
    views = [build_flag_view(table, place) for place in range(len(grounds))]
    flags = [build_flag(wording, view, view, table.names) for view in views]
    if not any(ground.north for ground in grounds):
        flags = [hide_other_side(flag) for flag in flags]
    return Example(flags, draw_front_line([flag.owner for flag in flags]), FLAG_COLUMN_WIDTH * len(flags), shows_cards)


def build_line_example(wording: Wording, rules: Rules, number: int) -> Example:
    """Return the flags of an edition alone, as they may stand in the middle of a leg, with its tiles.

    Editions look different by their numbers.
    """
    tiles = TILES if rules.tiles != "none" else ()
    owners = [*LINE_EXAMPLE_OWNERS[number:], *LINE_EXAMPLE_OWNERS[:number]][: rules.flags]
    return build_example(
        wording,
        rules,
        [Ground(tile=tile, owner=owner) for owner, tile in zip_longest(owners, tiles[: rules.flags])],
        shows_cards=False,
    )


def hide_other_side(flag: Flag) -> Flag:
    """Return the flag where nothing is said of the other side: not even its free places."""
    south, north = flag.sides
    return replace(flag, sides=(south, replace(north, free=range(0))))


def build_claim_flags(rules: Rules) -> list[Ground]:
    """Return a claim at the first flag that holds only because all copies of a troop lie face up at the second."""
    return [Ground("a8 b8 c8", "d7 d5"), Ground(" ".join(["d6"] * rules.copies))]


def build_example_proof(wording: Wording, edition: str, rules: Rules) -> Proof:
    """Return the proof of the claim in that example."""
    table = lay_out_position(rules, build_claim_flags(rules))
    case = Case(wording, explain_claim(table, 0, 0), build_flag_view(table, 0), table.names)
    return describe_case(case, edition, rules.copies)


def build_ending_example(wording: Wording, rules: Rules) -> Example:
    """Return a line on which South has just won."""
    won = (1, 2, 3) if rules.breakthrough else (0, 2, 3)
    lost = (5, 8) if rules.breakthrough else (1,)
    owners = [0 if flag in won else 1 if flag in lost else None for flag in range(rules.flags)]
    return build_example(wording, rules, [Ground(owner=owner) for owner in owners], shows_cards=False)
