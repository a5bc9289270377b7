"""Starts as many processes as possible and leaves them running."""

import os
import time

from pennant_kit import run


def choose(message):
    for _ in range(100):
        try:
            if os.fork() == 0:
                os.setsid()
                time.sleep(3600)
        except OSError:
            break
    return message["legal"][0]


run(choose)
