"""Track what all others know of a seat's hidden cards beyond their number, for dealing them anew (see `redeal`).

Each card has a **group**: 0 until it has been seen, then the number of the picking up that hid it again (BT-14). The
group of a hidden card in a cell is known, because every card is followed through its moves, and every hand holds one
group only. Two things blur that, both from the one reforming a seat has (BT-35): which card was laid where, and which
was taken back into the hand. A cell is then marked:

- FRONT: laid in the front of two rows. Its card was in front of the old back row, so of each group there are at most
  `limits[group]` such cards.
- BACK: laid in the back row. Its card may be any of those that were laid out (groups `laid`).
- MIXED: from the hand into which one was taken back. Of the hidden cards marked so, the hand's too, at least `least`
  are of the hand's group `held`.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final, Self

PLAIN: Final = 0
FRONT: Final = 1
BACK: Final = 2
MIXED: Final = 3
HAND_PLACE: Final = 13
"""The place of all cards in the hand, beside the spots."""


@dataclass(frozen=True, slots=True)
class Laid:
    """A reforming, as far as it matters here."""

    rows_before: dict[int, int]
    """By hidden card laid out: how many rows lay between it and the old back row."""
    taken: int
    """The card taken into the hand; 0 for none."""
    front: tuple[int, ...]
    """Spots with a hidden card now, in the front of two rows."""
    back: tuple[int, ...]
    """The same in the back row."""


@dataclass(frozen=True, slots=True)
class Knowledge:
    """All that others know of one seat's hidden cards. It never changes: each method returns another one."""

    groups: tuple[int, ...] = (0,) * 15
    """By card."""
    latest: int = 0
    """The highest group there has been."""
    marks: tuple[int, ...] = (PLAIN,) * 14
    """By spot, then that of the hand."""
    limits: tuple[int, ...] = ()
    """By group; those beyond have none."""
    laid: int = 0
    """The groups that hidden cards of the reforming had, as bits."""
    held: int = 0
    """The group of the hand into which a card was taken back."""
    least: int = 0

    def pick_up(self, cards: Iterable[int]) -> Self:
        """Return the knowledge after the wounded pile went into the empty hand."""
        number = self.latest + 1
        picked = set(cards)
        groups = tuple(number if card in picked else group for card, group in enumerate(self.groups))
        return replace(self, groups=groups, latest=number, marks=(*self.marks[:HAND_PLACE], PLAIN))

    def move(self, start: int, goal: int) -> Self:
        """Return the knowledge after a card went from a place to an empty spot."""
        if self.marks[start] == self.marks[goal]:
            return self
        marks = list(self.marks)
        marks[goal] = marks[start]
        if start != HAND_PLACE:
            marks[start] = PLAIN
        return replace(self, marks=tuple(marks))

    def reveal(self, card: int, spot: int) -> Self:
        """Return the knowledge after everybody saw the card of a spot."""
        mark, group = self.marks[spot], self.groups[card]
        if mark == PLAIN:
            return self
        limits, least = self.limits, self.least
        if mark == FRONT:
            limits = limits[:group] + (limits[group] - 1,) + limits[group + 1 :]
        if mark == MIXED and group == self.held:
            least = max(least - 1, 0)
        marks = self.marks[:spot] + (PLAIN,) + self.marks[spot + 1 :]
        return replace(self, marks=marks, limits=limits, least=least)

    def lay_anew(self, laid: Laid, hand: tuple[int, ...]) -> Self:
        """Return the knowledge after a reforming; `hand` is the hand before it."""
        groups, latest = self.groups, self.latest
        if laid.taken and laid.taken not in laid.rows_before:
            latest += 1
            groups = (*groups[: laid.taken], latest, *groups[laid.taken + 1 :])
        limits = [0] * (latest + 1)
        for card, rows in laid.rows_before.items():
            limits[groups[card]] += rows > 0
        found = {groups[card] for card in laid.rows_before}
        held = groups[hand[0]] if hand else 0
        marks = mark_reformed_cards(laid, found, held if hand else None)
        return replace(
            self,
            groups=groups,
            latest=latest,
            marks=marks,
            limits=tuple(limits),
            laid=sum(1 << group for group in found),
            held=held,
            least=len(hand) if marks[HAND_PLACE] == MIXED else 0,
        )


def mark_reformed_cards(laid: Laid, groups: set[int], held: int | None) -> tuple[int, ...]:
    """Return the marks after a reforming of hidden cards of these groups.

    `held` is the hand's group, None without a hand. Cards of one group need no mark, whichever of them lies where.
    """
    marks = [PLAIN] * (HAND_PLACE + 1)
    if len(groups) > 1:
        for spot in laid.front:
            marks[spot] = FRONT
        for spot in laid.back:
            marks[spot] = BACK
    hidden = laid.taken in laid.rows_before
    if laid.taken and held is not None and not (hidden and groups == {held}):
        marks[HAND_PLACE] = MIXED
    elif laid.taken and held is None and hidden and len(groups) > 1:
        marks[HAND_PLACE] = BACK
    return tuple(marks)
