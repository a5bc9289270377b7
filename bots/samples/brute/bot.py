"""A bot for all games that plays its highest cards first and makes the strongest attack.

It ignores formations and what its opponents may have. In a game it doesn't know it plays the first legal action.
"""

from pennant_kit import run

STRENGTH = {"A": 11, "K": 8, "Q": 10, "J": 1}

playing = {}


def hello(message):
    playing["choose"] = GAMES.get(message["game"], choose_first)


def choose(message):
    return playing["choose"](message["legal"], message["view"], message["seat"])


def choose_first(legal, view, seat):
    return legal[0]


def choose_play(legal, view, seat):
    """Claim a flag, or draw a troop, or else play the highest troop at the flag with most own cards."""
    for action in legal:
        if action.startswith("claim") or action == "draw troop":
            return action
    flags = view["flags"]
    plays = [action for action in legal if action.startswith("play") and action.split()[1][1:].isdigit()]
    if not plays:
        return legal[0]

    def worth(action):
        _, card, flag = action.split()
        return len(flags[int(flag) - 1]["cards"][seat]), int(card[1:])

    return max(plays, key=worth)


def choose_attack(legal, view, seat):
    """Attack with the strongest card, or else reinforce with the strongest card of the hand."""
    if "pickup" in legal:
        return "pickup"
    if view["decision"] == "deploy":
        return max(legal, key=lambda action: int(action.rpartition("=")[2]))
    cards = list_cards(view["seats"][seat])

    def worth(action):
        word, *rest = action.split()
        if word == "attack":
            return 2, strength(cards[rest[0]])
        if word == "reinforce":
            return 1, strength(rest[0])
        return 0, word == "modify"

    return max((action for action in legal if not action.startswith(("move", "reform"))), key=worth)


def list_cards(player):
    """Return a player's cards by cell."""
    return {cell["cell"]: cell["card"] for cell in [*sum(player["rows"], []), {"cell": "g", **player["guard"]}]}


def strength(card):
    return STRENGTH.get(card) or int(card)


GAMES = {"battleline": choose_play, "battalion": choose_attack}

run(choose, hello=hello)
