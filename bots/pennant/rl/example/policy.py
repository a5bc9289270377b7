"""A small policy for Battle Line: it weighs some features of each legal action. Standard library alone.

This file is used in training and goes with the bot.
"""

from collections.abc import Mapping, Sequence
from typing import Any

View = dict[str, Any]

FEATURES = (
    "claim",
    "draw a troop",
    "draw a tactic",
    "play a troop",
    "play a tactic",
    "pass",
    "value",
    "same colour",
    "same value",
    "neighbouring value",
    "own cards there",
    "other cards there",
    "completes the side",
    "spoils a colour",
)
NEIGHBOURING_VALUES = 2


def list_features(action: str, view: View, seat: int) -> dict[str, float]:
    """Return the features of an action, as numbers by their names."""
    verb, *words = action.split(" ")
    if verb != "play":
        name = f"draw a {words[0]}" if verb == "draw" else verb
        return {name: 1.0} if name in FEATURES else {}
    card, flag = words[0], view["flags"][int(words[1]) - 1]
    own, others = flag["cards"][seat], flag["cards"][1 - seat]
    if not is_troop(card):
        return {"play a tactic": 1.0}
    troops = [other for other in own if is_troop(other)]
    value = int(card[1:])
    return {
        "play a troop": 1.0,
        "value": value / 10,
        "same colour": sum(other[0] == card[0] for other in troops),
        "same value": sum(int(other[1:]) == value for other in troops),
        "neighbouring value": sum(0 < abs(int(other[1:]) - value) <= NEIGHBOURING_VALUES for other in troops),
        "own cards there": len(own),
        "other cards there": len(others),
        "completes the side": float(len(own) + 1 == flag["needs"][seat]),
        "spoils a colour": float(bool(troops) and all(other[0] != card[0] for other in troops)),
    }


def is_troop(card: str) -> bool:
    """Return whether a card is a troop: a letter and a number."""
    return card[1:].isdigit()


def rate(action: str, view: View, seat: int, weights: Mapping[str, float]) -> float:
    """Return how good an action is: the sum of its weighted features."""
    return sum(weights[name] * worth for name, worth in list_features(action, view, seat).items())


def choose(legal: Sequence[str], view: View, seat: int, weights: Mapping[str, float]) -> str:
    """Return the action that is rated highest."""
    return max(legal, key=lambda action: rate(action, view, seat, weights))
