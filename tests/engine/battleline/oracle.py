"""A second reading of formations and claims, by definition and by trying everything.

Cards are public names here, sides are tuples of them in order of placing. Nothing is shared with the engine: no code,
no tables, no numbering. Slow on purpose; the only savings are to stop at the first refutation, to try high troops
first, to leave out completions that are the same cards again, and to remember the strength of a side.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, product
from typing import NamedTuple

COLOURS = "ROYGBP"
TROOPS = {f"{colour}{value}": (colour, value) for colour in COLOURS for value in range(1, 11)}
WILDS = {
    "leader-1": tuple(range(1, 11)),
    "leader-2": tuple(range(1, 11)),
    "cavalry": (8,),
    "shield": (1, 2, 3),
}
"""The values each wild card may stand for; their colour is free."""
KINDS = ("host", "skirmish", "battalion", "phalanx", "wedge")
TILES = ("castle", "marshes", "river", "watchtower", "town", "fields", "fortress", "hills", "woodland")
DEFENDED_BY = {"castle": 0, "fortress": 1}

Side = tuple[str, ...]
Strength = tuple[int, int]
"""Rank of the kind, then the sum."""


class Ground(NamedTuple):
    """What counts at a flag for one side."""

    sum_only: bool = False
    lower_wins: bool = False
    highest_ignored: bool = False


PLAIN = Ground()
GROUNDS = (
    PLAIN,
    Ground(sum_only=True),
    Ground(lower_wins=True),
    Ground(sum_only=True, lower_wins=True),
    Ground(highest_ignored=True),
    Ground(sum_only=True, highest_ignored=True),
)
"""All there can be, with one tile a flag at most."""


@dataclass(frozen=True)
class Duel:
    """One flag as the claimant sees it."""

    mine: Side
    theirs: Side
    unseen: Side
    fog: bool = False
    mud: bool = False
    tile: str | None = None
    seat: int = 0
    """The claimant."""
    mine_last: bool = False
    """The claimant placed the latest card at the flag."""

    def needs(self, seat: int) -> int:
        """Cards of a complete side (BL-14, BL-60, BL-62)."""
        return 3 + self.mud + (self.tile == "river") + (DEFENDED_BY.get(self.tile or "") == seat)

    @property
    def free(self) -> int:
        """Slots that the other side still has."""
        return self.needs(1 - self.seat) - len(self.theirs)

    def ground(self, seat: int) -> Ground:
        return Ground(
            self.fog or self.tile == "woodland", self.tile == "hills", DEFENDED_BY.get(self.tile or "") == seat
        )

    @property
    def complete(self) -> bool:
        return len(self.mine) == self.needs(self.seat)

    def my_strength(self) -> Strength:
        return strength(self.mine, self.ground(self.seat))

    def their_strength(self, coming: Side = ()) -> Strength:
        return strength(self.theirs + coming, self.ground(1 - self.seat))

    def beaten_by(self, coming: Side = ()) -> bool:
        low = self.tile == "hills"
        return worth(self.their_strength(coming), low) > worth(self.my_strength(), low)


def deck(colours: str = COLOURS, copies: int = 1, values: int = 10) -> list[str]:
    """All troops by name, each as often as is there."""
    return [f"{colour}{value}" for colour in colours for value in range(1, values + 1)] * copies


def is_troop(card: str) -> bool:
    return card not in WILDS


def value_of(troop: str) -> int:
    return int(troop[1:])


def kinds_of(values: tuple[int, ...], one_colour: bool) -> Iterator[str]:
    """Every kind whose definition these values fit; `one_colour`: the cards can all have the same colour."""
    ordered = sorted(values)
    run = all(after - before == 1 for before, after in zip(ordered, ordered[1:], strict=False))
    if run and one_colour:
        yield "wedge"
    if ordered[0] == ordered[-1]:
        yield "phalanx"
    if one_colour:
        yield "battalion"
    if run:
        yield "skirmish"
    yield "host"


def readings(cards: Iterable[str], ground: Ground = PLAIN) -> Iterator[tuple[str, int]]:
    """Every kind and sum the cards can be read as."""
    for counting in counted(tuple(cards), ground):
        yield from readings_of_all(counting, ground.sum_only)


def counted(cards: Side, ground: Ground) -> Iterator[Side]:
    """The cards that count: all, or all but one of those with the highest printed value (BL-60)."""
    if not ground.highest_ignored:
        yield cards
        return
    printed = [value_of(card) if is_troop(card) else max(WILDS[card]) for card in cards]
    for place, value in enumerate(printed):
        if value == max(printed):
            yield cards[:place] + cards[place + 1 :]


def readings_of_all(cards: Side, sum_only: bool) -> Iterator[tuple[str, int]]:
    troops = [card for card in cards if is_troop(card)]
    wilds = [WILDS[card] for card in cards if not is_troop(card)]
    one_colour = len({card[0] for card in troops}) <= 1
    fixed = tuple(value_of(card) for card in troops)
    for chosen in product(*wilds):
        values = fixed + chosen
        for kind in ("host",) if sum_only else kinds_of(values, one_colour):
            yield kind, sum(values)


def worth(strength: Strength, lower_wins: bool) -> Strength:
    """What is compared: on Hills the lower sum of a kind is the better one (BL-66)."""
    kind, total = strength
    return kind, -total if lower_wins else total


def strength(cards: Iterable[str], ground: Ground = PLAIN) -> Strength:
    """The best reading of a complete side."""
    return best_reading(tuple(sorted(cards)), ground)


@lru_cache(maxsize=300_000)
def best_reading(cards: Side, ground: Ground) -> Strength:
    found = ((KINDS.index(kind), total) for kind, total in readings(cards, ground))
    return max(found, key=lambda reading: worth(reading, ground.lower_wins))


def completions(duel: Duel) -> Iterator[Side]:
    """Every way the other side can fill its free slots, the same cards once."""
    high_first = sorted(duel.unseen, key=lambda card: (-value_of(card), card))
    ways = combinations(high_first, duel.free)
    return iter(dict.fromkeys(ways)) if len(set(duel.unseen)) < len(duel.unseen) else ways


def is_provable(duel: Duel) -> bool:
    if not duel.complete:
        return False
    if not duel.free:
        equal = duel.their_strength() == duel.my_strength()
        return not duel.mine_last if equal else not duel.beaten_by()
    return not any(duel.beaten_by(troops) for troops in completions(duel))


def best_replies(duel: Duel) -> dict[str, int]:
    """The best sum of each kind that the other side can still be read as."""
    found: dict[str, int] = {}
    choose = min if duel.tile == "hills" else max
    for troops in completions(duel):
        for kind, total in set(readings(duel.theirs + troops, duel.ground(1 - duel.seat))):
            found[kind] = choose(found.get(kind, total), total)
    return found
