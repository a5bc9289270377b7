"""The table of Battle Line after a step: nine flags, two sides each, hands and decks, and the line the front makes."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from arena.pages.games.battleline.cards import Tag, back, is_tactic
from arena.pages.games.battleline.ground import find_ignored, ground_of, tags_of
from arena.pages.games.battleline.opening import Opening, draw_opening
from arena.pages.games.battleline.wording import Wording
from arena.pages.games.cards import Face
from arena.pages.replay import Scene
from engine.core import Json
from engine.games.battleline.cards import NAMES, Names
from engine.games.battleline.formations import SUM_ONLY
from engine.games.battleline.meaning import formation
from engine.games.battleline.tiles import TOWN, TOWN_FLAGS

STEEP, REST, TOP, BOTTOM, WIDTH = 22, 35, 9, 61, 100
"""The front line in the units of its drawing: the run of a bend, the three heights, the width of a flag."""


@dataclass(frozen=True, slots=True)
class Side:
    seat: int
    name: str
    faces: list[Face]
    free: range
    """Slots still open, to be counted."""
    kind: str
    """Formation of a full side, "fog" where only the sum counts, empty otherwise."""
    word: str
    total: int


@dataclass(frozen=True, slots=True)
class Flag:
    number: int
    owner: int | None
    label: str
    sides: tuple[Side, ...]
    tile: Tag | None
    weather: list[Tag]


@dataclass(frozen=True, slots=True)
class SeatRow:
    seat: int
    name: str
    hand: list[Face]
    held: str
    """Flags and tactics so far, in words."""
    played: list[SafeString]
    discarded: list[SafeString]


@dataclass(frozen=True, slots=True)
class Board:
    flags: list[Flag]
    seats: tuple[SeatRow, ...]
    troops_left: int
    tactics_left: int | None
    """None in games without tactics."""
    opening: Opening | None
    """The draft and the laying of tiles, while they go on."""
    edge: str
    """The front from left to right, as path data."""
    width: int

    @property
    def tiles(self) -> list[Flag]:
        """Flags with a tile in force."""
        return [flag for flag in self.flags if flag.tile]


def draw(wording: Wording, scene: Scene) -> Board:
    now, before = scene.after, scene.before
    names = NAMES[scene.options["colours"]]
    pairs = zip(now[0]["flags"], before[0]["flags"], strict=True)
    flags = [draw_flag(wording, flag, old, names) for flag, old in pairs]
    return Board(
        flags=flags,
        seats=tuple(draw_seat(wording, scene, seat) for seat in range(2)),
        troops_left=now[0]["decks"]["troop"],
        tactics_left=now[0]["decks"]["tactic"] if scene.options["tactics"] else None,
        opening=draw_opening(wording, scene),
        edge=draw_edge([flag.owner for flag in flags]),
        width=WIDTH * len(flags),
    )


def draw_flag(wording: Wording, flag: Json, before: Json, names: Names) -> Flag:
    owner = flag["owner"]
    if owner is None:
        label = _("Flag %(number)s, open") % {"number": flag["flag"]}
    else:
        label = _("Flag %(number)s, claimed by %(seat)s") % {"number": flag["flag"], "seat": wording.seat(owner)}
    sides = tuple(draw_side(wording, flag, before, seat, names) for seat in range(2))
    tags = tags_of(flag, wording)
    tile = tags.pop(0) if flag["tile"] else None
    return Flag(flag["flag"], owner, label, sides, tile, tags)


def draw_side(wording: Wording, flag: Json, before: Json, seat: int, names: Names) -> Side:
    cards, needs = flag["cards"][seat], flag["needs"][seat]
    free = range(max(0, needs - len(cards)) if flag["owner"] is None else 0)
    kind, word, total, ignored = "", "", 0, None
    if len(cards) == needs:
        ground = ground_of(flag, seat)
        meaning = formation([names.card[card] for card in cards], names.of, ground)
        kind, total = str(meaning["formation"]), int(str(meaning["sum"]))
        kind, word = ("fog", _("sum")) if ground & SUM_ONLY else (kind, wording.kind(kind))
        ignored = find_ignored(cards, flag, seat, names)
    drawn = faces(wording, cards, before["cards"][seat], ignored)
    return Side(seat, wording.seat(seat), drawn, free, kind, word, total)


def faces(wording: Wording, cards: Sequence[str], before: Sequence[str], ignored: int | None = None) -> list[Face]:
    """Cards drawn, marked where they came since."""
    known = Counter(before)
    drawn = []
    for place, card in enumerate(cards):
        drawn.append(wording.face(card, is_new=not known[card], is_ignored=place == ignored))
        known[card] -= bool(known[card])
    return drawn


def draw_seat(wording: Wording, scene: Scene, seat: int) -> SeatRow:
    view, before = scene.after[seat], scene.before[seat]
    cards = sorted(view["hand"], key=hand_order)
    if scene.onlooker not in (None, seat):
        hand = [back("tactic" if is_tactic(card) else "troop") for card in cards]
    else:
        hand = faces(wording, cards, before["hand"] if scene.number else cards)
    return SeatRow(
        seat=seat,
        name=wording.seat(seat),
        hand=hand,
        held=tell_held(scene, view, seat),
        played=[wording.token(card) for card in view["tactics_played"][seat]],
        discarded=[wording.token(card) for card in view["discards"][seat]],
    )


def tell_held(scene: Scene, view: Json, seat: int) -> str:
    """Flags and tactics of a seat so far; a Town counts for two flags."""
    owned = sum(TOWN_FLAGS if flag["tile"] == TOWN else 1 for flag in view["flags"] if flag["owner"] == seat)
    flags = ngettext("%(count)s flag", "%(count)s flags", owned) % {"count": owned}
    if not scene.options["tactics"]:
        return flags
    played = len(view["tactics_played"][seat])
    tactics = ngettext("%(count)s tactics card played", "%(count)s tactics cards played", played) % {"count": played}
    return f"{flags}, {tactics}"


def hand_order(card: str) -> tuple[bool, str, int]:
    """Troops by suit and number, then tactics."""
    if is_tactic(card):
        return True, card, 0
    return False, card[0], int(card[1:])


def draw_edge(owners: Sequence[int | None]) -> str:
    """The front: it bends towards the seat that has lost the flag."""
    heights = [REST if owner is None else TOP if owner == 0 else BOTTOM for owner in owners]
    path = [f"M-{STEEP} {heights[0]}"]
    for place, (left, right) in enumerate(zip(heights, heights[1:], strict=False), start=1):
        start, end, middle = WIDTH * place - STEEP, WIDTH * place + STEEP, WIDTH * place
        path.append(f"H{start}C{middle} {left} {middle} {right} {end} {right}")
    path.append(f"H{WIDTH * len(owners) + STEEP}")
    return "".join(path)
