"""Weighs its chances at every flag, and plays what adds most to them; plays tactics when they pay.

A play is worth what it adds to the sum of the chances, less what its card would have been worth at the other flags. The
estimate comes from the engine, which a bot may import. It plays every edition.
"""

from advice import Advice
from pennant_kit import run

TACTICS_FROM = 16
"""The turn from which a tactic is wanted in reserve."""
LIKED_TILES = ("castle", "town", "fields", "watchtower", "marshes", "hills", "woodland", "river", "fortress")
"""What seat 0 likes to have in force, best first; seat 1 likes the fortress as it does the castle."""

options = {}


def choose(message):
    legal, view, seat = message["legal"], message["view"], message["seat"]
    decision = view["decision"]
    if legal[0].startswith("claim"):
        return legal[0]
    if decision == "finish" or decision == "scout":
        return choose_draw(legal, view)
    if decision in ("draft", "lay"):
        return choose_tile(legal, seat)
    advice = Advice(options, view, seat)
    return {"action": max(legal, key=advice.worth), "eval": advice.hope}


def choose_draw(legal, view):
    """Troops, but for a tactic in reserve once the lines have formed."""
    has_tactic = any(not card[1:].isdigit() for card in view["hand"])
    if not has_tactic and view["turn"] > TACTICS_FROM and "draw tactic" in legal:
        return "draw tactic"
    return legal[0]


def choose_tile(legal, seat):
    """Take the tiles one likes, and turn down what only the other likes."""
    swap = {"castle": "fortress", "fortress": "castle"} if seat else {}

    def liking(action):
        tile = action.split()[1]
        return LIKED_TILES.index(swap.get(tile, tile))

    chosen = min(legal, key=liking)
    disliked = chosen.startswith("lay") and liking(chosen) == len(LIKED_TILES) - 1
    return chosen.replace(" up", " down") if disliked else chosen


run(choose, hello=lambda message: options.update(message["options"]))
