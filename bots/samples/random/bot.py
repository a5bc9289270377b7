"""A bot for all games that plays random legal actions."""

import random

from pennant_kit import run

run(lambda message: random.choice(message["legal"]))
