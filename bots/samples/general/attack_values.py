"""Estimate the gains and losses of attacks."""

# The worth grows less than the value: high cards are rarely beaten, but cover the guard no better than a 2.
WORTH = {"A": 12.0, "K": 6.5, "Q": 7.0, "J": 2.5, "10": 8.0, "9": 7.0, "8": 5.0}
WORTH |= {"7": 4.0, "6": 3.5, "5": 3.0, "4": 2.7, "3": 2.3, "2": 2.0}
VALUE = {"A": 11, "K": 0, "Q": 10, "J": 0, **{str(number): number for number in range(2, 11)}}
WOUND_COST = 0.15
"""Share of its worth that a wounded card loses, as it is away for some turns."""
EMPEROR_WORTH = 60.0
EMPTY_GUARD_WORTH = 12.0
"""Worth of an empty guard cell to its opponents."""
LOOK_WORTH, GUARD_LOOK_WORTH = 0.5, 1.0
"""Worth of seeing a hidden card, and a hidden guard."""
SKIP_VALUE = 8


def gain(card, value, odds, bonus):
    """Return the expected gain of an attack by `card`, with the value `value`, on a formation card."""
    total = 0.0
    for other, chance in odds:
        total += chance * exchange_value(card, value, other, VALUE[other] + bonus)
    return total


def exchange_value(card, value, other, theirs):
    if card == "J":
        return LOOK_WORTH - WOUND_COST * WORTH["J"]
    if card == "K" or other == "K" or (value == theirs and other != "J"):
        return WORTH[other] - WORTH[card]
    if other == "J" or value > theirs:
        return WORTH[other] - WOUND_COST * WORTH[card]
    return WOUND_COST * WORTH[other] - WORTH[card]


def gain_on_guard(card, value, odds, bonus):
    """Return the expected gain of an attack on a guard, or on an empty guard cell if there are no odds."""
    if card == "J":
        return GUARD_LOOK_WORTH - WOUND_COST * WORTH["J"] if odds else 0.0
    if not odds:
        return EMPEROR_WORTH
    total = 0.0
    for other, chance in odds:
        theirs = VALUE[other] + bonus
        if value > theirs:
            total += chance * EMPEROR_WORTH
        elif value == theirs:
            total += chance * (EMPTY_GUARD_WORTH - WORTH[card])
        else:
            total -= chance * WORTH[card]
    return total


def chance_to_beat(odds, bonus, guard, skips):
    """Return the probability that a card with these odds beats a guard of this value."""
    return sum(chance for card, chance in odds if card not in ("K", "J") and attack_value(card, skips) + bonus > guard)


def attack_value(card, skips):
    """Return the value of an attacking card; only a Queen can attack a guard over another card."""
    if not skips:
        return VALUE[card]
    return SKIP_VALUE if card == "Q" else -1000
