"""What everybody knows of a seat's hidden cards, exactly, from what was public alone.

Every hidden card lies in a place with a past: it has been there since the deployment, or came from the hand after a
picking up (which everybody saw the cards of), or was laid out anew in the one reforming, or came from a hand into which
one was taken back then. An arrangement of the cards is possible if each card fits the past of its place, and the
cards laid out anew can be matched with where they lay before.
"""

from dataclasses import dataclass, field

from tests.engine.battalion.board import GUARDS, Event
from tests.engine.battalion.referee import Referee

SHOWN, LAID, MIXED = "shown", "laid", "mixed"


@dataclass(frozen=True)
class Past:
    """Of a card in a cell: the number of the picking up it came by (0: none), or what blurs that; and for one laid out
    anew the rows behind it then."""

    kind: str | int
    rows: int = 0


@dataclass
class Reforming:
    before: list[tuple[int, Past]]
    """Rows behind each hidden card, and its past."""
    groups: dict[str, int]
    """The last picking up of each card then."""
    hand: str | int
    took: bool
    known: str | None
    """The card taken back, where it was shown before."""
    laid: list[tuple[str, int]] = field(default_factory=list)
    mixed: list[str] = field(default_factory=list)
    """Cards that were seen later: of those laid out, with the rows behind them then, and of those from that hand."""


class Knowledge:
    """Of one seat. It follows the second referee, and looks at what is public there."""

    def __init__(self, seat: int) -> None:
        self.seat = seat
        self.places: dict[str, Past] = {}
        self.hand: str | int = 0
        self.groups: dict[str, int] = {}
        self.pickups = 0
        self.reforming: Reforming | None = None

    def deployed(self, referee: Referee) -> None:
        self.places = {name: Past(0) for name in [*referee.names(self.seat, True), "g"]}

    def follow(self, before: Event, event: Event, referee: Referee) -> None:
        """`before`: what another saw of the seat before the event, which it was told, too."""
        verb, *words = event["action"].split()
        mine = event["seat"] == self.seat
        if verb == "pickup" and mine:
            self.pickups += 1
            self.groups |= dict.fromkeys(before["wounded"], self.pickups)
            self.hand = self.pickups
        elif verb == "move" and mine:
            self.places[words[1]] = self.places.pop(words[0])
        elif verb == "reinforce" and mine:
            self.places[words[1]] = Past(self.hand)
        elif verb == "reform" and mine:
            self.reform(before, len(words) > 1, referee)
        elif verb == "attack":
            if mine:
                self.reveal(words[0], event["attacker"], referee)
            elif words[1].startswith(f"{self.seat}:") and event["target"]:
                self.reveal(words[1].split(":")[1], event["target"], referee)

    def reveal(self, place: str, card: str, referee: Referee) -> None:
        past = self.places.pop(place)
        if self.reforming and past.kind == LAID:
            self.reforming.laid.append((card, past.rows))
        if self.reforming and past.kind == MIXED:
            self.reforming.mixed.append(card)
        if not referee.players[self.seat]["out"] and referee.slot(self.seat, place)["card"]:
            self.places[place] = Past(SHOWN)

    def reform(self, before: Event, took: bool, referee: Referee) -> None:
        depth = len(before["rows"])
        cells = [(depth - 1 - row, cell) for row, line in enumerate(before["rows"]) for cell in line if cell["card"]]
        hidden = [(rows, self.places[cell["cell"]]) for rows, cell in cells if not cell["shown"]]
        slots = referee.players[self.seat]["cells"]
        shown = {slot["card"] for slot in slots.values() if slot["shown"]}
        gone = [cell["card"] for _, cell in cells if cell["shown"] and cell["card"] not in shown]
        self.reforming = Reforming(hidden, dict(self.groups), self.hand, took, gone[0] if gone else None)
        behind = max(slot["row"] for slot in slots.values())
        guard = {name: past for name, past in self.places.items() if name == "g"}
        self.places = guard | {
            name: Past(SHOWN) if slot["shown"] else Past(LAID, behind - slot["row"]) for name, slot in slots.items()
        }
        self.hand = MIXED if took else self.hand

    def allows(self, cells: dict[str, str], hand: list[str]) -> bool:
        """Whether these cards may lie in these cells and in the hand. Shown ones are taken to be right."""
        laid, mixed = [], []
        assert cells.keys() == self.places.keys()
        for place, card in [*cells.items(), *[("", card) for card in hand]]:
            past = self.places[place] if place else Past(self.hand)
            if place == "g" and card not in GUARDS:
                return False
            if past.kind == LAID:
                laid.append((card, past.rows))
            elif past.kind == MIXED:
                mixed.append(card)
            elif past.kind != SHOWN and self.groups.get(card, 0) != past.kind:
                return False
        return self.reforming is None or fits_reforming(self.reforming, laid, mixed)


def fits_reforming(told: Reforming, laid: list[tuple[str, int]], mixed: list[str]) -> bool:
    laid, mixed = laid + told.laid, mixed + told.mixed
    if not told.took:
        return matches(told, laid)
    return any(
        all(told.groups.get(other, 0) == told.hand for other in mixed if other != card)
        and matches(told, laid + ([] if told.known else [(card, 0)]))
        for card in mixed
        if told.known in (None, card)
    )


def matches(told: Reforming, laid: list[tuple[str, int]]) -> bool:
    """Whether each card can have lain in a place of its own, by trying all with the fewest choices first."""
    taken: dict[int, int] = {}

    def find(index: int, tried: set[int]) -> bool:
        card, rows = laid[index]
        for number, (before, past) in enumerate(told.before):
            if number not in tried and rows <= before and told.groups.get(card, 0) == past.kind:
                tried.add(number)
                if number not in taken or find(taken[number], tried):
                    taken[number] = index
                    return True
        return False

    return len(laid) == len(told.before) and all(find(index, set()) for index in range(len(laid)))
