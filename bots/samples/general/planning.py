"""Choose an action by evaluating every way to end the turn, now or after moving a card."""

from arrangement import Arrangement
from attack_values import WORTH
from evaluation import Evaluation

MOVE_COST = 0.1
"""Minimum gain of a move."""
ATTACK_BONUS_PER_QUIET_ROUND = 0.6
"""Bonus of attacks for each quiet round beyond QUIET_ROUNDS_ALLOWED."""
QUIET_ROUNDS_ALLOWED = 3
REFORM_COST = 4.0
"""Minimum gain of a reform, since there is only one."""
MODIFICATIONS = range(-2, 4)


class Plan:
    def __init__(self, view, legal, seat, hidden_cards):
        self.legal = legal
        self.evaluation = Evaluation(view, seat, hidden_cards)
        self.me, self.now = self.evaluation.me, self.evaluation.now
        self.number = {"g": None, **{name: cell for cell, name in enumerate(self.me.names)}}
        self.opponents = {opponent.seat: opponent for opponent in self.evaluation.opponents}
        self.attack_bonus = ATTACK_BONUS_PER_QUIET_ROUND * max(0, view["quiet"] - QUIET_ROUNDS_ALLOWED)

    def choose(self):
        """Return the best action and its value."""
        return max(((action, self.weigh(*action.split())) for action in self.legal), key=lambda pair: pair[1])

    def weigh(self, word, *rest):
        return getattr(self, f"weigh_{word}")(*rest)

    def weigh_pass(self):
        return self.evaluation.value(self.now)

    def weigh_attack(self, source, target):
        opponent, own = self.opponents[int(target[0])], self.number[source]
        cell = None if target[2:] == "g" else opponent.names.index(target[2:])
        card = self.me.guard if own is None else self.me.cards[own]
        passed = (0 if own is None else self.me.passed[own]) + (
            opponent.cover if cell is None else opponent.passed[cell]
        )
        left = self.now if own is None else self.now.without(own)
        return (
            self.evaluation.gain(card, self.me.bonus, opponent, cell, passed == 1)
            + self.attack_bonus
            + self.evaluation.value(left)
        )

    def weigh_modify(self):
        return self.value_of_modifying(self.now)

    def weigh_reinforce(self, card, target):
        if target == "g":
            return self.evaluation.value(self.now.guarded(card))
        return self.evaluation.value(self.now.placed(self.number[target], card))

    def weigh_reform(self, layout, *hand):
        return self.evaluation.value(Arrangement.from_layout(layout, self.me.guard)) - REFORM_COST

    def weigh_move(self, source, target):
        """Return the value of the best end of the turn after a move."""
        evaluation, after = self.evaluation, self.now.moved(self.number[source], self.number[target])
        best = evaluation.value(after)
        for cell, gain in evaluation.attacks(after, self.me.bonus, True):
            best = max(best, gain + self.attack_bonus + evaluation.value(after.without(cell)))
        if self.me.modification is None:
            best = max(best, self.value_of_modifying(after))
        if self.me.hand:
            card = max(self.me.hand, key=WORTH.get)
            best = max([best, *(evaluation.value(after.placed(cell, card)) for cell in after.entrances)])
        return best - MOVE_COST

    def value_of_modifying(self, arrangement):
        """Return the average value of rolling the die."""
        still = self.evaluation.standing(arrangement)
        return still + sum(self.evaluation.outlook(arrangement, roll) for roll in MODIFICATIONS) / len(MODIFICATIONS)
