"""A bot that takes the action its network rates highest."""

from pathlib import Path

from network import Network
from pennant_kit import run

NETWORK = Network(Path(__file__).with_name("weights.bin"))


def choose(message):
    """Return the action that is rated highest, or the first one where the network knows none."""
    rated = NETWORK.rate(message["view"], message["seat"], message["legal"])
    return max(rated, key=rated.__getitem__, default=message["legal"][0])


run(choose)
