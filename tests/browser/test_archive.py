"""The archive of a tournament, opened from disk without a network."""

import io
import zipfile
from pathlib import Path

import httpx
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, expect

from tests.browser.conftest import Site

pytestmark = [pytest.mark.browser, pytest.mark.full]
ARCHIVE_TIMEOUT_S = 300


def test_matches_are_watched_from_disk(site: Site, browser: Browser, tmp_path: Path) -> None:
    answer = httpx.get(f"{site.home}/tournaments/opening-cup/archive.zip", timeout=ARCHIVE_TIMEOUT_S)
    with zipfile.ZipFile(io.BytesIO(answer.content)) as packed:
        packed.extractall(tmp_path)
    home = (tmp_path / "opening-cup").as_uri()
    seen: list[str] = []
    for theme, width in (("light", 1280), ("dark", 390)):
        with browser.new_context(offline=True, color_scheme=theme, viewport={"width": width, "height": 844}) as context:
            page = context.new_page()
            page.on("console", lambda message: seen.append(message.text))
            page.on("pageerror", lambda error: seen.append(str(error)))
            page.on(
                "request", lambda request: None if request.url.startswith((home, "data:")) else seen.append(request.url)
            )
            page.goto(f"{home}/index.html")
            expect(page.get_by_role("heading", name="Opening Cup").first).to_be_visible()
            assert Axe().run(page, options={"preload": False}).violations_count == 0
            page.get_by_role("link", name="Watch how it was decided").click()
            caption = page.locator(".caption .turn")
            expect(page.locator("#replay[data-ready]")).to_be_visible()
            before = caption.inner_text()
            page.keyboard.press("ArrowRight")
            expect(caption).not_to_have_text(before)
            page.get_by_role("button", name="Last turn").click()
            expect(page.get_by_role("button", name="Next turn")).to_have_attribute("aria-disabled", "true")
            assert Axe().run(page, options={"preload": False}).violations_count == 0
            page.get_by_role("button", name="Dark").click()
            page.get_by_role("link", name="Leg 2").click()
            expect(page.locator("html")).to_have_attribute("data-theme", "dark")
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert not seen, seen
