"""Writes an endless line instead of an answer."""

from pennant_kit import run


def choose(message):
    while True:
        print("." * 8192, end="", flush=True)


run(choose)
