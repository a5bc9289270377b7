"""Two-factor sign-in in a real browser: an app's code, a passkey that the browser keeps, and the end of a session."""

import re
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, BrowserContext, CDPSession, Page, expect

from tests.authenticator import code_of
from tests.browser.conftest import Site
from tests.browser.test_every_page import AXE, check_page, keep_picture, list_barriers
from tests.browser.visit import PASSWORD, Visitor, visitor
from tests.full import default_and_full

pytestmark = pytest.mark.browser
LOOKS = default_and_full([("dark", 390)], [("light", 1280), ("light", 390), ("dark", 1280)])
HEIGHTS = {390: 844, 1280: 800}


@contextmanager
def newcomer(site: Site, browser: Browser, theme: str = "light", width: int = 1280, **more) -> Iterator[Visitor]:
    """Somebody with a new account and a browser of their own."""
    viewport = {"width": width, "height": HEIGHTS[width]}
    with browser.new_context(viewport=viewport, color_scheme=theme, **more) as context:
        someone = visitor(context, site.home)
        someone.name = f"keyholder-{secrets.token_hex(4)}"
        someone.sign_up(someone.name)
        yield someone


def add_device(page: Page) -> tuple[CDPSession, str]:
    """Give the browser a virtual device that keeps passkeys and says yes to everything."""
    session = page.context.new_cdp_session(page)
    session.send("WebAuthn.enable")
    options = {
        "protocol": "ctap2",
        "transport": "internal",
        "hasResidentKey": True,
        "hasUserVerification": True,
        "isUserVerified": True,
        "automaticPresenceSimulation": True,
    }
    return session, session.send("WebAuthn.addVirtualAuthenticator", {"options": options})["authenticatorId"]


def confirm(someone: Visitor) -> None:
    """Before a second factor is changed the page asks who it is."""
    expect(someone.page.get_by_role("heading", level=1)).to_have_text("Confirm Access")
    someone.page.get_by_label("Password:").fill(PASSWORD)
    someone.page.get_by_role("button", name="Confirm").click()


def sign_out(page: Page) -> None:
    page.locator(".own-menu > summary").click()
    page.get_by_role("banner").get_by_role("button", name="Sign out").click()
    page.get_by_role("link", name="Sign in").first.wait_for()


def look_at(someone: Visitor, name: str, case: str, width: int) -> list[str]:
    """What a page of the walk has to be, and a picture of it."""
    expect(someone.page).to_have_title(re.compile("."))  # a link may just have been followed
    check_page(someone, name, width)
    someone.page.evaluate(AXE)
    keep_picture(someone, name, case)
    return list_barriers(someone, name)


def test_a_passkey_signs_in_alone(site: Site, browser: Browser) -> None:
    with newcomer(site, browser) as ana:
        page = ana.page
        session, device = add_device(page)
        ana.open("/settings/")
        page.get_by_role("link", name="Enable").click()
        page.get_by_role("link", name="Add a key").click()
        confirm(ana)
        page.get_by_label("Name:").fill("Laptop")
        page.get_by_role("button", name="Add key").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Recovery codes")
        kept = session.send("WebAuthn.getCredentials", {"authenticatorId": device})["credentials"]
        assert [one["isResidentCredential"] for one in kept] == [True]
        sign_out(page)
        ana.open("/accounts/login/?next=/accounts/2fa/webauthn/")
        page.get_by_role("button", name="Sign in with a passkey").click()
        expect(page.get_by_role("row").nth(1)).to_contain_text("Laptop")
        assert ana.complaints == []


def test_a_key_is_asked_for_after_the_password(site: Site, browser: Browser) -> None:
    with newcomer(site, browser) as ana:
        page = ana.page
        session, device = add_device(page)
        ana.open("/accounts/2fa/webauthn/add/")
        confirm(ana)
        page.get_by_label("Passkey").uncheck()
        page.get_by_role("button", name="Add key").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Recovery codes")
        sign_out(page)
        enter_password(ana)
        page.get_by_role("button", name="Use a key instead").click()
        page.locator(".own-menu > summary").wait_for()
        assert ana.complaints == []


def test_the_page_says_that_there_is_no_key(site: Site, browser: Browser) -> None:
    with browser.new_context() as context:
        eva = visitor(context, site.home)
        _session, _device = add_device(eva.page)
        eva.open("/accounts/login/")
        sentence = eva.page.get_by_role("alert")
        expect(sentence).to_be_hidden()
        eva.page.get_by_role("button", name="Sign in with a passkey").click()
        expect(sentence).to_contain_text("didn't use a key")
        assert eva.complaints == []


def enter_password(someone: Visitor) -> None:
    someone.open("/accounts/login/")
    someone.page.get_by_label("Username:").fill(someone.name)
    someone.page.get_by_label("Password:").fill(PASSWORD)
    someone.page.get_by_role("button", name="Sign in", exact=True).click()


@pytest.mark.parametrize(("theme", "width"), LOOKS)
def test_every_page_of_it_is_whole_and_open_to_everybody(site: Site, browser: Browser, theme: str, width: int) -> None:
    barriers: list[str] = []
    with newcomer(site, browser, theme, width) as ana:

        def look(name: str) -> None:
            barriers.extend(look_at(ana, f"2fa-{name}", f"{theme}-{width}", width))

        add_device(ana.page)
        code = set_up_app(ana, look)
        manage_keys(ana, look)
        sign_in_by_code(ana, code, look)
        assert ana.complaints == []
    assert barriers == []


def set_up_app(ana: Visitor, look: Callable[[str], None]) -> str:
    """From the page of what is off; the first recovery code is returned."""
    page = ana.page
    ana.open("/accounts/2fa/")
    look("off")
    page.get_by_role("link", name="Set up an app").click()
    look("confirm")
    confirm(ana)
    picture = page.get_by_role("img", name="QR code")
    expect(picture).to_be_visible()
    assert picture.evaluate("img => img.decode().then(() => img.naturalWidth)") > 0
    look("app")
    secret = page.locator("pre").inner_text().strip()
    page.get_by_label("Authenticator code:").fill(code_of(secret))
    page.get_by_role("button", name="Enable").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Recovery codes")
    look("codes")
    code = page.locator("pre").inner_text().split()[0]
    page.get_by_role("link", name="Create new codes").click()
    look("new-codes")
    return code


def manage_keys(ana: Visitor, look: Callable[[str], None]) -> None:
    """Add one, rename it, and almost remove it."""
    page = ana.page
    ana.open("/accounts/2fa/webauthn/add/")
    look("add-key")
    page.get_by_role("button", name="Add key").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Two-factor sign-in")
    look("on")
    page.get_by_role("link", name=re.compile("1 key")).click()
    look("keys")
    page.get_by_role("link", name=re.compile("^Rename")).click()
    look("rename")
    page.get_by_label("Name:").fill("Phone")
    page.get_by_role("button", name="Save").click()
    page.get_by_role("link", name="Remove Phone").click()
    look("remove")
    ana.open("/accounts/2fa/totp/deactivate/")
    look("app-off")


def sign_in_by_code(ana: Visitor, code: str, look: Callable[[str], None]) -> None:
    """By a recovery code after the password, and then to the pages that ask again."""
    page = ana.page
    sign_out(page)
    enter_password(ana)
    expect(page.get_by_role("heading", level=1)).to_have_text("Two-factor sign-in")
    look("code")
    page.get_by_label("Code:").fill(code)
    page.get_by_role("main").get_by_role("button", name="Sign in", exact=True).click()
    page.locator(".own-menu > summary").wait_for()
    ana.open("/settings/")
    look("settings")
    ana.open("/accounts/reauthenticate/")
    look("confirm-otherwise")
    page.get_by_role("link", name="Use a security key").click()
    look("confirm-by-key")


@pytest.mark.parametrize(("theme", "width"), LOOKS)
def test_a_session_that_is_ended_is_signed_out_in_its_browser(
    site: Site, browser: Browser, theme: str, width: int
) -> None:
    with newcomer(site, browser, theme, width) as here, second_browser(browser) as other:
        there = visitor(other, site.home)
        there.name = here.name
        enter_password(there)
        there.page.locator(".own-menu > summary").wait_for()
        here.open("/sessions/")
        assert look_at(here, "sessions", f"{theme}-{width}", width) == []
        expect(here.page.get_by_role("row")).to_have_count(3)
        here.page.get_by_role("button", name="End the session: Firefox, Windows").click()
        expect(here.page.get_by_role("status")).to_contain_text("Firefox, Windows")
        expect(here.page.get_by_role("row")).to_have_count(2)
        there.open("/notices/")
        expect(there.page.get_by_role("heading", level=1)).to_have_text("Sign in")
        here.open("/notices/")
        expect(here.page.get_by_role("heading", level=1)).to_have_text("Notifications")
        assert here.complaints == []


def second_browser(browser: Browser) -> BrowserContext:
    return browser.new_context(
        user_agent="Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0"
    )
