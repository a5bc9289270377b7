"""The rules pages: whole, true to the engine, and linked from where one needs them."""

import re
from random import Random

import pytest
from django.test import Client

from engine.games.battalion.formations import FORMATIONS
from engine.games.battleline.game import BattleLine
from engine.games.battleline.moves import parse_action
from engine.games.battleline.options import TITLES, edition_options
from engine.registry import GAMES

ALWAYS = {f"BL-{number}" for number in (1, 2, 3, 4, 5, 10, 15, 16, 17, 18, 19, 20, 21, 24, 25)}
TACTICS = {f"BL-{number}" for number in (12, 13, 14, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39)}
TILES = {f"BL-{number}" for number in range(60, 69)}
BATTALION = {f"BT-{number}" for number in (*range(1, 6), *range(10, 18), *range(20, 28), 30, 31, 35, 40, 41, 42)}


def page_of(edition, game="battleline"):
    answer = Client().get(f"/rules/{game}/{edition}/")
    assert answer.status_code == 200
    return answer.text


def rulings_for(options):
    found = ALWAYS | {"BL-22" if options["pass"] == "no-troop" else "BL-23"}
    found |= TACTICS if options["tactics"] else set()
    found |= TILES if options["tiles"] != "none" else set()
    found |= {"shuffled": {"BL-69"}, "drafted": {"BL-70"}}.get(options["tiles"], set())
    return found | ({"BL-11"} if options["copies"] == 2 else set())


@pytest.mark.django_db
@pytest.mark.parametrize("edition", TITLES)
def test_every_ruling_of_an_edition_can_be_linked_to_once(edition):
    anchors = re.findall(r'id="(BL-\d+)"', page_of(edition))
    assert sorted(anchors) == sorted(rulings_for(edition_options(edition, {})))


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
    assert "There are no tactics" in page_of("terrain")
    assert "King of France" in page_of("hundred-years")


@pytest.mark.django_db
def test_all_editions_are_listed_each_with_a_board_of_its_own():
    page = Client().get("/rules/")
    assert all(f'href="/rules/battleline/{edition}/"' in page.text for edition in TITLES)
    boards = {card.edition.key: card.board for card in page.context["games"][0]["cards"]}
    assert {key: len(board.flags) for key, board in boards.items()} == {
        key: edition_options(key, {})["flags"] for key in TITLES
    }
    assert {key for key, board in boards.items() if board.is_tiled} == {"terrain", "hundred-years"}
    assert len({board.front for board in boards.values()}) == len(boards)
    assert len(page.context["games"][1]["cards"][0].board.cells) == 12


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
