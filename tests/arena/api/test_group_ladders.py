"""A group's ladder by the API: organisers open, pause and end it, members read it and enter their bots."""

import pytest
from django.contrib.auth.models import Permission

from arena.people.accounts.models import User
from arena.people.groups.models import Group, Membership
from tests.arena.api.played import Script
from tests.conftest import MakeVersion

LADDERS = "/groups/class-10b/ladders/"
LADDER = f"{LADDERS}battleline/standard/"


@pytest.fixture
def teacher(ana: User) -> Script:
    ana.user_permissions.add(Permission.objects.get(codename="add_tournament"))
    group = Group.objects.create(name="Class 10.b", slug="class-10b")
    Membership.objects.create(group=group, user=ana, role="owner")
    return Script(User.objects.get(pk=ana.pk))


@pytest.fixture
def pupil(ben: User, teacher: Script) -> Script:
    Membership.objects.create(group=Group.objects.get(), user=ben)
    return Script(ben)


def test_a_ladder_is_opened_read_paused_and_ended(teacher: Script, pupil: Script) -> None:
    edition = {"game": "battleline", "edition": "standard", "with_samples": False}
    assert pupil.post(LADDERS, edition).status_code == 403
    opened = teacher.post(LADDERS, edition)
    assert opened.status_code == 201, opened.content
    assert opened.json()["html_url"].endswith("/groups/class-10b/ladders/battleline/standard/")
    assert teacher.post(LADDERS, edition).status_code == 409
    assert [one["season"] for one in pupil.read(LADDERS)["results"]] == [1]
    assert pupil.post(f"{LADDER}pause/").status_code == 403
    assert teacher.post(f"{LADDER}pause/").json()["paused_at"] is not None
    assert teacher.post(f"{LADDER}resume/").json()["paused_at"] is None
    assert pupil.read(f"{LADDER}seasons/1/")["secret"] is None
    assert teacher.post(f"{LADDER}end/").json()["closed_at"] is not None
    document = pupil.read(f"{LADDER}seasons/1/")
    assert document["secret"] and pupil.get(LADDER).status_code == 404
    assert pupil.get(document["deals"].partition("/api/v1")[2]).json()["results"] == []
    assert [one["season"] for one in pupil.read(f"{LADDER}seasons/")["results"]] == [1]
    stranger = Script(User.objects.create_user("eva"))
    for path in (LADDERS, LADDER, f"{LADDER}seasons/1/", f"{LADDER}seasons/1/deals/"):
        assert stranger.get(path).status_code == 404
    assert pupil.read("/ladders/")["results"] == []


def test_members_enter_their_bots_and_take_them_off(
    teacher: Script, pupil: Script, ben: User, make_version: MakeVersion
) -> None:
    teacher.post(LADDERS, {"game": "battleline", "edition": "standard", "with_samples": False})
    slug = make_version(ben, "Bens").bot.slug
    assert teacher.post(f"{LADDER}bots/", {"bot": slug}).status_code == 403
    assert pupil.post(f"{LADDER}bots/", {"bot": "nobodys"}).status_code == 404
    assert pupil.post(f"{LADDER}bots/", {"bot": slug}).status_code == 204
    assert [one["bot"] for one in teacher.read(f"{LADDER}bots/")["results"]] == [slug]
    assert teacher.delete(f"{LADDER}bots/{slug}/").status_code == 204
    assert pupil.delete(f"{LADDER}bots/{slug}/").status_code == 409
    assert teacher.read(f"{LADDER}bots/")["results"] == []
