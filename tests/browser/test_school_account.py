"""Sign-in with the school's account in a real browser, whose rules about forms and cookies apply there and back."""

from pathlib import Path

import oidc_provider_mock
import pytest
from playwright.sync_api import Browser, expect

from tests.browser.visit import Visitor
from tests.empty_database import copy_empty_database
from tests.story.installation import Installation

pytestmark = [pytest.mark.browser, pytest.mark.filterwarnings("ignore::DeprecationWarning")]
CLAIMS = {"email": "ana@school.example.org", "email_verified": True, "preferred_username": "ana"}


def test_there_and_back(browser: Browser, tmp_path: Path, empty_database: Path) -> None:
    copy_empty_database(empty_database, tmp_path)
    people = [oidc_provider_mock.User(sub="ana", claims=CLAIMS)]
    with oidc_provider_mock.run_server_in_thread(user_claims=people) as school:
        address = f"http://localhost:{school.server_port}"
        more = {"PENNANT_OIDC_SERVER": address, "PENNANT_OIDC_CLIENT": "arena:secret"}
        arena = Installation(tmp_path, newcomer_matches=0, more=more)
        with arena.up() as up, browser.new_context() as context:
            up.greets()
            page = context.new_page()
            home = f"http://localhost:{arena.port}"
            ana = Visitor(page, home)

            def sign_in() -> None:
                ana.open("/accounts/login/")
                page.get_by_role("button", name="Sign in with your school account").click()
                page.wait_for_url(f"{address}/**")
                page.locator("input[name=sub]").first.fill("ana")
                page.get_by_role("button", name="Authorize").first.click()

            sign_in()
            expect(page.get_by_label("Username:")).to_have_value("ana")
            page.get_by_role("button", name="Create account").click()
            expect(page).to_have_url(f"{home}/welcome/")
            ana.open("/accounts/school/")
            expect(page.get_by_role("heading", name="Linked")).to_be_visible()
            expect(page.get_by_role("main")).to_contain_text(CLAIMS["email"])
            context.clear_cookies(domain="localhost", name="sessionid")
            sign_in()
            expect(page).to_have_url(f"{home}/bots/")
            assert [one for one in ana.complaints if address not in one] == []
