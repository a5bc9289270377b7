"""A walk over all addresses as a stranger: nothing of a group is found, and its members' pages are never cached."""

import logging
import re
from collections import defaultdict

import pytest

from arena.bots.models import Bot
from arena.contests.tournaments.models import Tournament
from arena.operations.acts import leave_group, publish_bot
from arena.people.groups.models import Membership
from tests.arena.privacy.api_routes import API
from tests.arena.privacy.group_ladder import add_ladder
from tests.arena.privacy.group_world import MATE, OPEN, OWN, GroupWorld, make_group_world
from tests.arena.privacy.routes import ROUTES
from tests.arena.privacy.secrets import World, squeezed
from tests.arena.privacy.walk import DESCRIPTIONS, Visitor, is_refused, read
from tests.arena.privacy.who import Who
from tests.conftest import Play
from tests.full import is_full_run

MATCH_NAMES = ("finished", "running", "trial", "queued", "played", "rated", "waits")
SEEN_BY_MEMBERS = {
    "/bots/kingfisher/",
    "/bots/kingfisher/badge.svg",
    "/matches/{finished}/",
    "/matches/{finished}/turn/1.png",
    "/matches/{finished}/legs/1/record.json",
    "/comparisons/{comparison}/",
    "/tournaments/{tournament}/",
    "/tournaments/{tournament}/projector/",
}
STRANGERS = ("nobody", "eva", "stranger's token")


@pytest.fixture(scope="module")
def full_world(module_db: None, play: Play) -> GroupWorld:
    world = make_group_world(play)
    add_ladder(world, play)
    return world


@pytest.fixture
def world(db: None, full_world: GroupWorld) -> GroupWorld:
    return full_world


def places(world: GroupWorld) -> dict[str, bool]:
    """All addresses, those of the group's things filled in, and whether each is about one of these."""
    found: dict[str, bool] = {}
    for before, table in (("", ROUTES), ("/api/v1", API)):
        for paths in table.values():
            for path, _who in paths:
                for filled, is_own in fill(world, path):
                    found[before + filled] = is_own
    return found


def fill(world: GroupWorld, path: str) -> list[tuple[str, bool]]:
    """Return a path for each group match, or once; what the group has nothing of gets 0."""
    path = path.replace("kingfisher", OWN.lower()).replace("heron", MATE.lower()).replace("{draft}", "{tournament}")
    is_own = any(name in path for name in (OWN.lower(), MATE.lower(), "{tournament}", "{group}", "{comparison}"))
    for name in ("underway", "played_twin"):
        path = path.replace(f"{{{name}}}", "{finished}")
    used = [name for name in MATCH_NAMES if f"{{{name}}}" in path]
    names = MATCH_NAMES if path.endswith("}/") else ("finished", "played", "rated")  # others have no records
    variants = [path.replace(f"{{{used[0]}}}", f"{{{name}}}") for name in names] if used else [path]
    values = defaultdict(int, world.names)
    return [(one.format_map(values), is_own or bool(used)) for one in variants]


def visitors(world: GroupWorld) -> list[Visitor]:
    shared = World(world.people, tokens=world.tokens)
    return [Visitor(role, shared) for role in STRANGERS]


def test_a_stranger_finds_nothing_of_a_group(world: GroupWorld, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL, "django")
    wrong = []
    for visitor in visitors(world):
        for path, is_own in places(world).items():
            if is_walked(visitor.role, path, is_own):
                wrong += visit(world, visitor, path, is_own)
    assert not wrong, "\n".join(wrong)


def is_walked(role: str, path: str, is_own: bool = True) -> bool:
    """Return whether somebody visits an address: tokens are for the API, and manuals are the same for everybody.

    By default what isn't the group's is looked through by Eva alone, who sees all that others do.
    """
    if path in DESCRIPTIONS:
        return False
    if path.startswith(("/rules/", "/docs/", "/start/", "/install/")):
        return role == "nobody"
    if not is_own and role != "eva" and not is_full_run():
        return False
    return path.startswith("/api/") or "token" not in role


def visit(world: GroupWorld, visitor: Visitor, path: str, is_own: bool) -> list[str]:
    response = visitor.ask("GET", path)
    where = f"{path} as {visitor.role}: {response.status_code}"
    if response.status_code >= 500 or (is_own and "?" not in path and not is_refused(response)):
        return [where]
    text = read(response).replace(squeezed(path.encode()), b"")
    for part in filter(None, re.split(r"[/?&=]", path)):  # what was asked for may be said again
        text = text.replace(squeezed(part.encode()), b"")
    return [f"{name}, {where}" for name, secret in world.secrets.items() if secret in text]


def test_members_see_the_group_and_nothing_is_cached(world: GroupWorld) -> None:
    visitor = Visitor("ben", World(world.people))
    refused = [Who.OWNER, Who.PERSON, Who.STAFF, Who.NONE, Who.SESSION]
    seen = set()
    for before, table in (("", ROUTES), ("/api/v1", API)):
        for paths in table.values():
            for path, who in paths:
                for filled, is_own in fill(world, path):
                    if not is_own or who in refused or "?" in filled:
                        continue
                    response = visitor.ask("GET", before + filled)
                    if response.status_code == 200:
                        seen.add(path)
                        is_private = {"private", "no-store"} <= set(response["Cache-Control"].replace(",", "").split())
                        assert is_private, (before + filled, response["Cache-Control"])
    assert SEEN_BY_MEMBERS <= seen
    assert OWN in visitor.ask("GET", "/bots/").text


def test_real_names_stay_in_the_group_where_its_tournament_is_public(world: GroupWorld) -> None:
    Tournament.objects.update(visibility="public")
    real, member = world.secrets["name: real"], Visitor("ben", World(world.people))
    seen = set()
    strangers = visitors(world)
    for path in (path for path, _is_own in places(world).items() if world.names["tournament"] in path):
        coming = [member, *(visitor for visitor in strangers if is_walked(visitor.role, path))]
        texts = {visitor.role: read(visitor.ask("GET", path)) for visitor in coming}
        if real in texts.pop("ben"):
            seen.add(path.replace(str(world.names["tournament"]), "{tournament}"))
        assert not [role for role, text in texts.items() if real in text], path
    assert {f"/tournaments/{{tournament}}/{rest}" for rest in ("", "rounds/1/", "print/")} <= seen


LADDER = "/groups/tuesday-falconers/ladders/battleline/standard/"


def test_members_see_the_ladder_of_their_group_and_nothing_is_cached(world: GroupWorld) -> None:
    visitor = Visitor("ben", World(world.people))
    pages = [LADDER, f"{LADDER}how/", f"{LADDER}?format=csv", f"/matches/{world.names['rated']}/"]
    api = [f"/api/v1{LADDER}{path}" for path in ("", "bots/", "seasons/", "seasons/1/", "seasons/1/deals/")]
    for path in (*pages, *api, f"/bots/{OWN.lower()}/", f"/api/v1/bots/{OWN.lower()}/"):
        response = visitor.ask("GET", path)
        assert response.status_code == 200, path
        assert {"private", "no-store"} <= set(response["Cache-Control"].replace(",", "").split()), path
    page = visitor.ask("GET", LADDER).text
    assert all(name in page for name in (OWN, MATE, OPEN)) and f"/matches/{world.names['rated']}/" in page
    assert "1778" in visitor.ask("GET", f"/bots/{OWN.lower()}/").text
    entry = visitor.ask("GET", f"/api/v1/bots/{OWN.lower()}/").json()["entries"][0]
    assert (entry["game"], entry["edition"], entry["rating"]) == ("battleline", "standard", 1777.654321)
    rated = visitor.ask("GET", f"/api/v1/matches/{world.names['rated']}/").json()["ladder"]
    assert rated["group"] == "tuesday-falconers"


@pytest.mark.parametrize("role", ["ana", "ben", "eva", "nobody"])
def test_a_public_bot_shows_nobody_what_it_plays_for_a_group(world: GroupWorld, role: str) -> None:
    visitor = Visitor(role, World(world.people))
    found = [visitor.ask("GET", path) for path in (f"/bots/{OPEN.lower()}/", f"/api/v1/bots/{OPEN.lower()}/", "/bots/")]
    assert all(answer.status_code == 200 for answer in found)
    assert "1778" not in found[0].text and found[1].json()["entries"][0]["rating"] == 1500
    assert f"/matches/{world.names['rated']}/" not in found[0].text
    ratings = visitor.ask("GET", f"/api/v1/bots/{OPEN.lower()}/ratings/").json()["results"]
    assert ratings == [] and visitor.ask("GET", f"/api/v1/bots/{OPEN.lower()}/head-to-head/").json()["results"] == []


def test_who_has_left_sees_the_ladder_no_more(world: GroupWorld) -> None:
    leave_group(member=Membership.objects.get(user__username="ben"), by=world.people["ben"])
    visitor = Visitor("ben", World(world.people))
    for path in (LADDER, f"{LADDER}how/", f"/api/v1{LADDER}", f"/matches/{world.names['rated']}/"):
        assert visitor.ask("GET", path).status_code == 404, path
    for path in (f"/bots/{MATE.lower()}/", f"/bots/{MATE.lower()}/v/1/", "/authors/ben/"):
        own = visitor.ask("GET", path)
        assert own.status_code == 200 and "1778" not in own.text and OWN not in own.text, path
    for path in ("ratings/", "head-to-head/"):
        assert visitor.ask("GET", f"/api/v1/bots/{MATE.lower()}/{path}").json()["results"] == []


def test_what_a_bot_played_for_a_group_stays_there_once_it_is_public(world: GroupWorld) -> None:
    publish_bot(bot=Bot.objects.get(name=OWN), owner=world.people["ana"])
    visitor = Visitor("eva", World(world.people))
    for name in (OWN, OPEN):
        page = visitor.ask("GET", f"/bots/{name.lower()}/")
        assert page.status_code == 200 and MATE not in page.text
        for match in MATCH_NAMES:
            assert f"/matches/{world.names[match]}/" not in page.text
    assert visitor.ask("GET", f"/matches/{world.names['finished']}/").status_code == 404
