"""Formations are counted from the ledger: each rated match once, and none that was excluded."""

from typing import Any

import pytest
from django.test import Client

from arena.contests.formations.models import Formation, FormationProgress, FormationUse, make_formation
from arena.contests.formations.services import (
    count_formations,
    count_missed_formations,
    list_ladders_behind,
    name_formation,
    register_library,
)
from arena.contests.ladders.models import Entry, Ladder, LadderMatch
from arena.contests.ladders.services.ledger import append_finished_matches, revoke_matches
from arena.core.errors import ArenaError, Conflict, NotYours
from arena.matches.models import Match
from arena.matches.services import queue_match
from arena.operations import tasks
from arena.people.accounts.models import User
from engine.games.battalion.formations import FORMATIONS
from engine.message import literal
from tests.arena.contests.formations.world import BOX, INTO_LINE, LEFT, LEFT_SHAPE, RIGHT, store_rated
from tests.conftest import Play


def find(name: str) -> Formation:
    """The formation of the library with this name."""
    return next(one for one in Formation.objects.of_library() if one.library_name == name)


def everything() -> list[Any]:
    return [list(table.objects.order_by("pk").values()) for table in (Formation, FormationUse, FormationProgress)]


def test_deployments_and_reformings_are_counted_with_the_points_of_their_legs(
    battalion: Ladder, players: list[Entry]
) -> None:
    match = store_rated(battalion, players, [[BOX, INTO_LINE], [LEFT]], [[1, 2], [1, 1]])
    assert count_formations(ladder=battalion) == 1
    box, line, left = find("Box"), find("Line"), Formation.objects.get(shape=LEFT_SHAPE)
    assert (box.deployed, box.deployed_points, box.deployed_mean, box.reformed) == (2, 1.5, 0.75, 0)
    assert (line.deployed, line.deployed_mean, line.reformed, line.reformed_mean) == (0, None, 2, 0.75)
    assert (left.deployed, left.deployed_mean, left.index, left.cells, left.hand) == (2, 0.25, "3-2-0", 5, 7)
    assert [one.first_match_id for one in (box, line, left)] == [match.match_id] * 3
    assert [one.first_version_id for one in (box, line, left)] == [
        players[0].version_id,
        players[0].version_id,
        players[1].version_id,
    ]


def test_counting_again_changes_nothing(battalion: Ladder, players: list[Entry]) -> None:
    store_rated(battalion, players, [[BOX], [LEFT]])
    count_formations(ladder=battalion)
    before = everything()
    assert count_formations(ladder=battalion) == 0
    count_missed_formations()
    assert everything() == before


def test_settling_a_match_counts_its_formations_once(battalion: Ladder, players: list[Entry]) -> None:
    match = store_rated(battalion, players, [[BOX], [LEFT]]).match
    tasks.settle_match(match.pk)
    before = everything()
    assert find("Box").deployed == 2
    Match.objects.update(settled_at=None)
    tasks.settle_match(match.pk)
    assert everything() == before


def test_a_mirror_image_counts_as_the_same_formation(battalion: Ladder, players: list[Entry]) -> None:
    store_rated(battalion, players, [[LEFT], [RIGHT]])
    count_formations(ladder=battalion)
    both = Formation.objects.get()
    assert (both.shape, both.deployed, both.deployed_mean) == (LEFT_SHAPE, 4, 0.5)
    assert both.uses.count() == 2


def test_an_excluded_match_is_taken_back(battalion: Ladder, players: list[Entry]) -> None:
    first = store_rated(battalion, players, [[BOX], [LEFT]])
    count_formations(ladder=battalion)
    second = store_rated(battalion, players, [[LEFT], [LEFT]])
    count_formations(ladder=battalion)
    revoke_matches(ladder_matches=[first], reason=literal("Staff says so."))
    assert list_ladders_behind() == [battalion]
    count_missed_formations()
    box, left = find("Box"), Formation.objects.get(shape=LEFT_SHAPE)
    assert (box.deployed, box.deployed_points, box.first_match, box.first_version) == (0, 0.0, None, None)
    assert (left.deployed, left.deployed_points) == (4, 2.0)
    assert (left.first_match_id, left.first_version_id) == (second.match_id, players[0].version_id)
    assert set(FormationUse.objects.values_list("participant__match", flat=True)) == {second.match_id}


def test_a_match_that_was_excluded_before_is_not_counted(battalion: Ladder, players: list[Entry]) -> None:
    match = store_rated(battalion, players, [[BOX], [LEFT]])
    revoke_matches(ladder_matches=[match], reason=literal("Staff says so."))
    assert count_formations(ladder=battalion) == 2
    assert not Formation.objects.exists() and not FormationUse.objects.exists()


def test_old_matches_are_caught_up_with_in_small_steps(battalion: Ladder, players: list[Entry]) -> None:
    matches = [store_rated(battalion, players, [[BOX], [LEFT]]) for _ in range(3)]
    revoke_matches(ladder_matches=[matches[1]], reason=literal("Staff says so."))
    counts = []
    while count_formations(ladder=battalion, max_lines=1):
        counts.append(find("Box").deployed)
    assert counts == [2, 4, 6, 4]
    assert list_ladders_behind() == []
    assert find("Box").first_match_id == matches[0].match_id


def test_a_match_without_records_is_passed_over(battalion: Ladder, players: list[Entry]) -> None:
    row = store_rated(battalion, players, [[BOX], [LEFT]])
    row.match.legs.update(record=None)
    assert count_formations(ladder=battalion) == 1
    assert not Formation.objects.exists()


def test_a_ladder_of_another_game_is_not_read(ladder: Ladder, django_assert_num_queries) -> None:
    with django_assert_num_queries(0):
        assert count_formations(ladder=ladder) == 0


def test_the_library_is_registered_once(db: None) -> None:
    assert register_library() == len(FORMATIONS)
    assert register_library() == 0
    names = {formation.library_name for formation in Formation.objects.all()}
    assert names == {formation.name for formation in FORMATIONS}


@pytest.mark.django_db
def test_the_records_of_played_matches_are_read(battalion: Ladder, players: list[Entry], play: Play) -> None:
    """Both bots take the first legal action, which deploys the first formation of the library."""
    match: Match = queue_match(versions=[entry.version for entry in players], game="battalion", edition="standard")
    LadderMatch.objects.create(ladder=battalion, match=match)
    assert play(match)
    append_finished_matches(ladder=battalion)
    count_formations(ladder=battalion)
    phalanx = Formation.objects.get()
    assert (phalanx.library_name, phalanx.deployed, phalanx.deployed_mean) == ("Phalanx", 4, 0.5)


# Staff names formations, each once, with names that no other formation has.

OTHER_SHAPE = "0,2,4/0"


@pytest.fixture
def formation(db: None) -> Formation:
    made = make_formation(LEFT_SHAPE)
    made.deployed = 3
    made.save()
    return made


def name(formation: Formation, by: User, english: str = "Anvil", hungarian: str = "Üllő") -> Formation:
    return name_formation(formation=formation, by=by, name=english, name_hu=hungarian)


def test_a_name_is_given_once(formation: Formation, staff: User) -> None:
    named = name(formation, staff, "  Anvil ", "Üllő")
    assert (named.name, named.name_hu, named.named_by, named.is_named) == ("Anvil", "Üllő", staff, True)
    with pytest.raises(Conflict, match="This formation already has a name"):
        name(formation, staff, "Hammer", "Kalapács")
    formation.refresh_from_db()
    assert formation.name == "Anvil"


def test_only_staff_names(formation: Formation, ana: User) -> None:
    with pytest.raises(NotYours):
        name(formation, ana)


def test_a_formation_of_the_library_keeps_its_name(staff: User, db: None) -> None:
    register_library()
    with pytest.raises(Conflict, match="Phalanx"):
        name(Formation.objects.of_library()[0], staff)


@pytest.mark.parametrize(
    ("english", "hungarian", "reason"),
    [
        ("", "Üllő", "and a Hungarian name"),
        ("Anvil", "  ", "and a Hungarian name"),
        ("A" * 31, "Üllő", "at most 30 characters"),
        ("<b>Anvil", "Üllő", "can only contain letters, spaces and hyphens"),
        ("wedge", "Üllő", "Another formation is already called wedge"),
        ("Anvil", "Tölcsér", "Another formation is already called Tölcsér"),
    ],
)
def test_a_name_that_will_not_do_is_refused_with_the_reason(
    formation: Formation, staff: User, english: str, hungarian: str, reason: str
) -> None:
    with pytest.raises(ArenaError, match=reason):
        name(formation, staff, english, hungarian)


@pytest.mark.parametrize(("english", "hungarian"), [("ANVIL", "Kalapács"), ("Hammer", "üllő")])
def test_no_two_formations_share_a_name(formation: Formation, staff: User, english: str, hungarian: str) -> None:
    name(formation, staff)
    other = make_formation(OTHER_SHAPE)
    other.save()
    with pytest.raises(Conflict, match="Another formation is already called"):
        name(other, staff, english, hungarian)


class TestTheAdministration:
    def address(self, formation: Formation) -> str:
        return f"/admin/formations/formation/{formation.pk}/change/"

    def test_names_a_formation_once(self, admin_client: Client, formation: Formation) -> None:
        answer = admin_client.post(self.address(formation), {"name": "Anvil", "name_hu": "Üllő"})
        assert answer.status_code == 302
        formation.refresh_from_db()
        assert (formation.name, formation.named_by.username) == ("Anvil", "admin")
        assert admin_client.post(self.address(formation), {"name": "Other", "name_hu": "Más"}).status_code == 403
        assert admin_client.get(self.address(formation)).status_code == 200

    def test_tells_why_a_name_will_not_do(self, admin_client: Client, formation: Formation) -> None:
        answer = admin_client.post(self.address(formation), {"name": "Wedge", "name_hu": "Üllő"})
        assert answer.status_code == 200
        assert answer.context["errors"] == [["Another formation is already called Wedge."]]

    def test_changes_nothing_else(self, admin_client: Client, formation: Formation) -> None:
        admin_client.post(self.address(formation), {"name": "Anvil", "name_hu": "Üllő", "deployed": "99"})
        formation.refresh_from_db()
        assert formation.deployed == 3
