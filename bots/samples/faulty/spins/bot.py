"""Computes without end."""

from pennant_kit import run


def choose(message):
    while True:
        pass


run(choose)
