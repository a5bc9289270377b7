import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Site

pytestmark = pytest.mark.browser
ASKS_MS = 20_000


def test_an_opened_table_of_layers_stays_open_while_the_page_asks_again(site: Site, page: Page) -> None:
    page.goto(site.home + "/queue/")
    layers = page.locator("details").first
    layers.locator("summary").click()
    expect(layers).to_have_attribute("open", "")
    page.evaluate("document.getElementById('waiting').dataset.before = 'yes'")
    expect(page.locator("#waiting:not([data-before])")).to_be_visible(timeout=ASKS_MS)
    expect(page.locator("details").first).to_have_attribute("open", "")
    expect(page.get_by_text("only threads")).to_be_visible()
