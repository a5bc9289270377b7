"""The plays kept as text come out the same, word for word."""

import pytest

from engine.registry import BUILT_IN_GAMES
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
    built_in = [(game, edition) for game, edition in EVERY_EDITION if game.key in BUILT_IN_GAMES]
    wanted = {(game.key, edition, seats) for game, edition in built_in for seats in game.seats}
    assert {(play.game, play.edition, play.seats) for play in PLAYS} == wanted
    assert {path.name for path in FOLDER.glob("*.txt")} == {play.path.name for play in PLAYS}
