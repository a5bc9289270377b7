"""The table of Battle Line after a step: nine flags, two sides each, hands and decks, and the line the front makes."""

from collections import Counter
from collections.abc import Container, Sequence
from dataclasses import dataclass
from functools import lru_cache

from django.utils.safestring import SafeString
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

from arena.pages.games.battleline.cards import LEADERS, PICTURES, Tag, back, is_tactic
from arena.pages.games.battleline.ground import find_ignored, ground_of, tags_of
from arena.pages.games.battleline.opening import Opening, draw_opening
from arena.pages.games.battleline.wording import Wording
from arena.pages.games.cards import Face
from arena.pages.matches.replay import Scene
from engine.core import Json
from engine.games.battleline.cards import NAMES, Names
from engine.games.battleline.formations import SUM_ONLY
from engine.games.battleline.tiles import TOWN, TOWN_FLAGS
from engine.games.battleline.wild_cards import describe_formation

STEEP, REST, TOP, BOTTOM, WIDTH = 22, 35, 9, 61, 100
"""The front line in the units of its drawing: the run of a bend, the three heights, the width of a flag."""


@dataclass(frozen=True, slots=True)
class Side:
    seat: int
    name: str
    faces: tuple[Face, ...]
    free: range
    """Slots still open, to be counted."""
    kind: str = ""
    """Formation of a full side, "fog" where only the sum counts, empty otherwise."""
    word: str = ""
    total: int = 0


@dataclass(frozen=True, slots=True)
class Flag:
    number: int
    owner: int | None
    label: str
    sides: tuple[Side, ...]
    tile: Tag | None
    weather: tuple[Tag, ...]


@dataclass(frozen=True, slots=True)
class SeatRow:
    seat: int
    name: str
    hand: tuple[Face, ...]
    hand_label: str
    held: str
    """Flags and tactics so far, in words."""
    gone: tuple[tuple[str, SafeString], ...]
    """Tactics played and cards lost: a heading and the cards, where there are some."""


@dataclass(frozen=True, slots=True)
class Board:
    flags: list[Flag]
    seats: tuple[SeatRow, ...]
    decks: tuple[tuple[str, str], ...]
    """Deck, and what is left of it in words."""
    suits: SafeString
    """Colours and shapes with their names."""
    opening: Opening | None
    """The draft and the laying of tiles, while they go on."""
    edge: str
    """The front from left to right, as path data."""
    width: int
    is_tiled: bool
    """The edition has tiles, if not yet in their places."""
    is_bare: bool = False
    """Never so; flags of an example may be."""

    @property
    def tiles(self) -> list[Flag]:
        """Flags with a tile in force."""
        return [flag for flag in self.flags if flag.tile]

    @property
    def gone(self) -> list[tuple[int, str, SafeString]]:
        """By seat."""
        return [(row.seat, heading, cards) for row in self.seats for heading, cards in row.gone]


def draw(wording: Wording, scene: Scene) -> Board:
    now, before = scene.after, scene.before
    names = NAMES[scene.options["colours"]]
    pairs = zip(now[0]["flags"], before[0]["flags"], strict=True)
    flags = [draw_flag(wording, flag, old, names) for flag, old in pairs]
    return Board(
        flags=flags,
        seats=tuple(draw_seat(wording, scene, seat) for seat in range(2)),
        decks=tell_decks(now[0]["decks"], bool(scene.options["tactics"])),
        suits=wording.legend(scene.options["colours"]),
        opening=draw_opening(wording, scene),
        edge=draw_edge([flag.owner for flag in flags]),
        width=WIDTH * len(flags),
        is_tiled=scene.options["tiles"] != "none",
    )


def tell_decks(left: Json, has_tactics: bool) -> tuple[tuple[str, str], ...]:
    troops, tactics = left["troop"], left["tactic"]
    decks = [("troop", ngettext("%(cards)s troop left", "%(cards)s troops left", troops) % {"cards": troops})]
    if has_tactics:
        words = ngettext("%(cards)s tactics card left", "%(cards)s tactics cards left", tactics)
        decks.append(("tactic", words % {"cards": tactics}))
    return tuple(decks)


def draw_flag(wording: Wording, flag: Json, before: Json, names: Names) -> Flag:
    """As every scene of a leg shows it until something changes there."""
    sides = zip(flag["cards"], before["cards"], flag["needs"], strict=True)
    ground = Ground(flag["flag"], flag["owner"], flag["fog"], flag["mud"], flag["tile"])
    held = tuple((tuple(cards), find_new(cards, old), needs) for cards, old, needs in sides)
    return lay_flag(wording, names, get_language(), ground, held)


@dataclass(frozen=True, slots=True)
class Ground:
    """What a flag is, but for the cards there."""

    number: int
    owner: int | None
    fog: bool
    mud: bool
    tile: str | None

    @property
    def view(self) -> Json:
        """As views have it."""
        return {"tile": self.tile, "fog": self.fog, "mud": self.mud}


Held = tuple[tuple[str, ...], frozenset[int], int]
"""The cards of a side, which of them are new by place, and how many it needs."""


@lru_cache(maxsize=4096)
def lay_flag(wording: Wording, names: Names, language: str | None, ground: Ground, held: tuple[Held, ...]) -> Flag:
    words = {"number": ground.number}
    if ground.owner is None:
        label = _("Flag %(number)s, open") % words
    else:
        label = _("Flag %(number)s, claimed by %(seat)s") % {**words, "seat": wording.seat(ground.owner)}
    sides = tuple(draw_side(wording, names, ground, seat, held[seat]) for seat in range(2))
    tags = tags_of(ground.view, wording)
    tile = tags.pop(0) if ground.tile else None
    return Flag(ground.number, ground.owner, label, sides, tile, tuple(tags))


def draw_side(wording: Wording, names: Names, ground: Ground, seat: int, held: Held) -> Side:
    cards, new, needs = held
    name = wording.seat(seat)
    free = range(max(0, needs - len(cards)) if ground.owner is None else 0)
    if len(cards) != needs:
        return Side(seat, name, faces(wording, cards, new), free)
    bits = ground_of(ground.view, seat)
    described = describe_formation([names.card[card] for card in cards], names.of, bits)
    kind, total = str(described["formation"]), int(str(described["sum"]))
    kind, word = ("fog", _("sum")) if bits & SUM_ONLY else (kind, wording.kind(kind))
    ignored = find_ignored(cards, ground.view, seat, names)
    return Side(seat, name, faces(wording, cards, new, ignored), free, kind, word, total)


def find_new(cards: Sequence[str], before: Sequence[str]) -> frozenset[int]:
    """Places of the cards that came since."""
    if cards is before or cards == before:
        return frozenset()
    known, new = Counter(before), set()
    for place, card in enumerate(cards):
        if not known[card]:
            new.add(place)
        known[card] -= bool(known[card])
    return frozenset(new)


def faces(
    wording: Wording,
    cards: Sequence[str],
    new: Container[int],
    ignored: int | None = None,
    idle: frozenset[str] = frozenset(),
) -> tuple[Face, ...]:
    return tuple(
        wording.face(card, is_new=place in new, is_ignored=place == ignored, is_idle=card in idle)
        for place, card in enumerate(cards)
    )


def draw_seat(wording: Wording, scene: Scene, seat: int) -> SeatRow:
    view, name = scene.after[seat], wording.seat(seat)
    return SeatRow(
        seat=seat,
        name=name,
        hand=draw_hand(wording, scene, seat),
        hand_label=_("%(name)s's hand") % {"name": name},
        held=tell_held(scene, view, seat),
        gone=list_gone(wording, view, seat),
    )


def draw_hand(wording: Wording, scene: Scene, seat: int) -> tuple[Face, ...]:
    """The cards of a hand, or as many backs as everybody sees, troops first."""
    view = scene.after[seat]
    cards = sorted(view["hand"], key=hand_order)
    if not scene.sees(seat):
        return tuple(back("tactic" if is_tactic(card) else "troop") for card in cards)
    new = find_new(cards, scene.before[seat]["hand"]) if scene.number else frozenset()
    return lay_hand(wording, tuple(cards), new, find_idle(scene.options, view, seat), get_language())


@lru_cache(maxsize=256)
def lay_hand(
    wording: Wording, cards: tuple[str, ...], new: frozenset[int], idle: frozenset[str], language: str | None
) -> tuple[Face, ...]:
    """A hand stays as it is while the other seat acts."""
    return faces(wording, cards, new, idle=idle)


def find_idle(options: Json, view: Json, seat: int) -> frozenset[str]:
    """Tactics that may not be played as things stand (BL-30, BL-31)."""
    own, other = view["tactics_played"][seat], view["tactics_played"][1 - seat]
    if len(own) > len(other):
        return frozenset(PICTURES)
    return frozenset(LEADERS) if options["leader_limit"] and view["leader_played"][seat] else frozenset()


def list_gone(wording: Wording, view: Json, seat: int) -> tuple[tuple[str, SafeString], ...]:
    words = {"name": wording.seat(seat)}
    played, lost = view["tactics_played"][seat], view["discards"][seat]
    gone = []
    if played:
        gone.append((_("%(name)s has played") % words, wording.tokens(played)))
    if lost:
        gone.append((_("lost by %(name)s") % words, wording.tokens(lost)))
    return tuple(gone)


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
