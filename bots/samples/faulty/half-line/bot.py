"""Writes half of an answer and never ends the line."""

import sys
import time

from pennant_kit import run


def choose(message):
    sys.stdout.write('{"action": "' + message["legal"][0])
    sys.stdout.flush()
    time.sleep(3600)


run(choose)
