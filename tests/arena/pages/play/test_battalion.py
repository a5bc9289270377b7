"""Battalion's table: what a seat sees of it, what it can reach, and what it is told before an attack."""

import re
from dataclasses import replace
from gzip import compress
from html import unescape
from random import Random
from urllib.parse import parse_qs

import pytest
from django.template.loader import render_to_string

from arena.pages.games.battalion.play_field import PlayField, build_field
from arena.pages.games.battalion.play_turn import (
    BOTH_DIE,
    FALLS,
    KILLS,
    describe_idle_card,
    find_attack_effect,
    forecast_attack,
    read_turn,
    rebuild_table,
)
from arena.pages.play.context import TableLinks, build_table_context
from arena.pages.play.table import Player, PlayTable, is_beginning, read_words
from engine.games.battalion.formations import CARDS_BY_NAME, FORMATIONS, list_cards
from engine.games.battalion.moves import SPOTS_BY_CELL_NAME
from engine.games.battalion.turn import HIDDEN_CARD
from tests.arena.pages.conftest import read_table
from tests.full import default_and_full

PLAYERS = [Player(name, is_bot=True) for name in ("Dorka", "Hannibal", "Perdikkas", "Thalestris")]
LINKS = TableLinks(page="/play/x/", step="/play/x/step/", undo="/play/x/undo/")
MAX_ANSWER_BYTES = 8_192
"""Of a fragment as is sent, packed."""
FIRST_PART = 36
"""Actions after which few cards of a random leg are still hidden."""
TEMPLATE_PATTERN = re.compile(r"<template.*?</template>", re.DOTALL)
LINK_PATTERN = re.compile(r'href="(\?chosen=[^"]*)"')
BUTTON_PATTERN = re.compile(r'name="action" value="([^"]+)"')


def table_at(record, actions: int, seat: int | None = None, chosen: str = "") -> PlayTable:
    """The table after so many actions, by default of the seat that is to act."""
    cut = {**record, "actions": record["actions"][:actions], "result": None}
    if seat is None:
        seat = read_table(cut, PLAYERS).state.to_act
    return read_table(cut, PLAYERS[: len(record["seats"])], seat, chosen=chosen)


def choose(table: PlayTable, text: str) -> PlayTable:
    """The same table with these words chosen, as the address says them."""
    words, facing = read_words(text)
    kept = words if is_beginning(words, table.legal, table.open_grammar) else ()
    return replace(table, chosen=kept, facing=facing)


def draw(table: PlayTable) -> str:
    return unescape(render_to_string("play/_table.html", build_table_context(table, LINKS)))


def draw_without_script(table: PlayTable) -> str:
    """The page without what it has at hand for the script."""
    return TEMPLATE_PATTERN.sub("", draw(table))


def redeal(table: PlayTable, seed: int) -> PlayTable:
    """A table that the reader can't distinguish from this one."""
    state = table.state.redeal(table.near, Random(seed))
    views = [state.view(seat) for seat in range(len(table.scene.after))]
    return replace(table, state=state, scene=replace(table.scene, after=views))


def sample_tables(record_of, seats: int, seed: int, every: int, last: int = FIRST_PART) -> list[PlayTable]:
    """Tables of the first turns of a random leg, of those who are to act and of one who waits."""
    record = record_of(seed, "standard", "battalion", seats)
    numbers = range(seats, min(len(record["actions"]), last), every)
    return [table for at in numbers for table in (table_at(record, at), table_at(record, at, (at + 1) % seats))]


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_the_page_of_a_seat_is_the_same_whatever_is_hidden_from_it(record_of, seats):
    changed = 0
    for seed, table in enumerate(sample_tables(record_of, seats, seed=seats + 2, every=4, last=15)):
        attacks = [action for action in table.legal if action.startswith("attack")]
        redealt = redeal(table, seed)
        for chosen in ["", *attacks[:1], *attacks[-1:]]:
            assert draw(choose(table, chosen)) == draw(choose(redealt, chosen))
        changed += table.scene.after != redealt.scene.after
    assert changed > 1


def test_what_fell_in_the_last_attack_is_marked_where_it_lay(record_of):
    record = record_of(3, "standard", "battalion", 2)
    marked = {"dead": 0, "wounded": 0}
    for at, entry in enumerate(record["actions"][:FIRST_PART], start=1):
        table = table_at(record, at, 0)
        if not entry["action"].startswith("attack") or table.is_over:
            continue
        cells = [cell for army in read_field(table).armies for cell in army.cells if cell.fallen]
        sides, earlier = table.scene.after[0]["seats"], table.scene.before[0]["seats"]
        for fate in marked:
            fallen = sum(len(side[fate]) - len(before[fate]) for side, before in zip(sides, earlier, strict=True))
            assert sum(cell.fate == fate for cell in cells) == fallen
            marked[fate] += fallen
        assert all(cell.face is None and "here" in cell.label for cell in cells)
        assert draw(table).count('class="fallen') == len(cells)
    assert all(marked.values())


def read_field(table: PlayTable) -> PlayField:
    return build_field(read_turn(table))


def reach(table: PlayTable) -> set[str]:
    """The actions on whose buttons one comes from link to link, laying out left aside."""
    found, seen, queue = set(), {""}, [""]
    while queue:
        html = draw_without_script(choose(table, queue.pop()))
        found |= set(BUTTON_PATTERN.findall(html))
        for link in LINK_PATTERN.findall(html):
            chosen = parse_qs(link[1:]).get("chosen", [""])[0]
            if chosen not in seen and "=A" not in chosen.replace("reform", "", 1):
                seen.add(chosen)
                queue += [] if re.search(r"card=|reform .*=", chosen) else [chosen]
    return found


@pytest.mark.parametrize(("seats", "seed", "at"), default_and_full([(2, 1, 6), (4, 4, 24)], [(2, 3, 30), (3, 2, 20)]))
def test_every_legal_action_of_a_turn_is_reached_from_link_to_link(record_of, seats, seed, at):
    table = table_at(record_of(seed, "standard", "battalion", seats), at)
    listed = {action for action in table.legal if not action.startswith("reform")}
    assert listed <= reach(table)
    if len(listed) < len(table.legal):
        first = next(action for action in table.legal if action.startswith("reform"))
        assert first in BUTTON_PATTERN.findall(draw(choose(table, "reform")))


@pytest.mark.parametrize(("seats", "seed", "at"), [(2, 1, 6), (3, 2, 20), (4, 4, 24)])
def test_the_page_has_every_choice_at_hand_as_it_would_be_asked_for(record_of, seats, seed, at):
    table = table_at(record_of(seed, "standard", "battalion", seats), at)
    page, checked = draw(table), 0
    for template in TEMPLATE_PATTERN.findall(page):
        words = re.search(r'data-chosen="([^"]+)"', template)
        if words is None:
            continue
        asked = draw(choose(table, words[1]))
        for part in ("says", "options"):
            shown = re.search(rf'data-into="{part}">(.*?)</', template, re.DOTALL)[1]
            assert re.sub(r'<a class="button quiet".*', "", shown).strip() in asked
        for action in BUTTON_PATTERN.findall(template):
            assert f'value="{action}"' in asked
        checked += 1
    assert checked > 10
    assert len(compress(page.encode())) < MAX_ANSWER_BYTES


def test_every_formation_of_the_library_is_two_links_and_a_button_away(record_of):
    table = table_at(record_of(0, "standard", "battalion", 2), 0)
    templates = draw_without_script(table).partition('class="templates"')[2].partition("</nav>")[0]
    links = LINK_PATTERN.findall(templates)
    assert len(links) == len(FORMATIONS) + 1
    for formation, link in zip(FORMATIONS, links, strict=False):
        html = draw_without_script(choose(table, parse_qs(link[1:])["chosen"][0]))
        assert formation.action not in BUTTON_PATTERN.findall(html)
        filled = re.search(r'<a class="button option" href="\?chosen=([^"]+)"', html)
        laid = choose(table, parse_qs("chosen=" + filled[1])["chosen"][0])
        assert formation.action in re.findall(
            r'<button class="button option" name="action" value="([^"]+)"', draw(laid)
        )


def lay_card_there(table: PlayTable, seat: int, cell: str, card: int):
    """The true state with another card in a hidden cell; what lay there goes where the card was."""
    state = table.state.copy()
    side, spot = state.sides[seat], SPOTS_BY_CELL_NAME[cell]
    before = side.cards[spot]
    if before != card:
        if side.hand >> card & 1:
            side.hand ^= 1 << card | 1 << before
        else:
            side.cards[side.spot_of(card)] = before
        side.cards[spot] = card
    return state


def attacks_of(record_of):
    for seats in (2, 3, 4):
        for table in sample_tables(record_of, seats, seed=seats + 5, every=3):
            view = table.scene.after[table.near]
            for action in table.legal:
                if action.startswith("attack"):
                    yield table, action, forecast_attack(rebuild_table(view), view, action)


def test_a_forecast_is_what_the_engine_does_with_each_card_that_may_lie_there(record_of):
    checked = {FALLS: 0, BOTH_DIE: 0, KILLS: 0, None: 0}
    for table, action, forecast in attacks_of(record_of):
        for card in forecast.cards:
            state = lay_card_there(table, forecast.other, forecast.goal, CARDS_BY_NAME[card])
            explained = state.explain(action)
            dead = {entry["seat"] for entry in explained["dead"]}
            effect = find_attack_effect(forecast, card)
            expected = {FALLS: {forecast.other}, BOTH_DIE: {forecast.seat, forecast.other}, KILLS: {forecast.seat}}
            assert dead == expected.get(effect, set()), (action, card)
            if explained["values"] and forecast.kind == "fight":
                assert explained["values"][0]["value"] == forecast.value
                assert explained["values"][1]["value"] <= forecast.highest
            checked[effect] += 1
    assert min(checked.values()) > 20, checked


def test_only_what_a_redeal_may_put_there_is_counted_and_all_of_it(record_of):
    """Before any card was hidden a second time, a redeal puts every card in turn that may lie there, and no other."""
    record = record_of(4, "standard", "battalion", 2)
    table = table_at(record, 6)
    view = table.scene.after[table.near]
    for action in [action for action in table.legal if action.startswith("attack")]:
        forecast = forecast_attack(rebuild_table(view), view, action)
        found = set()
        for seed in range(120):
            side = table.state.redeal(table.near, Random(seed)).sides[forecast.other]
            found.add(side.cards[SPOTS_BY_CELL_NAME[forecast.goal]])
        assert found == {CARDS_BY_NAME[card] for card in forecast.cards}


def test_a_rebuilt_table_has_the_paths_and_the_own_cards_of_the_true_one(record_of):
    for table in sample_tables(record_of, 3, seed=7, every=5):
        true, seen = table.state, rebuild_table(table.scene.after[table.near])
        for number, (side, rebuilt) in enumerate(zip(true.sides, seen.sides, strict=True)):
            assert side.occupied == rebuilt.occupied and side.out == rebuilt.out
            if side.shape is not None:
                assert side.paths is rebuilt.paths
            if number == table.near:
                assert side.cards == rebuilt.cards and list_cards(side.hand) == list_cards(rebuilt.hand)


def test_with_several_others_one_is_shown_in_full_and_the_address_says_which(record_of):
    table = table_at(record_of(4, "standard", "battalion", 4), 24)
    standing = [seat for seat in range(4) if seat != table.near and not table.state.is_out(seat)]
    for seat in standing:
        turn = read_turn(choose(table, f"facing={seat}"))
        assert turn.facing == seat and seat not in turn.others
    assert all(f"facing={seat}" in turn.build_url(facing=seat).replace("%3D", "=") for seat in standing)
    hidden = [cell for row in turn.view["seats"][standing[0]]["rows"] for cell in row if cell["card"] == HIDDEN_CARD]
    assert hidden


def test_a_card_that_has_moved_says_so(record_of):
    record = record_of(0, "standard", "battalion", 2)
    table = table_at(record, 3)
    move = next(action for action in table.legal if action.startswith("move "))
    done = {**record, "actions": [*record["actions"][:3], {"seat": table.near, "action": move}]}
    turn = read_turn(table_at(done, 4, table.near))
    assert "already moved this turn" in describe_idle_card(turn, move.split(" ")[2])
    assert "has moved" not in describe_idle_card(turn, "2a")
