"""Takes what looks best at once, and never thinks of the answer. Each game has a file of its own."""

import battalion
import battleline
from pennant_kit import run

GAMES = {"battleline": battleline.choose, "battalion": battalion.choose}

playing = {}


def hello(message):
    playing["choose"] = GAMES[message["game"]]


run(lambda message: playing["choose"](message), hello=hello)
