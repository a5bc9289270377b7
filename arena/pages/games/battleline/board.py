"""The table of Battle Line after a step: flags with two sides each, hands and decks, and the front line."""

from collections import Counter
from collections.abc import Container, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

from arena.pages.games.battleline.cards import LEADER_CARDS, TACTIC_ICONS, Tag, build_face_down_card, is_tactic
from arena.pages.games.battleline.ground import find_ignored_card, list_tags, read_ground_flags
from arena.pages.games.battleline.opening import Opening, build_opening
from arena.pages.games.battleline.wording import Wording
from arena.pages.games.cards import Face, Suit
from arena.pages.games.sentence import Sentence
from arena.pages.matches.replay import Scene
from engine.core import Json
from engine.games.battleline.cards import CARD_NAMES_BY_COLOURS, Names
from engine.games.battleline.formations import GROUND_SUM_ONLY
from engine.games.battleline.tiles import TOWN, TOWN_FLAG_COUNT
from engine.games.battleline.wild_cards import describe_formation

WEATHER_CARDS = ("fog", "mud")
FRONT_BEND_WIDTH, FLAG_COLUMN_WIDTH = 22, 100
"""Of the front line, in the units of its drawing: half of a bend, and the distance from flag to flag."""
FRONT_HEIGHTS_BY_OWNER = {None: 35, 0: 9, 1: 61}
"""By owner of a flag, in the units of the drawing: the front bends towards the seat that has lost the flag."""


@dataclass(frozen=True, slots=True)
class Side:
    """One seat's cards at one flag."""

    seat: int
    name: str
    faces: tuple[Face, ...]
    free: range
    """Slots still open, one number for each."""
    formation: str = ""
    """Formation of a full side, "fog" where only the sum counts, empty otherwise. Also the name of its icon."""
    formation_name: str = ""
    total: int = 0
    ghost: Face | None = None
    """The card that an analysis would have played here, on the first free slot."""


@dataclass(frozen=True, slots=True)
class Flag:
    """A flag with both sides and what is said of it."""

    number: int
    owner: int | None
    label: str
    sides: tuple[Side, ...]
    tile: Tag | None
    weather: tuple[Tag, ...]

    @property
    def depth(self) -> int:
        """Return the number of cards that both sides have room for."""
        return sum(len(side.faces) + len(side.free) for side in self.sides)


@dataclass(frozen=True, slots=True)
class SeatRow:
    """A seat beside the board: its hand and how it stands."""

    seat: int
    name: str
    hand: tuple[Face, ...]
    hand_label: str
    score: str
    """Flags and tactics so far, in words."""
    gone: tuple[tuple[str, Sentence], ...]
    """Tactics played and cards lost: a heading and the cards, where there are some."""


@dataclass(frozen=True, slots=True)
class Board:
    """Everything the template of a board draws."""

    flags: list[Flag]
    seats: tuple[SeatRow, ...]
    decks: tuple[tuple[str, str], ...]
    """Deck, and what is left of it in words."""
    suits: tuple[Suit, ...]
    opening: Opening | None
    """The draft and the laying of tiles, while they go on."""
    front: str
    """The front line from left to right, as path data."""
    width: int
    is_tiled: bool
    """The edition has tiles, if not yet in their places."""
    shows_cards: bool = True
    """False in small pictures, which show flags and the front line alone."""

    @property
    def tiles(self) -> list[Flag]:
        """Return the flags with a tile in force."""
        return [flag for flag in self.flags if flag.tile]

    @property
    def gone(self) -> list[tuple[int, str, Sentence]]:
        """Return seat, heading and cards of what is out of the game."""
        return [(row.seat, heading, cards) for row in self.seats for heading, cards in row.gone]


def build_board(wording: Wording, scene: Scene) -> Board:
    """Return the table as the onlooker of the scene sees it."""
    now, before = scene.after, scene.before
    names = CARD_NAMES_BY_COLOURS[scene.options["colours"]]
    pairs = zip(now[0]["flags"], before[0]["flags"], strict=True)
    flags = add_ghost(wording, scene, [build_flag(wording, flag, old, names) for flag, old in pairs])
    return Board(
        flags=flags,
        seats=tuple(build_seat_row(wording, scene, seat) for seat in range(2)),
        decks=describe_decks(now[0]["decks"], bool(scene.options["tactics"])),
        suits=wording.suits(scene.options["colours"]),
        opening=build_opening(wording, scene),
        front=draw_front_line([flag.owner for flag in flags]),
        width=FLAG_COLUMN_WIDTH * len(flags),
        is_tiled=scene.options["tiles"] != "none",
    )


def find_better_play(scene: Scene) -> tuple[str, int] | None:
    """Return card and flag of the play that an analysis prefers to the step's; None where it is another action."""
    if scene.judgement is None:
        return None
    verb, *words = scene.judgement.better.split() or [""]
    return (words[0], int(words[1])) if verb == "play" else None


def add_ghost(wording: Wording, scene: Scene, flags: list[Flag]) -> list[Flag]:
    """Return the flags with the card that an analysis would have played, if its side has a free slot."""
    better = find_better_play(scene)
    if better is None or scene.judgement is None:
        return flags
    (card, number), seat = better, scene.judgement.seat
    flag = flags[number - 1]
    side = flag.sides[seat]
    if not side.free or card in WEATHER_CARDS:
        return flags
    ghost = replace(wording.face(card), is_better=True, key="")
    sides = [replace(side, ghost=ghost, free=side.free[1:]) if one is side else one for one in flag.sides]
    return [*flags[: number - 1], replace(flag, sides=tuple(sides)), *flags[number:]]


def describe_decks(left: Json, has_tactics: bool) -> tuple[tuple[str, str], ...]:
    """Return each deck and what is left of it in words."""
    troops, tactics = left["troop"], left["tactic"]
    decks = [("troop", ngettext("%(cards)s troop left", "%(cards)s troops left", troops) % {"cards": troops})]
    if has_tactics:
        words = ngettext("%(cards)s tactics card left", "%(cards)s tactics cards left", tactics)
        decks.append(("tactic", words % {"cards": tactics}))
    return tuple(decks)


def build_flag(wording: Wording, flag: Json, before: Json, names: Names) -> Flag:
    """Return a flag with its sides. `before` is the same flag in the previous step."""
    sides = zip(flag["cards"], before["cards"], flag["needs"], strict=True)
    ground = Ground(flag["flag"], flag["owner"], flag["fog"], flag["mud"], flag["tile"])
    held = tuple((tuple(cards), find_new_card_places(cards, old), needs) for cards, old, needs in sides)
    return build_cached_flag(wording, names, get_language(), ground, held)


@dataclass(frozen=True, slots=True)
class Ground:
    """A flag without its cards."""

    number: int
    owner: int | None
    fog: bool
    mud: bool
    tile: str | None

    @property
    def view(self) -> Json:
        """Return tile and weather as views have them."""
        return {"tile": self.tile, "fog": self.fog, "mud": self.mud}


SideCards = tuple[tuple[str, ...], frozenset[int], int]
"""The cards of a side, which of them are new by place, and how many it needs."""


@lru_cache(maxsize=4096)
def build_cached_flag(
    wording: Wording, names: Names, language: str | None, ground: Ground, held: tuple[SideCards, ...]
) -> Flag:
    """Return a flag, the same object while nothing changes there."""
    values = {"number": ground.number}
    if ground.owner is None:
        label = _("Flag %(number)s, open") % values
    elif ground.owner == wording.reader:
        label = _("Flag %(number)s, claimed by you") % values
    else:
        label = _("Flag %(number)s, claimed by %(seat)s") % {**values, "seat": wording.seat(ground.owner)}
    sides = tuple(build_side(wording, names, ground, seat, held[seat]) for seat in range(2))
    tags = list_tags(ground.view, wording)
    tile = tags.pop(0) if ground.tile else None
    return Flag(ground.number, ground.owner, label, sides, tile, tuple(tags))


def build_side(wording: Wording, names: Names, ground: Ground, seat: int, held: SideCards) -> Side:
    """Return one side of a flag; a full one with its formation."""
    cards, new, needs = held
    name = wording.seat(seat)
    free = range(max(0, needs - len(cards)) if ground.owner is None else 0)
    if len(cards) != needs:
        return Side(seat, name, build_faces(wording, cards, new), free)
    bits = read_ground_flags(ground.view, seat)
    described = describe_formation([names.card[card] for card in cards], names.of, bits)
    kind, total = str(described["formation"]), int(str(described["sum"]))
    kind, kind_name = ("fog", _("sum")) if bits & GROUND_SUM_ONLY else (kind, wording.formation(kind))
    ignored = find_ignored_card(cards, ground.view, seat, names)
    return Side(seat, name, build_faces(wording, cards, new, ignored), free, kind, kind_name, total)


def find_new_card_places(cards: Sequence[str], before: Sequence[str]) -> frozenset[int]:
    """Return the places of the cards that came since."""
    if cards is before or cards == before:
        return frozenset()
    known, new = Counter(before), set()
    for place, card in enumerate(cards):
        if not known[card]:
            new.add(place)
        known[card] -= bool(known[card])
    return frozenset(new)


def build_faces(
    wording: Wording,
    cards: Sequence[str],
    new: Container[int],
    ignored: int | None = None,
    idle: frozenset[str] = frozenset(),
) -> tuple[Face, ...]:
    """Return how cards look that lie or are held side by side."""
    return tuple(
        wording.face(card, is_new=place in new, is_ignored=place == ignored, is_idle=card in idle)
        for place, card in enumerate(cards)
    )


def build_seat_row(wording: Wording, scene: Scene, seat: int) -> SeatRow:
    """Return what stands beside the table of a seat."""
    view, name = scene.after[seat], wording.seat(seat)
    return SeatRow(
        seat=seat,
        name=name,
        hand=build_hand(wording, scene, seat),
        hand_label=_("%(name)s's hand") % {"name": name},
        score=describe_score(scene, view, seat),
        gone=list_removed_cards(wording, view, seat),
    )


def build_hand(wording: Wording, scene: Scene, seat: int) -> tuple[Face, ...]:
    """Return the cards of a hand, or as many backs as everybody sees, troops first."""
    view = scene.after[seat]
    cards = sorted(view["hand"], key=get_hand_sort_key)
    if not scene.sees(seat):
        return tuple(build_face_down_card("tactic" if is_tactic(card) else "troop") for card in cards)
    new = find_new_card_places(cards, scene.before[seat]["hand"]) if scene.number else frozenset()
    hand = build_cached_hand(
        wording, tuple(cards), new, find_unplayable_tactics(scene.options, view, seat), get_language()
    )
    better = find_better_play(scene)
    if better is None or scene.judgement is None or scene.judgement.seat != seat or better[0] not in cards:
        return hand
    place = cards.index(better[0])
    return (*hand[:place], replace(hand[place], is_better=True), *hand[place + 1 :])


@lru_cache(maxsize=256)
def build_cached_hand(
    wording: Wording, cards: tuple[str, ...], new: frozenset[int], idle: frozenset[str], language: str | None
) -> tuple[Face, ...]:
    """Return the faces of a hand, the same object while the other seat acts."""
    return build_faces(wording, cards, new, idle=idle)


def find_unplayable_tactics(options: Json, view: Json, seat: int) -> frozenset[str]:
    """Return the tactics that may not be played as things stand (BL-30, BL-31)."""
    own, other = view["tactics_played"][seat], view["tactics_played"][1 - seat]
    if len(own) > len(other):
        return frozenset(TACTIC_ICONS)
    return frozenset(LEADER_CARDS) if options["leader_limit"] and view["leader_played"][seat] else frozenset()


def list_removed_cards(wording: Wording, view: Json, seat: int) -> tuple[tuple[str, Sentence], ...]:
    """Return the tactics a seat has played and the cards it has lost, each with a heading."""
    words = {"name": wording.seat(seat)}
    played, lost = view["tactics_played"][seat], view["discards"][seat]
    gone = []
    if played:
        gone.append((_("%(name)s has played") % words, wording.tokens(played)))
    if lost:
        gone.append((_("lost by %(name)s") % words, wording.tokens(lost)))
    return tuple(gone)


def describe_score(scene: Scene, view: Json, seat: int) -> str:
    """Return flags and tactics of a seat so far; a Town counts for two flags."""
    owned = sum(TOWN_FLAG_COUNT if flag["tile"] == TOWN else 1 for flag in view["flags"] if flag["owner"] == seat)
    flags = ngettext("%(count)s flag", "%(count)s flags", owned) % {"count": owned}
    if not scene.options["tactics"]:
        return flags
    played = len(view["tactics_played"][seat])
    tactics = ngettext("%(count)s tactics card played", "%(count)s tactics cards played", played) % {"count": played}
    return f"{flags}, {tactics}"


def get_hand_sort_key(card: str) -> tuple[bool, str, int]:
    """Return the sort key of a hand: troops by suit and number, then tactics."""
    if is_tactic(card):
        return True, card, 0
    return False, card[0], int(card[1:])


def draw_front_line(owners: Sequence[int | None]) -> str:
    """Return the front line as path data."""
    heights = [FRONT_HEIGHTS_BY_OWNER[owner] for owner in owners]
    path = [f"M-{FRONT_BEND_WIDTH} {heights[0]}"]
    for place, (left, right) in enumerate(zip(heights, heights[1:], strict=False), start=1):
        middle = FLAG_COLUMN_WIDTH * place
        start, end = middle - FRONT_BEND_WIDTH, middle + FRONT_BEND_WIDTH
        path.append(f"H{start}C{middle} {left} {middle} {right} {end} {right}")
    path.append(f"H{FLAG_COLUMN_WIDTH * len(owners) + FRONT_BEND_WIDTH}")
    return "".join(path)
