"""Closes its standard output and keeps running."""

import os
import time

from pennant_kit import run


def choose(message):
    os.close(1)
    time.sleep(3600)


run(choose)
