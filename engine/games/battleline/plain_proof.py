"""Prove or refute a claim a second time, from the view alone and by trying everything.

This shares no code with the proof that the rules use: it reads the view that a bot gets, fills the other side's free
places with every choice of unseen troops, lets wild cards stand for everything they can, and compares. It is slow and
plain on purpose. Puzzles are checked by both proofs before they are shown.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product

from engine.core import Json

LEADER_VALUES = range(1, 11)
CAVALRY_VALUES = (8,)
SHIELD_VALUES = (1, 2, 3)
WILD_VALUES = {
    "leader-1": LEADER_VALUES,
    "leader-2": LEADER_VALUES,
    "cavalry": CAVALRY_VALUES,
    "shield": SHIELD_VALUES,
}

Troop = tuple[str, int]
"""Colour and value."""
Strength = tuple[int, int]
"""Place of the formation, 0 for a host to 4 for a wedge, and the sum."""


class UnknownGround(ValueError):
    """The flag has a tile, which this proof doesn't know."""


@dataclass(frozen=True, slots=True)
class PlainProof:
    """What trying everything has found of a claim."""

    holds: bool
    refutations: tuple[tuple[str, ...], ...]
    """Every choice of unseen troops that beats the claimant's side, each once; one empty choice where the other side is
    complete and the claim fails."""


def prove(options: Json, view: Json, seat: int, flag: int) -> PlainProof:
    """Return whether `seat` could claim a flag, counted from 1, at this view, and everything that refutes it.

    Raise UnknownGround at a flag with a tile.
    """
    shown = view["flags"][flag - 1]
    if shown["tile"] is not None:
        raise UnknownGround(f"flag {flag} has a tile")
    mine, theirs = shown["cards"][seat], shown["cards"][1 - seat]
    if shown["owner"] is not None or len(mine) != shown["needs"][seat]:
        return PlainProof(False, ())
    sum_only = shown["fog"]
    own = measure(mine, options["colours"], sum_only)
    free = shown["needs"][1 - seat] - len(theirs)
    if not free:
        other = measure(theirs, options["colours"], sum_only)
        holds = other < own or (other == own and shown["last"] != seat)
        return PlainProof(holds, () if holds else ((),))
    unseen = count_unseen(options, view)
    found = tuple(
        sorted(
            chosen
            for chosen in list_choices(unseen, free)
            if measure([*theirs, *chosen], options["colours"], sum_only) > own
        )
    )
    return PlainProof(not found, found)


def count_unseen(options: Json, view: Json) -> Counter[str]:
    """Return how many of each troop don't lie face up: the whole deck less the table and the discards."""
    values = range(1, options.get("values", 10) + 1)
    troops = Counter({f"{colour}{value}": options["copies"] for colour in options["colours"] for value in values})
    face_up = [card for shown in view["flags"] for side in shown["cards"] for card in side]
    face_up += [card for pile in view["discards"] for card in pile]
    troops.subtract(card for card in face_up if card in troops)
    return +troops


def list_choices(unseen: Counter[str], free: int) -> Iterator[tuple[str, ...]]:
    """Yield every choice of so many unseen troops once."""
    yield from dict.fromkeys(combinations(sorted(unseen.elements()), free))


def measure(cards: Sequence[str], colours: str, sum_only: bool) -> Strength:
    """Return the best strength of a complete side over everything that its wild cards can stand for."""
    choices = [list_meanings(card, colours) for card in cards]
    if sum_only:
        return 0, sum(max(value for _, value in meanings) for meanings in choices)
    return max(measure_troops(troops) for troops in product(*choices))


def list_meanings(card: str, colours: str) -> list[Troop]:
    """Return all the troops that a card can stand for."""
    if card in WILD_VALUES:
        return [(colour, value) for colour in colours for value in WILD_VALUES[card]]
    return [(card[0], int(card[1:]))]


def measure_troops(troops: Sequence[Troop]) -> Strength:
    """Return the strength of a side of troops alone."""
    values = sorted(value for _, value in troops)
    same_colour = len({colour for colour, _ in troops}) == 1
    same_value = len(set(values)) == 1
    in_a_row = all(higher == lower + 1 for lower, higher in zip(values, values[1:], strict=False))
    if same_colour and in_a_row:
        kind = 4
    elif same_value:
        kind = 3
    elif same_colour:
        kind = 2
    elif in_a_row:
        kind = 1
    else:
        kind = 0
    return kind, sum(values)
