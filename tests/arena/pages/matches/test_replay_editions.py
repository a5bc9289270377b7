"""The replay page of every edition, with legs that were played at random."""

import zlib
from itertools import cycle, product

import orjson
import pytest
from django.template.loader import render_to_string
from django.test import Client

from arena.matches.models import Leg, Match
from arena.matches.services import queue_match
from arena.pages.games import find_presentation
from engine.analysis.evaluators import has_evaluator
from engine.games.battleline.options import TITLES
from tests.arena.pages.conftest import list_scenes
from tests.conftest import EXITS_AT_ONCE
from tests.engine.battleline.facts import find_look
from tests.full import is_full_run, one_of_each

EDITIONS = one_of_each(TITLES, kind=find_look)


@pytest.fixture(params=EDITIONS)
def played(request, ana, ben, make_version, play, record_of) -> Match:
    """A match of each edition in turn."""
    versions = [make_version(ana, "Kingfisher", EXITS_AT_ONCE), make_version(ben, "Heron", EXITS_AT_ONCE)]
    match = queue_match(versions=versions, game="battleline", edition=request.param)
    assert play(match)
    record = zlib.compress(orjson.dumps(record_of(2, request.param)))
    Leg.objects.filter(match=match).update(record=record)
    match.refresh_from_db()
    return match


def test_a_page_asks_as_much_at_any_turn_and_of_any_view(played, django_assert_num_queries):
    last = Client().get(f"/matches/{played.pk}/").context["scene"].last
    turns, views = (0, 1, 9, 17, 18, last // 2, last), ("all", "0", "1")
    for turn, view in product(turns, views) if is_full_run() else zip(turns, cycle(views), strict=False):
        with django_assert_num_queries(11 + has_evaluator("battleline", played.edition)):
            page = Client().get(f"/matches/{played.pk}/?turn={turn}&view={view}")
        assert page.status_code == 200
        assert page.context["scene"].number == turn
        assert f"/rules/battleline/{played.edition}/" in page.text


@pytest.mark.parametrize("edition", EDITIONS)
def test_the_board_of_every_step_can_be_rendered_for_every_onlooker(record_of, edition):
    record, presentation = record_of(2, edition), find_presentation("battleline", edition)
    for onlooker in (None, 0, 1):
        for scene in list_scenes(record, onlooker)[:: 1 if onlooker is None else 5]:
            shown = render_to_string("games/battleline/board.html", {"board": presentation.build_board(scene)})
            for seat in (0, 1):
                assert presentation.name_seat(seat) in shown


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("edition", EDITIONS)
def test_no_card_of_the_other_hand_is_named_on_the_board(record_of, edition, seat):
    record, presentation = record_of(2, edition), find_presentation("battleline", edition)
    for scene in list_scenes(record, seat)[:-1:4]:
        board = presentation.build_board(scene)
        assert all(card.is_back and not card.number for card in board.seats[1 - seat].hand)
        assert not any(card.is_back for card in board.seats[seat].hand)
