"""Allocates memory without end."""

from pennant_kit import run

blocks = []


def choose(message):
    while True:
        blocks.append(bytearray(1024 * 1024))


run(choose)
