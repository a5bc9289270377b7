import pytest

from arena.accounts.models import User
from arena.following.models import Follow
from arena.ladders.models import Ladder
from tests.arena.api.played import Script
from tests.conftest import MakeVersion

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


def test_what_is_not_there_and_oneself_are_not_followed(script: Script):
    for address in ("/following/bots/none/", "/following/authors/none/", "/following/ladders/battleline/none/"):
        assert script.put(address).status_code == 404
    answer = script.put("/following/authors/ana/")
    assert answer.status_code == 400 and "yourself" in answer.json()["error"]["message"]
