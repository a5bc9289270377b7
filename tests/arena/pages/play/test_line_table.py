"""The table of Battle Line, on random plays of every edition: it shows what its reader may know, and offers what is
legal."""

import re
from collections.abc import Iterator
from dataclasses import replace
from html import unescape
from random import Random
from typing import Any
from urllib.parse import parse_qs

import pytest
from django.template.loader import render_to_string

from arena.pages.games.battleline.words import WORDINGS_BY_EDITION
from arena.pages.matches.replay import Scene, list_views
from arena.pages.play.context import TableLinks, build_table_context
from arena.pages.play.table import Player, PlayTable
from engine.core import Json
from engine.games.battleline.options import TITLES
from tests.arena.pages.conftest import read_table
from tests.engine.battleline.facts import find_look
from tests.full import one_of_each

LOOKS_BACK = 12
"""Decisions after the other player's, in which the reader's next turn ends."""
LINK = re.compile(r'href="\?([^"]*)"')
BUTTON = re.compile(r'name="action" value="([^"]*)"')
EDITIONS = one_of_each(TITLES, kind=find_look)
POSITIONS = 6
"""Of a play, spread over it."""


def tables(record: Json, seat: int) -> Iterator[PlayTable]:
    """The table at some points of a play, its first decisions and its end among them."""
    players = [Player("Dorka"), Player("Hannibal", is_bot=True)]
    last = len(record["actions"])
    for length in sorted({0, 1, 2, 7, last, *(last * part // POSITIONS for part in range(POSITIONS))}):
        played = {**record, "actions": record["actions"][:length], "result": None}
        yield read_table(played, players, seat)


def table_context(table: PlayTable) -> dict[str, Any]:
    return build_table_context(table, TableLinks(page="/play/x/", step="/play/x/step/", rules="/rules/"))


def draw(table: PlayTable) -> str:
    return render_to_string("play/_table.html", table_context(table))


def hide_words(scene: Scene, seat: int) -> Scene:
    """The scene with the actions of others only as far as the seat was told of them."""
    steps = []
    for step in scene.steps:
        told = {event["seat"]: event["action"] for event in step.events if "action" in event}
        entries = [
            entry if entry.seat == seat else replace(entry, action=told.get(entry.seat, "?")) for entry in step.entries
        ]
        steps.append(replace(step, entries=tuple(entries)))
    return replace(scene, steps=tuple(steps))


def deal_anew(table: PlayTable, seat: int) -> PlayTable:
    """The same table in another world that the seat can't tell from this one."""
    state = table.state.redeal(seat, Random(7))
    after = list_views(state)
    before = [
        view if one == seat else {**view, "hand": after[one]["hand"]} for one, view in enumerate(table.scene.before)
    ]
    scene = hide_words(replace(table.scene, after=after, before=before), seat)
    return replace(table, scene=scene, state=state, record={**table.record, "deal": {}})


@pytest.mark.parametrize("edition", EDITIONS)
def test_the_page_of_a_seat_is_the_same_in_every_world_it_cannot_tell_apart(record_of, edition):
    for seat in range(2):
        for table in tables(record_of(3, edition), seat):
            assert draw(table) == draw(deal_anew(table, seat))


def follow(table: PlayTable, query: str) -> PlayTable:
    """The table behind a link."""
    asked = {name: values[0] for name, values in parse_qs(query).items()}
    return read_table(table.record, table.players, table.seat, asked.get("chosen", ""), asked.get("why", ""))


@pytest.mark.parametrize("edition", EDITIONS)
def test_links_and_buttons_lead_to_every_legal_action_and_to_no_other(record_of, edition):
    for table in tables(record_of(5, edition), seat=1):
        offered, seen, waiting = set(), {""}, [table]
        while waiting:
            html = draw(waiting.pop())
            offered |= set(map(unescape, BUTTON.findall(html)))
            new = {unescape(query) for query in LINK.findall(html)} - seen
            waiting += [follow(table, query) for query in new]
            seen |= new
        assert offered == set(table.legal)


@pytest.mark.parametrize("verb", ["deserter", "traitor", "redeploy"])
def test_what_the_other_player_took_lies_struck_in_its_old_place_until_the_readers_turn_is_done(record_of, verb):
    record, number = find_taking(record_of, verb)
    _verb, card, flag = record["actions"][number]["action"].split()[:3]
    side = 1 if verb == "redeploy" else 0
    before = lay(record, number).scene.after[0]["flags"][int(flag) - 1]["cards"][side]
    seen = []
    for length in range(number + 1, number + LOOKS_BACK):
        table = lay(record, length)
        shown = table_context(table)["play"].board.flags[int(flag) - 1].sides[side].taken
        seen.append(shown is not None)
        if shown:
            assert (shown.face.name, shown.place) == (name_card(table, card), before.index(card))
        own_done = any(entry["seat"] == 0 for entry in record["actions"][number + 1 : length])
        assert seen[-1] or (own_done and not table.is_own_turn) or table.is_over
        if not seen[-1]:
            break
    assert seen[0] and not seen[-1]


def find_taking(record_of, verb: str) -> tuple[Json, int]:
    """A play in which the other seat takes a card, and by which decision."""
    for seed in range(40):
        record = record_of(seed, "standard")
        for number, entry in enumerate(record["actions"][:-LOOKS_BACK]):
            if entry["seat"] == 1 and entry["action"].startswith(f"{verb} "):
                return record, number
    raise AssertionError(verb)


def lay(record: Json, length: int) -> PlayTable:
    """The first seat's table after some decisions."""
    played = {**record, "actions": record["actions"][:length], "result": None}
    return read_table(played, [Player("Dorka"), Player("Hannibal", is_bot=True)], 0)


def name_card(table: PlayTable, card: str) -> str:
    """What a card is called in the table's edition."""
    return WORDINGS_BY_EDITION[table.record["edition"]].card(card)


@pytest.mark.parametrize("edition", ["standard", "terrain"])
def test_board_log_and_panel_say_total_where_formations_do_not_count(record_of, edition):
    found = False
    for seed in range(12):
        record = record_of(seed, edition)
        for length, entry in enumerate(record["actions"], start=1):
            verb, _space, number = entry["action"].partition(" ")
            if verb != "claim" or length == len(record["actions"]):
                continue
            table = lay(record, length)
            flag = table.scene.after[0]["flags"][int(number) - 1]
            context = table_context(table)
            line = " ".join(str(line) for move in context["moves"] for line in move.lines)
            side = context["play"].board.flags[int(number) - 1].sides[entry["seat"]]
            is_total = flag["fog"] or flag["tile"] == "woodland"
            assert (side.formation_name == "Total") == is_total
            assert (f"claim flag {number}: total {side.total}" in line.replace("claims", "claim")) == is_total
            found |= is_total
    assert found


def test_cards_put_back_after_scout_keep_their_places_free_and_the_last_is_asked_for(record_of):
    record, number = find_returns(record_of)
    first, last = (lay(record, length) for length in (number, number + 1))
    held, rest = (table_context(table)["play"].hand for table in (first, last))
    card = record["actions"][number]["action"].split()[1]
    assert [one.face.key for one in rest] == [one.face.key for one in held]
    assert [one.face.key for one in rest if one.is_gone] == [card]
    assert f'name="action" value="return {card}"' in draw(first)
    other = record["actions"][number + 1]["action"].split()[1]
    assert f'href="?chosen=return+{other}"' in draw(
        last
    ) and f'id="card-1" name="action" value="return {other}"' not in draw(last)
    asked = table_context(follow(last, f"chosen=return+{other}"))["bar"]
    assert "It ends your turn." in str(asked.caption) and [one.choice.action for one in asked.options] == [
        f"return {other}"
    ]


def find_returns(record_of) -> tuple[Json, int]:
    """A play in which the first seat puts two different cards back, and by which decision the first of them."""
    for seed in range(40):
        record = record_of(seed, "standard")
        actions = record["actions"]
        for number, (one, other) in enumerate(zip(actions, actions[1:], strict=False)):
            if one["seat"] == other["seat"] == 0 and all(each["action"].startswith("return ") for each in (one, other)):
                return record, number
    raise AssertionError


def test_cards_and_decks_that_cannot_be_chosen_say_why(record_of):
    table = lay(record_of(3, "standard"), 0)
    assert 'data-idle="Play a card first, then draw."' in draw(table)
    for seed in range(12):
        record = record_of(seed, "standard")
        for length in range(len(record["actions"])):
            table = lay(record, length)
            if table.is_own_turn and "one tactics card ahead; Hannibal must play one first." in draw(table):
                assert 'data-idle="You&#x27;re one tactics card ahead; Hannibal must play one first."' in draw(table)
                assert "You have played <" in draw(table)
                return
    raise AssertionError
