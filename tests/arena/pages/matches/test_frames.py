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
from arena.pages.matches.frames import build_frames, tag_frames
from arena.pages.matches.guests import seat_guests
from arena.pages.matches.replay import play_back, play_to
from arena.pages.matches.stage import build_stage
from arena.pages.templatetags.pennant import sentence as draw_sentence
from engine.games.battleline.options import TITLES
from tests.engine.battleline.facts import find_look
from tests.full import one_of_each

LEGS = [("battleline", edition, 2) for edition in TITLES] + [("battalion", "standard", seats) for seats in (2, 3, 4)]
NAMED = {f"{game}-{edition}-{seats}": (game, edition, seats) for game, edition, seats in LEGS}


def find_kind(name: str) -> tuple[str, str, int]:
    """Return the kind of a leg: editions that look alike are of one."""
    game, edition, seats = NAMED[name]
    return game, find_look(edition), seats


KEY = re.compile(r'data-card="([^"]+)"')
SLOT = re.compile(r'data-slot="([^"]+)"')
SUITS = "SHDC"


@pytest.fixture(params=one_of_each(NAMED, kind=find_kind))
def record(request, record_of):
    game, edition, seats = NAMED[request.param]
    return record_of(5, edition, game, seats)


@cache
def frames_of(text: str, onlooker: int | None):
    record = json.loads(text)
    return build_frames(play_back(record, onlooker), seat_guests(record))


def views_of(record) -> list[int | None]:
    return [None, *range(len(record["seats"]))]


def draw_page(record, number: int, onlooker: int | None) -> str:
    presentation = find_presentation(record["game"], record["edition"])
    context = {"seats": seat_guests(record), **build_stage(play_to(record, number, onlooker), presentation)}
    return "".join(render_to_string(f"matches/{name}.html", context) for name in ("_stage", "_why"))


def frame(frames, number: int) -> dict[str, str]:
    return {name: frames["parts"][part] for name, part in zip(frames["slots"], frames["frames"][number], strict=True)}


def test_a_frame_is_what_the_page_of_its_step_draws(record):
    for onlooker in views_of(record):
        frames = frames_of(json.dumps(record), onlooker)
        assert len(frames["frames"]) == play_to(record, 0).last + 1
        for number in range(0, len(frames["frames"]), 1 if onlooker is None else 9):
            page = draw_page(record, number, onlooker)
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
    is_known = {"battleline": knows_card, "battalion": knows_warrior}[record["game"]]
    for seat in range(len(record["seats"])):
        playback, frames = play_back(record, seat), frames_of(json.dumps(record), seat)
        for number in range(playback.last + 1):
            scene = playback.scene(number)
            drawn = set(KEY.findall("".join(frame(frames, number).values())))
            assert all(is_known(scene, seat, key) for key in drawn), (seat, number)


def knows_card(scene, seat: int, key: str) -> bool:
    return f'"{key}"' in json.dumps([scene.before[seat], scene.after[seat]])


def knows_warrior(scene, seat: int, key: str) -> bool:
    owner, card = SUITS.index(key[0]), key[1:]
    seen = [views[seat]["seats"][owner] for views in (scene.before, scene.after)]
    return f'"{card}"' in json.dumps([seen, scene.step.events, scene.proofs])


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


def test_frames_come_packed_and_are_not_sent_again(finished):
    answer = fetch(finished)
    assert answer["Content-Encoding"] == "gzip" and answer["Content-Type"] == "application/json"
    assert answer["Cache-Control"] == "no-cache"
    again = fetch(finished, if_none_match=answer["ETag"])
    assert again.status_code == 304 and not again.content
    assert fetch(finished, "?view=0")["ETag"] != answer["ETag"]


def test_the_address_on_the_page_holds_what_tells_frames_apart(finished):
    address = Client().get(f"/matches/{finished.pk}/?view=1").context["frames_url"]
    answer = Client().get(address)
    assert "immutable" in answer["Cache-Control"]
    assert read(answer) == read(fetch(finished, "?view=1"))


def test_frames_speak_the_language_of_the_reader(finished):
    shelf.clear()
    english, hungarian = fetch(finished), fetch(finished, accept_language="hu")
    assert english["ETag"] != hungarian["ETag"]
    assert {"Accept-Language", "Cookie"} <= {name.strip() for name in english["Vary"].split(",")}


def test_frames_are_drawn_once_for_all_readers(finished, django_assert_num_queries):
    shelf.clear()
    first = fetch(finished)
    with django_assert_num_queries(4):
        assert fetch(finished).content == first.content


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
