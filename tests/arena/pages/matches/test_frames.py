"""All steps of a leg in one answer: the same as the pages of the steps, and no card that the onlooker can't see."""

import gzip
import json
import re
import zlib
from functools import cache

import pytest
from django.core.cache import cache as shelf
from django.template.loader import render_to_string
from django.test import Client

from arena.matches.models import Leg
from arena.pages.games import find_presentation
from arena.pages.matches.frames import add_judgements, build_frames, build_stage, describe_judgement, tag_frames
from arena.pages.matches.replay import Scene, play_back, seat_guests
from arena.pages.templatetags.pennant import sentence as draw_sentence
from engine.core import Json
from engine.games.battleline.options import TITLES
from tests.engine.analysis.test_ending import analyse, analyse_with_means
from tests.engine.battleline.facts import find_look
from tests.full import is_full_run, one_of_each

LEGS = [("battleline", edition, 2) for edition in TITLES] + [("battalion", "standard", seats) for seats in (2, 3, 4)]
NAMED = {f"{game}-{edition}-{seats}": (game, edition, seats) for game, edition, seats in LEGS}


def find_kind(name: str) -> tuple[str, str, int]:
    """Return the kind of a leg: editions that look alike are of one."""
    game, edition, seats = NAMED[name]
    return game, find_look(edition), seats


KEY = re.compile(r'data-card="([^"]+)"')
SLOT = re.compile(r'data-slot="([^"]+)"')
WORD = re.compile(r'"([^"]*)"')
SUITS = "SHDC"
SEEDS = {"battleline": 5, "battalion": 9}
"""Legs of Battalion by this seed are some twenty decisions long; others are of ninety."""


@pytest.fixture(params=one_of_each(NAMED, kind=find_kind))
def record(request, record_of):
    game, edition, seats = NAMED[request.param]
    return record_of(SEEDS[game], edition, game, seats)


@cache
def frames_of(text: str, onlooker: int | None):
    record = json.loads(text)
    return build_frames(play_back(record, onlooker), seat_guests(record))


def views_of(record) -> list[int | None]:
    return [None, *range(len(record["seats"]))]


def draw_page(record, scene: Scene) -> str:
    presentation = find_presentation(record["game"], record["edition"])
    context = {"seats": seat_guests(record), **build_stage(scene, presentation)}
    return "".join(render_to_string(f"matches/{name}.html", context) for name in ("_stage", "_why", "_known"))


def frame(frames, number: int) -> dict[str, str]:
    return {name: frames["parts"][part] for name, part in zip(frames["slots"], frames["frames"][number], strict=True)}


def test_a_frame_is_what_the_page_of_its_step_draws(record):
    for onlooker in views_of(record):
        frames, playback = frames_of(json.dumps(record), onlooker), play_back(record, onlooker)
        assert len(frames["frames"]) == playback.last + 1
        for number in range(0, len(frames["frames"]), 9 if onlooker is not None else 1 if is_full_run() else 4):
            page = draw_page(record, playback.scene(number))
            assert SLOT.findall(page) == frames["slots"]
            for name, part in frame(frames, number).items():
                assert part in page, (number, onlooker, name)


def test_each_part_is_sent_once(record):
    frames = frames_of(json.dumps(record), None)
    assert len(set(frames["parts"])) == len(frames["parts"])
    used = {part for shown in frames["frames"] for part in shown}
    assert used == set(range(len(frames["parts"])))


def test_the_frames_of_a_seat_hold_no_card_it_can_not_see(record):
    """A card is drawn only if the seat's own view had it, before the step or after it, or it was told of it."""
    tell_known = {"battleline": tell_cards, "battalion": tell_warriors}[record["game"]]
    for seat in range(len(record["seats"])):
        playback, frames = play_back(record, seat), frames_of(json.dumps(record), seat)
        for number in range(playback.last + 1):
            scene = playback.scene(number)
            drawn = set(KEY.findall("".join(frame(frames, number).values())))
            assert drawn <= tell_known(scene, seat), (seat, number)


def tell_cards(scene: Scene, seat: int) -> set[str]:
    """Return all words that the seat was told, cards among them."""
    return words_in([scene.before[seat], scene.after[seat]])


def tell_warriors(scene: Scene, seat: int) -> set[str]:
    """Return the keys of all cards that the seat was told of, and of others that don't exist."""
    known = set()
    for owner, army in enumerate(scene.after[seat]["seats"]):
        words = words_in([army, scene.before[seat]["seats"][owner], scene.step.events, scene.proofs])
        known |= {f"{SUITS[owner]}{word}" for word in words}
    return known


def words_in(told: Json) -> set[str]:
    return set(WORD.findall(json.dumps(told)))


@pytest.mark.parametrize("edition", one_of_each(TITLES, kind=find_look))
@pytest.mark.parametrize("seat", [0, 1])
def test_no_frame_names_a_card_that_is_hidden_from_the_seat(record_of, edition, seat):
    record = record_of(5, edition)
    presentation = find_presentation("battleline", edition)
    playback, frames = play_back(record, seat), frames_of(json.dumps(record), seat)
    for number in range(playback.last):
        scene = playback.scene(number)
        known = json.dumps([scene.before[seat], scene.after[seat], scene.step.events])
        hidden = [card for card in scene.after[1 - seat]["hand"] if card[1:].isdigit() and card not in known]
        text = "".join(part for name, part in frame(frames, number).items() if name != "why")
        assert not [card for card in hidden if token_of(presentation, card) in text], number


def token_of(presentation, card: str) -> str:
    """How a sentence shows a card."""
    (line,) = presentation.describe_events([{"seat": 0, "action": f"play {card} 1"}])
    return re.search(r'<span class="token.*</span>', draw_sentence(line.text))[0]


def fetch(match, query: str = "", **headers: str):
    return Client(headers=headers).get(f"/matches/{match.pk}/legs/1/frames.json{query}")


def read(response):
    return json.loads(gzip.decompress(response.content))


def test_frames_come_packed_in_the_language_of_the_reader_and_are_not_sent_again(finished, django_assert_num_queries):
    """They are drawn once for all readers."""
    shelf.clear()
    answer = fetch(finished)
    assert answer["Content-Encoding"] == "gzip" and answer["Content-Type"] == "application/json"
    assert answer["Cache-Control"] == "no-cache"
    again = fetch(finished, if_none_match=answer["ETag"])
    assert again.status_code == 304 and not again.content
    with django_assert_num_queries(4):
        assert fetch(finished).content == answer.content
    assert {"Accept-Language", "Cookie"} <= {name.strip() for name in answer["Vary"].split(",")}
    assert fetch(finished, accept_language="hu")["ETag"] != answer["ETag"]
    assert fetch(finished, "?view=0")["ETag"] != answer["ETag"]


def test_the_address_on_the_page_holds_what_tells_frames_apart(finished):
    address = Client().get(f"/matches/{finished.pk}/?view=1").context["frames_url"]
    answer = Client().get(address)
    assert "immutable" in answer["Cache-Control"]
    assert read(answer) == read(fetch(finished, "?view=1"))


def test_there_are_no_frames_of_what_is_not_over_or_was_lost(queued, play):
    assert fetch(queued).status_code == 404
    play(queued)
    assert fetch(queued).status_code == 200
    Leg.objects.filter(match=queued).update(record=None)
    assert fetch(queued).status_code == 404


def test_a_leg_of_the_full_length_is_light(finished, record_of):
    record = record_of(5, "hundred-years")
    Leg.objects.filter(match=finished).update(record=zlib.compress(json.dumps(record).encode()))
    type(finished).objects.filter(pk=finished.pk).update(edition="hundred-years")
    answer = fetch(finished)
    assert len(read(answer)["frames"]) > 50
    assert len(answer.content) < 120_000


def test_another_release_has_another_key(finished, monkeypatch):
    seats = seat_guests(finished.legs.get(number=1).record_data)
    before = tag_frames(b"record", None, seats)
    monkeypatch.setattr("arena.pages.matches.frames.compute_build_id", lambda: "another release")
    assert tag_frames(b"record", None, seats) != before


def test_a_solved_leg_says_who_wins_and_which_move_throws_it_away() -> None:
    record, analysis = analyse("19")
    presentation = find_presentation(record["game"], record["edition"], record["options"])
    playback = add_judgements(play_back(record, None), analysis)
    assert playback.solved and set(playback.solved) <= set(range(playback.last))
    for number, solved in playback.solved.items():
        words = {0: "Solved: South wins", 1: "Solved: North wins", None: "Solved: draw"}[solved.winner]
        assert build_stage(playback.scene(number), presentation)["solved"] == words
    thrown = [one for one in playback.judgements.values() if one.given_up]
    assert thrown
    for one in thrown:
        judged = describe_judgement(one, presentation)
        assert judged.title in ("Throws the win away", "Throws the draw away") and judged.points == 0 and judged.better


def test_an_analysis_from_before_endings_were_solved_is_shown_as_it_was() -> None:
    record, analysis = analyse("19")
    decisions = [one for one in analysis["decisions"] if "given_up" not in one]
    old = {key: value for key, value in analysis.items() if key != "solved"} | {"decisions": decisions}
    playback = add_judgements(play_back(record, None), old)
    assert not playback.solved and not any(one.given_up for one in playback.judgements.values())
    presentation = find_presentation(record["game"], record["edition"], record["options"])
    assert build_stage(playback.scene(playback.last), presentation)["solved"] == ""


def test_the_mean_over_hidden_cards_is_shown_with_whose_knowledge_it_is() -> None:
    record, analysis = analyse_with_means()
    presentation = find_presentation(record["game"], record["edition"], record["options"])
    playback = add_judgements(play_back(record, None), analysis)
    assert len(playback.expected) == len(analysis["expected"]) and not set(playback.expected) & set(playback.solved)
    for number, expected in playback.expected.items():
        stage = build_stage(playback.scene(number), presentation)
        name = ("South", "North")[expected.seat]
        assert stage["solved"] == "" and stage["expected"].title == f"Expected: {name} {round(100 * expected.chance)}%"
        assert (
            f"all {expected.cases} hands" in stage["expected"].meaning
            and f"what {name} could" in stage["expected"].meaning
        )
    for seat in (0, 1):
        seen = add_judgements(play_back(record, seat), analysis).expected
        assert set(seen) == {number for number, one in playback.expected.items() if one.seat == seat}


def test_a_coarse_or_older_analysis_has_no_means() -> None:
    record, analysis = analyse_with_means()
    old = {key: value for key, value in analysis.items() if key != "expected"}
    assert not add_judgements(play_back(record, None), old).expected
