"""A game from outside the tree, from the upload of a bot to a replay; then the same arena without the game."""

import os
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from tests.story.installation import ROOT, Installation

EXAMPLE = ROOT / "docs" / "example-game" / "goofspiel"
RATED = (
    "select m.id from matches_match m join ladders_laddermatch l on l.match_id = m.id "
    "where m.game = 'goofspiel' and l.sequence > 0"
)
FINISHED = "select 1 from tournaments_tournament where state = 'finished'"


def pennant(arena: Installation, *words: object, token: str = "") -> str:
    url = {"PENNANT_URL": f"http://127.0.0.1:{arena.port}", "PENNANT_TOKEN": token}
    environment = os.environ | {"PENNANT_GAMES": str(EXAMPLE)} | url
    command = [sys.executable, "-c", "from arena.cli import main; main()", *map(str, words)]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def read(arena: Installation, path: str, status: int = 200) -> str:
    page = httpx.get(f"http://127.0.0.1:{arena.port}{path}", timeout=60)
    assert page.status_code == status, page.text
    return page.text


@pytest.mark.full
def test_a_game_from_outside_is_uploaded_rated_played_at_tables_and_shown(
    embedded: Installation, tmp_path: Path
) -> None:
    embedded.more = {"PENNANT_GAMES": str(EXAMPLE), "PENNANT_LADDER_NEWCOMER_MATCHES": "3"}
    with embedded.up() as running:
        running.greets()
        token = embedded.run("tests.story.author", "token", "ann").strip()
        sample = EXAMPLE / "samples" / "mixed"
        told = pennant(embedded, "submit", sample, "--bot", "heron", "--game", "goofspiel", "--wait", token=token)
        assert "heron v1 is accepted" in told
        slug = embedded.run("tests.story.author", "tournament", "goofspiel", "short", "3").strip()
        running.wait_for(lambda: embedded.query(FINISHED) and embedded.query(RATED))
        (number,) = embedded.query(RATED)[0]

        page = read(embedded, f"/matches/{number}/?turn=3")
        assert "Spades" in page and "The bid of Hearts" in page
        assert "heron" in read(embedded, f"/tournaments/{slug}/")
        assert "GS-6" in read(embedded, "/rules/goofspiel/standard/")
        records = pennant(embedded, "record", number, "--out", tmp_path / "records").split()
        verified = pennant(embedded, "verify", *records)
        assert len(records) in (2, 3) and verified.count("ok") == len(records)
    embedded.more = {"PENNANT_LADDER_NEWCOMER_MATCHES": "0", "PENNANT_LADDER_MATCHES_PER_HOUR": "0"}
    with embedded.up() as running:
        running.greets()
        assert "heron" in read(embedded, f"/tournaments/{slug}/")
        for path in (f"/matches/{number}/", "/ladders/goofspiel/standard/"):
            assert "The game Goofspiel is not installed" in read(embedded, path, status=404)
        assert "heron" in read(embedded, "/bots/heron/") and "heron" in read(embedded, "/matches/?game=goofspiel")
        assert "Battle Line" in read(embedded, "/")
