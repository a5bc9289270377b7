"""What a reader fetches of ours is light: the sheet and the scripts, collected and packed as they are served."""

import gzip
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import call_command
from django.test import override_settings

from engine.registry import BUILT_IN_GAMES

SHEET = 10_000 + 1_500 * len(BUILT_IN_GAMES)
"""Bytes at most, more with every game that is drawn."""
PLAY_SHEET = 9_000 + 3_000 * len(BUILT_IN_GAMES)
"""Bytes at most of what tables need besides."""
SCRIPTS = 40_000


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("static")
    storages = settings.STORAGES | {"staticfiles": {"BACKEND": "arena.pages.serving.Storage"}}
    with override_settings(STATIC_ROOT=folder, STORAGES=storages):
        call_command("collectstatic", interactive=False, verbosity=0)
    yield folder


def weigh(path: Path) -> int:
    """Bytes as they are sent: packed, if that is worth it."""
    packed = path.with_name(f"{path.name}.gz")
    assert not packed.exists() or gzip.decompress(packed.read_bytes()) == path.read_bytes()
    return (packed if packed.exists() else path).stat().st_size


def test_the_whole_sheet_is_one_light_file_beside_those_of_few_pages(served):
    sheets = {path.name: weigh(path) for path in (served / "css").glob("*.css")}
    plain = {name for name in sheets if name.count(".") == 1}
    assert plain == {
        "site.css",
        "play.css",
        "manual.css",
        "watch.css",
        "screen.css",
        "plan.css",
        "twin.css",
        "projector.css",
        "atlas.css",
        "certificate.css",
        "groups.css",
        "crest.css",
        "desk.css",
        "lobby.css",
        "ladders.css",
        "known.css",
        "learn.css",
        "puzzle.css",
    }
    assert len(sheets) == 2 * len(plain)  # again under their hashes
    assert sheets["site.css"] <= SHEET and sheets["play.css"] <= PLAY_SHEET
    assert list((served / "games").rglob("*.css")) == []


def test_all_scripts_are_at_most_forty_kilobytes(served):
    scripts = {path.name: weigh(path) for path in (served / "js").glob("*.js") if path.name.count(".") == 1}
    assert {"replay.js", "replay_player.js", "motion.js"} <= scripts.keys()
    assert sum(scripts.values()) <= SCRIPTS
