"""A bot for Battalion that covers its guard, counts cards and attacks where it expects to gain.

It evaluates every way to end the turn: the gain at once, plus the value of the arrangement afterwards, which includes
the cover of the guard, its own next attacks and those of its opponents. It moves a card if that improves the best end.
"""

from deployment import choose_deployment
from hidden_cards import HiddenCards
from pennant_kit import run
from planning import Plan

hidden_cards = HiddenCards()


def choose(message):
    view, legal = message["view"], message["legal"]
    hidden_cards.record(message["events"])
    if view["decision"] == "deploy":
        return choose_deployment()
    if "pickup" in legal:
        return "pickup"
    action, worth = Plan(view, legal, message["seat"], hidden_cards).choose()
    return {"action": action, "eval": max(-1.0, min(1.0, worth / 100))}


run(choose)
