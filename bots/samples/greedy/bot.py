"""A bot for all games that takes the best immediate gain. Each game has its own file.

In a game it doesn't know it plays the first legal action.
"""

import battalion
import battleline
from pennant_kit import run

GAMES = {"battleline": battleline.choose, "battalion": battalion.choose}

playing = {}


def choose_first(message):
    return message["legal"][0]


def hello(message):
    playing["choose"] = GAMES.get(message["game"], choose_first)


run(lambda message: playing["choose"](message), hello=hello)
