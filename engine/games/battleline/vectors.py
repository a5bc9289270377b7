"""Turn a seat's view into a row of small numbers, for learners. It is made from the view alone, so it shows no more."""

from collections.abc import Sequence
from typing import Final

from engine.core import Json
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

DECISIONS: Final = (PLAY, FINISH, SCOUTING, RETURNING, AT_MARSHES, AT_WATCHTOWER, DRAFTING, LAYING)
TILE_NUMBERS: Final = {tile: number for number, tile in enumerate(TILES)}
DECISION_NUMBERS: Final = {decision: number for number, decision in enumerate(DECISIONS)}
NO_FLAG: Final[tuple[Json, bytes]] = ({}, b"")


class FlagEncoder:
    """Encode a flag: the fields begin at these places of a block of this size."""

    def __init__(self, places: dict[str, int], size: int, cards: dict[str, int]) -> None:
        self.size = size
        self.cards = cards
        self.own_cards, self.other_cards = places["own_cards"], places["other_cards"]
        self.owner_is_own, self.owner_is_other = places["owner_is_own"], places["owner_is_other"]
        self.last_is_own, self.last_is_other = places["last_is_own"], places["last_is_other"]
        self.own_needs, self.other_needs = places["own_needs"], places["other_needs"]
        self.fog, self.mud, self.tile = places["fog"], places["mud"], places["tile"]

    def encode(self, flag: Json, seat: int) -> bytes:
        """Return the block of a flag, as this seat sees it."""
        data = bytearray(self.size)
        sides, needs = flag["cards"], flag["needs"]
        count_cards(data, self.own_cards, self.cards, sides[seat])
        count_cards(data, self.other_cards, self.cards, sides[1 - seat])
        owner, last, tile = flag["owner"], flag["last"], flag["tile"]
        if owner is not None:
            data[self.owner_is_own if owner == seat else self.owner_is_other] = 1
        if last is not None:
            data[self.last_is_own if last == seat else self.last_is_other] = 1
        data[self.own_needs], data[self.other_needs] = needs[seat], needs[1 - seat]
        if flag["fog"]:
            data[self.fog] = 1
        if flag["mud"]:
            data[self.mud] = 1
        if tile is not None:
            data[self.tile + TILE_NUMBERS[tile]] = 1
        return bytes(data)


class ViewEncoder:
    """Encode views: the fields begin at these places of a vector of this size."""

    def __init__(self, places: dict[str, int], size: int, cards: dict[str, int], flag: FlagEncoder, flags: int) -> None:
        self.size = size
        self.cards = cards
        self.flag = flag
        self.known_flags = [[NO_FLAG] * flags for _ in range(2)]
        """The last view and block of each flag, by seat and flag: a view is the same object until it changes."""
        self.decision, self.hand, self.hand_sizes = places["decision"], places["hand"], places["hand_sizes"]
        self.decks, self.leader_played, self.flags = places["decks"], places["leader_played"], places["flags"]
        self.own_discards, self.other_discards = places["own_discards"], places["other_discards"]
        self.own_tactics, self.other_tactics = places["own_tactics_played"], places["other_tactics_played"]
        self.claimed_this_turn, self.left_to_return = places["claimed_this_turn"], places["left_to_return"]
        self.at_flag, self.draft_choices, self.draft_tiles = (
            places["at_flag"],
            places["draft_choices"],
            places["draft_tiles"],
        )
        self.is_laid, self.is_laid_up, self.row = places["is_laid"], places["is_laid_up"], places["row"]

    def encode(self, view: Json, seat: int) -> bytearray:
        """Return a seat's view as counts: how many of a card lie there, how many cards are needed."""
        data, cards, other = bytearray(self.size), self.cards, 1 - seat
        data[self.decision + DECISION_NUMBERS[view["decision"]]] = 1
        count_cards(data, self.hand, cards, view["hand"])
        discards, tactics = view["discards"], view["tactics_played"]
        count_cards(data, self.own_discards, cards, discards[seat])
        count_cards(data, self.other_discards, cards, discards[other])
        count_cards(data, self.own_tactics, cards, tactics[seat])
        count_cards(data, self.other_tactics, cards, tactics[other])
        sizes, leaders, decks = view["hand_sizes"], view["leader_played"], view["decks"]
        data[self.hand_sizes], data[self.hand_sizes + 1] = sizes[seat], sizes[other]
        data[self.leader_played], data[self.leader_played + 1] = leaders[seat], leaders[other]
        data[self.decks], data[self.decks + 1] = decks["troop"], decks["tactic"]
        flags = self.encode_flags(view["flags"], seat)
        data[self.flags : self.flags + len(flags)] = flags
        self.encode_rest(data, view)
        return data

    def encode_flags(self, flags: list[Json], seat: int) -> bytes:
        """Return the blocks of all flags."""
        known, blocks = self.known_flags[seat], []
        for number, flag in enumerate(flags):
            seen, block = known[number]
            if seen is not flag:
                block = self.flag.encode(flag, seat)
                known[number] = (flag, block)
            blocks.append(block)
        return b"".join(blocks)

    def encode_rest(self, data: bytearray, view: Json) -> None:
        """Write what only some decisions, or editions, have."""
        if view.get("claimed_this_turn"):
            data[self.claimed_this_turn] = 1
        if "returning" in view:
            data[self.left_to_return] = view["returning"]["left"]
        if "at" in view:
            data[self.at_flag + view["at"] - 1] = 1
        if "draft" in view:
            self.encode_draft(data, view["draft"], view["row"])

    def encode_draft(self, data: bytearray, draft: Json, row: Sequence[Json]) -> None:
        """Write the tiles that can be picked or laid, and the row so far."""
        for tile in draft["choices"]:
            data[self.draft_choices + TILE_NUMBERS[tile]] = 1
        for tile in draft["tiles"]:
            data[self.draft_tiles + TILE_NUMBERS[tile]] = 1
        for number, laid in enumerate(row):
            data[self.is_laid + number] = 1
            if laid["up"]:
                data[self.is_laid_up + number] = 1
            if laid["tile"] is not None:
                data[self.row + number * len(TILES) + TILE_NUMBERS[laid["tile"]]] = 1


def count_cards(data: bytearray, place: int, numbers: dict[str, int], cards: list[str]) -> None:
    """Count these cards, each at its number from this place on."""
    for card in cards:
        data[place + numbers[card]] += 1


def mark(size: int, numbers: list[int]) -> bytearray:
    """Return a vector with 1 for each of these numbers, and 0 for all others."""
    data = bytearray(size)
    for number in numbers:
        data[number] = 1
    return data
