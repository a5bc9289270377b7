"""Play each card where it makes the best formation possible, claim flags at once, and never play tactics.

It looks only at its own side of the flags.
"""

WEDGE, PHALANX, BATTALION, SKIRMISH, HOST = 100, 80, 55, 35, 0
"""Worth of a formation, without the values of its cards."""


def choose(message):
    legal, view = message["legal"], message["view"]
    for action in legal:
        if action.startswith("claim") or action == "draw troop":
            return action
    plays = [action for action in legal if action.startswith("play")]
    if not plays:
        return legal[0]
    return max(plays, key=lambda action: worth(action, view, message["seat"]))


def worth(action, view, seat):
    """Return how much a play adds at its flag."""
    _, card, flag = action.split()
    if not is_troop(card):
        return -1000
    side = view["flags"][int(flag) - 1]["cards"][seat]
    troops = [other for other in side if is_troop(other)]
    return formation_worth([*troops, card]) - formation_worth(troops)


def formation_worth(side):
    """Return the worth of the best formation that these troops can still become."""
    if not side:
        return 30
    colours = {card[0] for card in side}
    values = sorted(int(card[1:]) for card in side)
    near = len(set(values)) == len(values) and values[-1] - values[0] < 3
    kind = HOST
    if len(colours) == 1 and near:
        kind = WEDGE
    elif len(set(values)) == 1:
        kind = PHALANX
    elif len(colours) == 1:
        kind = BATTALION
    elif near:
        kind = SKIRMISH
    # A formation is more certain with more of its cards.
    return kind * (1 + len(side)) / 4 + sum(values)


def is_troop(card):
    return card[1:].isdigit()
