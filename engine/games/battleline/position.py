"""The state of the table: hands, decks and flags, and what each seat knows of them."""

from dataclasses import dataclass, field
from typing import Any, Final, Self, TypeVar

from engine.compiling import mypyc_attr
from engine.games.battleline.cards import (
    CARD_NAMES_BY_COLOURS,
    FIRST_TACTIC,
    SECOND_COPY_SHIFT_BITS,
    TACTIC_DECK,
    TROOP_DECK,
    add_card,
    is_troop,
    remove_card,
)
from engine.games.battleline.formations import GROUND_IGNORES_HIGHEST, GROUND_LOW_SUM_WINS, GROUND_SUM_ONLY
from engine.games.battleline.moves import Placings, get_placings
from engine.games.battleline.options import Rules
from engine.games.battleline.tiles import DEFENDING_SEAT_BY_TILE, HILLS, RIVER, WOODLAND, Draft

# Keep what was computed of a flag until something changes there.


class FlagCache:
    """Hold the view of a flag and its numbers for learners, each once it was computed."""

    __slots__ = ("blocks", "view")

    def __init__(self) -> None:
        self.view: dict[str, Any] | None = None
        """The part of a view that describes this flag, the same for both seats."""
        self.blocks: list[bytes | None] = [None, None]
        """The part of a vector that describes it, by seat (see `vectors`)."""


# Track what a seat knows of cards it doesn't see.
#
# These are the cards it has put back itself, wherever they may have gone since, and the King dealt to the other seat.
# Only what the rules let a seat know is kept, so that dealing the rest anew gives a table it can't distinguish from
# this one.

Place = tuple[int, int]
"""A card in a deck: (deck, index), the bottom one having index 0."""


@dataclass(slots=True)
class Trace:
    """A card known to have come to the other: it is in the other's hand, or was put back at one of these places."""

    card: int
    deck: int
    places: set[Place] = field(default_factory=set)


@dataclass(slots=True)
class Knowledge:
    """The hidden cards one seat knows of."""

    own_places: set[Place] = field(default_factory=set)
    """Cards in the decks that this seat has put there, and nobody has drawn."""
    traces: list[Trace] = field(default_factory=list)

    def copy(self) -> Self:
        """Return an independent copy."""
        traces = [Trace(trace.card, trace.deck, set(trace.places)) for trace in self.traces]
        return type(self)(set(self.own_places), traces)

    def record_returned_card(self, place: Place) -> None:
        """Record that this seat put a card back at a place."""
        self.own_places.add(place)

    def record_hidden_return(self, place: Place) -> None:
        """Record that the other put a card back unseen: it may be any of those known to be held."""
        for trace in self.traces:
            if trace.deck == place[0]:
                trace.places.add(place)

    def record_own_draw(self, place: Place, card: int) -> None:
        """Record that this seat drew, and saw, the card at a place."""
        self.own_places.discard(place)
        self._forget([trace for trace in self.traces if trace.card == card and place in trace.places])
        for trace in self.traces:
            trace.places.discard(place)

    def record_hidden_draw(self, place: Place, card: int) -> None:
        """Record that the other drew the card at a place."""
        if place in self.own_places:
            self.own_places.remove(place)
            self.traces.append(Trace(card, place[0]))
        for trace in self.traces:
            trace.places.discard(place)

    def forget_revealed_card(self, card: int) -> None:
        """Forget a card that the other played."""
        self._forget([trace for trace in self.traces if trace.card == card])

    def _forget(self, equal: list[Trace]) -> None:
        """Forget one of these equal traces. Of two copies, what is left may still be wherever either may be."""
        if equal:
            self.traces.remove(min(equal, key=lambda trace: len(trace.places)))


# The state of the table: hands, decks and flags. The rules themselves are in the modules that import this one.

PLAY: Final = "play"
FINISH: Final = "finish"
SCOUTING: Final = "scout"
RETURNING: Final = "return"
AT_MARSHES: Final = "marshes"
AT_WATCHTOWER: Final = "watchtower"
DRAFTING: Final = "draft"
LAYING: Final = "lay"
DEALT: Final = 0
ACTED: Final = 1
DREW: Final = 2
AWARDED: Final = 3
FORFEITED: Final = 4
TILES_SHOWN: Final = 5
PACKET: Final = 6
"""Kinds of log entries."""
Entry = tuple[int, int, Any, int | None]
"""Kind, seat, datum, card: the datum is a hand, move, deck, flag, verdict, or some tiles."""


T = TypeVar("T")
Row = tuple[T, ...]


@mypyc_attr(allow_interpreted_subclasses=True)
class Position:
    """The table of one play. Flags count from 0 here, from 1 in public."""

    __slots__ = (
        "rules",
        "names",
        "to_act",
        "decision",
        "resume",
        "turn",
        "ply",
        "passed",
        "draws_left",
        "scouted",
        "claimed_before_play",
        "at",
        "fields_left",
        "clock",
        "unseen",
        "owner",
        "unclaimed",
        "fog",
        "fog_by",
        "mud",
        "mud_by",
        "tiles",
        "leader_played",
        "hands",
        "decks",
        "tactics_played",
        "discards",
        "sides",
        "stamps",
        "sets",
        "slots",
        "grounds",
        "draft",
        "knowledge",
        "tracks_knowledge",
        "placings",
        "claimable",
        "refutations",
        "flag_caches",
        "log",
        "log_size",
    )

    def __init__(  # noqa: PLR0915 - a line a field
        self, rules: Rules, hands: tuple[list[int], list[int]], troops: list[int], tactics: list[int]
    ) -> None:
        """Take `troops` and `tactics`, the decks after the deal, top first."""
        self.rules = rules
        self.names = CARD_NAMES_BY_COLOURS[rules.colours]
        self.to_act: int | None = 0
        self.decision = PLAY
        self.resume = PLAY
        """The decision that a tile's decision interrupts."""
        self.turn = 1
        self.ply = 0
        self.passed = False
        """The turn before was a pass (BL-24)."""
        self.draws_left = 0
        """Draws of a Scout still to come (BL-35)."""
        self.scouted = False
        """This turn ends without a draw."""
        self.claimed_before_play = False
        """A flag was claimed at the start of this turn (BL-1)."""
        self.at = 0
        """The flag whose tile asks for a decision (BL-61, BL-63)."""
        self.fields_left = 0
        """Troops that Fields still asks back (BL-65)."""
        self.clock = 0
        """Cards placed so far."""
        self.unseen = full_deck(len(rules.colours), rules.copies, rules.values)
        """Troops not face up on the table (BL-16)."""
        flags = rules.flags
        self.owner: Row[int | None] = (None,) * flags
        self.unclaimed: Row[int] = tuple(range(flags))
        self.fog: Row[bool] = (False,) * flags
        self.mud: Row[bool] = (False,) * flags
        self.fog_by: Row[int | None] = (None,) * flags
        self.mud_by: Row[int | None] = (None,) * flags
        """Who played Fog and Mud; None where nobody did, or where a bot's view didn't say so."""
        self.tiles: Row[str | None] = (None,) * flags
        """Tiles in force."""
        self.leader_played: Row[bool] = (False, False)
        self.hands = hands
        self.decks = (troops[::-1], tactics[::-1])
        """Top last."""
        self.tactics_played: Row[Row[int]] = ((), ())
        self.discards: Row[Row[int]] = ((), ())
        self.sides: tuple[list[Row[int]], list[Row[int]]] = ([()] * flags, [()] * flags)
        """Cards by seat and flag, in order of placing."""
        self.stamps: tuple[list[Row[int]], list[Row[int]]] = ([()] * flags, [()] * flags)
        """The clock at which each of them was placed."""
        self.sets = ([0] * flags, [0] * flags)
        """The same sides as card sets."""
        self.slots: Row[Row[int]] = ((3,) * flags, (3,) * flags)
        """Cards of a complete side by seat and flag (BL-3, BL-14, BL-60)."""
        self.grounds: Row[Row[int]] = ((0,) * flags, (0,) * flags)
        """What the ground does to a side (see `formations`), by seat and flag."""
        self.draft: Draft | None = None
        """What is still to be drafted and laid (BL-70)."""
        self.knowledge = (Knowledge(), Knowledge())
        self.tracks_knowledge = False
        """There may be something in the knowledge. Copies share them until then."""
        self.placings: list[Placings | None] = [None, None]
        """By seat: where it may place a card, once computed."""
        self.claimable: list[list[int] | None] = [None, None]
        """By seat: flags to try the proof at, once computed (see `legal`)."""
        self.refutations = ([0] * flags, [0] * flags)
        """By seat and flag: unseen troops found to refute the seat's claim; 0 where none are known."""
        self.flag_caches: list[FlagCache | None] = [None] * flags
        """By flag: its cache, dropped whenever something changes there."""
        self.log: list[Entry] = [(DEALT, seat, tuple(hands[seat]), None) for seat in (0, 1)]
        """Shared with copies, and so perhaps longer than `log_size`, until either of them adds an entry."""
        self.log_size = 2
        """The number of log entries that are this table's own."""

    def copy(self) -> Self:  # noqa: PLR0915 - a line a field
        """Return an independent copy.

        What changes with every card is a list, and copied; what rarely does is a tuple, and shared. One line a field: a
        loop over their names takes twice as long, and an instance's dictionary 1.2 KB more.
        """
        kind = type(self)
        twin = kind.__new__(kind)
        twin.rules = self.rules
        twin.names = self.names
        twin.to_act = self.to_act
        twin.decision = self.decision
        twin.resume = self.resume
        twin.turn = self.turn
        twin.ply = self.ply
        twin.passed = self.passed
        twin.draws_left = self.draws_left
        twin.scouted = self.scouted
        twin.claimed_before_play = self.claimed_before_play
        twin.at = self.at
        twin.fields_left = self.fields_left
        twin.clock = self.clock
        twin.unseen = self.unseen
        twin.owner = self.owner
        twin.unclaimed = self.unclaimed
        twin.fog = self.fog
        twin.mud = self.mud
        twin.fog_by = self.fog_by
        twin.mud_by = self.mud_by
        twin.tiles = self.tiles
        twin.leader_played = self.leader_played
        twin.hands = self.hands[0].copy(), self.hands[1].copy()
        twin.decks = self.decks[0].copy(), self.decks[1].copy()
        twin.tactics_played = self.tactics_played
        twin.discards = self.discards
        twin.sides = self.sides[0].copy(), self.sides[1].copy()
        twin.stamps = self.stamps[0].copy(), self.stamps[1].copy()
        twin.sets = self.sets[0].copy(), self.sets[1].copy()
        twin.slots = self.slots
        twin.grounds = self.grounds
        twin.draft = self.draft
        twin.knowledge = self.knowledge
        twin.tracks_knowledge = self.tracks_knowledge
        twin.placings = self.placings.copy()
        twin.claimable = self.claimable.copy()
        twin.refutations = self.refutations[0].copy(), self.refutations[1].copy()
        twin.flag_caches = self.flag_caches.copy()
        twin.log = self.log
        twin.log_size = self.log_size
        if self.tracks_knowledge:
            twin.knowledge = (self.knowledge[0].copy(), self.knowledge[1].copy())
        if self.draft is not None:
            twin.draft = self.draft.copy()
        return twin

    def record(self, kind: int, seat: int, datum: Any, card: int | None = None) -> None:
        """Add an entry to the log."""
        if len(self.log) != self.log_size:
            self.log = self.log[: self.log_size]
        self.log.append((kind, seat, datum, card))
        self.log_size += 1

    def find_placings(self, seat: int) -> Placings:
        """Return where the seat may place a card (BL-3, BL-5)."""
        found = self.placings[seat]
        if found is None:
            slots, sides = self.slots[seat], self.sides[seat]
            free = tuple([flag for flag in self.unclaimed if len(sides[flag]) < slots[flag]])
            found = self.placings[seat] = get_placings(free)
        return found

    def list_lying_cards(self, seat: int) -> list[int]:
        """Return card and flag, as the fields of a move, of the cards of the seat's side at every unclaimed flag.

        Of equal cards at a flag there is one.
        """
        sides, sets = self.sides[seat], self.sets[seat]
        found = []
        for flag in self.unclaimed:
            cards = sides[flag]
            if sets[flag] >> SECOND_COPY_SHIFT_BITS:
                cards = tuple(dict.fromkeys(cards))
            for card in cards:
                found.append(card << 8 | flag << 4)
        return found

    def forget_flags(self) -> None:
        """Drop cached values of `placings` and `claimable`."""
        self.placings = [None, None]
        self.claimable = [None, None]

    def forget_proofs(self, flag: int) -> None:
        """Drop what is cached of proofs at the flag."""
        self.refutations[0][flag] = self.refutations[1][flag] = 0
        self.flag_caches[flag] = None
        self.forget_flags()

    def claim(self, seat: int, flag: int) -> None:
        """Give the flag to the seat."""
        self.owner = replace_item(self.owner, flag, seat)
        self.unclaimed = tuple([other for other in self.unclaimed if other != flag])
        self.flag_caches[flag] = None
        self.forget_flags()

    def lay_fog(self, flag: int, seat: int | None = None) -> None:
        """Lay Fog at the flag, played by this seat (BL-13)."""
        self.fog = replace_item(self.fog, flag, True)
        self.fog_by = replace_item(self.fog_by, flag, seat)
        self.change_ground(flag, GROUND_SUM_ONLY)

    def lay_mud(self, flag: int, seat: int | None = None) -> None:
        """Lay Mud at the flag, played by this seat (BL-14)."""
        self.mud = replace_item(self.mud, flag, True)
        self.mud_by = replace_item(self.mud_by, flag, seat)
        self.add_slots(flag)

    def lay_tile(self, flag: int, tile: str) -> None:
        """Put a tile into force (BL-60 to BL-67)."""
        self.tiles = replace_item(self.tiles, flag, tile)
        if tile == RIVER:
            self.add_slots(flag)
        elif tile == WOODLAND:
            self.change_ground(flag, GROUND_SUM_ONLY)
        elif tile == HILLS:
            self.change_ground(flag, GROUND_LOW_SUM_WINS)
        elif tile in DEFENDING_SEAT_BY_TILE:
            self.add_slot(DEFENDING_SEAT_BY_TILE[tile], flag)
            self.add_ground(DEFENDING_SEAT_BY_TILE[tile], flag, GROUND_IGNORES_HIGHEST)
        self.forget_proofs(flag)

    def change_ground(self, flag: int, ground: int) -> None:
        """Change the ground of both sides of a flag."""
        for seat in (0, 1):
            self.add_ground(seat, flag, ground)
        self.forget_proofs(flag)

    def add_slots(self, flag: int) -> None:
        """Add a slot to both sides of a flag."""
        for seat in (0, 1):
            self.add_slot(seat, flag)
        self.forget_proofs(flag)

    def add_ground(self, seat: int, flag: int, ground: int) -> None:
        """Change the ground of one side of a flag."""
        grounds = self.grounds[seat]
        self.grounds = replace_item(self.grounds, seat, replace_item(grounds, flag, grounds[flag] | ground))

    def add_slot(self, seat: int, flag: int) -> None:
        """Add a slot to one side of a flag."""
        slots = self.slots[seat]
        self.slots = replace_item(self.slots, seat, replace_item(slots, flag, slots[flag] + 1))

    def last_seat(self, flag: int) -> int | None:
        """Return the seat that placed the latest of the cards still lying at the flag (BL-15)."""
        first, second = self.stamps[0][flag], self.stamps[1][flag]
        if not first or not second:
            return 0 if first else 1 if second else None
        return 0 if first[-1] > second[-1] else 1

    def place(self, card: int, seat: int, flag: int) -> None:
        """Place a card on the seat's side of a flag."""
        self.clock += 1
        side = self.sides[seat][flag] = self.sides[seat][flag] + (card,)
        self.stamps[seat][flag] += (self.clock,)
        self.sets[seat][flag] = add_card(self.sets[seat][flag], card)
        self.refutations[1 - seat][flag] = 0
        self.flag_caches[flag] = None
        if len(side) >= self.slots[seat][flag]:
            self.placings[seat] = None
            self.claimable[seat] = None
            if len(self.sides[1 - seat][flag]) >= self.slots[1 - seat][flag]:
                self.claimable[1 - seat] = None

    def lift(self, card: int, seat: int, flag: int) -> None:
        """Take a card off the flag; of two equal ones the earlier placed."""
        side, stamps = self.sides[seat][flag], self.stamps[seat][flag]
        place = side.index(card)
        self.sides[seat][flag] = side[:place] + side[place + 1 :]
        self.stamps[seat][flag] = stamps[:place] + stamps[place + 1 :]
        self.sets[seat][flag] = remove_card(self.sets[seat][flag], card)
        self.forget_proofs(flag)

    def discard(self, card: int, seat: int, flag: int) -> None:
        """Move a card from the seat's side of a flag to its discard."""
        self.lift(card, seat, flag)
        self.discards = replace_item(self.discards, seat, (*self.discards[seat], card))

    def add_tactic_played(self, seat: int, card: int) -> None:
        """Add a card to the tactics the seat has played."""
        self.tactics_played = replace_item(self.tactics_played, seat, (*self.tactics_played[seat], card))

    def leave_hand(self, seat: int, card: int) -> None:
        """Take a card out of the seat's hand, to be played."""
        self.hands[seat].remove(card)
        if card < FIRST_TACTIC:
            self.unseen = remove_card(self.unseen, card)
        if self.tracks_knowledge:
            self.knowledge[1 - seat].forget_revealed_card(card)

    def draw(self, seat: int, deck: int) -> None:
        """Draw the top card of a deck."""
        cards = self.decks[deck]
        card = cards.pop()
        self.hands[seat].append(card)
        if self.tracks_knowledge:
            place = (deck, len(cards))
            self.knowledge[seat].record_own_draw(place, card)
            self.knowledge[1 - seat].record_hidden_draw(place, card)
        self.record(DREW, seat, deck, card)

    def start_tracking(self) -> None:
        """Begin to keep what each seat knows of hidden cards."""
        if not self.tracks_knowledge:
            self.tracks_knowledge = True
            self.knowledge = (Knowledge(), Knowledge())

    def put_back(self, seat: int, card: int) -> None:
        """Put a card of the hand face down on top of its own deck."""
        self.start_tracking()
        deck = TROOP_DECK if is_troop(card) else TACTIC_DECK
        place = (deck, len(self.decks[deck]))
        self.hands[seat].remove(card)
        self.decks[deck].append(card)
        self.knowledge[seat].record_returned_card(place)
        self.knowledge[1 - seat].record_hidden_return(place)


def replace_item(row: tuple[T, ...], place: int, value: T) -> tuple[T, ...]:
    """Return the row with another value at one place."""
    return (*row[:place], value, *row[place + 1 :])


def full_deck(colours: int, copies: int, values: int = 10) -> int:
    """Return all troops as a card set."""
    once = sum([((1 << values) - 1) << 10 * colour for colour in range(colours)])
    return once | once << SECOND_COPY_SHIFT_BITS if copies == 2 else once
