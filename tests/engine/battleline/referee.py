"""A second referee of Battle Line without tactics and tiles, written from the rules' text and the protocol's alone.

It plays beside the engine: the same legal actions, the same views, the same events, the same end. Cards are public
names. A claim is proved by trying every way to fill the other side from the troops that are not face up on the table.
Nothing is shared with the engine, nor with the oracle of single claims: no code, no tables, no numbering.
"""

from collections.abc import Iterator
from itertools import combinations
from typing import Any

Event = dict[str, Any]
KINDS = ("host", "skirmish", "battalion", "phalanx", "wedge")
"""From the weakest (BL-10)."""
SIDE = 3


def judge(cards: tuple[str, ...]) -> tuple[int, int]:
    """Kind and sum of a complete side (BL-10)."""
    values = sorted(int(card[1:]) for card in cards)
    same_colour = len({card[0] for card in cards}) == 1
    in_a_row = values == list(range(values[0], values[0] + SIDE))
    if same_colour and in_a_row:
        kind = "wedge"
    elif values[0] == values[-1]:
        kind = "phalanx"
    elif same_colour:
        kind = "battalion"
    elif in_a_row:
        kind = "skirmish"
    else:
        kind = "host"
    return KINDS.index(kind), sum(values)


class Referee:
    """One play by these options. It is told only actions that are legal."""

    def __init__(self, options: Event, troops: list[str]) -> None:
        assert not options["tactics"] and options["tiles"] == "none" and options["copies"] == 1
        self.options = options
        size = options["hand"]
        self.hands = [troops[:size], troops[size : 2 * size]]
        self.deck = troops[2 * size :]
        self.sides: list[list[list[str]]] = [[[], []] for _ in range(options["flags"])]
        self.last: list[int | None] = [None] * options["flags"]
        self.owner: list[int | None] = [None] * options["flags"]
        self.to_act: int | None = 0
        self.turn, self.decision = 1, "play"
        self.claimed_before_playing, self.passed_before = False, False
        self.result: tuple[tuple[float, ...], str] | None = None
        """The scores and the reason."""
        self.log: list[tuple[int | None, Event, Event | None]] = []
        """Who knows all of an event (None: everybody), the event, and what the other is told."""
        self.tries = 0
        """Ways to fill a side that were tried."""
        for seat in (0, 1):
            self.log.append((seat, {"event": "deal", "seat": seat, "hand": [*self.hands[seat]]}, None))

    # What may be done.

    def legal(self) -> set[str]:
        if self.to_act is None:
            return set()
        seat = self.to_act
        if self.decision == "play":
            places = [flag for flag in self.open_flags() if len(self.sides[flag][seat]) < SIDE]
            plays = {f"play {card} {flag + 1}" for card in self.hands[seat] for flag in places}
            return self.claims(seat) | (plays or {"pass"})
        ending = {"draw troop"} if self.may_draw(seat) else {"done"}
        return ending | (self.claims(seat) if self.may_claim_after_playing() else set())

    def may_draw(self, seat: int) -> bool:
        """BL-4: below the size of a hand, while there is a deck."""
        return len(self.hands[seat]) < self.options["hand"] and bool(self.deck)

    def may_claim_after_playing(self) -> bool:
        """BL-1, BL-82."""
        claims = self.options["claims"]
        return claims == "any" or (claims == "either" and not self.claimed_before_playing)

    def open_flags(self) -> list[int]:
        return [flag for flag, owner in enumerate(self.owner) if owner is None]

    def claims(self, seat: int) -> set[str]:
        return {f"claim {flag + 1}" for flag in self.open_flags() if self.holds(seat, flag)}

    def holds(self, seat: int, flag: int) -> bool:
        """BL-16, BL-18, BL-19, BL-83, BL-84: an own side that is complete, and none that beats it."""
        mine, theirs = tuple(self.sides[flag][seat]), tuple(self.sides[flag][1 - seat])
        if len(mine) < SIDE:
            return False
        own = judge(mine)
        free = SIDE - len(theirs)
        if not free:
            other = judge(theirs)
            return own > other or (own == other and self.last[flag] != seat)
        return all(judge(side) <= own for side in self.completions(theirs, free))

    def completions(self, side: tuple[str, ...], free: int) -> Iterator[tuple[str, ...]]:
        """Every way to fill the side; high cards first, which refute most."""
        unseen = sorted(self.unseen(), key=lambda card: -int(card[1:]))
        for more in combinations(unseen, free):
            self.tries += 1
            yield side + more

    def unseen(self) -> set[str]:
        """Hands, the claimant's own too, and the deck."""
        colours, values = self.options["colours"], range(1, self.options["values"] + 1)
        table = {card for flag in self.sides for side in flag for card in side}
        return {f"{colour}{value}" for colour in colours for value in values} - table

    # What is done.

    def play(self, action: str) -> None:
        seat = self.to_act
        assert seat is not None and action in self.legal()
        verb, *words = action.split()
        said: Event = {"seat": seat, "action": action}
        if verb == "claim":
            self.log.append((None, said | self.describe(seat, int(words[0]) - 1), None))
            self.claimed_before_playing |= self.decision == "play"
            self.take(seat, int(words[0]) - 1)
            return
        self.log.append((None, said, None))
        if verb == "play":
            flag = int(words[1]) - 1
            self.hands[seat].remove(words[0])
            self.sides[flag][seat].append(words[0])
            self.last[flag] = seat
            self.decision, self.passed_before = "finish", False
        elif verb == "pass":
            if self.passed_before:
                self.award(1 - seat)
                return
            self.decision, self.passed_before = "finish", True
        else:
            if verb == "draw":
                card = self.deck.pop(0)
                self.hands[seat].append(card)
                told = {"seat": seat, "event": "draw", "deck": "troop"}
                self.log.append((seat, told | {"card": card}, told))
            self.turn += 1
            self.to_act, self.decision, self.claimed_before_playing = 1 - seat, "play", False

    def describe(self, seat: int, flag: int) -> Event:
        """Formation, sum and cards of a side, in the order of placing."""
        side = self.sides[flag][seat]
        kind, total = judge(tuple(side))
        return {"formation": KINDS[kind], "sum": total, "as": [*side]}

    def take(self, seat: int, flag: int) -> bool:
        """Win a flag; return whether that wins the play (BL-21, BL-81)."""
        self.owner[flag] = seat
        own = [owner == seat for owner in self.owner]
        if self.options["breakthrough"] and any(all(own[first : first + 3]) for first in range(len(own) - 2)):
            self.end(seat, "breakthrough")
        elif sum(own) >= self.options["envelopment"]:
            self.end(seat, "envelopment")
        return self.to_act is None

    def award(self, first: int) -> None:
        """BL-24, BL-85."""
        for seat in (first, 1 - first):
            for flag in self.open_flags():
                if self.holds(seat, flag):
                    self.log.append((None, {"event": "award", "seat": seat, "flag": flag + 1}, None))
                    if self.take(seat, flag):
                        return
        mine, theirs = self.owner.count(0), self.owner.count(1)
        self.end(None if mine == theirs else int(theirs > mine), "passes")

    def end(self, winner: int | None, reason: str) -> None:
        """BL-25."""
        self.to_act = None
        self.result = tuple(5.0 if seat == winner else float(self.owner.count(seat)) for seat in (0, 1)), reason

    # What is seen.

    def view(self, seat: int) -> Event:
        sizes = [len(hand) for hand in self.hands]
        either = {"claimed_this_turn": self.claimed_before_playing} if self.options["claims"] == "either" else {}
        return either | {
            "decision": self.decision,
            "turn": self.turn,
            "to_move": self.to_act,
            "hand": self.hands[seat],
            "hand_sizes": sizes,
            "hand_backs": [{"troop": size, "tactic": 0} for size in sizes],
            "decks": {"troop": len(self.deck), "tactic": 0},
            "flags": [
                {
                    "flag": flag + 1,
                    "owner": self.owner[flag],
                    "cards": self.sides[flag],
                    "needs": [SIDE, SIDE],
                    "last": self.last[flag],
                    "fog": False,
                    "mud": False,
                    "fog_by": None,
                    "mud_by": None,
                    "tile": None,
                }
                for flag in range(len(self.owner))
            ],
            "tactics_played": [[], []],
            "discards": [[], []],
            "leader_played": [False, False],
            "known": [],
        }

    def events(self, seat: int | None) -> list[Event]:
        told = [event if seat is None or who in (None, seat) else other for who, event, other in self.log]
        return [event for event in told if event is not None]
