"""Keeps everything it ever thought of."""

from pennant_kit import run

thoughts = []


def choose(message):
    while True:
        thoughts.append(bytearray(1024 * 1024))


run(choose)
