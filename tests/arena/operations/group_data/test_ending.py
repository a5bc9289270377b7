"""At the end of term a group is exported and erased; what is public stays, and nobody's real name with it."""

import copy
import io
import json
import zipfile

import pytest
from django.test import Client

from arena.bots.models import Bot
from arena.contests.ladders.models import Ladder
from arena.contests.ladders.services.ledger import append_finished_matches
from arena.contests.ladders.services.seasons import end_group_season
from arena.contests.tournaments.models import Tournament
from arena.core.errors import Conflict, NotYours
from arena.matches.models import Match
from arena.operations.lifecycle import anonymise_user
from arena.operations.personal_data import count_contents, erase_group, write_group_export
from arena.people.accounts.models import User
from arena.people.groups.models import Group, Invitation, Membership
from arena.people.groups.services import ListedPerson, add_listed_people
from tests.arena.privacy.group_ladder import add_ladder
from tests.arena.privacy.group_world import MATE, OPEN, OWN, GroupWorld, make_group_world
from tests.conftest import Play


@pytest.fixture(scope="module")
def full_world(module_db: None, play: Play) -> GroupWorld:
    return make_group_world(play)


@pytest.fixture
def world(db: None, full_world: GroupWorld) -> GroupWorld:
    return copy.deepcopy(full_world)


def test_an_export_has_what_is_the_groups_and_no_files_of_bots(world: GroupWorld) -> None:
    file = io.BytesIO()
    write_group_export(group=Group.objects.get(), file=file)
    zipped = zipfile.ZipFile(file)
    parts = {name: zipped.read(name).decode() for name in zipped.namelist()}
    members = json.loads(parts["members.json"])
    assert [(one["real_name"], one["user_name"]) for one in members][0] == ("Anna Kisfaludy", "ana")
    assert {one["name"] for one in json.loads(parts["bots.json"])} == {OWN, MATE}
    (tournament,) = json.loads(parts["tournaments.json"])
    assert tournament["title"] == "Falconers Cup" and len(tournament["entrants"]) == 3
    records = [json.loads(line) for line in parts["records.jsonl"].splitlines()]
    assert len(records) == 4 and all(one["record"]["actions"] for one in records)
    assert "import json, sys" not in "".join(parts.values())


def test_a_group_is_erased_once_nothing_of_it_is_played(world: GroupWorld) -> None:
    group, owner, mate = Group.objects.get(), world.people["ana"], world.people["ben"]
    plan_of_others = Tournament.objects.create(
        organiser=owner, slug="open-cup", title="Open Cup", game="battleline", edition="standard", settings={},
        state="finished", group=group,
    )  # fmt: skip
    add_listed_people(group=group, by=owner, people=[ListedPerson("Unused", "")], days=1)
    with pytest.raises(NotYours):
        erase_group(group=group, by=mate, confirmation=group.name)
    with pytest.raises(Conflict, match="The group has queued or running matches"):
        erase_group(group=group, by=owner, confirmation=group.name)
    Match.objects.exclude(state="finished").update(state="void")
    assert count_contents(group).bots == 2
    erase_group(group=group, by=owner, confirmation=group.name)
    assert not Group.objects.exists() and not Membership.objects.exists()
    assert set(Bot.objects.values_list("name", flat=True)) == {OPEN, "Egret"}
    assert not Match.objects.exclude(group=None).exists() and list(Tournament.objects.all()) == [plan_of_others]
    assert set(User.objects.values_list("username", flat=True)) == {"ana", "ben", "eva"}


def test_its_ladders_are_exported_and_erased(world: GroupWorld, play: Play) -> None:
    group, owner = Group.objects.get(), world.people["ana"]
    ladder = add_ladder(world, play)
    file = io.BytesIO()
    write_group_export(group=group, file=file)
    (season,) = json.loads(zipfile.ZipFile(file).read("ladders.json"))
    assert {one["bot"] for one in season["standings"]} == {name.lower() for name in (OWN, MATE, OPEN)}
    assert [one["match"] for one in season["matches"]] == [world.names["rated"], world.names["waits"]]
    assert (season["secret"], season["commitment"]) == (None, ladder.commitment)
    Match.objects.exclude(state="finished").exclude(pk=world.names["waits"]).update(state="void")
    with pytest.raises(Conflict, match="end its ladders' seasons"):
        erase_group(group=group, by=owner, confirmation=group.name)
    end_group_season(ladder=ladder, by=owner)
    assert play(Match.objects.get(pk=world.names["waits"])) and append_finished_matches(ladder=ladder) == 1
    assert count_contents(group).ladders == 1
    erase_group(group=group, by=owner, confirmation=group.name)
    assert not Ladder.objects.exclude(group=None).exists() and Ladder.objects.public().count() == 1
    assert set(Bot.objects.values_list("name", flat=True)) == {OPEN, "Egret"}


def test_who_is_anonymised_leaves_no_real_name(world: GroupWorld) -> None:
    group, owner = Group.objects.get(), world.people["ana"]
    Membership.objects.filter(user=world.people["ben"]).update(role="co_organiser")
    Invitation.objects.create(group=group, user=world.people["eva"], real_name="Éva", email="")
    for user in (owner, world.people["eva"]):
        anonymise_user(user=user)
    assert [(one.user.username, one.role) for one in Membership.objects.all()] == [("ben", "owner")]
    assert not Invitation.objects.exists()


def test_owners_alone_come_to_the_pages(world: GroupWorld) -> None:
    clients = {name: Client() for name in ("ana", "ben", "eva")}
    for name, client in clients.items():
        client.force_login(world.people[name])
    for path in ("end/", "export.zip"):
        statuses = [clients[name].get(f"/groups/tuesday-falconers/{path}").status_code for name in clients]
        assert statuses == [200, 403, 404]
    answer = clients["ana"].post("/groups/tuesday-falconers/end/", {"confirmation": "x"}, follow=True)
    assert "Type the group&#x27;s name" in answer.text and Group.objects.exists()
    Match.objects.exclude(state="finished").update(state="void")
    answer = clients["ana"].post("/groups/tuesday-falconers/end/", {"confirmation": "Tuesday Falconers"}, follow=True)
    assert "Tuesday Falconers deleted." in answer.text and not Group.objects.exists()
