"""Take the pictures of the manual from a running arena, in both themes.

The arena is one whose sample bots have played: `up` after some minutes. The match is one of Battle Line whose legs were
analysed on request, and the turn one whose move is marked as a mistake: the README says so of its picture. `uv run
python -m tests.tools.pictures http://localhost:8000 255 44` takes all pictures, with `--only replay ladder` just these;
take `queue` while matches are running.
"""

import argparse
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import django
from playwright.sync_api import Browser, Page, sync_playwright

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "arena.settings")
    django.setup()  # the drawing of the simulated ladder is a template

from tests.tools.ladder_picture import draw_ladder

FOLDER = Path(__file__).parents[2] / "docs" / "pictures"
THEMES = ("light", "dark")
SIZE = {"width": 1280, "height": 800}
CHROMIUM_NAMES = ("chromium-headless-shell", "chromium")
SETTLING_MS = 800
"""Fonts and the frames of a replay are there by then."""
LADDER = "battleline/standard"
PATHS_BY_PICTURE = {
    "replay": "/matches/{match}/?turn={turn}",
    "twin": "/matches/{match}/sides/?turn={turn}",
    "analysis": "/matches/{match}/?turn={turn}#analysis",
    "bot": "/bots/{bot}/",
    "ladder": f"/ladders/{LADDER}/",
    "atlas": f"/ladders/{LADDER}/atlas/",
    "rules": "/rules/battleline/standard/#claims",
    "formations": "/rules/battalion/formations/",
    "tournament": "/tournaments/opening-cup/",
    "projector": "/tournaments/opening-cup/projector/",
    "play": "/play/",
    "queue": "/queue/",
    "status": "/status/",
}
"""Addresses by name of a picture. The tournament is the one that a new installation begins with."""
DRAWN = {"simulated-ladder": draw_ladder}
"""Pictures that need no arena."""


def take_pictures(arena: str, match: int, turn: int, names: list[str]) -> Iterator[Path]:
    """Write a PNG of each page in each theme into the folder of pictures, and yield its path."""
    executable = next(filter(None, map(shutil.which, CHROMIUM_NAMES)), None)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=["--no-sandbox"])
        found = {"match": match, "turn": turn, "bot": find_leader(browser, arena)}
        for theme in THEMES:
            page = browser.new_page(viewport=SIZE, color_scheme=theme)  # type: ignore[arg-type, unused-ignore]
            for name in names:
                path = make_path(name, theme)
                take_picture(page, arena + PATHS_BY_PICTURE[name].format(**found), path)
                yield path
        browser.close()


def take_picture(page: Page, address: str, path: Path) -> None:
    """Write the picture of a page as its screen shows it."""
    answer = page.goto(address)
    if answer is None or not answer.ok:
        raise SystemExit(f"{address} can't be shown: {answer.status if answer else 'no answer'}")
    page.wait_for_timeout(SETTLING_MS)
    page.screenshot(path=path)


def find_leader(browser: Browser, arena: str) -> str:
    """Return the bot that leads the ladder."""
    rows = browser.new_context().request.get(f"{arena}/api/v1/ladders/{LADDER}/standings/?limit=1").json()["results"]
    return str(rows[0]["bot"])


def make_path(name: str, theme: str) -> Path:
    """Return the file of a picture."""
    return FOLDER / f"{name}-{theme}.png"


def draw_pictures(names: list[str]) -> Iterator[Path]:
    """Write the pictures that need no arena, and yield their paths."""
    for name in names:
        for theme in THEMES:
            path = make_path(name, theme)
            path.write_bytes(DRAWN[name](theme))
            yield path


def main() -> None:
    """Take the pictures that the manual shows."""
    parser = argparse.ArgumentParser(description="Take the pictures of the manual from a running arena.")
    parser.add_argument("arena", help="Address of the arena, such as http://localhost:8000.")
    parser.add_argument("match", type=int, help="Number of an analysed match of Battle Line.")
    parser.add_argument("turn", type=int, help="Turn that replays show.")
    names = [*PATHS_BY_PICTURE, *DRAWN]
    parser.add_argument("--only", nargs="+", choices=names, default=names, help="Names of pictures.")
    given = parser.parse_args()
    FOLDER.mkdir(exist_ok=True)
    for path in draw_pictures([name for name in given.only if name in DRAWN]):
        print(path)
    for path in take_pictures(
        given.arena.rstrip("/"), given.match, given.turn, [name for name in given.only if name in PATHS_BY_PICTURE]
    ):
        print(path)


if __name__ == "__main__":
    main()
