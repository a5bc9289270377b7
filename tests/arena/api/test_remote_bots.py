"""Remote bots and open ladders by the API, as the program on the author's machine uses it."""

import pytest
from django.utils.timezone import now

from arena.bots.models import Bot
from arena.contests.ladders.models import Ladder
from arena.contests.ladders.services.remote import queue_open_ladder_matches
from arena.contests.ladders.services.seasons import find_revealed_secret
from arena.matches.remote.models import RemoteBot
from arena.people.accounts.models import User
from tests.arena.api.played import Script
from tests.conftest import MakeVersion

DRAFT = {"name": "Far", "game": "battleline", "declared": "model X, temperature 0"}
OPEN = "/ladders/battleline/standard/open/"


@pytest.fixture
def script(ana: User) -> Script:
    return Script(ana)


@pytest.fixture
def far(script: Script) -> Bot:
    assert script.post("/remote-bots/", DRAFT).status_code == 201
    return Bot.objects.get(slug="far")


def test_a_remote_bot_is_created_declared_and_listed(script: Script, ana: User, ben: User) -> None:
    made = script.post("/remote-bots/", DRAFT)
    assert made.status_code == 201, made.content
    told = made.json()
    assert (told["slug"], told["is_remote"], told["is_online"], told["entries"]) == ("far", True, False, [])
    latest = {"number": 1, "state": "accepted", "language": "remote", "declared": DRAFT["declared"]}
    assert told["latest_version"] == latest
    bot = Bot.objects.get()
    assert script.post("/remote-bots/", DRAFT).status_code == 409
    refused = script.post("/remote-bots/", DRAFT | {"name": "Off", "declared": " "})
    assert (refused.status_code, list(refused.json()["error"]["fields"])) == (400, ["declared"])
    assert Script(ana, bot).post("/remote-bots/", DRAFT).status_code == 403
    assert Script(ben).post("/bots/far/versions/remote/", {"declared": "model Y"}).status_code == 403
    again, new = (
        script.post("/bots/far/versions/remote/", {"declared": one}) for one in (DRAFT["declared"], "model Y")
    )
    assert (again.status_code, new.status_code) == (200, 201)
    assert (new.json()["number"], new.json()["declared"], new.json()["trial"]) == (2, "model Y", None)
    RemoteBot.objects.update(is_online=True, seen_at=now(), room=3)
    [row] = script.read("/remote-bots/")["results"]
    assert (row["slug"], row["version"], row["declared"], row["is_online"]) == ("far", 2, "model Y", True)
    assert (row["playing"], row["room"], row["legs"], row["refusals"]) == (0, 3, 0, 0)
    assert script.read("/bots/far/")["is_online"] is True
    assert Script(ben).read("/remote-bots/")["results"] == []
    assert script.read("/bots/far/versions/2/")["sha256"] == ""
    assert script.get("/bots/far/versions/2/source/").status_code == 409


def test_an_open_ladder_is_joined_read_and_left(
    script: Script, far: Bot, ladder: Ladder, ben: User, make_version: MakeVersion
) -> None:
    assert script.get(OPEN).status_code == 404
    assert script.read(f"{OPEN}seasons/")["results"] == []
    assert script.post(f"{OPEN}bots/", {"bot": "far"}).status_code == 204
    told = script.read(OPEN)
    assert (told["clock"], told["season"], told["bots"], told["dispersion"]) == ("open", 1, 1, 1.0)
    assert told["html_url"].endswith(OPEN)
    own = make_version(ben, "Near").bot
    assert script.post(f"{OPEN}bots/", {"bot": own.slug}).status_code == 403
    assert Script(ben).post(f"{OPEN}bots/", {"bot": own.slug}).status_code == 204
    rows = {row["bot"]: row for row in Script().read(f"{OPEN}standings/")["results"]}
    assert (rows["far"]["is_remote"], rows["far"]["declared"]) == (True, DRAFT["declared"])
    assert (rows[own.slug]["is_remote"], rows[own.slug]["declared"]) == (False, "")
    assert [one["clock"] for one in script.read("/ladders/")["results"]] == [""]
    assert [one["clock"] for one in script.read("/ladders/", clock="open")["results"]] == ["open"]
    assert [one["clock"] for one in script.read("/bots/far/")["entries"]] == ["open"]
    assert script.delete(f"{OPEN}bots/far/").status_code == 204
    assert script.delete(f"{OPEN}bots/far/").status_code == 409
    assert script.get("/ladders/battleline/standard/fast/").status_code == 404
    assert script.post("/ladders/battleline/standard/fast/bots/", {"bot": "far"}).status_code == 400


def test_a_remote_bots_versions_arent_uploaded_or_challenged(script: Script, far: Bot, ana: User, ben: User) -> None:
    body = {"version": {"bot": "far", "version": 1}, "opponent": {"bot": "far", "version": 1}}
    answer = script.post("/challenges/", body)
    assert (answer.status_code, "remote bot" in answer.json()["error"]["message"]) == (409, True)


def test_a_season_of_an_open_ladder_has_matches_of_one_leg(script: Script, far: Bot) -> None:
    other = Script(User.objects.create_user("cili"))
    assert other.post("/remote-bots/", DRAFT | {"name": "Farther"}).status_code == 201
    for who, slug in ((script, "far"), (other, "farther")):
        assert who.post(f"{OPEN}bots/", {"bot": slug}).status_code == 204
    RemoteBot.objects.update(is_online=True, seen_at=now(), room=1)
    [match] = queue_open_ladder_matches(ladder=Ladder.objects.get(clock="open"))
    assert script.read(f"/matches/{match.pk}/")["ladder"]["clock"] == "open"
    assert (script.read("/remote-bots/")["results"][0]["playing"]) == 1
    document = script.read(f"{OPEN}seasons/1/")
    assert (document["clock"], document["secret"]) == ("open", find_revealed_secret(Ladder.objects.get()))
    [row] = script.read(document["deals"].partition("/api/v1")[2])["results"]
    assert (row["number"], row["seats"], len(row["deal_hashes"])) == (1, 2, 1)
