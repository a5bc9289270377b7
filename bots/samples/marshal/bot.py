"""A bot for Battle Line that looks ahead with the engine's value function, which was learnt by play against itself.

Once both decks are empty, it knows both hands, and where it can look through all that may follow it plays perfectly. In
editions without a value function it plays nearly as the `careful` sample otherwise. The file `level`, where there is
one, has the name of a level in it that thinks less.
"""

from pathlib import Path
from random import Random

from advice import Advice
from pennant_kit import run
from search import LEVELS, choose_move, hurry

from engine.games.battleline.endgame import find_sure_move
from engine.games.battleline.value import has_value
from engine.registry import find_game

LEVEL_FILE = Path(__file__).with_name("level")
MIN_BANK_MS = 1000
"""With less left in the time bank the bot plays in a hurry, so as not to lose on time."""

game = find_game("battleline")
table = {}


def hello(message):
    options = message["options"]
    table["options"], table["seed"] = options, message["seed"]
    table["is_valued"] = has_value(message["edition"], options)
    table["level"] = LEVELS[LEVEL_FILE.read_text() if LEVEL_FILE.exists() else ""]


def choose(message):
    legal, view, seat = message["legal"], message["view"], message["seat"]
    level = table["level"] if message["bank_ms"] >= MIN_BANK_MS else hurry(table["level"])
    if level.solving and len(legal) > 1 and not any(view["decks"].values()):
        state = game.determinize(table["options"], seat, view, Random(0))
        sure = find_sure_move(state, level.solving)
        if sure is not None:  # in a lost position it makes it as hard as elsewhere
            return {"action": state.text(sure[0]), "eval": float(sure[1])}
    if legal[0].startswith("claim"):
        return legal[0]
    if not table["is_valued"]:
        return choose_by_estimate(legal, view, seat)
    rng = Random(f"{table['seed']} {message['n']}")
    state = game.determinize(table["options"], seat, view, rng)
    move, chance = choose_move(state, seat, rng, level)
    return {"action": state.text(move), "eval": round(2 * chance - 1, 3)}


def choose_by_estimate(legal, view, seat):
    """Choose as `careful` does where a card is played or removed, and the first action elsewhere."""
    if view["decision"] not in ("play", "return", "marshes", "watchtower"):
        return legal[0]
    advice = Advice(table["options"], view, seat)
    return {"action": max(legal, key=advice.worth), "eval": advice.hope}


run(choose, hello=hello)
