"""The library of Battalion's formations, for people."""

import re

import pytest
from django.test import Client

from arena.accounts.models import User
from arena.formations.models import Formation, make_formation
from arena.formations.services.counting import register_library
from arena.formations.services.naming import name_formation
from arena.ladders.services.seasons import open_season
from engine.games.battalion.formations import FORMATIONS

pytestmark = pytest.mark.django_db
PAGE = "/rules/battalion/formations/"
UNNAMED = "0,2,4/0,2"


def add(shape: str = UNNAMED, **values: object) -> Formation:
    row = make_formation(shape)
    for name, value in values.items():
        setattr(row, name, value)
    row.save()
    return row


@pytest.fixture
def staff() -> User:
    return User.objects.create_user("sam", is_staff=True)


def shown(address: str = PAGE, client: Client | None = None, **headers: str) -> list[str]:
    """The names with which formations are listed, and the index of those without."""
    answer = (client or Client()).get(address, headers=headers)
    assert answer.status_code == 200
    return [one.name or one.row.index for one in answer.context["formations"]]


def test_the_named_formations_are_listed_with_drawing_hand_and_action() -> None:
    register_library()
    answer = Client().get(PAGE)
    assert shown() == [formation.name for formation in FORMATIONS]
    for one, formation in zip(answer.context["formations"], FORMATIONS, strict=True):
        assert len(one.ground.cells) == one.row.cells + 1
        assert one.row.hand == 12 - one.row.cells
        assert formation.action in answer.text
        assert f"{formation.name}, {formation.index}</a>" in answer.text


def test_before_anything_was_played_each_list_says_so() -> None:
    for key in ("named", "deployed", "reformed", "successful", "unnamed"):
        answer = Client().get(PAGE, {"show": key})
        assert answer.context["formations"] == []
        assert f'class="empty">{answer.context["emptiness"]}' in answer.text
        assert "%(" not in answer.text


def test_formations_are_listed_by_use_and_by_success() -> None:
    add("0,2/0,2", deployed=40, deployed_points=10, reformed=1)
    add("0/0/0", deployed=30, deployed_points=20)
    add(UNNAMED, deployed=19, deployed_points=19, reformed=5, reformed_points=2.5)
    assert shown(f"{PAGE}?show=deployed") == ["Box", "Column", "3-2-0"]
    assert shown(f"{PAGE}?show=successful") == ["Column", "Box"]
    assert shown(f"{PAGE}?show=reformed") == ["3-2-0", "Box"]
    assert shown(f"{PAGE}?show=unnamed") == ["3-2-0"]
    assert shown(f"{PAGE}?show=deployed&cells=5") == ["3-2-0"]
    assert shown(f"{PAGE}?show=nonsense&cells=x") == ["Box", "Column"]
    text = Client().get(f"{PAGE}?show=unnamed").text
    assert "3-2-0, unnamed" in text
    assert "in 19 legs, 1.00 points on average" in text and "in 5 legs, 0.50 points on average" in text
    assert "at least 20 times" in Client().get(f"{PAGE}?show=successful").text


def test_who_was_first_is_linked_with_the_match(finished, versions) -> None:
    add(deployed=2, first_version=versions[0], first_match=finished)
    text = Client().get(f"{PAGE}?show=unnamed").text
    assert f'href="/matches/{finished.pk}/"' in text and 'href="/bots/kingfisher/v/1/"' in text


def test_a_formation_has_an_address_of_its_own() -> None:
    row = add(deployed=1)
    assert shown(row.get_absolute_url()) == ["3-2-0"]
    for shape in ("0,2", "nonsense", "0\0", ""):
        assert Client().get(PAGE, {"shape": shape}).status_code == 404


def test_a_long_list_has_pages() -> None:
    for number in range(1, 5):
        for other in range(1, 5):
            for last in range(1, 3):
                lengths = (number, other, last)
                add("/".join(",".join(str(2 * x) for x in range(length)) for length in lengths), deployed=1)
    first, second = shown(f"{PAGE}?show=deployed"), shown(f"{PAGE}?show=deployed&page=2")
    assert (len(first), len(second)) == (18, 14)
    assert 'rel="next" href="?show=deployed&amp;page=2"' in Client().get(f"{PAGE}?show=deployed").text


def test_a_wide_formation_gets_a_row_of_its_own() -> None:
    add("0,2,4,6/6,8,10,12/12,14,16,18", deployed=1)
    assert '<li class="wide">' in Client().get(f"{PAGE}?show=deployed").text


def test_the_page_is_hungarian_for_who_reads_hungarian(staff: User) -> None:
    register_library()
    name_formation(formation=add(deployed=1), by=staff, name="Anvil", name_hu="Üllő")
    hungarian = shown(**{"accept-language": "hu"})
    assert hungarian[:2] == ["Falanx", "Négyzet"] and hungarian[-1] == "Üllő"
    assert shown()[-1] == "Anvil"


@pytest.mark.parametrize("address", ["/rules/", "/rules/battalion/standard/", "/ladders/battalion/standard/"])
def test_what_is_near_leads_to_it(address: str) -> None:
    open_season(game="battalion", edition="standard", title="Battalion, Standard")
    assert f'href="{PAGE}"' in Client().get(address).text


def test_ladders_of_other_games_do_not_lead_to_it(ladder) -> None:
    assert f'href="{PAGE}"' not in Client().get("/ladders/battleline/standard/").text


class TestNaming:
    def address(self, row: Formation) -> str:
        return f"{PAGE}{row.pk}/name/"

    def test_staff_names_a_formation_from_the_page(self, staff: User, reader) -> None:
        row, client = add(deployed=1), reader(staff)
        text = client.get(f"{PAGE}?show=unnamed").text
        assert f'action="{self.address(row)}"' in text
        assert re.search(rf'<label for="id_{row.pk}_name_hu">', text)
        answer = client.post(self.address(row), {"name": "Anvil", "name_hu": "Üllő"}, follow=True)
        assert "The formation is named." in answer.text and "Anvil, 3-2-0" in answer.text
        assert self.address(row) not in answer.text

    def test_a_refusal_stands_at_the_form_with_what_was_filled_in(self, staff: User, reader) -> None:
        row = add(deployed=1)
        answer = reader(staff).post(self.address(row), {"name": "Wedge", "name_hu": "Üllő"})
        assert answer.status_code == 400
        assert "Another formation is called Wedge." in answer.text and 'value="Üllő"' in answer.text
        assert reader(staff).post(self.address(row), {"name": ""}).status_code == 400

    def test_a_second_name_is_refused(self, staff: User, reader) -> None:
        row = add(deployed=1)
        name_formation(formation=row, by=staff, name="Anvil", name_hu="Üllő")
        answer = reader(staff).post(self.address(row), {"name": "Hammer", "name_hu": "Kalapács"})
        assert answer.status_code == 400 and "has a name already: Anvil" in answer.text

    def test_others_see_no_form_and_can_not_name(self, ana: User, reader) -> None:
        row = add(deployed=1)
        assert self.address(row) not in reader(ana).get(f"{PAGE}?show=unnamed").text
        assert reader(ana).post(self.address(row), {"name": "Anvil", "name_hu": "Üllő"}).status_code == 403
        assert reader(None).post(self.address(row)).status_code == 302
        row.refresh_from_db()
        assert not row.name

    def test_there_is_nothing_to_name_elsewhere(self, staff: User, reader) -> None:
        assert reader(staff).post(f"{PAGE}999/name/", {}).status_code == 404
        assert reader(staff).get(f"{PAGE}999/name/").status_code == 405
