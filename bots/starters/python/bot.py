"""A simple bot for Battle Line and Battalion, better than random.

The arena writes one JSON object a line to stdin, and the bot answers with one a line on stdout. Output on stderr is the
bot's private log.
"""

import json
import sys
from pathlib import Path

CARD_WORTH_BY_RANK = {"A": 11, "K": 1, "Q": 10, "J": 1}
"""Approximate values of Battalion's court cards in an attack. Other cards have the value of their number."""
HIDDEN_CARD_VALUE = 6.5
PARAMETERS = json.loads(Path(__file__).with_name("params.json").read_text())
"""Numbers that `pennant tune` can find better values for."""

plan = {"seed": 1, "turn": None, "actions": []}
"""The rest of this turn's plan in Battle Line, and the seed of this leg."""


def start(hello):
    """Begin a leg."""
    plan.update(seed=hello.get("seed", 1), turn=None, actions=[])


def choose(message):
    """Return the chosen action. All actions in `legal` are allowed."""
    decision = message["view"]["decision"]
    if decision in ("play", "finish"):
        return choose_in_battle_line(message)
    if decision == "turn":
        return choose_in_battalion(message)
    return pick(message["legal"], message)


def pick(actions, message):
    """Return one of these actions: by chance, but the same whenever this request comes in this leg."""
    return actions[(plan["seed"] + message["n"]) % len(actions)]


def find_best(actions, rate):
    """Return the actions with the highest rating."""
    highest = max(map(rate, actions))
    return [action for action in actions if rate(action) == highest]


def choose_in_battle_line(message):
    """Follow the plan of this turn. A turn is several decisions: claims, a card, more claims, and a draw."""
    turn, legal = message["view"]["turn"], message["legal"]
    if plan["turn"] != turn:
        plan.update(turn=turn, actions=make_plan(message))
    for number, action in enumerate(plan["actions"]):
        if action in legal:  # what isn't possible when its time comes is left out
            del plan["actions"][: number + 1]
            return action
    return pick(legal, message)


def make_plan(message):
    """Return the actions of a whole turn: claim what can be claimed, play the card that fits best, claim, and draw."""
    legal, flags = message["legal"], message["view"]["flags"]
    actions = [action for action in legal if action.startswith("claim ")]
    plays = [action for action in legal if is_troop(action)]
    if plays:
        actions.append(pick(find_best(plays, lambda action: rate_fit(action, message)), message))
    actions += [f"claim {flag['flag']}" for flag in flags if flag["owner"] is None]
    return [*actions, "draw troop"]


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
    legal, cards = message["legal"], {}
    for player in message["view"]["seats"]:
        for cell in [cell for row in player["rows"] for cell in row]:
            cards[f"{player['seat']}:{cell['cell']}"] = cell["card"]
        cards[f"{player['seat']}:g"] = (player["guard"] or {}).get("card")

    def gain(action):
        _, start, target = action.split()
        return strength(cards[f"{message['seat']}:{start}"]) - strength(cards[target])

    attacks = [action for action in legal if action.startswith("attack ") and gain(action) > 0]
    if attacks and "pickup" not in legal:
        return pick(find_best(attacks, gain), message)
    for prefix in ("pickup", "reinforce ", "modify", "pass"):
        matching = [action for action in legal if action.startswith(prefix)]
        if matching:
            return pick(matching, message)
    return pick(legal, message)


def strength(card):
    """Return the value of a card: average for a hidden card (?), 0 for an empty cell (None)."""
    if card is None:
        return 0
    return HIDDEN_CARD_VALUE if card == "?" else CARD_WORTH_BY_RANK.get(card) or int(card)


def main():
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            start(message)
            print(json.dumps({"type": "ready"}), flush=True)
            print("I play", message["game"], "on seat", message["seat"], file=sys.stderr)
        elif message["type"] == "turn":
            print(json.dumps({"action": choose(message)}), flush=True)
        elif message["type"] == "end":
            break


if __name__ == "__main__":
    main()
