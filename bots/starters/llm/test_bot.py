"""Tests of the bot against the scripted model: `python3 -m unittest` in its folder runs them."""

import os
import tempfile
import threading
import unittest
from pathlib import Path
from unittest.mock import patch

import bot
import scripted_model
from model import Model

HELLO = {
    "type": "hello",
    "game": "battleline",
    "edition": "short",
    "options": {"flags": 5},
    "seat": 0,
    "seats": 2,
    "deal_hash": "0123456789abcdef",
    "limits": {"start_ms": 60000, "move_ms": 60000, "bank_ms": 600000, "memory_mb": 0},
}
FLAG = {"flag": 1, "owner": None, "cards": [["H7"], []], "needs": [3, 3], "fog": False, "mud": False, "tile": None}
TURN = {
    "type": "turn",
    "n": 4,
    "seat": 0,
    "view": {"decision": "play", "turn": 5, "hand": ["H8", "S2"], "flags": [FLAG]},
    "legal": ["play H8 1", "play S2 1"],
    "events": [],
    "bank_ms": 600000,
}
KEY = "a key that is nobody's business"


class BotTest(unittest.TestCase):
    def play(self, *script, move_ms=60000, **settings):
        """Return the bot's answer to a turn, by a script of the model, and the log's text."""
        server = scripted_model.serve(script)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with tempfile.TemporaryDirectory() as folder:
            url = f"http://127.0.0.1:{server.server_port}/v1/chat/completions"
            given = {"LLM_URL": url, "LLM_API_KEY": KEY, "LLM_LOG": folder}
            given |= {f"LLM_{name.upper()}": str(value) for name, value in settings.items()}
            with patch.dict(os.environ, given):
                bot.model = Model(Path(bot.__file__).parent)
            bot.start({**HELLO, "limits": {**HELLO["limits"], "move_ms": move_ms}})
            self.answers = [bot.choose(TURN)]
            if "right" in script[1:]:
                bot.refuse({"type": "refused", "n": 4, "reason": "flag 1 can't be claimed"})
                self.answers.append(bot.choose(TURN))
            log = "".join(path.read_text(encoding="utf-8") for path in Path(folder).iterdir())
        server.shutdown()
        server.server_close()
        self.assertNotIn(KEY, log)
        return self.answers[-1], log

    def test_a_legal_answer_has_a_note_and_an_evaluation(self):
        answer, log = self.play("right")
        self.assertEqual(answer, {"action": "play H8 1", "note": "as scripted", "eval": 0.25})
        self.assertIn("Your hand: H8 S2", log)

    def test_an_illegal_answer_is_corrected_with_the_reason(self):
        answer, log = self.play("illegal", "right")
        self.assertEqual([one["action"] for one in self.answers], ["claim 1", "play H8 1"])
        self.assertIn("flag 1 can't be claimed", log)

    def test_what_is_no_action_is_sent_as_it_is(self):
        self.assertEqual(self.play("broken")[0]["action"], '{"action": "pla')
        self.assertIn("can't help", self.play("refusing")[0]["action"])

    def test_a_late_model_has_no_answer(self):
        self.assertIsNone(self.play("late", move_ms=600)[0])

    def test_a_failure_is_tried_again(self):
        self.assertEqual(self.play("failing", "right", timeout_s=5)[0]["action"], "play H8 1")

    def test_a_limit_of_cost_ends_it(self):
        answer, log = self.play("right", price_in=1000, max_leg_cost=0.001)
        self.assertTrue(answer["action"].startswith("resign: limit of 0.001 cost a leg"))
        self.assertEqual(log, "")
        answer, _ = self.play("right", max_day_tokens=10, fallback="yes")
        self.assertIn(answer["action"], TURN["legal"])
        self.assertIn("not by the model", answer["note"])

    def test_answers_are_read_tolerantly(self):
        legal = TURN["legal"]
        for text in ('{"action": "PLAY  h8 1"} Good luck!', "I think so.\nAction: `play H8 1`", "**play H8 1**."):
            with self.subTest(text=text):
                self.assertEqual(bot.read_answer(text, legal)["action"], "play H8 1")
        twice = '{"action": "x"} {"action": "play S2 1", "eval": 7}'
        self.assertEqual(bot.read_answer(twice, legal), {"action": "play S2 1"})


if __name__ == "__main__":
    unittest.main()
