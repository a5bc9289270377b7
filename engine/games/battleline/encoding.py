"""Actions of Battle Line as fixed numbers, and what a seat sees as a vector, for learners and the bots they train.

Both depend on the rule options alone. A vector shows what the view has that a bot is sent, and nothing more. Seats are
told as own and other, so one policy plays both.
"""

from collections.abc import Iterable, Iterator, Sequence

from engine.core import Json
from engine.games.battleline.cards import (
    CARD_NAMES_BY_COLOURS,
    CAVALRY,
    LEADER_1,
    LEADER_2,
    SHIELD,
    TACTIC_NAMES,
)
from engine.games.battleline.moves import TILE_FACES, parse_action
from engine.games.battleline.numbered import NumberedPlay
from engine.games.battleline.state import BattleLineState
from engine.games.battleline.tiles import TILES
from engine.games.battleline.vectors import DECISIONS, TILE_NUMBERS, FlagEncoder, PositionEncoder

MORALE_CARDS = tuple(TACTIC_NAMES[card] for card in (LEADER_1, LEADER_2, CAVALRY, SHIELD))
"""Tactics that lie at a flag like troops."""
MAX_COUNT = 80
"""The highest number in a vector: the cards of the largest deck."""
MAX_DRAWN_AT_ONCE = 3


class Encoding:
    """The numbers of all actions under some rule options, and the layout of the vectors."""

    def __init__(self, options: Json) -> None:
        self.options = options
        self.flags: int = options["flags"]
        values = range(1, options.get("values", 10) + 1)
        self.troops = [f"{colour}{value}" for colour in options["colours"] for value in values]
        has_tactics = options["tactics"] > 0 or options["tiles"] == "drafted"
        self.cards = [*self.troops, *TACTIC_NAMES.values()] if has_tactics else self.troops
        self.names = list(list_actions(self, options))
        """The action of each number, as a bot would send it."""
        self.numbers = {name: number for number, name in enumerate(self.names)}
        self.moves = [parse_action(name, options["colours"], self.flags) for name in self.names]
        """The move of each number, legal or not."""
        self.numbers_by_move = {move: number for number, move in enumerate(self.moves)}
        self.card_numbers = {card: number for number, card in enumerate(self.cards)}
        self.layout, self.size = lay_out(list_fields(self))
        """The part of the vector that each field takes; `flags` has a block for each flag."""
        self.flag_layout, self.flag_size = lay_out(list_flag_fields(self))
        names = CARD_NAMES_BY_COLOURS[options["colours"]].of
        numbers = [self.card_numbers.get(names.get(card, ""), 0) for card in range(max(names) + 1)]
        self.encoder = PositionEncoder(
            find_places(self.layout),
            self.size,
            numbers,
            FlagEncoder(find_places(self.flag_layout), self.flag_size, numbers),
        )

    def begin_play(self, state: BattleLineState) -> NumberedPlay:
        """Return a play from this state on, with numbers for actions."""
        return NumberedPlay(state, self.moves, self.numbers_by_move, self.encoder)

    def encode_view(self, view: Json, seat: int) -> bytearray:
        """Return the vector of a view that this seat was sent: the one that the seat has in training."""
        data, places = bytearray(self.size), find_places(self.layout)
        own_first = slice(None, None, 1 if seat == 0 else -1)
        data[places["decision"] + DECISIONS.index(view["decision"])] = 1
        for field in ("hand_sizes", "leader_played"):
            data[self.layout[field]] = bytes(view[field][own_first])
        data[self.layout["decks"]] = bytes(view["decks"].values())
        data[places["claimed_this_turn"]] = view.get("claimed_this_turn", False)
        data[places["left_to_return"]] = view.get("returning", {"left": 0})["left"]
        if "at" in view:
            data[places["at_flag"] + view["at"] - 1] = 1
        self._count(data, places["hand"], view["hand"])
        for field in ("discards", "tactics_played"):
            for whose, cards in zip(("own", "other"), view[field][own_first], strict=True):
                self._count(data, places[f"{whose}_{field}"], cards)
        for number, flag in enumerate(view["flags"]):
            self._encode_flag(data, places["flags"] + number * self.flag_size, flag, seat)
        self._encode_draft(data, view)
        return data

    def _encode_flag(self, data: bytearray, start: int, flag: Json, seat: int) -> None:
        """Write the block of a flag."""
        places = {field: start + place for field, place in find_places(self.flag_layout).items()}
        for whose, one in (("own", seat), ("other", 1 - seat)):
            self._count(data, places[f"{whose}_cards"], flag["cards"][one])
            data[places[f"{whose}_needs"]] = flag["needs"][one]
            for field in ("owner", "last"):
                data[places[f"{field}_is_{whose}"]] = flag[field] == one
        data[places["fog"]], data[places["mud"]] = flag["fog"], flag["mud"]
        if flag["tile"] is not None:
            data[places["tile"] + TILE_NUMBERS[flag["tile"]]] = 1

    def _encode_draft(self, data: bytearray, view: Json) -> None:
        """Write the tiles that can be picked or laid, and the row so far."""
        places = find_places(self.layout)
        for field, tiles in view.get("draft", {}).items():
            for tile in tiles:
                data[places[f"draft_{field}"] + TILE_NUMBERS[tile]] = 1
        for number, laid in enumerate(view.get("row", [])):
            data[places["is_laid"] + number], data[places["is_laid_up"] + number] = 1, laid["up"]
            if laid["tile"] is not None:
                data[places["row"] + number * len(TILES) + TILE_NUMBERS[laid["tile"]]] = 1

    def _count(self, data: bytearray, start: int, cards: Iterable[str]) -> None:
        """Count these cards, each at its number."""
        for card in cards:
            data[start + self.card_numbers[card]] += 1


def lay_out(fields: Iterable[tuple[str, int]]) -> tuple[dict[str, slice], int]:
    """Return the part that each of these fields takes, one after the other, and the width of all."""
    layout, size = {}, 0
    for field, width in fields:
        layout[field] = slice(size, size + width)
        size += width
    return layout, size


def find_places(layout: dict[str, slice]) -> dict[str, int]:
    """Return where each field begins."""
    return {field: part.start for field, part in layout.items()}


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
