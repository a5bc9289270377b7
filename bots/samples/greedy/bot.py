"""A bot for all games that takes the best immediate gain. Each game has its own file."""

import battalion
import battleline
from pennant_kit import run

GAMES = {"battleline": battleline.choose, "battalion": battalion.choose}

playing = {}


def hello(message):
    playing["choose"] = GAMES[message["game"]]


run(lambda message: playing["choose"](message), hello=hello)
