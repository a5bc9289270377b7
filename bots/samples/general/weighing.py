"""What an attack may be expected to bring, and what may be expected to come back."""

# Not in step with the values: few cards overcome a high one, and any covers the guard as well as a 2.
WORTH = {"A": 12.0, "K": 6.5, "Q": 7.0, "J": 2.5, "10": 8.0, "9": 7.0, "8": 5.0}
WORTH |= {"7": 4.0, "6": 3.5, "5": 3.0, "4": 2.7, "3": 2.3, "2": 2.0}
VALUE = {"A": 11, "K": 0, "Q": 10, "J": 0, **{str(number): number for number in range(2, 11)}}
WOUND = 0.15
"""What a wounded card has lost of its worth: the turns until it is back."""
EMPEROR = 60.0
BARE = 12.0
"""What an empty guard cell is worth to those opposite."""
LOOK, LOOK_AT_GUARD = 0.5, 1.0
"""What it is worth to know a card."""
SKIP = 8


def gain(card, value, odds, bonus):
    """The expected gain of an attack by `card`, worth `value` now, on a formation card."""
    total = 0.0
    for other, chance in odds:
        total += chance * exchange(card, value, other, VALUE[other] + bonus)
    return total


def exchange(card, value, other, theirs):
    if card == "J":
        return LOOK - WOUND * WORTH["J"]
    if card == "K" or other == "K" or (value == theirs and other != "J"):
        return WORTH[other] - WORTH[card]
    if other == "J" or value > theirs:
        return WORTH[other] - WOUND * WORTH[card]
    return WOUND * WORTH[other] - WORTH[card]


def gain_on_guard(card, value, odds, bonus):
    """The expected gain of an attack on a guard, or on an empty guard cell where there are no odds."""
    if card == "J":
        return LOOK_AT_GUARD - WOUND * WORTH["J"] if odds else 0.0
    if not odds:
        return EMPEROR
    total = 0.0
    for other, chance in odds:
        theirs = VALUE[other] + bonus
        if value > theirs:
            total += chance * EMPEROR
        elif value == theirs:
            total += chance * (BARE - WORTH[card])
        else:
            total -= chance * WORTH[card]
    return total


def beats(odds, bonus, guard, skips):
    """How likely it is that a card with these odds overcomes a guard of this value, directly or by skipping."""
    return sum(chance for card, chance in odds if card not in ("K", "J") and reach(card, skips) + bonus > guard)


def reach(card, skips):
    """The value of a card on its way; where one card has to be passed over, only a Queen comes through."""
    if not skips:
        return VALUE[card]
    return SKIP if card == "Q" else -1000
