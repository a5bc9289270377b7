"""The chips of states, drawn by the whole style sheet."""

from pathlib import Path

from playwright.sync_api import Page

from tests.story.installation import ROOT

SHEET = ROOT / "arena" / "pages" / "static" / "css" / "site.css"
TONES = ("plain", "info", "good", "warn", "bad")


def test_chips_of_every_tone_are_of_one_size(page: Page, tmp_path: Path) -> None:
    chips = "".join(f'<p><span class="chip {tone}">Waiting</span></p>' for tone in TONES)
    drawn = tmp_path / "chips.html"
    drawn.write_text(f'<!doctype html><link rel="stylesheet" href="{SHEET.as_uri()}"><body>{chips}')
    page.goto(drawn.as_uri())
    boxes = [page.locator(f".chip.{tone}").bounding_box() for tone in TONES]
    sizes = {(round(box["width"]), round(box["height"])) for box in boxes if box}
    assert len(sizes) == 1, sizes
