"""A bot that plays by the weights that were learnt."""

import json
from pathlib import Path

from pennant_kit import run
from policy import choose

WEIGHTS = json.loads(Path(__file__).with_name("weights.json").read_text())

run(lambda message: choose(message["legal"], message["view"], message["seat"], WEIGHTS))
