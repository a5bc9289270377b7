"""Writes to its log without end."""

import sys

from pennant_kit import run


def choose(message):
    while True:
        print("still thinking " * 100, file=sys.stderr)


run(choose)
