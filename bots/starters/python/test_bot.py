"""Tests of the bot: `python3 -m unittest` in its folder runs them."""

import json
import unittest
from pathlib import Path

import bot

MESSAGES = [json.loads(line) for line in Path(__file__).with_name("turns.jsonl").read_text().splitlines()]
"""A turn of each game as the arena sends it, and in `answer` what the bot says before you change it."""


class BotTest(unittest.TestCase):
    def test_a_whole_turn(self):
        for message in MESSAGES:
            if message["type"] == "hello":
                bot.start(message)
                continue
            answer = bot.choose(message)
            with self.subTest(game=message["view"]["decision"], n=message["n"]):
                self.assertIn(answer, message["legal"])
                self.assertEqual(answer, message["answer"])

    def test_cards_that_go_together_fit(self):
        message = next(one for one in MESSAGES if one["type"] == "turn")
        colour, number, other = (bot.rate_fit(f"play {card} 4", message) for card in ("B10", "Y3", "R1"))
        self.assertGreater(colour, number)
        self.assertGreater(number, other)

    def test_the_strength_of_cards(self):
        self.assertEqual([bot.strength(card) for card in ("A", "J", "10", "?", None)], [11, 1, 10, 6.5, 0])
