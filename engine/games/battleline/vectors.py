"""Turn what a seat sees into a row of small numbers, for learners.

It is made from the position: a view, as a bot is sent it, says the same in words and takes longer to build.
"""

from typing import Final

from engine.games.battleline.position import (
    AT_MARSHES,
    AT_WATCHTOWER,
    DRAFTING,
    FINISH,
    LAYING,
    PLAY,
    RETURNING,
    SCOUTING,
    FlagCache,
    Position,
)
from engine.games.battleline.tiles import TILES

DECISIONS: Final = (PLAY, FINISH, SCOUTING, RETURNING, AT_MARSHES, AT_WATCHTOWER, DRAFTING, LAYING)
TILE_NUMBERS: Final = {tile: number for number, tile in enumerate(TILES)}
DECISION_NUMBERS: Final = {decision: number for number, decision in enumerate(DECISIONS)}


class FlagEncoder:
    """Encode a flag: the fields begin at these places of a block of this size."""

    def __init__(self, places: dict[str, int], size: int, card_numbers: list[int]) -> None:
        self.size = size
        self.card_numbers = card_numbers
        self.own_cards, self.other_cards = places["own_cards"], places["other_cards"]
        self.owner_is_own, self.owner_is_other = places["owner_is_own"], places["owner_is_other"]
        self.last_is_own, self.last_is_other = places["last_is_own"], places["last_is_other"]
        self.own_needs, self.other_needs = places["own_needs"], places["other_needs"]
        self.fog, self.mud, self.tile = places["fog"], places["mud"], places["tile"]

    def encode(self, table: Position, flag: int, seat: int) -> bytes:
        """Return the block of a flag, as this seat sees it."""
        data, numbers, other = bytearray(self.size), self.card_numbers, 1 - seat
        count_cards(data, self.own_cards, numbers, table.sides[seat][flag])
        count_cards(data, self.other_cards, numbers, table.sides[other][flag])
        owner, last, tile = table.owner[flag], table.last_seat(flag), table.tiles[flag]
        if owner is not None:
            data[self.owner_is_own if owner == seat else self.owner_is_other] = 1
        if last is not None:
            data[self.last_is_own if last == seat else self.last_is_other] = 1
        data[self.own_needs], data[self.other_needs] = table.slots[seat][flag], table.slots[other][flag]
        if table.fog[flag]:
            data[self.fog] = 1
        if table.mud[flag]:
            data[self.mud] = 1
        if tile is not None:
            data[self.tile + TILE_NUMBERS[tile]] = 1
        return bytes(data)


class PositionEncoder:
    """Encode positions: the fields begin at these places of a vector of this size.

    `card_numbers` has the number of each card of the engine.
    """

    def __init__(self, places: dict[str, int], size: int, card_numbers: list[int], flag: FlagEncoder) -> None:
        self.size = size
        self.card_numbers = card_numbers
        self.flag = flag
        self.decision, self.hand, self.hand_sizes = places["decision"], places["hand"], places["hand_sizes"]
        self.decks, self.leader_played, self.flags = places["decks"], places["leader_played"], places["flags"]
        self.own_discards, self.other_discards = places["own_discards"], places["other_discards"]
        self.own_tactics, self.other_tactics = places["own_tactics_played"], places["other_tactics_played"]
        self.claimed_this_turn, self.left_to_return = places["claimed_this_turn"], places["left_to_return"]
        self.at_flag, self.draft_choices = places["at_flag"], places["draft_choices"]
        self.draft_tiles, self.row = places["draft_tiles"], places["row"]
        self.is_laid, self.is_laid_up = places["is_laid"], places["is_laid_up"]

    def encode(self, table: Position, seat: int) -> bytearray:
        """Return what a seat sees as counts: how many of a card lie there, how many cards are needed."""
        data, numbers, other = bytearray(self.size), self.card_numbers, 1 - seat
        data[self.decision + DECISION_NUMBERS[table.decision]] = 1
        hands, decks, leaders = table.hands, table.decks, table.leader_played
        for card in hands[seat]:
            data[self.hand + numbers[card]] += 1
        data[self.hand_sizes], data[self.hand_sizes + 1] = len(hands[seat]), len(hands[other])
        data[self.decks], data[self.decks + 1] = len(decks[0]), len(decks[1])
        data[self.leader_played], data[self.leader_played + 1] = leaders[seat], leaders[other]
        blocks = self.encode_flags(table, seat)
        data[self.flags : self.flags + len(blocks)] = blocks
        count_cards(data, self.own_discards, numbers, table.discards[seat])
        count_cards(data, self.other_discards, numbers, table.discards[other])
        count_cards(data, self.own_tactics, numbers, table.tactics_played[seat])
        count_cards(data, self.other_tactics, numbers, table.tactics_played[other])
        if table.claimed_before_play and table.rules.claims_either_time:
            data[self.claimed_this_turn] = 1
        if table.decision not in (PLAY, FINISH):
            self.encode_decision(data, table, seat)
        return data

    def encode_flags(self, table: Position, seat: int) -> bytes:
        """Return the blocks of all flags. Those where nothing changed are remembered."""
        blocks = []
        for flag, known in enumerate(table.flag_caches):
            cache = known
            if cache is None:
                cache = table.flag_caches[flag] = FlagCache()
            block = cache.blocks[seat]
            if block is None:
                block = cache.blocks[seat] = self.flag.encode(table, flag, seat)
            blocks.append(block)
        return b"".join(blocks)

    def encode_decision(self, data: bytearray, table: Position, seat: int) -> None:
        """Write what only some decisions have."""
        if table.decision == RETURNING and table.to_act is not None:
            data[self.left_to_return] = table.fields_left or len(table.hands[table.to_act]) - table.rules.hand
        elif table.decision == AT_WATCHTOWER:
            data[self.at_flag + table.at] = 1
        elif table.decision in (DRAFTING, LAYING):
            self.encode_draft(data, table, seat)

    def encode_draft(self, data: bytearray, table: Position, seat: int) -> None:
        """Write the tiles that can be picked or laid, and the row so far."""
        draft = table.draft
        assert draft is not None
        if table.decision == DRAFTING:
            for tile in draft.packets[seat]:
                data[self.draft_choices + TILE_NUMBERS[tile]] = 1
        for tile in draft.legal_tiles(seat) if table.decision == LAYING and table.to_act == seat else draft.kept[seat]:
            data[self.draft_tiles + TILE_NUMBERS[tile]] = 1
        for number, (tile, up, layer) in enumerate(draft.row):
            data[self.is_laid + number] = 1
            if up:
                data[self.is_laid_up + number] = 1
            if up or layer == seat:
                data[self.row + number * len(TILES) + TILE_NUMBERS[tile]] = 1


def count_cards(data: bytearray, place: int, numbers: list[int], cards: tuple[int, ...]) -> None:
    """Count these cards, each at its number from this place on."""
    for card in cards:
        data[place + numbers[card]] += 1
