"""Take the pictures of the documents from a running arena, in both themes.

uv run python -m arena.tools.pictures http://localhost:8000/matches/255/?turn=40
"""

import argparse
import shutil
from pathlib import Path

from playwright.sync_api import sync_playwright

FOLDER = Path(__file__).parents[2] / "docs" / "pictures"
SIZE = {"width": 1280, "height": 800}
CHROMIUM_NAMES = ("chromium-headless-shell", "chromium")
SETTLING_MS = 800
"""Fonts and the frames of a replay are there by then."""


def take_pictures(address: str, name: str) -> list[Path]:
    """Write a PNG of a page for each theme into the folder of pictures, and return their paths."""
    FOLDER.mkdir(exist_ok=True)
    executable = next(filter(None, map(shutil.which, CHROMIUM_NAMES)), None)
    taken = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=["--no-sandbox"])
        for theme in ("light", "dark"):
            page = browser.new_page(viewport=SIZE, color_scheme=theme)  # type: ignore[arg-type]
            page.goto(address)
            page.wait_for_timeout(SETTLING_MS)
            taken.append(FOLDER / f"{name}-{theme}.png")
            page.screenshot(path=taken[-1])
        browser.close()
    return taken


def main() -> None:
    """Take the pictures that the documents show."""
    parser = argparse.ArgumentParser(description="Take the pictures of the documents from a running arena.")
    parser.add_argument("replay", help="Address of a turn of a replay.")
    for path in take_pictures(parser.parse_args().replay, "replay"):
        print(path)


if __name__ == "__main__":
    main()
