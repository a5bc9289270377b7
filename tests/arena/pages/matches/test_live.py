"""The page of a running match: what it shows of the table, and what nobody may find there."""

from collections.abc import Iterator
from dataclasses import replace
from random import Random

import orjson
import pytest
from django.core.cache import cache
from django.template.loader import render_to_string
from django.test import Client

from arena.matches.models import Attempt, Match
from arena.matches.services import claim_match, fail_attempt, queue_match, record_heartbeat, requeue_lost_matches
from arena.pages.games import find_presentation
from arena.pages.games.battalion import board as battalion
from arena.pages.games.battleline.words import WORDINGS_BY_EDITION
from arena.pages.games.sentence import Sentence
from arena.pages.matches.frames import build_stage
from arena.pages.matches.replay import PUBLIC_ONLOOKER, Scene, list_views, play_to, seat_guests
from arena.pages.matches.results import LAST_STEP, build_table_context
from arena.pages.templatetags.pennant import sentence as draw_sentence
from arena.runner.match import LegProgress, list_seatings
from engine.core import Json, State
from engine.games.battleline.options import TITLES
from engine.replay import states
from tests.engine.battleline.facts import find_look
from tests.full import is_full_run, one_of_each

BATTALION = [("battalion", "standard", seats) for seats in (2, 3, 4)]
KINDS = [*one_of_each((("battleline", edition, 2) for edition in TITLES), lambda leg: find_look(leg[1])), *BATTALION]
AT_EVERY_MOVE = [("battleline", "standard", 2), ("battalion", "standard", 3)]
"""With `--full`; else at every third. The others are looked at every five moves."""
TWO_OF_A_NAME = ("leader-1", "leader-2")
"""In some editions."""
POLLS = {"HX-Request": "true"}


@pytest.fixture(autouse=True)
def empty_shelf() -> None:
    cache.clear()


@pytest.fixture
def attempt(queued: Match) -> Attempt:
    claimed = claim_match(match_id=queued.pk, worker="mill")
    assert claimed is not None
    return claimed


@pytest.fixture
def told(attempt: Attempt, record_of) -> Attempt:
    """Its worker has told of forty decisions in the second leg."""
    record = record_of(5)
    Match.objects.filter(pk=attempt.match_id).update(deal=record["deal"], options=record["options"])
    record_heartbeat(attempt=attempt, underway=LegProgress(2, record["actions"][:40], (1, 0)))
    return attempt


def poll(attempt: Attempt, **headers: str):
    return Client().get(f"/matches/{attempt.match_id}/", headers={**POLLS, **headers})


def test_a_running_match_shows_its_table_its_seats_and_its_moves(told):
    page = Client().get(f"/matches/{told.match_id}/").text
    assert "Leg 2 of 2 is live. Hands stay hidden until the match ends." in page
    assert page.index("Kingfisher</a> <small>") < page.index("Heron</a> <small>"), (
        "North is drawn first, and was South in leg 1"
    )
    assert page.count('class="card back') == 14
    assert "Moves, newest first" in page and page.count('aria-current="step"') == 1
    assert 'hx-trigger="every 1s"' in page


def test_while_nothing_is_told_only_the_state_is_shown(attempt):
    page = Client().get(f"/matches/{attempt.match_id}/").text
    assert "Longer matches appear here live." in page and "cards-hand" not in page


def test_before_the_first_move_the_deal_is_shown(attempt):
    record_heartbeat(attempt=attempt, underway=LegProgress(1, [], (0, 1)))
    page = Client().get(f"/matches/{attempt.match_id}/").text
    assert "The cards are dealt." in page and "No moves yet." in page
    assert "data-card" not in page


def test_a_poll_is_answered_again_only_when_somebody_has_moved(told, record_of, django_assert_max_num_queries):
    first = poll(told)
    assert first.status_code == 200 and "<html" not in first.text
    with django_assert_max_num_queries(6):
        assert poll(told, **{"If-None-Match": first["ETag"]}).status_code == 304
    record_heartbeat(attempt=told)
    assert poll(told, **{"If-None-Match": first["ETag"]}).status_code == 304
    record_heartbeat(attempt=told, underway=LegProgress(2, record_of(5)["actions"][:42], (1, 0)))
    later = poll(told, **{"If-None-Match": first["ETag"]})
    assert later.status_code == 200 and later.text != first.text


def test_another_attempt_at_as_many_moves_is_another_table(told, record_of):
    first = poll(told)
    fail_attempt(attempt=told, error="the disk is full")
    again = claim_match(match_id=told.match_id, worker="mill")
    record_heartbeat(attempt=again, underway=LegProgress(2, record_of(5)["actions"][:40], (1, 0)))
    assert poll(told, **{"If-None-Match": first["ETag"]}).status_code == 200


def test_readers_of_another_language_get_their_own(told):
    english = poll(told)
    other = poll(told, **{"Accept-Language": "hu", "If-None-Match": english["ETag"]})
    assert other.status_code == 200 and other["ETag"] != english["ETag"]


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_every_game_and_number_of_seats_is_shown(ana, make_version, record_of, seats):
    versions = [make_version(ana, f"Bot {number}", game="battalion") for number in range(seats)]
    match = queue_match(versions=versions, game="battalion", edition="standard")
    attempt = claim_match(match_id=match.pk, worker="mill")
    record = record_of(5, "standard", "battalion", seats)
    Match.objects.filter(pk=match.pk).update(deal=record["deal"])
    record_heartbeat(attempt=attempt, underway=LegProgress(2, record["actions"][: seats + 4], list_seatings(seats)[1]))
    page = Client().get(f"/matches/{match.pk}/").text
    assert f"Leg 2 of {seats} is live." in page
    for number in range(seats):
        assert f"Bot {number}</a> <small>" in page


def test_a_worker_that_falls_silent_is_told_of(told):
    Attempt.objects.filter(pk=told.pk).update(heartbeat_at="2026-01-01T00:00Z")
    assert "No connection for 20 s. Trying again." in poll(told).text


def test_no_table_of_a_lost_attempt_is_shown(told):
    Attempt.objects.filter(pk=told.pk).update(heartbeat_at="2026-01-01T00:00Z")
    assert requeue_lost_matches() == [told.match_id]
    page = poll(told).text
    assert "cards-hand" not in page and "Queued" in page


def test_a_match_that_waits_for_its_twin_shows_no_table(told):
    Attempt.objects.filter(pk=told.pk).update(underway={"leg": 1, "actions": []})
    Match.objects.filter(pk=told.match_id).update(state=Match.State.QUEUED)
    assert "cards-hand" not in poll(told).text


def test_pages_ask_as_much_late_in_a_leg_as_at_its_start(attempt, record_of, django_assert_num_queries):
    record = record_of(5)
    Match.objects.filter(pk=attempt.match_id).update(deal=record["deal"])
    for count in (0, 10, 90):
        record_heartbeat(attempt=attempt, underway=LegProgress(1, record["actions"][:count], (0, 1)))
        with django_assert_num_queries(7):
            Client().get(f"/matches/{attempt.match_id}/")


# What is hidden


def marks(record: Json, seat: int, card: str) -> list[str]:
    """All that would show this card on a page, and no other card."""
    if record["game"] == "battleline":
        wording = WORDINGS_BY_EDITION[record["edition"]]
        face, token = wording.face(card), wording.token(card)
    else:
        face, token = battalion.find_face(seat, card), battalion.build_card_part(seat, card)
    words = [f">{face.name}<", draw_sentence(Sentence((token,)))]
    return [f'data-card="{face.key}"', *([] if card in TWO_OF_A_NAME else words)]


def is_found(html: str, card_marks: list[str]) -> bool:
    return any(mark in html for mark in card_marks)


def cards_of(record: Json) -> set[tuple[int, str]]:
    """Each with whom it belongs to, where that is settled from the start."""
    if record["game"] == "battleline":
        return {(0, card) for card in [*record["deal"]["troops"], *record["deal"]["tactics"]]}
    return {(seat, card) for seat in range(len(record["seats"])) for card in battalion.CARD_NAMES_HIGH_TO_LOW}


def is_known(view: Json, game: str, card: tuple[int, str]) -> bool:
    """Whether this view mentions the card, wherever, or did: all are shown the cards of who goes out in Battalion."""
    if game == "battleline":
        return orjson.dumps(card[1]) in orjson.dumps(view)
    army = view["seats"][card[0]]
    return army["out"] or orjson.dumps(card[1]) in orjson.dumps(army)


def known_to_all(record: Json) -> Iterator[set[tuple[int, str]]]:
    """The cards that every seat can see, in the state before each decision, and in the last."""
    cards = cards_of(record)
    for state in states(record):
        views = list_views(state)
        yield {card for card in cards if all(is_known(view, record["game"], card) for view in views)}


def running(record: Json, count: int) -> Json:
    return {**record, "actions": record["actions"][:count], "result": None}


@pytest.mark.parametrize(("game", "edition", "seats"), KINDS)
def test_no_page_holds_a_card_that_is_hidden_from_anybody(record_of, game, edition, seats):
    record = record_of(7, edition, game, seats)
    marks_of, ever, seen = {card: marks(record, *card) for card in cards_of(record)}, set(), set()
    interval = 5 if (game, edition, seats) not in AT_EVERY_MOVE else 1 if is_full_run() else 3
    for count, known in enumerate(known_to_all(record)):
        ever |= known
        if count % interval:
            continue
        part = running(record, count)
        html = render_to_string("matches/_live.html", build_table_context(part, seat_guests(record)))
        found = {card for card in marks_of if is_found(html, marks_of[card])}
        assert found <= ever, (count, found - ever)
        table = html[: html.index("moves-heading")]
        seen |= {card for card in marks_of if marks_of[card][0] in table}
    assert len(seen) > 2, "cards on the table are found, so hidden ones would be"


@pytest.mark.parametrize(("game", "edition", "seats"), KINDS)
def test_the_same_search_finds_hidden_cards_where_they_are_shown(record_of, game, edition, seats):
    """Else the search would prove nothing."""
    record = record_of(7, edition, game, seats)
    count = len(record["actions"]) // 2
    *_, known = known_to_all(running(record, count))
    presentation = find_presentation(game, edition)
    stage = build_stage(play_to(running(record, count), LAST_STEP, None), presentation)
    html = render_to_string("matches/_stage.html", {**stage, "seats": seat_guests(record)})
    hidden = cards_of(record) - known
    assert sum(is_found(html, marks(record, *card)) for card in hidden) > 5


def draw_public(record: Json, scene: Scene, state: State, views: list[Json]) -> str:
    """The table of the newest step, drawn from these views, and all that was told of the leg."""
    stage = build_stage(replace(scene, after=views), find_presentation(record["game"], record["edition"]))
    html = render_to_string("matches/_stage.html", {**stage, "seats": seat_guests(record)})
    return html + orjson.dumps(state.events(PUBLIC_ONLOOKER)).decode()


@pytest.mark.parametrize(("game", "edition", "seats"), KINDS)
def test_nothing_changes_with_what_some_seat_does_not_know(record_of, game, edition, seats):
    """Whatever lies where one seat can't see it, the page is the same: it is made of what all seats know."""
    record, rng = record_of(9, edition, game, seats), Random(1)
    differing = 0
    for count, state in enumerate(states(record)):
        if state.to_act is None or count % 5:
            continue
        part = running(record, count)
        scene = play_to(part, LAST_STEP, PUBLIC_ONLOOKER)
        if len(scene.steps) < 2:
            continue
        page = draw_public(part, scene, state, list_views(state))
        for seat in range(seats):
            other = state.redeal(seat, rng)
            differing += list_views(other) != list_views(state)
            assert draw_public(part, scene, other, list_views(other)) == page, (count, seat)
    assert differing > 3
