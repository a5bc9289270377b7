"""The library of Battalion's formations, for people."""

import re
from functools import cache
from random import Random

import pytest
from django.test import Client
from django.utils.translation import override

from arena.contests.formations.models import Formation, make_formation
from arena.contests.formations.services import name_formation, register_library
from arena.contests.ladders.services.seasons import open_season
from arena.core.messages import render_message
from arena.pages.games import find_ruling_url
from arena.people.accounts.models import User
from engine.games.battalion.formations import FORMATIONS
from engine.games.battleline.game import BattleLine
from engine.games.battleline.moves import parse_action
from engine.games.battleline.options import TITLES, edition_options
from engine.options import ChoiceOption
from engine.registry import GAMES

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
    return [one["name"] or one["row"].index for one in answer.context["formations"]]


def test_the_named_formations_are_listed_with_drawing_hand_and_action() -> None:
    register_library()
    answer = Client().get(PAGE)
    assert shown() == [formation.name for formation in FORMATIONS]
    for one, formation in zip(answer.context["formations"], FORMATIONS, strict=True):
        assert len(one["ground"].cells) == one["row"].cells + 1
        assert one["row"].hand == 12 - one["row"].cells
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
        assert "Formation named." in answer.text and "Anvil, 3-2-0" in answer.text
        assert self.address(row) not in answer.text

    def test_a_refusal_stands_at_the_form_with_what_was_filled_in(self, staff: User, reader) -> None:
        row = add(deployed=1)
        answer = reader(staff).post(self.address(row), {"name": "Wedge", "name_hu": "Üllő"})
        assert answer.status_code == 400
        assert "Another formation is already called Wedge." in answer.text and 'value="Üllő"' in answer.text
        assert reader(staff).post(self.address(row), {"name": ""}).status_code == 400

    def test_a_second_name_is_refused(self, staff: User, reader) -> None:
        row = add(deployed=1)
        name_formation(formation=row, by=staff, name="Anvil", name_hu="Üllő")
        answer = reader(staff).post(self.address(row), {"name": "Hammer", "name_hu": "Kalapács"})
        assert answer.status_code == 400 and "already has a name: Anvil" in answer.text

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


# The rules pages: whole, true to the engine, and linked from where one needs them.

ALWAYS = {f"BL-{number}" for number in (1, 2, 3, 4, 5, 10, 15, 16, 17, 18, 19, 20, 21, 24, 25)}
TACTICS = {f"BL-{number}" for number in (12, 13, 14, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39)}
TILES = {f"BL-{number}" for number in range(60, 69)}
HIGHLANDS = {f"BL-{number}" for number in range(80, 88)}
BATTALION = {f"BT-{number}" for number in (*range(1, 6), *range(10, 18), *range(20, 28), 30, 31, 35, 40, 41, 42)}


@cache
def page_of(edition, game="battleline"):
    answer = Client().get(f"/rules/{game}/{edition}/")
    assert answer.status_code == 200
    return answer.text


def rulings_for(edition):
    options = edition_options(edition, {})
    found = ALWAYS | {"BL-22" if options["pass"] == "no-troop" else "BL-23"}
    found |= TACTICS if options["tactics"] else set()
    found |= TILES if options["tiles"] != "none" else set()
    found |= {"shuffled": {"BL-69"}, "drafted": {"BL-70"}}.get(options["tiles"], set())
    found |= HIGHLANDS if edition == "highlands" else set()
    return found | ({"BL-11"} if options["copies"] == 2 else set())


@pytest.mark.django_db
@pytest.mark.parametrize("edition", TITLES)
def test_every_ruling_of_an_edition_can_be_linked_to_once(edition):
    anchors = re.findall(r'id="(BL-\d+)"', page_of(edition))
    assert sorted(anchors) == sorted(rulings_for(edition))


@pytest.mark.django_db
@pytest.mark.parametrize("edition", TITLES)
def test_every_link_within_a_page_leads_somewhere(edition):
    text = page_of(edition)
    wanted = set(re.findall(r'href="#([^"]+)"', text)) | set(
        re.findall(rf"/rules/battleline/{edition}/#([^\"]+)", text)
    )
    assert wanted <= set(re.findall(r'id="([^"]+)"', text))


@pytest.mark.django_db
@pytest.mark.parametrize("edition", TITLES)
def test_the_pages_own_example_of_a_claim_is_proved(edition):
    assert "The claim holds" in page_of(edition)


@pytest.mark.django_db
@pytest.mark.parametrize("edition", TITLES)
def test_no_word_is_left_empty(edition):
    text = re.sub(r"<[^>]+>", "", page_of(edition).partition("<main")[2])
    assert not re.search(r"\s[,;:]\s|\(\s*\)|\bNone\b|\{\{|\{%", text)


@pytest.mark.django_db
def test_pages_differ_where_the_rules_do():
    assert "only at the start of a turn" in page_of("advanced")
    assert "only at the start of a turn" not in page_of("standard")
    assert "any three flags" in page_of("short") and "a breakthrough" not in page_of("short")
    assert "every card twice" in page_of("long")
    assert "Square" in page_of("medieval") and "Phalanx" in page_of("standard")
    assert "This edition has no tactics" in page_of("terrain")
    assert "King of France" in page_of("hundred-years")
    text = re.sub(r"<[^>]+>", "", page_of("highlands").partition('id="aim"')[2])
    assert "1 to 9 in each of six colours" in text and "fewer than six cards" in text
    assert "only at the start of a turn" in text and "wrap round from 9 to 1" in text
    assert not re.search(r"\bseven\b|\bR10\b|from 10\b", text)


@pytest.mark.django_db
def test_all_editions_are_listed_each_with_a_board_of_its_own():
    page = Client().get("/rules/")
    assert all(f'href="/rules/battleline/{edition}/"' in page.text for edition in TITLES)
    boards = {card["edition"].key: card["board"] for card in page.context["games"][0]["cards"]}
    assert {key: len(board.flags) for key, board in boards.items()} == {
        key: edition_options(key, {})["flags"] for key in TITLES
    }
    assert {key for key, board in boards.items() if board.is_tiled} == {"terrain", "hundred-years"}
    assert len({board.front for board in boards.values()}) == len(boards)
    assert len(page.context["games"][1]["cards"][0]["board"].cells) == 12


@pytest.mark.django_db
@pytest.mark.parametrize("address", ["/rules/battleline/nonsense/", "/rules/chess/standard/"])
def test_unknown_rules_are_not_found(address):
    assert Client().get(address).status_code == 404


@pytest.mark.parametrize("address", ["/ladders/", "/ladders/battleline/standard/"])
def test_a_ladder_leads_to_its_rules(ladder, address):
    assert 'href="/rules/battleline/standard/"' in Client().get(address).text


@pytest.mark.django_db
def test_rules_ask_nothing_of_the_database(django_assert_num_queries):
    with django_assert_num_queries(0):
        page_of("hundred-years")


@pytest.mark.django_db
def test_every_ruling_of_battalion_can_be_linked_to_once():
    text = page_of("standard", "battalion")
    assert sorted(re.findall(r'id="(BT-\d+)"', text)) == sorted(BATTALION)
    assert set(re.findall(r'href="#([^"]+)"', text)) <= set(re.findall(r'id="([^"]+)"', text))
    words = re.sub(r"<[^>]+>", "", text.partition("<main")[2])
    assert not re.search(r"\s[,;]\s|\(\s*\)|\bNone\b|\{\{|\{%", words)


@pytest.mark.django_db
def test_battalion_shows_every_named_formation_as_it_may_be_deployed():
    text = page_of("standard", "battalion")
    game = GAMES["battalion"]
    options = game.options("standard")
    legal = game.start(options, 2, game.deal(options, 2, Random(1))).actions()
    for formation in FORMATIONS:
        assert f"<b>{formation.name}</b>, {formation.index}<code>{formation.action}</code>" in text
        assert formation.action in legal


@pytest.mark.django_db
def test_the_examples_of_battalion_are_what_their_captions_say():
    examples = Client().get("/rules/battalion/standard/").context["example"]
    (path,), (skip,) = examples["path"].proofs, examples["skip"].proofs
    assert [side.sum for side in path.sides] == ["11", "5"]
    assert [side.sum for side in skip.sides] == ["8", "5"]
    assert "skipped" in "".join(str(cell.text) for cell in skip.path) and "BT-22" in skip.rulings


@pytest.mark.django_db
def test_both_games_are_among_the_rules():
    text = Client().get("/rules/").text
    assert 'href="/rules/battalion/standard/"' in text and 'href="/rules/battleline/standard/"' in text


@pytest.mark.django_db
@pytest.mark.parametrize("edition", TITLES)
def test_every_action_of_an_edition_is_shown_as_it_can_be_sent(edition):
    options = edition_options(edition, {})
    table = page_of(edition).partition('id="bots"')[2].partition("</table>")[0]
    shown = re.findall(r'<th scope="row"><code>([^<]+)', table)
    for action in shown:
        parse_action(action, options["colours"], options["flags"])
    verbs = {"claim", "play", "pass", "draw", "done"}
    verbs |= {"scout", "redeploy", "deserter", "traitor", "return"} if options["tactics"] else set()
    verbs |= {"return", "remove"} if options["tiles"] != "none" else set()
    verbs |= {"pick", "lay"} if options["tiles"] == "drafted" else set()
    assert {action.split()[0] for action in shown} == verbs


class WithoutOptions(BattleLine):
    rule_options = ()


def test_a_game_without_options_has_no_link_to_them(monkeypatch):
    monkeypatch.setitem(GAMES, "battleline", WithoutOptions())
    assert Client().get("/rules/battleline/options/").status_code == 404
    for address in ("/rules/", "/rules/battleline/standard/"):
        page = Client().get(address).text
        assert "/rules/battleline/standard/" in page and "/rules/battleline/options/" not in page
    assert "/rules/battalion/options/" in Client().get("/rules/").text


# The pages about rule options.


@pytest.mark.parametrize("language", ["en", "hu"])
@pytest.mark.parametrize("key", GAMES)
def test_every_option_is_described_with_its_values_and_editions(key, language):
    page = Client(headers={"accept-language": language}).get(f"/rules/{key}/options/")
    assert [row["option"] for row in page.context["rows"]] == list(GAMES[key].rule_options)
    for row in page.context["rows"]:
        had = [edition for value in row["values"] for edition, _title in value["editions"]]
        assert sorted(had) == sorted(GAMES[key].editions), "each edition has exactly one of the values"
        with override(language):
            assert render_message(row["option"].description) in page.text.replace("&#x27;", "'")
        if isinstance(row["option"], ChoiceOption):
            assert len(row["values"]) == len(row["option"].values)


def test_what_does_not_go_together_is_said():
    pairs = Client().get("/rules/battleline/options/").context["impossible"]
    values = [
        (pair["first"][0].key, pair["first"][1].value, pair["second"][0].key, pair["second"][1].value) for pair in pairs
    ]
    assert values == [
        *(("flags", flags, "tiles", tiles) for flags in (5, 7) for tiles in ("shuffled", "drafted")),
        *(("tactics", tactics, "values", 9) for tactics in (10, 12)),
    ]
    assert Client().get("/rules/battalion/options/").context["impossible"] == []


@pytest.mark.parametrize("key", GAMES)
def test_every_ruling_of_an_option_stands_where_its_link_leads(key):
    for number in {number for option in GAMES[key].rule_options for number in option.rulings}:
        address, anchor = find_ruling_url(key, number).split("#")
        assert f'id="{anchor}"' in Client().get(address).text


def test_the_page_is_linked_from_the_rules():
    for address in ("/rules/", "/rules/battleline/standard/"):
        assert re.search('href="/rules/battleline/options/"', Client().get(address).text)


def test_a_game_that_is_not_there_has_no_options():
    assert Client().get("/rules/chess/options/").status_code == 404


@pytest.mark.parametrize("key", GAMES)
def test_the_example_is_a_command_for_this_game(key):
    assert f"pennant play random random --game {key} --option " in Client().get(f"/rules/{key}/options/").text
