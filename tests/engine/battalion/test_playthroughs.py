"""The kept plays of Battalion show much of the game."""

import pytest

from tests.engine.playthrough import Play

KINDS = "pickup move pass attack reinforce modify reform".split()
RESULTS = "wins loses tie look strike emperor".split()


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_the_kept_plays_of_battalion_show_much_of_the_game(seats: int) -> None:
    text = Play("battalion", "standard", 0, seats).path.read_text(encoding="utf-8")
    wanted = [f"-> {kind}" for kind in KINDS] + [f'"result": "{result}"' for result in RESULTS]
    wanted += ['hand=?"', '"reinforce ? ', '"event": "out"', '"roll": ', " g\n", '"deploy 0=?', '"card": "?"']
    assert not [words for words in wanted if words not in text]
    assert len(text) < 400_000
