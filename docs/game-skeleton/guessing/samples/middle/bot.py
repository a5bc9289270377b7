"""A bot that guesses the number in the middle."""

from pennant_kit import run

run(lambda message: message["legal"][len(message["legal"]) // 2])
