"""The team of a bot in the API."""

from arena.accounts.models import User
from arena.bots.models import Bot
from arena.bots.services import create_bot, submit_version
from tests.arena.api.played import Script


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
    submit_version(owner=ana, bot=bot, files={"bot.py": b"1"})
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
    submit_version(owner=ana, bot=bot, files={"bot.py": b"1"})
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
