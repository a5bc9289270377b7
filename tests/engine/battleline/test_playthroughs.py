"""The kept plays of Battle Line show much of the game."""

import pytest

from tests.engine.playthrough import Play

TEN = """-> scout|-> traitor|-> redeploy|-> return|play fog|play mud|play shield|play cavalry|"action": "return ?"
"formation": "battalion"|"because": "beats-all"|-> pass|no longer sees returning"""
SHOWN = {
    "standard": TEN + """|-> deserter|"because": "tie-first"|play leader-1""",
    "advanced": TEN + "|play leader-1|-> done",
    "short": TEN + """|play leader-1|play leader-2|"flags": 5|-> play S""",
    "long": TEN + """|play leader-1|play leader-2|"copies": 2|-> play S""",
    "medieval": TEN + "|play leader-1|-> deserter",
    "terrain": """-> return|"from": "fields"|sees at |sees decision "marshes"|sees decision "watchtower"|-> remove
"event": "tiles"
"tactics": []|"tile": "town"|"tile": "castle"|"tile": "woodland"|"needs": [4, 3]|"needs": [3, 4]""",
    "hundred-years": TEN
    + """|-> deserter|-> remove|"from": "fields"|"from": "scout"|sees at |-> pick|"action": "pick ?"|"event": "packet"
"action": "lay ? down"|-> lay castle|sees row[7]|sees draft|no longer sees draft|play leader-2""",
    "highlands": """-> pass|-> done|"values": 9|"hand": 6|"event": "award"|"because": "beats-all"|"because": "tie-first"
"formation": "battalion"|"formation": "phalanx"|"formation": "skirmish"|"tactics": []""",
}


@pytest.mark.parametrize("edition", SHOWN)
def test_the_kept_plays_of_battle_line_show_much_of_the_game(edition: str) -> None:
    text = Play("battleline", edition, 0).path.read_text(encoding="utf-8")
    missing = [words for words in SHOWN[edition].replace("\n", "|").split("|") if words not in text]
    assert not missing
    assert len(text) < 400_000
