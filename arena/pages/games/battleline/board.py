"""The table of Battle Line after a step, the proof of a claim on it, and the claim that came nearest to failing."""

from collections import Counter
from collections.abc import Container, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import zip_longest

from django.urls import reverse
from django.utils.translation import get_language

from arena.core.messages import gettext as _
from arena.core.messages import ngettext
from arena.pages.games.battleline.words import (
    LEADER_CARDS,
    TACTIC_ICONS,
    GroundTag,
    Wording,
    build_face_down_card,
    is_tactic,
)
from arena.pages.games.cards import Face, Suit
from arena.pages.games.presentation import CloseCallTold
from arena.pages.games.sentence import Sentence, format_sentence
from arena.pages.matches.replay import Scene
from arena.pages.play.parts import Option
from arena.pages.play.table import Choice
from engine.core import Json
from engine.games.battleline.cards import CARD_NAMES_BY_COLOURS, CardNames
from engine.games.battleline.formations import (
    GROUND_IGNORES_HIGHEST,
    GROUND_LOW_SUM_WINS,
    GROUND_SUM_ONLY,
    describe_formation,
    drop_ignored_card,
)
from engine.games.battleline.tiles import DEFENDING_SEAT_BY_TILE, HILLS, RIVER, TOWN, TOWN_FLAG_COUNT, WOODLAND

# Describe the ground of a flag, and find the card of a side that it leaves out. Reads flags as views show them.


def read_ground_flags(flag: Json, seat: int) -> int:
    """Return what the ground does to a side, as the engine's flags."""
    sums = GROUND_SUM_ONLY if flag["fog"] or flag["tile"] == WOODLAND else 0
    low = GROUND_LOW_SUM_WINS if flag["tile"] == HILLS else 0
    spare = GROUND_IGNORES_HIGHEST if DEFENDING_SEAT_BY_TILE.get(flag["tile"]) == seat else 0
    return sums | low | spare


def find_ignored_card(cards: Sequence[str], flag: Json, seat: int, names: CardNames) -> int | None:
    """Return the place of the card that does not count in a complete side (BL-60)."""
    ground = read_ground_flags(flag, seat)
    if not ground & GROUND_IGNORES_HIGHEST:
        return None
    held = [names.card[card] for card in cards]
    rest = drop_ignored_card(held, ground)
    return next(place for place in range(len(held)) if [*held[:place], *held[place + 1 :]] == rest)


def list_tags(flag: Json, wording: Wording) -> list[GroundTag]:
    """Return the labels of tile, Fog and Mud at a flag."""
    tile = [wording.tile(flag["tile"])] if flag["tile"] else []
    return tile + [wording.weather(card) for card in ("fog", "mud") if flag[card]]


# The draft and the laying of the tiles, before the first turn: packets, picks, and the row so far.


@dataclass(frozen=True, slots=True)
class TilePlace:
    """One of the nine places of the row."""

    number: int
    tag: GroundTag | None
    """None where the onlooker can't know the tile, or none lies there yet."""
    is_laid: bool
    is_up: bool


@dataclass(frozen=True, slots=True)
class SeatTiles:
    """The tiles that a seat picks from, and those it has picked and not laid yet."""

    seat: int
    name: str
    is_known: bool
    choices: list[GroundTag]
    kept: list[GroundTag]


@dataclass(frozen=True, slots=True)
class Opening:
    """The state of the draft."""

    seats: list[SeatTiles]
    row: list[TilePlace]


def build_opening(wording: Wording, scene: Scene) -> Opening | None:
    """Return the draft as the onlooker sees it; None once the tiles lie, or where none are drafted."""
    views = [view for seat, view in enumerate(scene.after) if scene.sees(seat)] or [hide_tiles(scene.after[0])]
    if "draft" not in views[0]:
        return None
    places = len(views[0]["flags"])
    return Opening(
        seats=[build_tiles(wording, scene, seat) for seat in range(len(scene.after))],
        row=[build_tile_place(wording, number, [view["row"] for view in views]) for number in range(places)],
    )


def hide_tiles(view: Json) -> Json:
    """Return a view with the row as everybody sees it."""
    row = view.get("row", [])
    return {**view, "row": [place if place["up"] else {**place, "tile": None} for place in row]}


def build_tiles(wording: Wording, scene: Scene, seat: int) -> SeatTiles:
    """Return what a seat picks from and has picked, as far as the onlooker knows."""
    is_known = scene.sees(seat)
    draft = scene.after[seat]["draft"] if is_known else {"choices": [], "tiles": []}
    choices, kept = ([wording.tile(tile) for tile in draft[name]] for name in ("choices", "tiles"))
    return SeatTiles(seat, wording.seat(seat), is_known, choices, kept)


def build_tile_place(wording: Wording, number: int, rows: Sequence[Sequence[Json]]) -> TilePlace:
    """Return a place as the onlooker knows it, who sees with the eyes of one seat or of both."""
    laid = [row[number] for row in rows if number < len(row)]
    tile = next((place["tile"] for place in laid if place["tile"]), None)
    return TilePlace(number + 1, wording.tile(tile) if tile else None, bool(laid), bool(laid) and laid[0]["up"])


# The table of Battle Line after a step: flags with two sides each, hands and decks, and the front line.

WEATHER_CARDS = ("fog", "mud")
FRONT_BEND_WIDTH, FLAG_COLUMN_WIDTH = 22, 100
"""Of the front line, in the units of its drawing: half of a bend, and the distance from flag to flag."""
FRONT_HEIGHTS_BY_OWNER = {None: 35, 0: 9, 1: 61}
"""By owner of a flag, in the units of the drawing: the front bends towards the seat that has lost the flag."""


@dataclass(frozen=True, slots=True)
class CardPlace:
    """Where a card can go, and what it would make there."""

    choice: Choice
    icon: str
    name: str
    """The formation it would complete; empty where it completes none."""
    result: str
    """Its sum, or how many cards of those needed would lie there; empty at the flag itself."""
    spoken: str
    is_hinted: bool


@dataclass(frozen=True, slots=True)
class FlagChoices:
    """What can be done at a flag of a table at which one plays, apart from its cards and the places for one."""

    place: CardPlace | None
    """Where a card can go that lies at the flag for both sides: Fog and Mud."""
    claim: Option | None
    why_url: str
    """The address that asks why one may not claim it, where one might expect to."""
    answer: Sentence | str
    """The answer, once it is asked."""


@dataclass(frozen=True, slots=True)
class TakenCard:
    """A card that the other seat took from a side in its last turn."""

    face: Face
    place: int
    """Where it lay, from 0."""
    tactic: Face
    """The card that took it."""


@dataclass(frozen=True, slots=True)
class FlagSide:
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
    """The card that an analysis would have played here, or a hint would play, on the first free slot."""
    place: CardPlace | None = None
    """Where the chosen card can go."""
    coming: tuple[Face, ...] = ()
    """Cards that would refute the claim one asks about, on free slots."""
    picks: tuple[Option | None, ...] = ()
    """Of each card how it can be picked; empty where none can."""
    taken: TakenCard | None = None
    """What the other seat has just taken from here."""

    @property
    def cards(self) -> Sequence[tuple[Face, Option | None, TakenCard | None]]:
        """Return the cards, each with how it can be picked; one that was taken stands where it lay."""
        cards: list[tuple[Face, Option | None, TakenCard | None]] = [
            (face, pick, None) for face, pick in zip_longest(self.faces, self.picks)
        ]
        if self.taken and self.free_places:
            cards.insert(self.taken.place, (self.taken.face, None, self.taken))
        return cards

    @property
    def free_places(self) -> range:
        """Return the slots on which nothing is shown to come, one number for each."""
        return self.free[len(self.coming) + (self.ghost is not None) + (self.place is not None) :]

    @property
    def slots(self) -> range:
        """Return the slots that stay empty, one number for each."""
        return self.free_places[self.taken is not None :]


@dataclass(frozen=True, slots=True)
class Flag:
    """A flag with both sides and what is said of it."""

    number: int
    owner: int | None
    label: str
    sides: tuple[FlagSide, ...]
    tile: GroundTag | None
    weather: tuple[GroundTag, ...]
    choices: FlagChoices | None = None
    """None away from tables at which one plays."""

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
    flags: tuple[int, ...]
    """The numbers of the flags it has won."""


@dataclass(frozen=True, slots=True)
class LineBoard:
    """Everything that templates draw of a board: of a replay, a table at which one plays, or some flags alone."""

    flags: Sequence[Flag]
    is_tiled: bool
    """The edition has tiles, if not yet in their places."""
    seats: tuple[SeatRow, ...] = ()
    decks: tuple[tuple[str, str], ...] = ()
    """Deck, and what is left of it in words."""
    suits: tuple[Suit, ...] = ()
    opening: Opening | None = None
    """The draft and the laying of tiles, while they go on."""
    shows_cards: bool = True
    """False in small pictures, which show flags and the front line alone."""
    near: int = 0
    """The seat at the lower edge."""

    @property
    def near_row(self) -> SeatRow:
        """Return the seat at the lower edge."""
        return self.seats[self.near]

    @property
    def far_row(self) -> SeatRow:
        """Return the seat at the upper edge."""
        return self.seats[1 - self.near]

    @property
    def columns(self) -> list[tuple[Flag, FlagSide, FlagSide]]:
        """Return each flag with the sides above and below it."""
        return [(flag, flag.sides[1 - self.near], flag.sides[self.near]) for flag in self.flags]

    @property
    def front(self) -> str:
        """Return the front line from left to right, as path data."""
        return draw_front_line([None if flag.owner is None else int(flag.owner != self.near) for flag in self.flags])

    @property
    def width(self) -> int:
        """Return the width of the front line's drawing."""
        return FLAG_COLUMN_WIDTH * len(self.flags)

    @property
    def depth(self) -> int:
        """Return for how many cards both sides have room at the flag that takes most."""
        return max(flag.depth for flag in self.flags)

    @property
    def tiles(self) -> list[Flag]:
        """Return the flags with a tile in force."""
        return [flag for flag in self.flags if flag.tile]

    @property
    def gone(self) -> list[tuple[int, str, Sentence]]:
        """Return seat, heading and cards of what is out of the game."""
        return [(row.seat, heading, cards) for row in self.seats for heading, cards in row.gone]


def build_board(wording: Wording, scene: Scene) -> LineBoard:
    """Return the table as the onlooker of the scene sees it."""
    now, before = scene.after, scene.before
    names = CARD_NAMES_BY_COLOURS[scene.options["colours"]]
    pairs = zip(now[0]["flags"], before[0]["flags"], strict=True)
    flags = [build_flag(wording, flag, old, names) for flag, old in pairs]
    if scene.judgement is not None:
        better, seat = tuple(scene.judgement.better.split()), scene.judgement.seat
        flags = [add_ghost(wording, flag, seat, better) for flag in flags]
    return LineBoard(
        flags=flags,
        is_tiled=scene.options["tiles"] != "none",
        seats=tuple(build_seat_row(wording, scene, seat) for seat in range(2)),
        decks=describe_decks(now[0]["decks"], bool(scene.options["tactics"])),
        suits=wording.suits(scene.options["colours"]),
        opening=build_opening(wording, scene),
        near=scene.near,
    )


def add_ghost(wording: Wording, flag: Flag, seat: int, action: Sequence[str]) -> Flag:
    """Return the flag with the card that an action plays there, given in words, if its side has a free slot."""
    side = flag.sides[seat]
    if action[:1] != ("play",) or action[2] != str(flag.number) or action[1] in WEATHER_CARDS or not side.free:
        return flag
    ghost = replace(side, ghost=replace(wording.face(action[1]), is_better=True, key=""))
    return replace(flag, sides=tuple(ghost if one is side else one for one in flag.sides))


def describe_decks(left: Json, has_tactics: bool) -> tuple[tuple[str, str], ...]:
    """Return each deck and what is left of it in words."""
    troops, tactics = left["troop"], left["tactic"]
    decks = [("troop", ngettext("%(cards)s troop left", "%(cards)s troops left", troops) % {"cards": troops})]
    if has_tactics:
        words = ngettext("%(cards)s tactics card left", "%(cards)s tactics cards left", tactics)
        decks.append(("tactic", words % {"cards": tactics}))
    return tuple(decks)


def build_flag(wording: Wording, flag: Json, before: Json, names: CardNames) -> Flag:
    """Return a flag with its sides. `before` is the same flag in the previous step."""
    sides = zip(flag["cards"], before["cards"], flag["needs"], strict=True)
    ground = FlagGround(flag["flag"], flag["owner"], flag["fog"], flag["mud"], flag["tile"])
    held = tuple((tuple(cards), find_new_card_places(cards, old), needs) for cards, old, needs in sides)
    return build_cached_flag(wording, names, get_language(), ground, held)


@dataclass(frozen=True, slots=True)
class FlagGround:
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
    wording: Wording, names: CardNames, language: str | None, ground: FlagGround, held: tuple[SideCards, ...]
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


def build_side(wording: Wording, names: CardNames, ground: FlagGround, seat: int, held: SideCards) -> FlagSide:
    """Return one side of a flag; a full one with its formation."""
    cards, new, needs = held
    name = wording.seat(seat)
    free = range(max(0, needs - len(cards)) if ground.owner is None else 0)
    if len(cards) != needs:
        return FlagSide(seat, name, build_faces(wording, cards, new), free)
    bits = read_ground_flags(ground.view, seat)
    described = describe_formation([names.card[card] for card in cards], names.of, bits)
    kind, total = str(described["formation"]), int(str(described["sum"]))
    kind, kind_name = ("fog", _("Total")) if bits & GROUND_SUM_ONLY else (kind, wording.formation(kind))
    ignored = find_ignored_card(cards, ground.view, seat, names)
    return FlagSide(seat, name, build_faces(wording, cards, new, ignored), free, kind, kind_name, total)


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
        flags=tuple(flag["flag"] for flag in view["flags"] if flag["owner"] == seat),
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
    better = scene.judgement.better.split() if scene.judgement and scene.judgement.seat == seat else []
    if better[:1] != ["play"] or better[1] not in cards:
        return hand
    place = cards.index(better[1])
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
    words, is_own = {"name": wording.seat(seat)}, wording.reader == seat
    played, lost = view["tactics_played"][seat], view["discards"][seat]
    gone = []
    if played:
        heading = _("You have played") if is_own else _("%(name)s has played") % words
        gone.append((heading, wording.tokens(played)))
    if lost:
        heading = _("You have lost") if is_own else _("%(name)s has lost") % words
        gone.append((heading, wording.tokens(lost)))
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


# The proof of a claim for people: both sides, then each kind of formation and why it does not reach the claim.
#
# Reads what `engine.games.battleline.legal` gives.

MAX_CARDS_LISTED = 4
"""More cards than this in a reason are not listed one by one."""


@dataclass(frozen=True, slots=True)
class FormationRung:
    """A kind of formation, from the strongest down, and why the other side can't reach it."""

    icon: str
    name: str
    reason: Sentence | str
    seat: int | None
    """The seat that stands on this rung and so decides; None elsewhere."""


@dataclass(frozen=True, slots=True)
class GroundNote:
    """A note on a change by the ground, with its ruling."""

    text: str
    rule: str


@dataclass(frozen=True, slots=True)
class ClaimProof:
    """The explanation of a claim, for `proof.html`."""

    title: str
    lead: str
    flag: int
    seat: int
    mine: list[Face]
    mine_free: range
    mine_is: str
    theirs: list[Face]
    theirs_is: str
    free: range
    claimant: str
    other: str
    rungs: list[FormationRung]
    verdict: Sentence | str
    notes: list[GroundNote]
    rules_url: str


@dataclass(frozen=True, slots=True)
class ClaimCase:
    """An explanation with all that is needed to speak of it."""

    wording: Wording
    explanation: Json
    flag: Json
    """As all see it, after the step."""
    names: CardNames

    @property
    def seat(self) -> int:
        """Return the seat that claims."""
        return int(self.explanation["seat"])

    @property
    def is_sum(self) -> bool:
        """Return whether only sums count here."""
        return bool(read_ground_flags(self.flag, self.seat) & GROUND_SUM_ONLY)

    @property
    def is_low(self) -> bool:
        """Return whether the lower sum wins here."""
        return bool(read_ground_flags(self.flag, self.seat) & GROUND_LOW_SUM_WINS)

    @property
    def is_own(self) -> bool:
        """Return whether it is explained to who claims."""
        return self.wording.reader == self.seat

    @property
    def claimant(self) -> str:
        """Return the name of the seat that claims."""
        return self.wording.seat(self.seat)

    @property
    def other(self) -> str:
        """Return the name of the other seat."""
        return self.wording.seat(1 - self.seat)

    @property
    def best(self) -> Json | None:
        """Return the strongest reply that the other side can still make; None where it can't fill its side."""
        return next((reply for reply in self.explanation["replies"] if reply["cards"] is not None), None)

    def formation(self, kind: str) -> str:
        """Return the name of a kind of formation here."""
        return _("Total") if self.is_sum else self.wording.formation(kind)

    def formation_with_sum(self, formation: Json) -> str:
        """Return a formation with its sum, as it stands within a sentence."""
        return f"{self.formation(formation['formation']).lower()} {formation['sum']}"

    def faces(self, cards: list[str], seat: int) -> list[Face]:
        """Return how the cards of a side look here."""
        is_full = len(cards) == self.flag["needs"][seat]
        ignored = find_ignored_card(cards, self.flag, seat, self.names) if is_full else None
        shown = (self.wording.face(card, is_ignored=place == ignored) for place, card in enumerate(cards))
        return [replace(face, key="") for face in shown]


def build_proof(wording: Wording, scene: Scene, explanation: Json) -> ClaimProof:
    """Return the proof, or the refutation, of a claim in the scene shown."""
    flag = scene.after[0]["flags"][explanation["flag"] - 1]
    names = CARD_NAMES_BY_COLOURS[scene.options["colours"]]
    return describe_case(ClaimCase(wording, explanation, flag, names), scene.edition, scene.options["copies"])


def describe_case(case: ClaimCase, edition: str, copies: int) -> ClaimProof:
    """Return the proof in words. `copies` says how often each troop is in the deck."""
    explanation, seat = case.explanation, case.seat
    mine, theirs = explanation["mine"], explanation["theirs"]
    title = _("Why %(seat)s can claim flag %(flag)s")
    if not explanation["holds"]:
        title = _("Why %(seat)s can't claim flag %(flag)s yet")
    if case.is_own:
        title = (
            _("Why you can claim flag %(flag)s") if explanation["holds"] else _("Why you can't claim flag %(flag)s yet")
        )
    lacking = 0 if "formation" in mine else max(0, explanation["needs"] - len(mine["cards"]))
    return ClaimProof(
        title=title % {"seat": case.claimant, "flag": explanation["flag"]},
        lead=describe_lead(case),
        flag=explanation["flag"],
        seat=seat,
        mine=case.faces(mine["cards"], seat),
        mine_free=range(lacking),
        mine_is=case.formation_with_sum(mine).capitalize() if "formation" in mine else "",
        theirs=case.faces(theirs["cards"], 1 - seat),
        theirs_is=describe_best(case, theirs["free"]) if explanation["replies"] else "",
        free=range(theirs["free"]),
        claimant=case.claimant,
        other=case.other,
        rungs=[describe_formation_in_proof(reply, case) for reply in list_telling_replies(case)],
        verdict=describe_verdict(case),
        notes=list_notes(case, copies),
        rules_url=reverse("rules", args=["battleline", edition]),
    )


def describe_lead(case: ClaimCase) -> str:
    """Return what has to be shown."""
    words = {"claimant": case.claimant, "other": case.other}
    if case.explanation["because"] in ("incomplete", "closed"):
        return _("Only a full side can claim an open flag.")
    if not case.explanation["theirs"]["free"]:
        return _("Both sides are full, so the two formations are compared.") % words
    if case.is_own:
        return (
            _("%(other)s still has room here, so you must prove that no unseen troop could beat your formation.")
            % words
        )
    return (
        _("%(other)s still has room here, so %(claimant)s must prove that no unseen troop could beat its formation.")
        % words
    )


def describe_best(case: ClaimCase, free: int) -> str:
    """Return what the other side has, or can still reach with `free` places."""
    if case.best is None:
        return _("Can't be filled")
    held = case.formation_with_sum(case.best)
    return (_("At best %(held)s") % {"held": held}) if free else held.capitalize()


def list_telling_replies(case: ClaimCase) -> list[Json]:
    """Return the kinds that decide: down to the best one that the other side can reach, and the claimant's own.

    Below its best the other side is weaker, and the troops that come could make a stronger kind than the one named.
    """
    replies, mine = case.explanation["replies"], case.explanation["mine"]
    last = replies.index(case.best) if case.best else len(replies) - 1
    return [one for place, one in enumerate(replies) if place <= last or one["formation"] == mine["formation"]]


def describe_formation_in_proof(reply: Json, case: ClaimCase) -> FormationRung:
    """Return one kind of formation, and how far the other side gets with it."""
    kind, mine = reply["formation"], case.explanation["mine"]
    picture = "fog" if case.is_sum else kind
    reason = describe_reason(reply, case)
    if kind == mine["formation"]:
        words = {"seat": case.claimant, "sum": mine["sum"], "other": case.other, "reason": reason}
        if reply["cards"] is not None and reply is not case.best:
            sentence = _("You hold {sum}.") if case.is_own else _("{seat} holds {sum}.")
        elif reply["cards"] is not None:
            sentence = _("You have {sum}; {reason}") if case.is_own else _("{seat} has {sum}; {reason}")
        else:
            template, own = _("{seat} has {sum}. {other}: {reason}"), _("You have {sum}. {other}: {reason}")
            sentence = own if case.is_own else template
        return FormationRung(picture, case.formation(kind), format_sentence(sentence, **words), case.seat)
    return FormationRung(picture, case.formation(kind), reason, 1 - case.seat if reply is case.best else None)


def describe_reason(reply: Json, case: ClaimCase) -> Sentence | str:
    """Return why the other side can't reach this kind, or how far it gets."""
    why = reply["why"]
    if reply["cards"] is not None:
        sentences = {
            (True, False): _("{other} reaches {sum} with {cards}"),
            (True, True): _("{other} only ties with {cards}"),
            (False, False): _("{other} has {sum}"),
            (False, True): _("{other} has {sum} too"),
        }
        sentence = sentences[bool(reply["cards"]), why == "equal"]
        return format_sentence(sentence, other=case.other, sum=reply["sum"], cards=case.wording.tokens(reply["cards"]))
    if why == "gone" and reply.get("gone"):
        if len(reply["gone"]) > MAX_CARDS_LISTED:
            return _("its troops are face up")
        gone = len(reply["gone"])
        return format_sentence(
            ngettext("{cards} is face up", "{cards} are face up", gone),
            cards=case.wording.tokens(reply["gone"]),
        )
    if read_ground_flags(case.flag, 1 - case.seat) & GROUND_IGNORES_HIGHEST and why == "gone":
        return _("no unseen troops fit") if case.explanation["theirs"]["free"] else _("its cards don't fit")
    return {
        "colours": _("the colours differ"),
        "values": _("the numbers don't fit"),
        "apart": _("numbers too far apart"),
        "short": _("too few unseen troops"),
    }.get(why, _("its troops are face up"))


def describe_verdict(case: ClaimCase) -> Sentence | str:
    """Return whether the claim holds, and why."""
    because, refutation = case.explanation["because"], case.explanation["refutation"]
    words = {
        "claimant": case.claimant,
        "other": case.other,
        "best": case.formation_with_sum(case.best) if case.best else "",
    }
    if refutation:
        sentence = _("The claim doesn't hold: {other} can still reach {best} with {cards}.")
        return format_sentence(sentence, **words, cards=case.wording.tokens(refutation))
    if case.is_own and because in ("tie-last", "incomplete"):
        return {
            "tie-last": _("The claim doesn't hold: both sides are equal, and you placed the last card."),
            "incomplete": _("The claim doesn't hold: your side isn't full."),
        }[because]
    sentences = {
        "beats-all": _("The claim holds: the best %(other)s can still reach is %(best)s."),
        "short": _("The claim holds: too few troops are unseen for %(other)s to fill its side."),
        "tie-first": _("The claim holds: both sides are equal, and %(other)s placed the last card."),
        "tie-last": _("The claim doesn't hold: both sides are equal, and %(claimant)s placed the last card."),
        "beaten": _("The claim doesn't hold: %(other)s has %(best)s."),
        "incomplete": _("The claim doesn't hold: %(claimant)s's side isn't full."),
        "closed": _("The claim doesn't hold: the flag is already claimed."),
    }
    return sentences.get(because, _("The claim doesn't hold.")) % words


def list_notes(case: ClaimCase, copies: int) -> list[GroundNote]:
    """Return what is different at this flag, or with this deck."""
    tile, wording = case.flag["tile"], case.wording
    notes = []
    if tile in DEFENDING_SEAT_BY_TILE:
        words = {"tile": wording.tile(tile).name, "seat": wording.seat(DEFENDING_SEAT_BY_TILE[tile])}
        notes.append(
            GroundNote(_("%(tile)s: %(seat)s needs one more card, and its highest doesn't count.") % words, "BL-60")
        )
    if tile == RIVER:
        notes.append(GroundNote(_("River: four cards a side."), "BL-62"))
    if case.flag["mud"]:
        notes.append(GroundNote(_("Mud: one more card for each side."), "BL-14"))
    if case.is_low:
        notes.append(GroundNote(_("Hills: of equal formations, the lower total wins."), "BL-66"))
    if tile == WOODLAND:
        notes.append(GroundNote(_("Woodland: no formations, only the total."), "BL-67"))
    if case.flag["fog"]:
        notes.append(GroundNote(_("Fog: no formations, only the total."), "BL-13"))
    if copies > 1:
        notes.append(
            GroundNote(_("The deck has two of every troop, so if one is face up, the other can still appear."), "BL-11")
        )
    return notes


# The claim that came nearest to being refuted, in words and as a small picture.
#
# Reads what `engine.games.battleline.narrow_claims` gives.


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
    only = _("Only %(card)s could have stopped it, and %(when)s.")
    last = _("Of the %(count)d cards that could have stopped it, %(card)s was the last to appear: %(when)s.")
    when = ngettext(
        "%(player)s had played it %(turns)d turn earlier",
        "%(player)s had played it %(turns)d turns earlier",
        facts["turns"],
    )
    if not facts["turns"]:
        when = _("%(player)s had just played it")
    lies = _("at flag %(flag)s") % {"flag": facts["lies_at"]} if facts["lies_at"] else ""
    sentence = only if facts["refuters"] == 1 else last
    return CloseCallTold(
        headline=_("%(seat)s claims flag %(flag)s thanks to %(card)s") % words,
        sentence=sentence % {**words, "when": when % words},
        board=ClaimPicture(
            claimant=seat,
            names=(wording.seat(0), wording.seat(1)),
            mine=list_close_call_faces(wording, facts["mine"]),
            theirs=list_close_call_faces(wording, facts["theirs"]),
            free=range(facts["free"]),
            card=list_close_call_faces(wording, [facts["card"]])[0],
            lies=lies,
        ),
    )


def list_close_call_faces(wording: Wording, cards: Sequence[str]) -> list[Face]:
    """Return how cards look that nobody follows from place to place."""
    return [replace(wording.face(card), key="") for card in cards]
