"""What lies on the table of a Battalion play and what may be done there, by the rules' text and trying everything.

Plain dicts, no cleverness; nothing is shared with the engine. `referee.py` makes things happen on it.
"""

from typing import Any

from tests.engine.battalion.ground import Field, Place, Rows

Player = dict[str, Any]
Event = dict[str, Any]
Slot = dict[str, Any]

CARDS = ("A", "K", "Q", "J", "10", "9", "8", "7", "6", "5", "4", "3", "2")
GUARDS = CARDS[4:]
"""What may stand in a guard cell: 2 to 10."""
WORTH = {"A": 11, "Q": 10} | {card: int(card) for card in GUARDS}
"""BT-21. King and Jack have no value."""
LETTERS = "abcd"


def new_player() -> Player:
    return {
        "out": False,
        "deployed": False,
        "cells": {},
        "guard": None,
        "hand": list(CARDS),
        "wounded": [],
        "dead": [],
        "kills": 0,
        "modification": None,
        "just_rolled": False,
        "reformed": False,
    }


def laid(rows: str) -> dict[str, Slot]:
    """The cells of a layout by name, front to back and left to right, the smallest half-column being 0."""
    lines = [sorted((int(x), card) for x, card in split_row(row)) for row in rows.split("/")]
    first = min(x for line in lines for x, _ in line)
    return {
        f"{row + 1}{LETTERS[place]}": {"row": row, "x": x - first, "card": card, "shown": False}
        for row, line in enumerate(lines)
        for place, (x, card) in enumerate(line)
    }


def split_row(row: str) -> list[tuple[str, str]]:
    return [(cell.split("=")[0], cell.split("=")[1]) for cell in row.split(",")]


def veiled(rows: str) -> str:
    """A layout with every card `?`."""
    return "/".join(",".join(f"{x}=?" for x, _ in split_row(row)) for row in rows.split("/"))


def hidden(card: str | None, shown: bool, full: bool) -> Slot:
    return {"card": card if card is None or shown or full else "?", "shown": shown}


class Board:
    """Whose turn it is, the players' cards, and the legal actions that can be listed."""

    def __init__(self, seats: int) -> None:
        self.players: list[Player] = [new_player() for _ in range(seats)]
        self.to_act: int | None = 0
        self.deploying = True
        self.round = self.quiet = 0
        self.last_turn: tuple[int, int | None] | None = None
        """Who took the last turn, and whom it attacked."""
        self.moved: list[str] = []
        self.picked_up = False

    def inside(self) -> list[int]:
        return [seat for seat, player in enumerate(self.players) if not player["out"]]

    def rows(self, seat: int) -> Rows:
        cells = self.players[seat]["cells"].values()
        depth = max((cell["row"] for cell in cells), default=-1) + 1
        return tuple(tuple(cell["x"] for cell in cells if cell["row"] == row) for row in range(depth))

    def field(self) -> Field:
        tables = {seat: self.rows(seat) for seat in self.inside()}
        return Field(tables, [self.place(seat, name) for seat in tables for name in self.names(seat, full=True)])

    def names(self, seat: int, full: bool) -> list[str]:
        """The occupied cells, or the empty ones."""
        return [name for name, cell in self.players[seat]["cells"].items() if bool(cell["card"]) == full]

    def place(self, seat: int, name: str) -> Place:
        if name == "g":
            return seat, None, None
        cell = self.players[seat]["cells"][name]
        return seat, cell["row"], cell["x"]

    def slot(self, seat: int, name: str) -> Slot:
        player = self.players[seat]
        slot: Slot = player["guard"] if name == "g" else player["cells"][name]
        return slot

    def is_alone(self, seat: int) -> bool:
        """BT-17: the guard is the only card left."""
        player = self.players[seat]
        return bool(player["guard"]["card"]) and not (self.names(seat, True) or player["hand"] or player["wounded"])

    def legal(self) -> set[str]:
        """All actions that can be listed: none of deploying or reforming."""
        if self.to_act is None or self.deploying:
            return set()
        me = self.players[self.to_act]
        found = {"pass"} | self.moves(self.to_act) | self.attacks(self.to_act) | self.reinforcements(self.to_act)
        if me["modification"] is None:
            found.add("modify")
        if not me["hand"] and me["wounded"] and not self.moved and not self.picked_up:
            found.add("pickup")
        return found

    def may_reform(self) -> bool:
        """BT-35: whether any reforming is legal. Nine cards fit in two rows when one is taken back; ten never do."""
        if self.to_act is None or self.deploying or self.moved or self.picked_up:
            return False
        return not self.players[self.to_act]["reformed"] and 1 <= len(self.names(self.to_act, True)) <= 9

    def mobile(self, seat: int) -> list[str]:
        """The cells whose card may move or attack."""
        return self.names(seat, True) + ["g"] * self.is_alone(seat)

    def openings(self, seat: int) -> list[str]:
        """The empty cells, the guard cell included."""
        return self.names(seat, False) + ["g"] * (self.players[seat]["guard"]["card"] is None)

    def moves(self, seat: int) -> set[str]:
        field = self.field()
        return {
            f"move {start} {end}"
            for start in self.mobile(seat)
            for end in self.openings(seat)
            if start not in self.moved
            and (end != "g" or self.slot(seat, start)["card"] in GUARDS)
            and 0 in field.skips(self.place(seat, start), self.place(seat, end), inside=True)
        }

    def reinforcements(self, seat: int) -> set[str]:
        field, back = self.field(), len(self.rows(seat)) - 1
        doors = [name for name in self.names(seat, False) if self.players[seat]["cells"][name]["row"] == back]
        return {
            f"reinforce {card} {end}"
            for card in self.players[seat]["hand"]
            for end in self.openings(seat)
            for door in doors
            if (end != "g" or card in GUARDS)
            and (door == end or 0 in field.skips(self.place(seat, door), self.place(seat, end), inside=True))
        }

    def barred(self) -> int | None:
        """BT-16: who may not be attacked."""
        if self.last_turn is None or len(self.inside()) <= 2:
            return None
        assert self.last_turn[0] != self.to_act
        return self.last_turn[1]

    def attacks(self, seat: int) -> set[str]:
        field = self.field()
        return {
            f"attack {start} {rival}:{name}"
            for rival in self.inside()
            if rival not in (seat, self.barred())
            for name in [*self.names(rival, True), "g"]
            for start in self.mobile(seat)
            if self.reaches(field, (seat, start), (rival, name))
        }

    def reaches(self, field: Field, mine: tuple[int, str], theirs: tuple[int, str]) -> bool:
        card, target = self.slot(*mine)["card"], self.slot(*theirs)["card"]
        if card == "K":
            return theirs[1] != "g"
        if card == "J" and target is None:
            return False
        skips = field.skips(self.place(*mine), self.place(*theirs))
        return bool(skips) if card in ("Q", "J") else 0 in skips

    def view(self, seat: int) -> Event:
        return {
            "decision": "deploy" if self.deploying else "turn",
            "round": self.round,
            "quiet": self.quiet,
            "to_move": self.to_act,
            "seats": [self.view_of(other, seat) for other in range(len(self.players))],
            "last_attacked": None if self.last_turn is None else self.last_turn[1],
            "moved": self.moved,
            "picked_up": self.picked_up,
        }

    def view_of(self, seat: int, viewer: int) -> Event:
        player, mine = self.players[seat], seat == viewer
        secret = self.deploying and not player["out"]
        hand = list(CARDS) if secret else player["hand"]
        value = player["modification"]
        seen: Event = {
            "seat": seat,
            "rows": [] if secret else self.laid_open(seat, full=mine),
            "guard": None if secret or player["out"] else hidden(**player["guard"], full=mine),
            "hand_size": len(hand),
            "modification_left": 0 if value is None else abs(value) + 1,
        }
        if mine:
            seen["hand"] = hand
        for name in ("out", "wounded", "dead", "kills", "modification", "reformed"):
            seen[name] = player[name]
        return seen

    def laid_open(self, seat: int, full: bool) -> list[list[Slot]]:
        cells = self.players[seat]["cells"].items()
        return [
            [
                {"cell": name, "x": cell["x"], **hidden(cell["card"], cell["shown"], full)}
                for name, cell in cells
                if cell["row"] == row
            ]
            for row in range(len(self.rows(seat)))
        ]
