"""What all pages have in common: landmarks, the policy of scripts and styles, errors, accounts."""

import re

import pytest
from django.test import Client

from arena.people.accounts.models import User

PAGES = [
    "/",
    "/start/",
    "/ladders/",
    "/ladders/battleline/standard/",
    "/matches/",
    "/matches/{match}/",
    "/matches/{match}/?turn=9999",
    "/bots/",
    "/bots/kingfisher/",
    "/bots/kingfisher/v/1/",
    "/bots/new/",
    "/bots/kingfisher/upload/",
    "/queue/",
    "/accounts/login/",
    "/accounts/signup/",
    "/accounts/logout/",
    "/accounts/email/",
    "/accounts/password/change/",
    "/accounts/password/reset/",
    "/accounts/inactive/",
    "/accounts/confirm-email/",
    "/nowhere/",
]


@pytest.fixture(scope="module")
def kept() -> dict[str, str]:
    """What `texts` has read, for all tests that look at it."""
    return {}


@pytest.fixture
def texts(kept: dict[str, str], request: pytest.FixtureRequest) -> dict[str, str]:
    if not kept:
        kept |= read_texts(*map(request.getfixturevalue, ("finished", "reader", "ana")))
    return kept


def read_texts(finished, reader, ana) -> dict[str, str]:
    """Every page as Ana sees it, and what is different where nobody is logged in."""
    found = {}
    for user in (ana, None):
        client = reader(user)
        for address in PAGES:
            answer = client.get(address.format(match=finished.pk))
            if "Location" not in answer:
                found[f"{address} {user}"] = answer.text
                assert "default-src 'self'" in answer["Content-Security-Policy"]
    return found


def test_every_page_has_title_language_and_landmarks(texts):
    for address, text in texts.items():
        assert re.search(r"<title>[^<]*\w[^<]* · Pennant</title>", text), address
        assert '<html lang="en"' in text, address
        assert text.count("<main ") == 1 and text.count("<h1") == 1, address
        assert 'href="#main"' in text and "<nav aria-label" in text, address


def test_no_page_has_style_or_script_in_it(texts):
    for address, text in texts.items():
        assert " style=" not in text and "<style" not in text, address
        assert not re.search(r"\son\w+=", text), address
        inline = re.findall(r"<script(?![^>]*\bsrc=)(?![^>]*application/json)[^>]*>", text)
        assert inline == [], address


def test_no_page_asks_anything_of_other_servers(texts):
    for address, text in texts.items():
        text = re.sub(r'<link rel="canonical" href="http://testserver/[^"]*">', "", text)  # nobody loads it
        loaded = re.findall(r'(?:src|href|action)="((?:https?:)?//[^"]*)"', text)
        assert loaded == [], address


def test_no_id_is_given_twice(texts):
    for address, text in texts.items():
        ids = re.findall(r'\sid="([^"]+)"', text)
        assert len(ids) == len(set(ids)), address


def test_the_present_page_is_marked_in_the_menu(db):
    menu = Client().get("/bots/").text.partition("</nav>")[0]
    assert re.findall(r'href="([^"]+)" aria-current="page"', menu) == ["/bots/"]


def test_a_page_that_is_not_there_says_so_in_the_sites_manner(db):
    answer = Client().get("/nowhere/")
    assert answer.status_code == 404
    assert "Nothing here" in answer.text


def test_a_failure_of_ours_is_owned_up_to(db, monkeypatch):
    def break_down(*_: object) -> None:
        raise RuntimeError("on purpose")

    monkeypatch.setattr("arena.pages.home.list_ladder_tops", break_down)
    answer = Client(raise_request_exception=False).get("/")
    assert answer.status_code == 500
    assert "Something broke here, not in your bot" in answer.text


def test_a_form_without_its_token_is_refused_in_words(db):
    answer = Client(enforce_csrf_checks=True).post("/accounts/logout/")
    assert answer.status_code == 403
    assert "This form has expired" in answer.text


def test_one_signs_up_and_is_logged_in(db):
    client = Client()
    words = {"username": "dora", "password1": "fifteen herons", "password2": "fifteen herons"}
    assert client.post("/accounts/signup/", words)["Location"] == "/welcome/"
    assert "dora" in client.get("/bots/").text
    assert client.post("/accounts/logout/")["Location"] == "/"
    assert "Sign in" in client.get("/").text


def test_a_refused_sign_up_keeps_what_was_typed(ana: User):
    words = {"username": "ana", "email": "a@example.org", "password1": "fifteen herons", "password2": "fifteen"}
    page = Client().post("/accounts/signup/", words).text
    assert 'value="ana"' in page and 'value="a@example.org"' in page
    assert 'class="errorlist"' in page
