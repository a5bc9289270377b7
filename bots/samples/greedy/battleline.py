"""Plays each card where it promises the best formation, claims whatever can be claimed, and leaves tactics alone.

It looks at its own side of the flags only: a card is worth what the formation that it makes possible is worth.
"""

WEDGE, PHALANX, BATTALION, SKIRMISH, HOST = 100, 80, 55, 35, 0
"""What a formation is worth, beside the values of its cards."""


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
    """What a play adds at its flag."""
    _, card, flag = action.split()
    if not is_troop(card):
        return -1000
    side = view["flags"][int(flag) - 1]["cards"][seat]
    troops = [other for other in side if is_troop(other)]
    return promise([*troops, card]) - promise(troops)


def promise(side):
    """What the best formation is worth that still holds all these troops."""
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
    # The more of it lies there, the surer it is.
    return kind * (1 + len(side)) / 4 + sum(values)


def is_troop(card):
    return card[1:].isdigit()
