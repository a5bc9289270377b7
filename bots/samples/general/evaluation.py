"""Evaluate attacks and arrangements on the table as one seat sees it."""

from arrangement import Arrangement
from attack_values import (
    EMPEROR_WORTH,
    EMPTY_GUARD_WORTH,
    SKIP_VALUE,
    VALUE,
    WORTH,
    chance_to_beat,
    gain,
    gain_on_guard,
)
from card_odds import CardOdds
from paths import Side, count_cards_passed, occupied_mask

FORMATION_SHARE = 0.06
"""Share of its worth that a card gains by being in the formation instead of the hand."""
COVER_WORTH = (0.0, 2.0, 3.5, 4.5)
"""Worth of the cover by the number of cards in front of the guard, from 0."""
OPENING_WEIGHT = 0.4
"""Weight of the cover that an opponent loses."""
NEXT_ATTACK_WEIGHT = 0.4
"""Weight of the best attack of the next turn."""
DANGER_WEIGHT = 0.6
"""Weight of the danger, below 1 since opponents can't see everything either."""


class Evaluation:
    def __init__(self, view, seat, hidden_cards):
        sides = [Side(player) for player in view["seats"]]
        self.me = sides[seat]
        self.now = Arrangement(self.me.rows, self.me.cards, self.me.guard)
        self.opponents = [side for side in sides if side.seat != seat and not side.out]
        self.odds_of = {
            opponent.seat: CardOdds(opponent, hidden_cards.lots_of(opponent.seat)) for opponent in self.opponents
        }
        self.barred = view["last_attacked"] if len(self.opponents) > 1 else None
        self.later = next_bonus(self.me.bonus)
        self._best_gains, self._dangers = {}, {}

    def gain(self, card, bonus, opponent, cell, skips=False):
        """Return the expected gain of attacking a cell of an opponent; None is the guard."""
        odds = self.odds_of[opponent.seat]
        value = (SKIP_VALUE if skips and card == "Q" else VALUE[card]) + bonus
        if cell is None:
            return gain_on_guard(card, value, odds.guard, opponent.bonus)
        return gain(card, value, odds.cells[cell], opponent.bonus) + self.opening(opponent, cell)

    def opening(self, opponent, cell):
        """Return the worth of emptying the cell."""
        after = count_cards_passed(opponent.rows, occupied_mask(opponent.cards) & ~(1 << cell))[1]
        return OPENING_WEIGHT * (COVER_WORTH[min(opponent.cover, 3)] - COVER_WORTH[min(after, 3)]) / len(self.opponents)

    def best_gain(self, card, passed, bonus, now):
        """Return the best gain of a card that passes over `passed` own cards; None if it reaches nothing."""
        key = card, min(passed, 2), bonus, now
        if key not in self._best_gains:
            self._best_gains[key] = max(self.gains(*key), default=None)
        return self._best_gains[key]

    def gains(self, card, passed, bonus, now):
        for opponent in self.opponents:
            if now and opponent.seat == self.barred:
                continue
            for cell, held in enumerate(opponent.cards):
                skipped = passed + opponent.passed[cell]
                if held is not None and may_reach(card, skipped):
                    yield self.gain(card, bonus, opponent, cell, skipped == 1)
            skipped = passed + opponent.cover
            if card != "K" and may_reach(card, skipped) and not (card == "J" and opponent.guard is None):
                yield self.gain(card, bonus, opponent, None, skipped == 1)

    def attacks(self, arrangement, bonus, now):
        """Yield each own cell that can attack, with its best expected gain."""
        for cell, (card, passed) in enumerate(zip(arrangement.cards, arrangement.passed, strict=True)):
            if card is not None and may_reach(card, passed):
                best = self.best_gain(card, passed, bonus, now)
                if best is not None:
                    yield cell, best

    def value(self, arrangement):
        """Return the value of an arrangement at the end of the turn."""
        return self.standing(arrangement) + self.outlook(arrangement, self.later)

    def standing(self, arrangement):
        """Return the value of the cards in the formation and of the cover of the guard."""
        present = sum([WORTH[card] for card in arrangement.cards if card is not None])
        return FORMATION_SHARE * present + COVER_WORTH[min(arrangement.cover, 3)]

    def outlook(self, arrangement, bonus):
        """Return the value of the next attacks of both sides, with this modification."""
        coming = max([best for _, best in self.attacks(arrangement, bonus, False)], default=0.0)
        return NEXT_ATTACK_WEIGHT * max(0.0, coming) - self.danger(arrangement.cover, arrangement.guard, bonus)

    def danger(self, cover, guard, bonus):
        """Return the expected loss by attacks on the guard before the next turn."""
        key = min(cover, 2), guard, bonus
        if key not in self._dangers:
            self._dangers[key] = self._danger(*key)
        return self._dangers[key]

    def _danger(self, cover, guard, bonus):
        value = -100 if guard is None else VALUE[guard] + bonus
        safe = 1.0
        for opponent in self.opponents:
            for cell, card in enumerate(opponent.cards):
                if card is not None and opponent.passed[cell] + cover <= 1:
                    skips = opponent.passed[cell] + cover == 1
                    safe *= 1 - chance_to_beat(self.odds_of[opponent.seat].cells[cell], opponent.bonus, value, skips)
        return DANGER_WEIGHT * EMPEROR_WORTH * (1 - safe) + (EMPTY_GUARD_WORTH if guard is None else 0.0)


def may_reach(card, passed):
    return passed == 0 or card == "K" or (passed == 1 and card in ("Q", "J"))


def next_bonus(bonus):
    """Return a modification one turn later."""
    return bonus - (bonus > 0) + (bonus < 0)
