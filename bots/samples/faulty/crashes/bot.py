"""Plays two decisions and raises an exception in the third."""

from pennant_kit import run

decisions = []


def choose(message):
    decisions.append(message["n"])
    if len(decisions) == 3:
        raise KeyError("plan")
    return message["legal"][0]


run(choose)
