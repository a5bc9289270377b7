"""Who sees a tournament or a bot, and who may enter, by the API."""

import pytest
from django.contrib.auth.models import Permission

from arena.bots.models import Bot
from arena.contests.tournaments.models import Entrant, Tournament
from arena.people.accounts.models import User
from arena.people.groups.models import Group, Membership
from tests.arena.api.test_tournaments import Hand
from tests.arena.contests.tournaments.world import make_bots

PLAN = {"title": "Cup", "game": "battleline"}


@pytest.fixture
def teacher(db: None) -> User:
    user = User.objects.create_user("teacher")
    user.user_permissions.add(Permission.objects.get(codename="add_tournament"))
    return User.objects.get(pk=user.pk)


@pytest.fixture
def group(teacher: User, ana: User) -> Group:
    made = Group.objects.create(name="Class 10.b", slug="class-10b")
    Membership.objects.create(group=made, user=teacher, role="owner")
    Membership.objects.create(group=made, user=ana)
    return made


def test_a_tournament_for_a_group_is_planned_and_read_by_its_members(group: Group, teacher: User, ana: User, ben: User):
    plan = PLAN | {"group": "class-10b", "visibility": "group", "entry_rule": "group"}
    assert Hand(ana).post("/tournaments/", plan).status_code == 400
    assert Hand(teacher).post("/tournaments/", plan | {"group": "other"}).status_code == 400
    made = Hand(teacher).post("/tournaments/", plan).json()
    assert (made["group"], made["visibility"], made["entry_rule"]) == ("class-10b", "group", "group")
    Hand(teacher).post("/tournaments/cup/open/", {})
    statuses = [Hand(who).get("/tournaments/cup/").status_code for who in (teacher, ana, ben)]
    assert statuses == [200, 200, 404]
    answer = Hand(ana).get("/tournaments/cup/")
    assert answer["Cache-Control"] == "private, no-store" and answer.json()["group"] is None
    assert [one["slug"] for one in Hand(ana).get("/tournaments/").json()["results"]] == ["cup"]
    assert Hand(ben).get("/tournaments/").json()["results"] == []
    assert Hand(teacher).patch("/tournaments/cup/", {"visibility": "public"}).json()["visibility"] == "public"
    assert Hand(ben).get("/tournaments/cup/").status_code == 200


def test_entries_by_a_code_wait_for_approval(teacher: User, ana: User):
    make_bots(1, owner=ana)
    plan = PLAN | {"entry_rule": "code", "are_entries_moderated": True}
    code = Hand(teacher).post("/tournaments/", plan).json()["entry_code"]
    Hand(teacher).post("/tournaments/cup/open/", {})
    script, path = Hand(ana), "/tournaments/cup/entrants/"
    assert script.get("/tournaments/cup/").json()["entry_code"] is None
    assert script.post(path, {"bot": "bot-1"}).status_code == 403
    assert script.post(path, {"bot": "bot-1", "code": "0000-0000-0000"}).status_code == 403
    assert script.post(path, {"bot": "bot-1", "code": code}).json()["state"] == "waiting"
    assert script.post("/tournaments/cup/approve/", {"bot": "bot-1"}).status_code == 403
    assert Hand(teacher).post("/tournaments/cup/approve/", {"bot": "bot-1"}).json()["state"] == "checking"
    assert Entrant.objects.get().tournament == Tournament.objects.get()


def test_a_list_of_authors_is_checked(teacher: User, ana: User):
    plan = PLAN | {"entry_rule": "list", "permitted_authors": ["ana", "nobody"]}
    answer = Hand(teacher).post("/tournaments/", plan)
    assert answer.status_code == 400 and "nobody" in answer.json()["error"]["message"]
    made = Hand(teacher).post("/tournaments/", plan | {"permitted_authors": ["ana"]})
    assert made.status_code == 201 and list(Tournament.objects.get().permitted_authors.all()) == [ana]


def test_a_bot_for_a_group_is_made_and_read_by_members(group: Group, ana: User, ben: User):
    sent = {"name": "Kestrel", "game": "battleline", "group": "class-10b"}
    assert Hand(ben).post("/bots/", sent).status_code == 404
    made = Hand(ana).post("/bots/", sent).json()
    assert made["is_for_group_only"] and Bot.objects.get().group == group
    assert Hand(ana).get("/bots/kestrel/")["Cache-Control"] == "private, no-store"
    assert Hand(ben).get("/bots/kestrel/").status_code == 404 and Hand(ben).get("/bots/").json()["results"] == []
