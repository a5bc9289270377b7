"""Staff names formations, each once, with names that no other formation has."""

import pytest
from django.test import Client

from arena.accounts.models import User
from arena.errors import ArenaError, Conflict, NotYours
from arena.formations.models import Formation, make_formation
from arena.formations.services.counting import register_library
from arena.formations.services.naming import name_formation
from tests.arena.formations.world import LEFT_SHAPE

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
    with pytest.raises(Conflict, match="has a name already: Anvil"):
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
        ("", "Üllő", "one in Hungarian"),
        ("Anvil", "  ", "one in Hungarian"),
        ("A" * 31, "Üllő", "at most 30 characters"),
        ("<b>Anvil", "Üllő", "letters, spaces and hyphens only"),
        ("wedge", "Üllő", "Another formation is called wedge"),
        ("Anvil", "Tölcsér", "Another formation is called Tölcsér"),
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
    with pytest.raises(Conflict, match="Another formation is called"):
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
        assert answer.context["errors"] == [["Another formation is called Wedge."]]

    def test_changes_nothing_else(self, admin_client: Client, formation: Formation) -> None:
        admin_client.post(self.address(formation), {"name": "Anvil", "name_hu": "Üllő", "deployed": "99"})
        formation.refresh_from_db()
        assert formation.deployed == 3
