"""Plays any legal action of any game: the smallest bot there is."""

import random

from pennant_kit import run

run(lambda message: random.choice(message["legal"]))
