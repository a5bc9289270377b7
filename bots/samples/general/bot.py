"""Defends and counts: keeps its guard covered, knows which cards are still about, attacks where it expects to gain.

Every way to end a turn is weighed: what it gains at once, and what the arrangement that it leaves is worth, with the
cover of the guard, the attacks to come and those to be feared. A card is moved where that makes the best way better.
"""

from deploying import deploy
from memory import Memory
from pennant_kit import run
from planning import Plan

memory = Memory()


def choose(message):
    view, legal = message["view"], message["legal"]
    memory.hear(message["events"])
    if view["decision"] == "deploy":
        return deploy()
    if "pickup" in legal:
        return "pickup"
    action, worth = Plan(view, legal, message["seat"], memory).choose()
    return {"action": action, "eval": max(-1.0, min(1.0, worth / 100))}


run(choose)
