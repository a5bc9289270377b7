"""The choice of an action: every way to end the turn, now or after moving a card."""

from arranging import Arrangement
from field import Field
from weighing import WORTH

MOVE = 0.1
"""What a move has to bring at least."""
HASTE = 0.6
"""How much more an attack is liked with each quiet round, after so many of them."""
PATIENCE = 3
REFORM = 4.0
"""What a reform has to bring at least: there is only one."""
ROLLS = range(-2, 4)


class Plan:
    def __init__(self, view, legal, seat, memory):
        self.legal = legal
        self.field = Field(view, seat, memory)
        self.me, self.now = self.field.me, self.field.now
        self.number = {"g": None, **{name: cell for cell, name in enumerate(self.me.names)}}
        self.foes = {foe.seat: foe for foe in self.field.foes}
        self.haste = HASTE * max(0, view["quiet"] - PATIENCE)

    def choose(self):
        """The best action, and what may be expected after it."""
        return max(((action, self.weigh(*action.split())) for action in self.legal), key=lambda pair: pair[1])

    def weigh(self, word, *rest):
        return getattr(self, f"weigh_{word}")(*rest)

    def weigh_pass(self):
        return self.field.worth(self.now)

    def weigh_attack(self, source, target):
        foe, own = self.foes[int(target[0])], self.number[source]
        cell = None if target[2:] == "g" else foe.names.index(target[2:])
        card = self.me.guard if own is None else self.me.cards[own]
        passed = (0 if own is None else self.me.passed[own]) + (foe.cover if cell is None else foe.passed[cell])
        left = self.now if own is None else self.now.without(own)
        return self.field.gain(card, self.me.bonus, foe, cell, passed == 1) + self.haste + self.field.worth(left)

    def weigh_modify(self):
        return self.modified(self.now)

    def weigh_reinforce(self, card, target):
        if target == "g":
            return self.field.worth(self.now.guarded(card))
        return self.field.worth(self.now.placed(self.number[target], card))

    def weigh_reform(self, layout, *hand):
        return self.field.worth(Arrangement.laid_out(layout, self.me.guard)) - REFORM

    def weigh_move(self, source, target):
        """What the best end of the turn is worth after a move."""
        field, after = self.field, self.now.moved(self.number[source], self.number[target])
        best = field.worth(after)
        for cell, gain in field.attacks(after, self.me.bonus, True):
            best = max(best, gain + self.haste + field.worth(after.without(cell)))
        if self.me.modification is None:
            best = max(best, self.modified(after))
        if self.me.hand:
            card = max(self.me.hand, key=WORTH.get)
            best = max([best, *(field.worth(after.placed(cell, card)) for cell in after.entrances)])
        return best - MOVE

    def modified(self, arrangement):
        """What it is worth on the average to roll the die."""
        still = self.field.standing(arrangement)
        return still + sum(self.field.outlook(arrangement, roll) for roll in ROLLS) / len(ROLLS)
