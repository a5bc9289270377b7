"""The nine terrain tiles (BL-60 to BL-70), and how they are drafted and laid before the first turn."""

from dataclasses import dataclass
from random import Random
from typing import Final, Self

from engine.deal import shuffle

# The nine terrain tiles (BL-60 to BL-70).

CASTLE, MARSHES, RIVER, WATCHTOWER, TOWN, FIELDS, FORTRESS, HILLS, WOODLAND = TILES = (
    "castle",
    "marshes",
    "river",
    "watchtower",
    "town",
    "fields",
    "fortress",
    "hills",
    "woodland",
)

DEFENDING_SEAT_BY_TILE: Final = {CASTLE: 0, FORTRESS: 1}
"""The seat that defends a tile (BL-60)."""

FIELDS_DRAW_COUNT: Final = 3
TOWN_FLAG_COUNT: Final = 2


# Draft and lay the tiles before the first turn (BL-70).

TILES_PER_PACKET: Final = 4


@dataclass(slots=True)
class Draft:
    """Packets to pick from, tiles picked and not laid yet, the tile set aside, and the row laid so far."""

    packets: list[list[str]]
    """By seat: what it picks from now."""
    kept: list[list[str]]
    """By seat: picked, and still to be laid."""
    aside: str
    row: list[tuple[str, bool, int]]
    """(tile, text up, seat that laid it) from left to right."""
    first_picks: list[str]
    """By seat, once made."""

    @classmethod
    def begin(cls, tiles: list[str]) -> Self:
        """Return the draft of the nine tiles of a deal: four to each seat, one aside."""
        packets = [tiles[:TILES_PER_PACKET], tiles[TILES_PER_PACKET : 2 * TILES_PER_PACKET]]
        return cls(packets, [[], []], tiles[-1], [], [])

    def copy(self) -> Self:
        """Return an independent copy."""
        return type(self)(
            [packet[:] for packet in self.packets],
            [tiles[:] for tiles in self.kept],
            self.aside,
            self.row[:],
            self.first_picks[:],
        )

    @property
    def picking(self) -> bool:
        """Return whether there is still something to pick."""
        return bool(self.packets[1])

    def pick(self, seat: int, tile: str) -> bool:
        """Keep a tile of the packet. Return True where both have picked and the packets have changed hands."""
        self.packets[seat].remove(tile)
        self.kept[seat].append(tile)
        if len(self.first_picks) < 2:
            self.first_picks.append(tile)
        if seat == 1:
            self.packets.reverse()
        return seat == 1

    def legal_tiles(self, seat: int) -> list[str]:
        """Return what the seat may lay next; the tile set aside is the ninth."""
        return [self.aside] if len(self.row) == 2 * TILES_PER_PACKET else self.kept[seat]

    def lay(self, seat: int, tile: str, up: bool) -> None:
        """Lay a tile at the end of the row."""
        if tile in self.kept[seat]:
            self.kept[seat].remove(tile)
        self.row.append((tile, up, seat))

    def redeal(self, seat: int, rng: Random) -> None:
        """Deal anew what the seat can't know.

        After its first pick, that is which of two tiles the other took first and which lies aside; before it, all five
        it has not seen. And what the other has just picked of a packet that has not come back yet, and which of the
        other's tiles lie face down.
        """
        other = 1 - seat
        if len(self.first_picks) < 2:
            self._redeal_unseen(seat, rng)
            return
        known_aside = len(self.row) >= 2 * TILES_PER_PACKET and seat == 0
        shown = {tile for tile, up, layer in self.row if up and layer == other}
        swap = self.first_picks[other]
        if swap not in shown and not known_aside and rng.random() < 0.5:
            self._exchange(swap, self.aside, other)
        if seat == 1 and len(self.kept[0]) > len(self.kept[1]):
            self._pick_again(rng)
        self._turn_over(other, rng)

    def _pick_again(self, rng: Random) -> None:
        """Choose at random which tile of its packet seat 0, which picks first, has picked."""
        pool = [*self.packets[0], self.kept[0].pop()]
        self.kept[0].append(pool.pop(int(rng.random() * len(pool))))
        self.packets[0] = pool

    def _redeal_unseen(self, seat: int, rng: Random) -> None:
        """Deal anew the other's four tiles, one of which it may have picked already, and the one aside."""
        other = 1 - seat
        pool = [*self.packets[other], *self.kept[other], self.aside]
        shuffle(pool, rng)
        self.aside = pool.pop()
        if self.kept[other]:
            self.kept[other] = [pool.pop()]
            self.first_picks[other] = self.kept[other][0]
        self.packets[other] = pool

    def _exchange(self, tile: str, aside: str, other: int) -> None:
        self.aside = tile
        self.first_picks[other] = aside
        self.kept[other] = [aside if kept == tile else kept for kept in self.kept[other]]
        self.row = [(aside if laid == tile else laid, up, layer) for laid, up, layer in self.row]

    def _turn_over(self, other: int, rng: Random) -> None:
        """Choose which of the other's face-down tiles lies where."""
        places = [place for place, (_, up, layer) in enumerate(self.row) if layer == other and not up and place < 8]
        if not places:
            return
        pool = [self.row[place][0] for place in places] + self.kept[other]
        shuffle(pool, rng)
        for place in places:
            self.row[place] = (pool.pop(), False, other)
        self.kept[other] = pool
