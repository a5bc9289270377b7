"""Answers, and goes on talking."""

from pennant_kit import run


def choose(message):
    while True:
        print("." * 8192, end="", flush=True)


run(choose)
