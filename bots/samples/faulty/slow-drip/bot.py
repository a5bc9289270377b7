"""Sends its answer slowly, one character at a time."""

import json
import sys
import time

from pennant_kit import run


def choose(message):
    for character in json.dumps({"action": message["legal"][0]}):
        sys.stdout.write(character)
        sys.stdout.flush()
        time.sleep(0.25)
    return message["legal"][0]


run(choose)
