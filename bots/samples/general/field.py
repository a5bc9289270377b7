"""The whole table as one seat sees it, and what an arrangement of its own cards is worth there."""

from arranging import Arrangement
from counting import Counts
from ground import Side, crossings, mask_of
from weighing import BARE, EMPEROR, SKIP, VALUE, WORTH, beats, gain, gain_on_guard

PRESENT = 0.06
"""What a card in the formation is worth beyond one in the hand, as a share of its worth."""
DEPTH = (0.0, 2.0, 3.5, 4.5)
"""What it is worth to have so many cards in front of the guard."""
OPENING = 0.4
"""How much of that counts where it is an opponent's."""
NEXT = 0.4
"""What an attack is worth that waits for the next turn."""
FEAR = 0.6
"""How much of a danger is believed: the others don't know everything either."""


class Field:
    def __init__(self, view, seat, memory):
        sides = [Side(player) for player in view["seats"]]
        self.me = sides[seat]
        self.now = Arrangement(self.me.rows, self.me.cards, self.me.guard)
        self.foes = [side for side in sides if side.seat != seat and not side.out]
        self.counts = {foe.seat: Counts(foe, memory.of(foe.seat)) for foe in self.foes}
        self.barred = view["last_attacked"] if len(self.foes) > 1 else None
        self.later = step(self.me.bonus)
        self._best_gains, self._dangers = {}, {}

    def gain(self, card, bonus, foe, cell, skips=False):
        """The expected gain of attacking a cell (None: the guard) of a foe."""
        counts = self.counts[foe.seat]
        value = (SKIP if skips and card == "Q" else VALUE[card]) + bonus
        if cell is None:
            return gain_on_guard(card, value, counts.guard, foe.bonus)
        return gain(card, value, counts.cells[cell], foe.bonus) + self.opening(foe, cell)

    def opening(self, foe, cell):
        """What it is worth that the cell will be empty."""
        after = crossings(foe.rows, mask_of(foe.cards) & ~(1 << cell))[1]
        return OPENING * (DEPTH[min(foe.cover, 3)] - DEPTH[min(after, 3)]) / len(self.foes)

    def best_gain(self, card, passed, bonus, now):
        """The best a card can expect that has to pass over so many of its own; None if it reaches nothing."""
        key = card, min(passed, 2), bonus, now
        if key not in self._best_gains:
            self._best_gains[key] = max(self.gains(*key), default=None)
        return self._best_gains[key]

    def gains(self, card, passed, bonus, now):
        for foe in self.foes:
            if now and foe.seat == self.barred:
                continue
            for cell, held in enumerate(foe.cards):
                skipped = passed + foe.passed[cell]
                if held is not None and may_reach(card, skipped):
                    yield self.gain(card, bonus, foe, cell, skipped == 1)
            skipped = passed + foe.cover
            if card != "K" and may_reach(card, skipped) and not (card == "J" and foe.guard is None):
                yield self.gain(card, bonus, foe, None, skipped == 1)

    def attacks(self, arrangement, bonus, now):
        """Each own cell that can attack, with the best it can expect."""
        for cell, (card, passed) in enumerate(zip(arrangement.cards, arrangement.passed, strict=True)):
            if card is not None and may_reach(card, passed):
                best = self.best_gain(card, passed, bonus, now)
                if best is not None:
                    yield cell, best

    def worth(self, arrangement):
        """What an arrangement is worth at the end of the turn."""
        return self.standing(arrangement) + self.outlook(arrangement, self.later)

    def standing(self, arrangement):
        """For the cards that are there, and those of them that cover the guard."""
        present = sum([WORTH[card] for card in arrangement.cards if card is not None])
        return PRESENT * present + DEPTH[min(arrangement.cover, 3)]

    def outlook(self, arrangement, bonus):
        """For what both sides may do next, with this modification."""
        coming = max([best for _, best in self.attacks(arrangement, bonus, False)], default=0.0)
        return NEXT * max(0.0, coming) - self.danger(arrangement.cover, arrangement.guard, bonus)

    def danger(self, cover, guard, bonus):
        """What may be expected to be lost by attacks on the guard before the next turn."""
        key = min(cover, 2), guard, bonus
        if key not in self._dangers:
            self._dangers[key] = self._danger(*key)
        return self._dangers[key]

    def _danger(self, cover, guard, bonus):
        value = -100 if guard is None else VALUE[guard] + bonus
        safe = 1.0
        for foe in self.foes:
            for cell, card in enumerate(foe.cards):
                if card is not None and foe.passed[cell] + cover <= 1:
                    skips = foe.passed[cell] + cover == 1
                    safe *= 1 - beats(self.counts[foe.seat].cells[cell], foe.bonus, value, skips)
        return FEAR * EMPEROR * (1 - safe) + (BARE if guard is None else 0.0)


def may_reach(card, passed):
    return passed == 0 or card == "K" or (passed == 1 and card in ("Q", "J"))


def step(bonus):
    """A modification one turn later."""
    return bonus - (bonus > 0) + (bonus < 0)
