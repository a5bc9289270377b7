"""Nothing that the onlooker can't see is on the page, and nothing outside the slots depends on the step.

Whole random legs of every edition are drawn step by step, for every seat and for the eyes that see no hand.
"""

import re
from collections.abc import Iterator
from html import unescape
from typing import Any

import pytest
from django.template.loader import render_to_string

from arena.pages.games import find_presentation
from arena.pages.games.battalion.board import CARD_NAMES_HIGH_TO_LOW, SUITS_BY_SEAT
from arena.pages.games.battleline.words import TACTIC_ICONS, WORDINGS_BY_EDITION
from arena.pages.matches.frames import Slots, build_stage
from arena.pages.matches.replay import PUBLIC_ONLOOKER, Scene, play_back, seat_guests
from arena.pages.svg.card import draw_preview_image
from engine.games.battleline.cards import TILE_NAMES
from engine.games.battleline.options import TITLES
from tests.engine.battleline.facts import find_look
from tests.full import default_and_full, one_of_each

TAG = re.compile(r"</?[a-z][^>]*>")
SNAPSHOTS = 7
"""Every so many steps there is a presentation, too."""
SEEDS = {"battleline": 1, "battalion": 9}
"""Legs of Battalion by this seed are some twenty decisions long; others are of ninety."""
LEGS = [*((edition, "battleline", 2) for edition in TITLES), *(("standard", "battalion", seats) for seats in (2, 3, 4))]
DIFFERENT_LEGS = one_of_each(LEGS, kind=lambda leg: (find_look(leg[0]), *leg[1:]))
"""By default one of the editions that look alike."""


def drawn(record, onlooker) -> Iterator[tuple[Scene, str, str]]:
    """Each scene with all that is drawn and said of it, and with what explains it."""
    playback, presentation = play_back(record, onlooker), find_presentation(record["game"], record["edition"])
    seats, slots = seat_guests(record), Slots()
    for number in range(playback.last + 1):
        scene = playback.scene(number)
        context = {"seats": seats, "slots": slots, **build_stage(scene, presentation)}
        stage = render_to_string("matches/_stage.html", context)
        snapshot = draw_preview_image(scene, presentation, ["x"] * len(seats)) if number % SNAPSHOTS == 0 else ""
        why = render_to_string("matches/_why.html", context)
        yield scene, f"{stage}{snapshot}{context['board']!r}", why


def said(html: str) -> str:
    return unescape(TAG.sub("", html))


def is_named(text: str, name: str) -> bool:
    """Return whether a text has this name as whole words."""
    return name in text and re.search(rf"\b{re.escape(name)}(?!\w)", text) is not None


@pytest.mark.parametrize("edition", one_of_each(TITLES, kind=find_look))
@pytest.mark.parametrize("onlooker", [PUBLIC_ONLOOKER, 0, 1])
def test_no_card_of_battle_line_is_on_the_page_that_the_onlooker_cannot_see(record_of, edition, onlooker):
    record, wording = record_of(2 + onlooker, edition), WORDINGS_BY_EDITION[edition]
    names = {card: str(wording.face(card).name) for card in (*record["deal"]["troops"], *record["deal"]["tactics"])}
    for scene, html, _why in drawn(record, onlooker):
        seen = seen_in_line(scene, onlooker)
        text, named = said(html), {names[card] for card in seen if card in names}
        for card in names.keys() - seen:
            assert f'data-card="{card}"' not in html and f"key='{card}'" not in html
            assert names[card] in named or not is_named(text, names[card]), (scene.number, card)


def seen_in_line(scene: Scene, onlooker: int) -> set[str]:
    view = scene.after[0]
    lying = [*(side for flag in view["flags"] for side in flag["cards"]), *view["discards"], *view["tactics_played"]]
    seen = {card for cards in lying for card in cards}
    if onlooker != PUBLIC_ONLOOKER:
        told = {event["card"] for event in scene.step.events if "card" in event}
        returned = {event["action"].split()[1] for event in scene.step.events if "return " in event.get("action", "")}
        seen |= {*scene.after[onlooker]["hand"], *scene.before[onlooker]["hand"], *told, *returned}
    return seen


@pytest.mark.parametrize("onlooker", [PUBLIC_ONLOOKER, 0, 1])
def test_no_tile_is_on_the_page_that_the_onlooker_cannot_see(record_of, onlooker):
    for scene, html, _why in drawn(record_of(0, "hundred-years"), onlooker):
        if "draft" not in scene.after[0]:
            known = {flag["tile"] for flag in scene.after[0]["flags"]}
        else:
            views = scene.after if onlooker == PUBLIC_ONLOOKER else [scene.after[onlooker]]
            known = {
                place["tile"] for view in views for place in view["row"] if place["up"] or onlooker != PUBLIC_ONLOOKER
            }
        if onlooker != PUBLIC_ONLOOKER:
            mine = [view[onlooker].get("draft", {}) for view in (scene.before, scene.after)]
            known |= {tile for draft in mine for tiles in draft.values() for tile in tiles}
            known |= {place["tile"] for place in scene.before[onlooker].get("row", [])}
            known |= {word for event in scene.step.events for word in event.get("action", "").split()}
        text = said(html)
        for tile in TILE_NAMES.keys() - known:
            assert f"tile-{tile}" not in html, (scene.number, tile)
            assert not is_named(text, str(WORDINGS_BY_EDITION["hundred-years"].tile(tile).name))


@pytest.mark.parametrize("players", default_and_full([2, 3], [4]))
def test_no_card_of_battalion_is_on_the_page_that_the_onlooker_cannot_see(record_of, players):
    for onlooker in (PUBLIC_ONLOOKER, *range(players)):
        record = record_of(2 + onlooker, "standard", "battalion", players)
        for scene, html, _why in drawn(record, onlooker):
            text = said(html)
            for seat, suit in enumerate(SUITS_BY_SEAT[:players]):
                seen = set() if seat != onlooker else set(CARD_NAMES_HIGH_TO_LOW)
                seen |= seen_of_army(scene, seat, (seat + 1) % players)
                named = named_of_suit(text, str(suit.name))
                for card in set(CARD_NAMES_HIGH_TO_LOW) - seen:
                    assert f'"{suit.letter}{card}"' not in html and f"'{suit.letter}{card}'" not in html
                    assert card not in named, (scene.number, card)


def named_of_suit(text: str, suit: str) -> set[str]:
    """Words that would be cards of this suit: 7 of clubs, Clubs 7."""
    pairs = re.findall(rf"\b(\w+) of {suit.lower()}|{suit} (\w+)\b(?![-.])", text)
    return {word for pair in pairs for word in pair}


def seen_of_army(scene: Scene, seat: int, other: int) -> set[str]:
    """Cards of a seat that everybody sees, or saw in this step."""
    side = scene.after[other]["seats"][seat]
    cells = [cell for row in side["rows"] for cell in row] + [side["guard"] or {"card": None}]
    seen = {cell["card"] for cell in cells} | {*side["wounded"], *side["dead"]}
    for event in scene.step.events:
        if event.get("event") == "out" and event["seat"] == seat:
            return set(CARD_NAMES_HIGH_TO_LOW)
        if event.get("action", "").startswith("attack"):
            target = int(event["action"].split()[2].split(":")[0])
            seen |= {event["attacker"]} if event["seat"] == seat else set()
            seen |= {event["target"]} if target == seat else set()
    return seen


@pytest.mark.parametrize(("edition", "game", "players"), LEGS)
def test_what_explains_a_step_is_the_same_for_all_eyes(record_of, edition, game, players):
    record, presentation = record_of(SEEDS[game], edition, game, players), find_presentation(game, edition)
    playbacks = [play_back(record, eyes) for eyes in (None, PUBLIC_ONLOOKER, *range(players))]
    told = [
        [
            presentation.build_proof(playback.scene(number), proof)
            for number in range(playback.last + 1)
            for proof in playback.explain(number)
        ]
        for playback in playbacks
    ]
    assert all(one == told[0] for one in told)


@pytest.mark.parametrize("onlooker", default_and_full([None], [PUBLIC_ONLOOKER]))
@pytest.mark.parametrize(("edition", "game", "players"), DIFFERENT_LEGS)
def test_only_what_lies_within_slots_depends_on_the_step(record_of, edition, game, players, onlooker):
    """A scene drawn after another, of which unchanged slots are kept, is the same as drawn alone."""
    record, presentation = record_of(SEEDS[game], edition, game, players), find_presentation(game, edition)
    playback, kept = play_back(record, onlooker), Slots()
    names, rests = set(), set()
    for number in range(playback.last + 1):
        slots = Slots()
        context = {"seats": seat_guests(record), **build_stage(playback.scene(number), presentation)}
        alone, after = (draw_whole({**context, "slots": one}) for one in (slots, kept))
        assert after == alone, number
        for html in slots.values():
            assert alone.count(html) == 1
            alone = alone.replace(html, "")
        names.add(tuple(slots))
        rests.add(alone)
    assert len(names) == len(rests) == 1


def draw_whole(context: dict[str, Any]) -> str:
    return render_to_string("matches/_stage.html", context) + render_to_string("matches/_why.html", context)


@pytest.mark.parametrize(("edition", "game", "players"), DIFFERENT_LEGS)
def test_a_card_lies_in_one_place_only(record_of, edition, game, players):
    record = record_of(SEEDS[game], edition, game, players)
    copies = 2 if edition == "long" else 1
    for _scene, html, why in drawn(record, None):
        keys = re.findall(r'data-card="([^"]+)"', html.split("</section>")[0])
        twice = {
            key for key in keys if keys.count(key) > (2 if TACTIC_ICONS.get(key) and edition == "short" else copies)
        }
        assert not twice and "data-card" not in why


def test_a_note_and_a_reason_are_for_those_who_were_told_the_whole_action(record_of):
    """A deployment, a card from the hand and a card put back are secrets of a seat; so is what its bot says of them."""
    for record in (record_of(3, "standard", "battalion", 2), record_of(5, "hundred-years")):
        hidden = 0
        for entry in record["actions"]:
            entry["note"] = f"I chose {entry['action']}"
        for onlooker in (PUBLIC_ONLOOKER, 0, 1):
            for step in play_back(record, onlooker).steps:
                told = {(event.get("seat"), event.get("action")) for event in step.events}
                noted = {(entry.seat, entry.action) for entry in step.notes}
                hidden += sum((entry.seat, entry.action) not in told for entry in step.entries)
                assert noted == told & {(entry.seat, entry.action) for entry in step.entries}
        assert hidden


@pytest.mark.parametrize("edition", one_of_each(TITLES, kind=find_look))
@pytest.mark.parametrize("onlooker", [None, PUBLIC_ONLOOKER, 0, 1])
def test_the_unseen_cards_of_a_replay_are_those_that_the_seat_has_not_seen(record_of, edition, onlooker):
    record = record_of(4, edition)
    playback, presentation = play_back(record, onlooker), find_presentation("battleline", edition)
    for number in range(playback.last + 1):
        scene = playback.scene(number)
        known = presentation.build_known(scene)
        assert [one.seat for one in known] == {None: [0, 1], PUBLIC_ONLOOKER: [None]}.get(onlooker, [onlooker])
        for one in known:
            view = scene.after[one.seat or 0]
            hand = {card for card in view["hand"] if one.seat is not None}
            lying = str([view["flags"], view["discards"], view["tactics_played"]])
            cards = [card for _suit, cards in one.troops for card in cards]
            assert len(cards) == 10 * len(one.troops)
            for card in [*cards, *(card for _title, cards in one.tactics for card in cards)]:
                key = card.face.key
                assert (card.place == "hand") == (key in hand)
                if card.place == "table":
                    assert f"'{key}'" in lying or key in ("fog", "mud")
