"""Groups as the programs of organisers and members manage them: the same services as the pages, the same refusals."""

import io
import zipfile

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.models import Permission
from django.test import Client

from arena.bots.models import BotVersion, SourceRead
from arena.bots.services import add_version, create_bot
from arena.people.accounts.models import User
from arena.people.groups.models import Group, Invitation, Membership, SignInLink
from tests.arena.api.played import Script
from tests.arena.bots.test_similarity import WRITTEN, rename


@pytest.fixture
def teacher(ana: User) -> Script:
    ana.user_permissions.add(Permission.objects.get(codename="add_tournament"))
    return Script(User.objects.get(pk=ana.pk))


@pytest.fixture
def pupil(ben: User) -> Script:
    return Script(ben)


@pytest.fixture
def slug(teacher: Script) -> str:
    """A class of Ana's, without anybody else."""
    made = teacher.post("/groups/", {"name": "Class 10.b", "real_name": "Anna Kovács"})
    assert made.status_code == 201, made.content
    return str(made.json()["slug"])


def open_code(teacher: Script, slug: str) -> str:
    return str(teacher.post(f"/groups/{slug}/code/", {"hours": 2}).json()["join_code"])


def test_a_group_is_made_joined_by_its_code_and_left(teacher: Script, pupil: Script, slug: str):
    code = open_code(teacher, slug)
    joined = pupil.post("/groups/join/", {"code": code.lower(), "real_name": "Benedek Nagy"})
    assert joined.status_code == 200, joined.content
    assert (joined.json()["role"], joined.json()["members"], joined.json()["join_code"]) == ("member", 2, None)
    assert teacher.read(f"/groups/{slug}/")["join_code"] == code
    members = pupil.read(f"/groups/{slug}/members/")["results"]
    assert [(one["username"], one["real_name"], one["role"]) for one in members] == [
        ("ana", "Anna Kovács", "owner"),
        ("ben", "Benedek Nagy", "member"),
    ]
    assert [one["slug"] for one in pupil.read("/groups/")["results"]] == [slug]
    assert pupil.post(f"/groups/{slug}/leave/").status_code == 204
    assert pupil.get(f"/groups/{slug}/").status_code == 404


def test_an_owner_exports_the_group_and_deletes_it_by_its_name(teacher: Script, pupil: Script, slug: str):
    pupil.post("/groups/join/", {"code": open_code(teacher, slug), "real_name": "Benedek Nagy"})
    answer = teacher.get(f"/groups/{slug}/export/")
    assert answer["Content-Type"] == "application/octet-stream" and answer["Cache-Control"] == "private, no-store"
    zipped = zipfile.ZipFile(io.BytesIO(answer.getvalue()))
    assert "Benedek Nagy" in zipped.read("members.json").decode()
    address = f"/groups/{slug}/"
    assert pupil.get(f"/groups/{slug}/export/").status_code == 403
    assert pupil.delete(f"{address}?confirmation=Class 10.b").status_code == 403
    for query in ("", "?confirmation=Class 10"):
        refused = teacher.delete(f"{address}{query}")
        assert refused.status_code == 400 and list(refused.json()["error"]["fields"]) == ["confirmation"]
    assert Group.objects.count() == 1
    assert teacher.delete(f"{address}?confirmation=Class 10.b").status_code == 204
    assert teacher.get(f"/groups/{slug}/").status_code == 404 and not Group.objects.exists()


def test_a_code_that_has_ended_lets_nobody_in(teacher: Script, pupil: Script, slug: str):
    code = open_code(teacher, slug)
    assert teacher.delete(f"/groups/{slug}/code/").status_code == 204
    refused = pupil.post("/groups/join/", {"code": code})
    assert refused.status_code == 400 and "ask for a new one" in refused.json()["error"]["message"]


def test_nothing_of_a_group_is_cached(teacher: Script, slug: str):
    for path in ("/groups/", f"/groups/{slug}/", f"/groups/{slug}/members/"):
        assert "no-store" in teacher.get(path)["Cache-Control"]


def test_owners_give_roles_and_the_last_one_stays(teacher: Script, pupil: Script, slug: str):
    pupil.post("/groups/join/", {"code": open_code(teacher, slug)})
    own, other = Membership.objects.order_by("pk")
    assert pupil.patch(f"/groups/{slug}/members/{other.pk}/", {"role": "owner"}).status_code == 403
    assert pupil.patch(f"/groups/{slug}/members/{other.pk}/", {"real_name": "Benedek"}).status_code == 200
    changed = teacher.patch(f"/groups/{slug}/members/{other.pk}/", {"role": "co_organiser"})
    assert (changed.json()["role"], changed.json()["real_name"]) == ("co_organiser", "Benedek")
    assert pupil.delete(f"/groups/{slug}/members/{own.pk}/").status_code == 403
    assert teacher.post(f"/groups/{slug}/leave/").status_code == 409
    assert teacher.delete(f"/groups/{slug}/members/{other.pk}/").status_code == 204


def test_members_neither_change_a_group_nor_read_its_invitations(teacher: Script, pupil: Script, slug: str):
    pupil.post("/groups/join/", {"code": open_code(teacher, slug)})
    assert pupil.patch(f"/groups/{slug}/", {"name": "Ours"}).status_code == 403
    assert pupil.get(f"/groups/{slug}/invitations/").status_code == 403
    assert pupil.post(f"/groups/{slug}/list/", {"names": "Somebody", "dry_run": True}).status_code == 403
    assert teacher.patch(f"/groups/{slug}/", {"description": "On Mondays"}).json()["description"] == "On Mondays"
    assert Group.objects.get().name == "Class 10.b"


def test_a_list_is_tried_first_and_then_makes_accounts(teacher: Script, ben: User, pupil: Script, slug: str):
    EmailAddress.objects.create(user=ben, email="ben@example.org", verified=True, primary=True)
    names = {"names": "Cili Szabó\nBenedek Nagy, ben@example.org\nAnna Kovács"}
    tried = teacher.post(f"/groups/{slug}/list/", {**names, "dry_run": True}).json()
    assert [[one["real_name"] for one in tried[key]] for key in ("new", "invited", "present")] == [
        ["Cili Szabó"],
        ["Benedek Nagy"],
        ["Anna Kovács"],
    ]
    assert not tried["slips"] and not SignInLink.objects.exists() and not Invitation.objects.exists()
    done = teacher.post(f"/groups/{slug}/list/", names)
    (slip,) = done.json()["slips"]
    assert done["Cache-Control"].endswith("no-store") and slip["real_name"] == "Cili Szabó"
    assert Client().get(slip["sign_in_url"].removeprefix("http://testserver")).status_code == 200
    (row,) = [one for one in teacher.read(f"/groups/{slug}/members/")["results"] if one["sign_in_link_expires_at"]]
    assert row["username"] == slip["username"] and "sign-in" not in str(row)
    again = teacher.post(f"/groups/{slug}/list/", names).json()
    assert not again["slips"] and len(again["present"]) == 2
    (renewed,) = teacher.post(f"/groups/{slug}/list/links/", {"days": 1}).json()["slips"]
    assert renewed["sign_in_url"] != slip["sign_in_url"]


def test_real_names_can_be_for_organisers_only(teacher: Script, pupil: Script, slug: str):
    pupil.post("/groups/join/", {"code": open_code(teacher, slug), "real_name": "Benedek Nagy"})
    assert pupil.patch(f"/groups/{slug}/", {"hides_names": True}).status_code == 403
    assert teacher.patch(f"/groups/{slug}/", {"hides_names": True}).json()["hides_names"] is True
    names = [[one["real_name"] for one in who.read(f"/groups/{slug}/members/")["results"]] for who in (teacher, pupil)]
    assert names == [["Anna Kovács", "Benedek Nagy"], ["", "Benedek Nagy"]]


def test_one_link_is_renewed(teacher: Script, pupil: Script, slug: str):
    teacher.post(f"/groups/{slug}/list/", {"names": "Cili Szabó"})
    address = f"/groups/{slug}/members/{Membership.objects.get(real_name='Cili Szabó').pk}/link/"
    assert pupil.post(address).status_code == 404
    renewed = teacher.post(address, {"days": 1})
    assert renewed.status_code == 200 and renewed.json()["real_name"] == "Cili Szabó"
    assert SignInLink.objects.count() == 1


def test_a_list_that_is_wrong_is_refused_line_by_line(teacher: Script, slug: str):
    refused = teacher.post(f"/groups/{slug}/list/", {"names": "Anna, no@address\nBéla\nBéla"})
    assert refused.status_code == 400 and len(refused.json()["error"]["fields"]["names"]) == 2


@pytest.mark.parametrize(("answer", "members"), [("accept", 2), ("refuse", 1)])
def test_invitations_are_answered_once(teacher: Script, ben: User, pupil: Script, slug: str, answer: str, members: int):
    EmailAddress.objects.create(user=ben, email="ben@example.org", verified=True, primary=True)
    teacher.post(f"/groups/{slug}/list/", {"names": "Benedek Nagy, ben@example.org"})
    (sent,) = teacher.read(f"/groups/{slug}/invitations/")["results"]
    assert sent["email"] == "ben@example.org" and "ben" not in sent.values()
    (own,) = pupil.read("/groups/invitations/")["results"]
    assert (own["group"], own["invited_by"]) == ("Class 10.b", "ana")
    assert teacher.post(f"/groups/invitations/{own['id']}/{answer}/").status_code == 404
    assert pupil.post(f"/groups/invitations/{own['id']}/{answer}/").status_code in (200, 204)
    assert pupil.post(f"/groups/invitations/{own['id']}/{answer}/").status_code == 404
    assert Membership.objects.count() == members


def test_organisers_read_the_bots_of_members_who_have_accepted_it(
    teacher: Script, pupil: Script, slug: str, ana: User, ben: User
):
    assert pupil.post(f"/groups/{slug}/reading/").status_code == 404
    assert teacher.patch(f"/groups/{slug}/", {"reads_bots": True}).json()["reading_accepted_at"] is not None
    code = open_code(teacher, slug)
    refused = pupil.post("/groups/join/", {"code": code})
    assert refused.status_code == 400 and list(refused.json()["error"]["fields"]) == ["accepts_reading"]
    assert pupil.post("/groups/join/", {"code": code, "accepts_reading": True}).status_code == 200
    group = Group.objects.get(slug=slug)
    versions = []
    for owner, name, text in ((ana, "Owl", rename(WRITTEN)), (ben, "Heron", WRITTEN)):
        bot = create_bot(owner=owner, name=name, game="battleline", group=group)
        versions.append(add_version(bot=bot, files={"bot.py": text.encode()}, state=BotVersion.State.ACCEPTED))
    found = teacher.read(f"/groups/{slug}/sources/")
    assert found["is_complete"] and [one["version"]["bot"] for one in found["sources"]] == ["heron", "owl"]
    assert {found["pairs"][0]["left"], found["pairs"][0]["right"]} == {version.pk for version in versions}
    for address, count in (("sources/zip/", 2), (f"sources/{versions[1].pk}/", 1)):
        zipped = zipfile.ZipFile(io.BytesIO(teacher.get(f"/groups/{slug}/{address}").getvalue()))
        assert len([name for name in zipped.namelist() if name.startswith("submissions/")]) == count
        assert pupil.get(f"/groups/{slug}/{address}").status_code == 403
    assert pupil.get(f"/groups/{slug}/sources/").status_code == 403
    assert teacher.get(f"/groups/{slug}/sources/?tournament=none").status_code == 404
    assert [read.reader for read in SourceRead.objects.all()] == [ana]


def test_organisers_read_the_table_for_marks(teacher: Script, pupil: Script, slug: str, ladder):
    pupil.post("/groups/join/", {"code": open_code(teacher, slug), "real_name": "Benedek Nagy"})
    teacher.post(f"/groups/{slug}/ladders/", {"game": "battleline", "edition": "standard", "with_samples": False})
    for chosen in ({}, {"ladder": "battleline/standard/1"}):
        lines = teacher.read(f"/groups/{slug}/marks/", **chosen)["members"]
        assert [(one["real_name"], one["versions"], one["best"]) for one in lines] == [
            ("Anna Kovács", 0, None),
            ("Benedek Nagy", 0, None),
        ]
    assert teacher.get(f"/groups/{slug}/marks/", tournament="none").status_code == 404
    assert pupil.get(f"/groups/{slug}/marks/").status_code == 403


def test_announcements_are_made_listed_and_deleted(teacher: Script, pupil: Script, slug: str):
    pupil.post("/groups/join/", {"code": open_code(teacher, slug), "real_name": "Benedek Nagy"})
    address = f"/groups/{slug}/announcements/"
    assert pupil.post(address, {"text": "Hi"}).status_code == 403
    made = teacher.post(address, {"text": "Room 5"})
    assert made.status_code == 201 and made.json()["author"] == "ana"
    assert [one["text"] for one in pupil.read(address)["results"]] == ["Room 5"]
    one = f"{address}{made.json()['id']}/"
    assert pupil.delete(one).status_code == 403
    assert teacher.delete(one).status_code == 204
    assert pupil.read(address)["results"] == []
