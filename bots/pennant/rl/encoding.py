"""Actions of Battle Line as fixed numbers, and what a seat sees as a vector.

Both depend on the rule options alone. A vector is made from the view that a bot is sent, so it shows nothing more.
Seats are told as own and other, so one policy plays both.
"""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from engine.core import Json
from engine.games.battleline.cards import CAVALRY, LEADER_1, LEADER_2, SHIELD, TACTIC_NAMES
from engine.games.battleline.moves import TILE_FACES
from engine.games.battleline.position import (
    AT_MARSHES,
    AT_WATCHTOWER,
    DRAFTING,
    FINISH,
    LAYING,
    PLAY,
    RETURNING,
    SCOUTING,
)
from engine.games.battleline.tiles import TILES

Vector = npt.NDArray[np.int8]

VALUES = range(1, 11)
MORALE_CARDS = tuple(TACTIC_NAMES[card] for card in (LEADER_1, LEADER_2, CAVALRY, SHIELD))
"""Tactics that lie at a flag like troops."""
DECISIONS = (PLAY, FINISH, SCOUTING, RETURNING, AT_MARSHES, AT_WATCHTOWER, DRAFTING, LAYING)
MAX_COUNT = 80
"""The highest number in a vector: the cards of the largest deck."""
MAX_DRAWN_AT_ONCE = 3


class Encoding:
    """The numbers of all actions under some rule options, and the layout of the vectors."""

    def __init__(self, options: Json) -> None:
        self.flags: int = options["flags"]
        self.troops = [f"{colour}{value}" for colour in options["colours"] for value in VALUES]
        has_tactics = options["tactics"] > 0 or options["tiles"] == "drafted"
        self.cards = [*self.troops, *TACTIC_NAMES.values()] if has_tactics else self.troops
        self.names = list(list_actions(self, options))
        """The action of each number, as a bot would send it."""
        self.numbers = {name: number for number, name in enumerate(self.names)}
        self.card_numbers = {card: number for number, card in enumerate(self.cards)}
        self.layout, self.size = lay_out(list_fields(self))
        """The part of the vector that each field takes; `flags` has a block for each flag."""
        self.flag_layout, self.flag_size = lay_out(list_flag_fields(self))
        self.offsets = {field: part.start for field, part in self.layout.items()}
        self.flag_offsets = {field: part.start for field, part in self.flag_layout.items()}
        self.known_flags: list[list[tuple[Json, bytes]]] = [[({}, b"")] * self.flags for _ in range(2)]
        """The last view and block of each flag, by seat and flag: a view is the same object until it changes."""

    def mask(self, legal: Sequence[int]) -> Vector:
        """Return a vector with 1 for each of these numbers of actions, and 0 for all others."""
        mask = bytearray(len(self.names))
        for number in legal:
            mask[number] = 1
        return np.frombuffer(mask, np.int8)

    def encode(self, view: Json, seat: int) -> Vector:
        """Return a seat's view as a vector of counts: how many of a card lie there, how many cards are needed."""
        data = bytearray(self.size)
        at, own, other = self.offsets, seat, 1 - seat
        data[at["decision"] + DECISIONS.index(view["decision"])] = 1
        self._count_cards(data, "hand", view["hand"])
        for field in ("discards", "tactics_played"):
            self._count_cards(data, f"own_{field}", view[field][own])
            self._count_cards(data, f"other_{field}", view[field][other])
        for field in ("hand_sizes", "leader_played"):
            data[at[field]], data[at[field] + 1] = view[field][own], view[field][other]
        data[at["decks"]], data[at["decks"] + 1] = view["decks"]["troop"], view["decks"]["tactic"]
        data[at["claimed_this_turn"]] = view.get("claimed_this_turn", False)
        data[self.layout["flags"]] = self._encode_flags(view["flags"], seat)
        self._encode_rest(data, view)
        return np.frombuffer(data, np.int8)

    def _count_cards(self, data: bytearray, field: str, cards: Iterable[str]) -> None:
        base, numbers = self.offsets[field], self.card_numbers
        for card in cards:
            data[base + numbers[card]] += 1

    def _encode_flags(self, flags: Sequence[Json], seat: int) -> bytes:
        known = self.known_flags[seat]
        for number, flag in enumerate(flags):
            if known[number][0] is not flag:
                known[number] = (flag, self._encode_flag(flag, seat))
        return b"".join([block for _, block in known])

    def _encode_flag(self, flag: Json, seat: int) -> bytes:
        data, at, cards = bytearray(self.flag_size), self.flag_offsets, self.card_numbers
        for whose, field in ((seat, "own_cards"), (1 - seat, "other_cards")):
            for card in flag["cards"][whose]:
                data[at[field] + cards[card]] += 1
        for field in ("owner", "last"):
            if flag[field] is not None:
                data[at[f"{field}_is_{'own' if flag[field] == seat else 'other'}"]] = 1
        data[at["own_needs"]] = flag["needs"][seat]
        data[at["other_needs"]] = flag["needs"][1 - seat]
        data[at["fog"]] = flag["fog"]
        data[at["mud"]] = flag["mud"]
        if flag["tile"] is not None:
            data[at["tile"] + TILES.index(flag["tile"])] = 1
        return bytes(data)

    def _encode_rest(self, data: bytearray, view: Json) -> None:
        at = self.offsets
        if "returning" in view:
            data[at["left_to_return"]] = view["returning"]["left"]
        if "at" in view:
            data[at["at_flag"] + view["at"] - 1] = 1
        if "draft" in view:
            for tile in view["draft"]["choices"]:
                data[at["draft_choices"] + TILES.index(tile)] = 1
            for tile in view["draft"]["tiles"]:
                data[at["draft_tiles"] + TILES.index(tile)] = 1
            for number, laid in enumerate(view["row"]):
                data[at["is_laid"] + number] = 1
                data[at["is_laid_up"] + number] = laid["up"]
                if laid["tile"] is not None:
                    data[at["row"] + number * len(TILES) + TILES.index(laid["tile"])] = 1


def lay_out(fields: Iterable[tuple[str, int]]) -> tuple[dict[str, slice], int]:
    """Return the part that each of these fields takes, one after the other, and the width of all."""
    layout, size = {}, 0
    for field, width in fields:
        layout[field] = slice(size, size + width)
        size += width
    return layout, size


def list_fields(encoding: Encoding) -> Iterator[tuple[str, int]]:
    """Yield the fields of the vector with their widths."""
    cards, flags, tiles = len(encoding.cards), encoding.flags, len(TILES)
    yield from (("decision", len(DECISIONS)), ("hand", cards), ("hand_sizes", 2), ("decks", 2), ("leader_played", 2))
    yield "flags", flags * sum(width for _, width in list_flag_fields(encoding))
    yield from ((f"{whose}_{field}", cards) for field in ("discards", "tactics_played") for whose in ("own", "other"))
    yield from (("claimed_this_turn", 1), ("left_to_return", 1), ("at_flag", flags))
    yield from (("draft_choices", tiles), ("draft_tiles", tiles))
    yield from (("is_laid", flags), ("is_laid_up", flags), ("row", flags * tiles))


def list_flag_fields(encoding: Encoding) -> Iterator[tuple[str, int]]:
    """Yield the fields of a flag with their widths."""
    yield from (("own_cards", len(encoding.cards)), ("other_cards", len(encoding.cards)))
    yield from ((f"{field}_is_{whose}", 1) for field in ("owner", "last") for whose in ("own", "other"))
    yield from (("own_needs", 1), ("other_needs", 1), ("fog", 1), ("mud", 1), ("tile", len(TILES)))


def list_actions(encoding: Encoding, options: Json) -> Iterator[str]:
    """Yield every action that can be legal under these options."""
    flags = range(1, encoding.flags + 1)
    has_tactics = len(encoding.cards) > len(encoding.troops)
    placed = [*encoding.troops, *MORALE_CARDS] if has_tactics else encoding.troops
    yield from (f"claim {flag}" for flag in flags)
    yield from (f"play {card} {flag}" for card in placed for flag in flags)
    yield from ("pass", "done", "draw troop", "draw tactic")
    yield from (f"return {card}" for card in encoding.cards)
    if options["tiles"] != "none":
        yield from (f"remove {card} {flag}" for card in placed for flag in flags)
    if options["tiles"] == "drafted":
        yield from (f"pick {tile}" for tile in TILES)
        yield from (f"lay {tile} {face}" for tile in TILES for face in TILE_FACES)
    if has_tactics:
        yield from list_tactical_actions(placed, encoding.troops, flags, options)


def list_tactical_actions(placed: Sequence[str], troops: Sequence[str], flags: range, options: Json) -> Iterator[str]:
    """Yield the actions of the tactics that don't lie at a flag like troops."""
    yield from (f"play {card} {flag}" for card in ("fog", "mud") for flag in flags)
    yield "scout"
    if options["scout"] == "at-once":
        counts = [(a, b) for a in range(MAX_DRAWN_AT_ONCE + 1) for b in range(MAX_DRAWN_AT_ONCE + 1 - a) if a + b > 1]
        yield from (" ".join(["draw", *["troop"] * a, *["tactic"] * b]) for a, b in counts)
    for card in placed:
        for flag in flags:
            yield f"redeploy {card} {flag} discard"
            yield from (f"redeploy {card} {flag} {to}" for to in flags if to != flag)
    yield from (f"deserter {card} {flag}" for card in (*placed, "fog", "mud") for flag in flags)
    yield from (f"traitor {card} {flag} {to}" for card in troops for flag in flags for to in flags)
