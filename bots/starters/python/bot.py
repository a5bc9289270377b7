"""A simple bot for Battle Line and Battalion, better than random.

The arena writes one JSON object a line to stdin, and the bot answers with one a line on stdout. Output on stderr is the
bot's private log.
"""

import json
import random
import sys
from pathlib import Path

CARD_WORTH_BY_RANK = {"A": 11, "K": 1, "Q": 10, "J": 1}
"""Approximate values of Battalion's court cards in an attack. Other cards have the value of their number."""
HIDDEN_CARD_VALUE = 6.5
PARAMETERS = json.loads(Path(__file__).with_name("params.json").read_text())
"""Numbers that `pennant tune` can find better values for."""


def choose(message):
    """Return the chosen action. All actions in `legal` are allowed."""
    decision = message["view"]["decision"]
    if decision == "deploy":
        return random.choice(message["legal"])
    if decision == "turn":
        return choose_in_battalion(message)
    return choose_in_battle_line(message)


def choose_in_battle_line(message):
    """Claim a flag if possible, else play the card that fits best to the cards at its flag."""
    legal = message["legal"]
    for prefix in ("claim ", "draw troop"):
        for action in legal:
            if action.startswith(prefix):
                return action
    plays = [action for action in legal if is_troop(action)]
    if not plays:
        return random.choice(legal)
    return max(plays, key=lambda action: rate_fit(action, message))


def is_troop(action):
    """Return whether the action plays a troop: a letter for the colour, then the number, as in `play R7 3`."""
    word, *rest = action.split()
    return word == "play" and rest[0][1:].isdigit()


def rate_fit(action, message):
    """Return how well a troop fits to our cards at its flag, by colour and by number."""
    _, card, flag = action.split()
    points = int(card[1:]) / 10
    for other in message["view"]["flags"][int(flag) - 1]["cards"][message["seat"]]:
        if other[0] == card[0]:
            points += PARAMETERS["same_colour"]
        if other[1:] == card[1:]:
            points += PARAMETERS["same_number"]
    return points


def choose_in_battalion(message):
    """Pick up the wounded, make the best attack, or else reinforce, modify or pass."""
    legal, seats = message["legal"], message["view"]["seats"]
    cards = {}
    for player in seats:
        for cell in [cell for row in player["rows"] for cell in row]:
            cards[f"{player['seat']}:{cell['cell']}"] = cell["card"]
        cards[f"{player['seat']}:g"] = (player["guard"] or {}).get("card")

    def gain(action):
        _, start, target = action.split()
        return strength(cards[f"{message['seat']}:{start}"]) - strength(cards[target])

    attacks = [action for action in legal if action.startswith("attack ") and gain(action) > 0]
    if attacks and "pickup" not in legal:
        return max(attacks, key=gain)
    for prefix in ("pickup", "reinforce ", "modify", "pass"):
        matching = [action for action in legal if action.startswith(prefix)]
        if matching:
            return random.choice(matching)
    return random.choice(legal)


def strength(card):
    """Return the value of a card: average for a hidden card (?), 0 for an empty cell (None)."""
    if card is None:
        return 0
    return HIDDEN_CARD_VALUE if card == "?" else CARD_WORTH_BY_RANK.get(card) or int(card)


for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        random.seed(message.get("seed"))
        print(json.dumps({"type": "ready"}), flush=True)
        print("I play", message["game"], "on seat", message["seat"], file=sys.stderr)
    elif message["type"] == "turn":
        print(json.dumps({"action": choose(message)}), flush=True)
    elif message["type"] == "end":
        break
