"""A bot for Battle Line that estimates its chance at every flag and plays the card that adds most to their sum.

The worth of a card at the other flags is subtracted, and tactics are played if they add enough. It plays every edition.
"""

from advice import Advice
from pennant_kit import run

FIRST_TACTIC_TURN = 16
"""Turn after which a tactic is drawn as a reserve."""
PREFERRED_TILES = ("castle", "town", "fields", "watchtower", "marshes", "hills", "woodland", "river", "fortress")
"""Tiles that seat 0 prefers, the best first; for seat 1 the castle and the fortress are swapped."""

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
    """Draw a troop, or one tactic as a reserve later in the game."""
    has_tactic = any(not card[1:].isdigit() for card in view["hand"])
    if not has_tactic and view["turn"] > FIRST_TACTIC_TURN and "draw tactic" in legal:
        return "draw tactic"
    return legal[0]


def choose_tile(legal, seat):
    """Choose the preferred tile, and turn down the tile that is best for the opponent."""
    swap = {"castle": "fortress", "fortress": "castle"} if seat else {}

    def preference(action):
        tile = action.split()[1]
        return PREFERRED_TILES.index(swap.get(tile, tile))

    chosen = min(legal, key=preference)
    is_unwanted = chosen.startswith("lay") and preference(chosen) == len(PREFERRED_TILES) - 1
    return chosen.replace(" up", " down") if is_unwanted else chosen


run(choose, hello=lambda message: options.update(message["options"]))
