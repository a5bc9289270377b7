import pytest
from django.test import Client

from arena.bots.models import Token
from arena.bots.services import create_bot
from arena.bots.teams import MAX_TOKENS_PER_USER, issue_token
from arena.contests.following.models import Follow
from arena.contests.ladders.models import Ladder
from arena.contests.ladders.services.seasons import open_season
from arena.people.accounts.models import User
from tests.arena.api.played import Script
from tests.conftest import MakeVersion


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


ADDRESSES = ["/following/bots/heron/", "/following/authors/ben/", "/following/ladders/battleline/standard/"]


@pytest.fixture
def script(ana: User, ben: User, ladder: Ladder, make_version: MakeVersion) -> Script:
    make_version(ben, "Heron")
    return Script(ana)


@pytest.mark.parametrize("address", ADDRESSES)
def test_following_and_unfollowing_twice_changes_nothing(script: Script, address: str):
    assert script.get(address).status_code == 404
    assert [script.put(address).status_code for _ in range(2)] == [201, 200]
    assert script.read(address) == script.read("/following/")["results"][0]
    assert [script.delete(address).status_code for _ in range(2)] == [204, 204]
    assert not Follow.objects.exists()


def test_the_list_says_what_is_followed(script: Script):
    for address in ADDRESSES:
        script.put(address)
    listed = script.read("/following/")["results"]
    assert [(one["bot"], one["author"], one["game"], one["edition"]) for one in listed] == [
        (None, None, "battleline", "standard"),
        (None, "ben", None, None),
        ("heron", None, None, None),
    ]
    assert [one["html_url"].partition("testserver")[2] for one in listed] == [
        "/ladders/battleline/standard/",
        "/authors/ben/",
        "/bots/heron/",
    ]


def test_an_open_ladder_is_followed_by_its_clock(script: Script):
    address = "/following/ladders/battleline/standard/open/"
    assert script.put(address).status_code == 404, "nobody has joined it yet"
    open_season(game="battleline", edition="standard", title="Battle Line, Standard: open ladder", clock="open")
    assert script.put(address).status_code == 201 and script.put(ADDRESSES[2]).status_code == 201
    listed = script.read("/following/")["results"]
    assert [(one["edition"], one["clock"]) for one in listed] == [("standard", ""), ("standard", "open")]
    assert listed[1]["html_url"].endswith("/ladders/battleline/standard/open/")


def test_what_is_not_there_and_oneself_are_not_followed(script: Script):
    for address in ("/following/bots/none/", "/following/authors/none/", "/following/ladders/battleline/none/"):
        assert script.put(address).status_code == 404
    answer = script.put("/following/authors/ana/")
    assert answer.status_code == 400 and "yourself" in answer.json()["error"]["message"]
