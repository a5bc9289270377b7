"""Gives a legal answer with a very long note."""

from pennant_kit import run

run(lambda message: {"action": message["legal"][0], "note": "x" * 100_000})
