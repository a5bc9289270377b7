"""A first bot. It plays both games of the arena: better than by chance, and much worse than you can.

The arena writes one JSON object a line to our stdin, and we answer with one a line on stdout. What we print to stderr
is our private log.
"""

import json
import random
import sys

STRENGTH = {"A": 11, "K": 1, "Q": 10, "J": 1}
"""What Battalion's court cards are worth in an attack, more or less; the others are worth their number."""
UNSEEN = 6.5


def choose(message):
    """The action we take. `legal` lists all there are, so whatever we pick from it is no fault."""
    decision = message["view"]["decision"]
    if decision == "deploy":
        return random.choice(message["legal"])
    if decision == "turn":
        return choose_in_battalion(message)
    return choose_in_battle_line(message)


def choose_in_battle_line(message):
    """Claim what we can prove; else play the card that fits best to what already lies at its flag."""
    legal = message["legal"]
    for wish in ("claim ", "draw troop"):
        for action in legal:
            if action.startswith(wish):
                return action
    plays = [action for action in legal if is_troop(action)]
    if not plays:
        return random.choice(legal)
    return max(plays, key=lambda action: fit(action, message))


def is_troop(action):
    """Whether the action plays a troop: a letter for the colour, then the number, as in `play R7 3`."""
    word, *rest = action.split()
    return word == "play" and rest[0][1:].isdigit()


def fit(action, message):
    """How well a troop fits to ours at its flag: by colour, or by number, and the higher the better."""
    _, card, flag = action.split()
    points = int(card[1:]) / 10
    for other in message["view"]["flags"][int(flag) - 1]["cards"][message["seat"]]:
        if other[0] == card[0]:
            points += 2
        if other[1:] == card[1:]:
            points += 2
    return points


def choose_in_battalion(message):
    """Take up the wounded; attack where that should win by most; else bring in a card, or wait."""
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
    for wish in ("pickup", "reinforce ", "modify", "pass"):
        wished = [action for action in legal if action.startswith(wish)]
        if wished:
            return random.choice(wished)
    return random.choice(legal)


def strength(card):
    """A card that we can't see (?) is taken for a middling one; an empty cell (None) falls to anybody."""
    if card is None:
        return 0
    return UNSEEN if card == "?" else STRENGTH.get(card) or int(card)


for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "ready"}), flush=True)
        print("I play", message["game"], "on seat", message["seat"], file=sys.stderr)
    elif message["type"] == "turn":
        print(json.dumps({"action": choose(message)}), flush=True)
    elif message["type"] == "end":
        break
