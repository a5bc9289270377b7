import pytest
from django.test import Client

from arena.accounts.models import User
from arena.bots.models import Token
from arena.bots.services import create_bot
from arena.bots.tokens import MAX_TOKENS_PER_USER, issue_token
from tests.arena.api.played import Script


@pytest.fixture
def browser(ana: User) -> Script:
    """Ana, in front of the site."""
    script = Script()
    script.client.force_login(ana)
    return script


def test_a_new_token_says_what_it_is_once(ana: User, browser: Script):
    bot = create_bot(owner=ana, name="Heron", game="battleline")
    response = browser.post("/tokens/", {"name": "CI", "bot": "heron"})
    assert response.status_code == 201 and response["Cache-Control"] == "no-store"
    told = response.json()
    headers = {"Authorization": f"Bearer {told['token']}"}
    assert Client().get("/api/v1/me/", headers=headers).json()["token"]["bot"] == bot.slug
    (listed,) = browser.read("/tokens/")["results"]
    assert listed["last_used_at"] is not None
    assert listed == {name: told[name] for name in told if name != "token"} | {"last_used_at": listed["last_used_at"]}


def test_a_token_is_for_all_bots_unless_one_is_named(browser: Script):
    for draft in ({"name": "CI"}, {"name": "CI", "bot": None}):
        assert browser.post("/tokens/", draft).json()["bot"] is None


def test_a_revoked_token_is_gone(ana: User, browser: Script):
    script = Script(ana)
    address = f"/tokens/{Token.objects.get().pk}/"
    assert browser.delete(address).status_code == 204
    assert browser.read("/tokens/")["results"] == [] and script.get("/me/").status_code == 401
    assert browser.delete(address).status_code == 404


def test_no_token_makes_shows_or_revokes_tokens(ana: User):
    script = Script(ana)
    for response in (
        script.get("/tokens/"),
        script.post("/tokens/", {"name": "another"}),
        script.delete(f"/tokens/{Token.objects.get().pk}/"),
    ):
        assert response.status_code == 403 and "sign in" in response.json()["error"]["message"]
    assert Token.objects.valid().count() == 1


def test_anothers_tokens_and_bots_are_not_there(ben: User, browser: Script):
    create_bot(owner=ben, name="Heron", game="battleline")
    token, _text = issue_token(owner=ben, name="CI")
    assert browser.read("/tokens/")["results"] == []
    assert browser.delete(f"/tokens/{token.pk}/").status_code == 404
    assert browser.post("/tokens/", {"name": "CI", "bot": "heron"}).status_code == 404


def test_one_has_so_many_tokens_and_no_more(ana: User, browser: Script):
    for number in range(MAX_TOKENS_PER_USER):
        issue_token(owner=ana, name=str(number))
    response = browser.post("/tokens/", {"name": "one more"})
    assert (response.status_code, response.json()["error"]["code"]) == (409, "conflict")
