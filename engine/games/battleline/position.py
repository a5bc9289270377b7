"""What lies where: hands, decks, flags, and who knows what. The rules themselves are in the modules above this one."""

from typing import Any, Self

from engine.games.battleline.cards import BANK, FIRST_TACTIC, NAMES, add, is_troop, take
from engine.games.battleline.draft import Draft
from engine.games.battleline.formations import LOW, SPARE, SUM_ONLY
from engine.games.battleline.memory import Memory
from engine.games.battleline.options import Rules
from engine.games.battleline.tiles import DEFENDER, HILLS, RIVER, WOODLAND

PLAY, FINISH, SCOUTING, RETURNING = "play", "finish", "scout", "return"
AT_MARSHES, AT_WATCHTOWER, DRAFTING, LAYING = "marshes", "watchtower", "draft", "lay"
TROOP_DECK, TACTIC_DECK = 0, 1
DECK_NAMES = ("troop", "tactic")

DEALT, ACTED, DREW, AWARDED, FORFEITED, TILES_SHOWN, PACKET = range(7)
"""Kinds of log entries (kind, seat, datum, card): the datum is a hand, move, deck, flag, verdict, or some tiles."""


class Position:
    """The table of one play. Flags count from 0 here, from 1 in public."""

    def __init__(  # noqa: PLR0915 - a line a field
        self, rules: Rules, hands: tuple[list[int], list[int]], troops: list[int], tactics: list[int]
    ) -> None:
        """`troops` and `tactics` are the decks after the deal, top first."""
        self.rules = rules
        self.names = NAMES[rules.colours]
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
        self.at = 0
        """The flag whose tile asks for a decision (BL-61, BL-63)."""
        self.fields_left = 0
        """Troops that Fields still asks back (BL-65)."""
        self.clock = 0
        """Cards placed so far."""
        self.unseen = full_deck(len(rules.colours), rules.copies)
        """Troops not face up on the table (BL-16)."""
        flags = rules.flags
        self.owner: list[int | None] = [None] * flags
        self.fog = [False] * flags
        self.mud = [False] * flags
        self.tiles: list[str | None] = [None] * flags
        """Tiles in force."""
        self.leader_played = [False, False]
        self.hands = hands
        self.decks = (troops[::-1], tactics[::-1])
        """Top last."""
        self.tactics_played: tuple[list[int], list[int]] = ([], [])
        self.discards: tuple[list[int], list[int]] = ([], [])
        self.sides: tuple[list[list[int]], list[list[int]]] = ([[] for _ in range(flags)], [[] for _ in range(flags)])
        """Cards by seat and flag, in order of placing."""
        self.stamps: tuple[list[list[int]], list[list[int]]] = ([[] for _ in range(flags)], [[] for _ in range(flags)])
        """The clock at which each of them was placed."""
        self.sets = ([0] * flags, [0] * flags)
        """The same sides as card sets."""
        self.slots = ([3] * flags, [3] * flags)
        """Cards of a complete side by seat and flag (BL-3, BL-14, BL-60)."""
        self.grounds = ([0] * flags, [0] * flags)
        """What the ground does to a side (see `formations`), by seat and flag."""
        self.draft: Draft | None = None
        """What is still to be drafted and laid (BL-70)."""
        self.memories = (Memory(), Memory())
        self.put_any_back = False
        self.free: list[tuple[int, ...] | None] = [None, None]
        self.claimable: list[list[int] | None] = [None, None]
        """By seat: flags to try the proof at, once somebody has asked (see `legal`)."""
        self.refutations = ([0] * flags, [0] * flags)
        """By seat and flag: unseen troops found to refute the seat's claim; 0 where none are known."""
        self.flag_views: list[dict[str, Any] | None] = [None] * flags
        """What all may see of each flag, once somebody has looked (see `view`)."""
        self.log: list[tuple[int, int, Any, Any]] = [(DEALT, seat, tuple(hands[seat]), None) for seat in (0, 1)]

    def copy(self) -> Self:
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        for name in ("owner", "fog", "mud", "tiles", "leader_played", "free", "claimable", "flag_views", "log"):
            twin.__dict__[name] = self.__dict__[name][:]
        for name in COPIED_PAIRS:
            first, second = self.__dict__[name]
            twin.__dict__[name] = (first.copy(), second.copy())
        for name in ("sides", "stamps"):
            first, second = self.__dict__[name]
            twin.__dict__[name] = ([cards[:] for cards in first], [cards[:] for cards in second])
        if self.draft is not None:
            twin.draft = self.draft.copy()
        return twin

    def free_flags(self, seat: int) -> tuple[int, ...]:
        """Flags where the seat may place a card (BL-3, BL-5)."""
        free = self.free[seat]
        if free is None:
            slots = self.slots[seat]
            free = self.free[seat] = tuple(
                [
                    flag
                    for flag, cards in enumerate(self.sides[seat])
                    if self.owner[flag] is None and len(cards) < slots[flag]
                ]
            )
        return free

    def open_flags(self) -> list[int]:
        """Unclaimed flags."""
        return [flag for flag, owner in enumerate(self.owner) if owner is None]

    def cards_at_open_flags(self, seat: int) -> list[tuple[int, int]]:
        """(flag, card) of the seat's side at every unclaimed flag, equal cards of a flag once."""
        return [(flag, card) for flag in self.open_flags() for card in dict.fromkeys(self.sides[seat][flag])]

    def forget_flags(self) -> None:
        """Something changed that `free` and `claimable` depend on."""
        self.free = [None, None]
        self.claimable = [None, None]

    def forget_proofs(self, flag: int) -> None:
        """Something changed that a proof at the flag depends on."""
        self.refutations[0][flag] = self.refutations[1][flag] = 0
        self.flag_views[flag] = None
        self.forget_flags()

    def claim(self, seat: int, flag: int) -> None:
        self.owner[flag] = seat
        self.flag_views[flag] = None
        self.forget_flags()

    def lay_fog(self, flag: int) -> None:
        """BL-13."""
        self.fog[flag] = True
        self.change_ground(flag, SUM_ONLY)

    def lay_mud(self, flag: int) -> None:
        """BL-14."""
        self.mud[flag] = True
        self.add_slots(flag)

    def lay_tile(self, flag: int, tile: str) -> None:
        """Put a tile into force (BL-60 to BL-67)."""
        self.tiles[flag] = tile
        if tile == RIVER:
            self.add_slots(flag)
        elif tile == WOODLAND:
            self.change_ground(flag, SUM_ONLY)
        elif tile == HILLS:
            self.change_ground(flag, LOW)
        elif tile in DEFENDER:
            self.slots[DEFENDER[tile]][flag] += 1
            self.grounds[DEFENDER[tile]][flag] |= SPARE
        self.forget_proofs(flag)

    def change_ground(self, flag: int, ground: int) -> None:
        for seat in (0, 1):
            self.grounds[seat][flag] |= ground
        self.forget_proofs(flag)

    def add_slots(self, flag: int) -> None:
        for seat in (0, 1):
            self.slots[seat][flag] += 1
        self.forget_proofs(flag)

    def last_seat(self, flag: int) -> int | None:
        """The seat that placed the latest of the cards still lying at the flag (BL-15)."""
        first, second = self.stamps[0][flag], self.stamps[1][flag]
        if not first or not second:
            return 0 if first else 1 if second else None
        return 0 if first[-1] > second[-1] else 1

    def place(self, card: int, seat: int, flag: int) -> None:
        self.clock += 1
        self.sides[seat][flag].append(card)
        self.stamps[seat][flag].append(self.clock)
        self.sets[seat][flag] = add(self.sets[seat][flag], card)
        self.refutations[1 - seat][flag] = 0
        self.flag_views[flag] = None
        if len(self.sides[seat][flag]) >= self.slots[seat][flag]:
            self.forget_flags()

    def lift(self, card: int, seat: int, flag: int) -> None:
        """Take a card off the flag; of two equal ones the earlier placed."""
        place = self.sides[seat][flag].index(card)
        del self.sides[seat][flag][place]
        del self.stamps[seat][flag][place]
        self.sets[seat][flag] = take(self.sets[seat][flag], card)
        self.forget_proofs(flag)

    def discard(self, card: int, seat: int, flag: int) -> None:
        """From the seat's side of a flag to its discard."""
        self.lift(card, seat, flag)
        self.discards[seat].append(card)

    def leave_hand(self, seat: int, card: int) -> None:
        """A card leaves the seat's hand for the table."""
        self.hands[seat].remove(card)
        if card < FIRST_TACTIC:
            self.unseen = take(self.unseen, card)
        if self.memories[1 - seat].traces:
            self.memories[1 - seat].other_showed(card)

    def draw(self, seat: int, deck: int) -> None:
        cards = self.decks[deck]
        card = cards.pop()
        self.hands[seat].append(card)
        if self.put_any_back:
            place = (deck, len(cards))
            self.memories[seat].own_draw(place, card)
            self.memories[1 - seat].other_draw(place, card)
        self.log.append((DREW, seat, deck, card))

    def put_back(self, seat: int, card: int) -> None:
        """A card goes from the hand face down on top of its own deck."""
        self.put_any_back = True
        deck = TROOP_DECK if is_troop(card) else TACTIC_DECK
        place = (deck, len(self.decks[deck]))
        self.hands[seat].remove(card)
        self.decks[deck].append(card)
        self.memories[seat].own_put_back(place)
        self.memories[1 - seat].other_put_back(place)


COPIED_PAIRS = (
    "hands",
    "decks",
    "tactics_played",
    "discards",
    "sets",
    "slots",
    "grounds",
    "memories",
    "refutations",
)


def full_deck(colours: int, copies: int) -> int:
    """All troops as a card set."""
    once = (1 << 10 * colours) - 1
    return once | once << BANK if copies == 2 else once
