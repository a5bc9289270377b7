import pytest

from arena.bots.models import Bot, BotVersion
from arena.bots.services import create_bot, submit_version
from arena.contests.ladders.models import Entry, Ladder
from arena.contests.ladders.services.entering import enter_version
from arena.people.accounts.models import User
from arena.runner.archive import Upload
from tests.arena.api.played import Script
from tests.conftest import MakeVersion


@pytest.fixture
def playing(ana: User, ladder: Ladder, make_version: MakeVersion) -> Entry:
    """Ana's bot on the ladder, its older version retired."""
    for source in (b"1", b"2"):
        entry = enter_version(ladder=ladder, version=make_version(ana, "Kingfisher", source))
    assert entry is not None
    return entry


def test_a_bot_tells_where_it_stands(playing: Entry):
    told = Script().read("/bots/kingfisher/")
    assert (told["name"], told["authors"], told["game"]) == ("Kingfisher", ["ana"], "battleline")
    assert told["html_url"] == "http://testserver/bots/kingfisher/"
    assert told["latest_version"] == {"number": 2, "state": "accepted", "language": "python", "declared": ""}
    (entry,) = told["entries"]
    assert (entry["game"], entry["edition"], entry["season"]) == ("battleline", "standard", 1)
    assert (entry["version"], entry["state"], entry["is_ranked"], entry["rank_low"]) == (2, "active", False, None)
    assert entry["margin_95"] == pytest.approx(1.96 * playing.deviation, rel=1e-3)


def test_a_bot_without_a_version_is_a_bot(ana: User):
    create_bot(owner=ana, name="Heron", game="battleline")
    told = Script().read("/bots/heron/")
    assert told["latest_version"] is None and told["entries"] == []


def test_bots_are_found_by_game_owner_and_name(ana: User, ben: User):
    create_bot(owner=ana, name="Heron", game="battleline")
    create_bot(owner=ana, name="Egret", game="battalion")
    create_bot(owner=ben, name="Grey heron", game="battalion")

    def found(**query: str) -> list[str]:
        return [bot["slug"] for bot in Script().read("/bots/", **query)["results"]]

    assert found() == ["egret", "grey-heron", "heron"]
    assert found(game="battalion") == ["egret", "grey-heron"]
    assert found(author="ana") == ["egret", "heron"]
    assert found(search="hero") == ["grey-heron", "heron"]
    assert found(game="battalion", author="ben", search="egret") == []
    assert Script().get("/bots/", game="chess").json()["error"]["fields"].keys() == {"game"}


def test_a_script_makes_a_bot(ana: User):
    response = Script(ana).post("/bots/", {"name": "  Grey   heron ", "game": "battalion"})
    assert response.status_code == 201
    assert response.json()["slug"] == "grey-heron" and response.json()["name"] == "Grey heron"
    assert Bot.objects.get().owner == ana


def test_a_bot_needs_a_name_that_nobody_has(ana: User, ben: User):
    create_bot(owner=ben, name="Heron", game="battleline")
    taken = Script(ana).post("/bots/", {"name": "heron", "game": "battleline"})
    assert (taken.status_code, taken.json()["error"]["code"]) == (409, "conflict")
    unusable = Script(ana).post("/bots/", {"name": "!!!", "game": "battleline"})
    assert unusable.status_code == 400 and "letter or digit" in unusable.json()["error"]["fields"]["name"][0]


def test_a_token_for_one_bot_makes_no_other(ana: User):
    bot = create_bot(owner=ana, name="Heron", game="battleline")
    response = Script(ana, bot).post("/bots/", {"name": "Egret", "game": "battleline"})
    assert (response.status_code, response.json()["error"]["code"]) == (403, "not_yours")


def test_a_bot_is_paused_and_resumed(ana: User, playing: Entry):
    script = Script(ana, playing.version.bot)
    (entry,) = script.post("/bots/kingfisher/pause/").json()["entries"]
    assert entry["state"] == "suspended" and entry["state_reason"] and entry["version"] == 2
    (entry,) = script.post("/bots/kingfisher/resume/").json()["entries"]
    assert entry["state"] == "active" and entry["state_reason"] == ""
    assert [row.state for row in Entry.objects.order_by("pk")] == ["retired", "active"]


def test_an_older_version_is_promoted(ana: User, playing: Entry):
    response = Script(ana).post("/bots/kingfisher/versions/1/promote/")
    assert response.status_code == 200 and response.json()["number"] == 1
    assert [entry["version"] for entry in Script().read("/bots/kingfisher/")["entries"]] == [1]


def test_a_version_that_was_not_accepted_is_not_promoted(ana: User, make_version: MakeVersion):
    make_version(ana, "Kingfisher", state=BotVersion.State.REJECTED)
    response = Script(ana).post("/bots/kingfisher/versions/1/promote/")
    assert (response.status_code, response.json()["error"]["code"]) == (409, "conflict")


def test_everybody_is_told_whom_the_api_takes_them_for(ana: User, ben: User):
    heron = create_bot(owner=ana, name="Heron", game="battleline")
    create_bot(owner=ben, name="Egret", game="battleline")
    told = Script(ana, heron).read("/me/")
    assert (told["username"], told["bots"], told["token"]["bot"]) == ("ana", ["heron"], "heron")
    assert Script(ana).read("/me/")["token"]["bot"] is None
    browser = Script()
    browser.client.force_login(ana)
    assert browser.read("/me/")["token"] is None
    assert Script().get("/me/").status_code == 401


def test_an_author_retires_renames_and_deletes_a_bot(playing: Entry, ana: User):
    script = Script(ana)
    assert script.post("/bots/kingfisher/retire/").json()["stopped_at"]
    assert script.post("/bots/kingfisher/retire/").status_code == 409
    told = script.post("/bots/kingfisher/return/").json()
    assert told["stopped_at"] is None and told["entries"][0]["state"] == "active"
    renamed = script.patch("/bots/kingfisher/", {"name": "Grebe"})
    assert renamed.json()["slug"] == "kingfisher" and script.read("/bots/kingfisher/")["name"] == "Grebe"
    said = script.patch("/bots/kingfisher/", {"playing_style": "Bluffs at flag 5."}).json()
    assert (said["playing_style"], said["name"]) == ("Bluffs at flag 5.", "Grebe")
    assert script.patch("/bots/kingfisher/", {}).status_code == 400
    for refused in ("a" * 71, "never\u202egives up"):
        answer = script.patch("/bots/kingfisher/", {"playing_style": refused})
        assert answer.status_code == 400 and "playing_style" in answer.json()["error"]["fields"]
    create_bot(owner=ana, name="Wren", game="battleline")
    assert script.delete("/bots/wren/").status_code == 204
    assert not Bot.objects.filter(slug="wren").exists()


# The team of a bot in the API.


def test_the_whole_way_of_a_team(ana: User, ben: User):
    create_bot(owner=ana, name="Kingfisher", game="battleline")
    lead, guest = Script(ana), Script(ben)
    assert guest.get("/bots/kingfisher/team/").status_code == 403
    assert lead.post("/bots/kingfisher/team/", {"username": "nobody"}).status_code == 404
    invited = lead.post("/bots/kingfisher/team/", {"username": "ben"})
    assert invited.status_code == 201 and [one["username"] for one in invited.json()["people"]] == ["ana", "ben"]
    assert [(one["is_lead"], one["invited_by"], one["joined_at"]) for one in invited.json()["people"]] == [
        (True, None, None),
        (False, "ana", None),
    ]
    assert guest.post("/bots/kingfisher/invitation/").status_code == 200
    assert Script().read("/bots/kingfisher/")["authors"] == ["ana", "ben"]
    assert guest.read("/me/")["bots"] == ["kingfisher"]
    assert [one["slug"] for one in Script().read("/bots/", author="ben")["results"]] == ["kingfisher"]
    assert guest.post("/bots/kingfisher/lead/", {"username": "ben"}).status_code == 403
    led = lead.post("/bots/kingfisher/lead/", {"username": "ben"}).json()["people"]
    assert [(one["username"], one["is_lead"]) for one in led] == [("ben", True), ("ana", False)]
    assert guest.delete("/bots/kingfisher/team/ana/").status_code == 204
    assert lead.get("/bots/kingfisher/team/").status_code == 403


def test_an_invitation_is_refused(ana: User, ben: User):
    create_bot(owner=ana, name="Kingfisher", game="battleline")
    Script(ana).post("/bots/kingfisher/team/", {"username": "ben"})
    assert Script(ben).delete("/bots/kingfisher/invitation/").status_code == 204
    assert Script(ben).post("/bots/kingfisher/invitation/").status_code == 409


def test_who_uploaded_a_version_is_for_its_authors(ana: User, ben: User):
    bot = create_bot(owner=ana, name="Kingfisher", game="battleline")
    submit_version(owner=ana, bot=bot, files=Upload({"bot.py": b"1"}))
    assert Script(ana).read("/bots/kingfisher/versions/1/")["uploaded_by"] == "ana"
    assert Script(ben).read("/bots/kingfisher/versions/1/")["uploaded_by"] is None
    assert Script().read("/bots/kingfisher/versions/")["results"][0]["uploaded_by"] is None


def test_a_token_for_one_bot_does_not_change_its_team(ana: User, ben: User):
    bot = create_bot(owner=ana, name="Kingfisher", game="battleline")
    script = Script(ana, bot)
    assert script.get("/bots/kingfisher/team/").status_code == 200
    assert script.post("/bots/kingfisher/team/", {"username": "ben"}).status_code == 403
    assert Bot.objects.get().co_authors == []


def test_an_author_reads_what_only_authors_may(ana: User, ben: User):
    bot = create_bot(owner=ana, name="Kingfisher", game="battleline")
    submit_version(owner=ana, bot=bot, files=Upload({"bot.py": b"1"}))
    script = Script(ben)
    private = ["/bots/kingfisher/versions/1/source/", "/bots/kingfisher/versions/1/log/", "/bots/kingfisher/team/"]
    assert [script.get(path).status_code for path in private] == [403, 403, 403]
    Script(ana).post("/bots/kingfisher/team/", {"username": "ben"})
    assert [script.get(path).status_code for path in private] == [403, 403, 403]
    script.post("/bots/kingfisher/invitation/")
    assert [script.get(path).status_code for path in private] == [200, 200, 200]
    assert script.post("/bots/kingfisher/pause/").status_code == 200
    assert script.post("/bots/kingfisher/retire/").status_code == 403
    assert script.delete("/bots/kingfisher/").status_code == 403
