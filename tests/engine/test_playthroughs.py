"""The plays kept as text come out the same, word for word."""

import pytest

from tests.engine.plays import EVERY_EDITION
from tests.engine.playthrough import FOLDER, PLAYS, Play, tell

REWRITE = "if the change is wanted: uv run python -m tests.engine.playthrough"


@pytest.mark.parametrize("play", PLAYS, ids=lambda play: play.path.stem)
def test_a_kept_play_comes_out_the_same(play: Play) -> None:
    kept, now = play.path.read_text(encoding="utf-8").splitlines(), tell(play).splitlines()
    for number, (before, after) in enumerate(zip(kept, now, strict=False), 1):
        assert after == before, f"{play.path.name}:{number} differs; {REWRITE}"
    assert len(now) == len(kept), f"{play.path.name} has another length; {REWRITE}"


def test_every_edition_has_a_kept_play_and_no_file_is_left_over() -> None:
    wanted = {(game.key, edition, seats) for game, edition in EVERY_EDITION for seats in game.seats}
    assert {(play.game, play.edition, play.seats) for play in PLAYS} == wanted
    assert {path.name for path in FOLDER.glob("*.txt")} == {play.path.name for play in PLAYS}


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
}


@pytest.mark.parametrize("edition", SHOWN)
def test_the_kept_plays_of_battle_line_show_much_of_the_game(edition: str) -> None:
    text = Play("battleline", edition, 0).path.read_text(encoding="utf-8")
    missing = [words for words in SHOWN[edition].replace("\n", "|").split("|") if words not in text]
    assert not missing
    assert len(text) < 400_000


KINDS = "pickup move pass attack reinforce modify reform".split()
RESULTS = "wins loses tie look strike emperor".split()


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_the_kept_plays_of_battalion_show_much_of_the_game(seats: int) -> None:
    text = Play("battalion", "standard", 0, seats).path.read_text(encoding="utf-8")
    wanted = [f"-> {kind}" for kind in KINDS] + [f'"result": "{result}"' for result in RESULTS]
    wanted += ['hand=?"', '"reinforce ? ', '"event": "out"', '"roll": ', " g\n", '"deploy 0=?', '"card": "?"']
    assert not [words for words in wanted if words not in text]
    assert len(text) < 400_000
