"""Hints on the page of a table: asked for, waited for, and shown on the board and in words."""

import pytest
from django.test import Client

from arena.bots.models import BotVersion
from arena.matches.livegames.models import LiveGame
from arena.people.accounts.models import User
from engine.analysis.evaluators import find_evaluator
from engine.analysis.grading import find_hint
from tests.arena.live_hints import make_waiting_hint
from tests.arena.matches.livegames.conftest import Start, see
from tests.arena.matches.livegames.conftest import house_bot as house_bot
from tests.arena.matches.livegames.conftest import player as player
from tests.arena.matches.livegames.conftest import start as start
from tests.arena.pages.play.test_live_pages import HTMX
from tests.arena.pages.play.test_live_pages import ana_client as ana_client


@pytest.fixture
def game(start: Start) -> LiveGame:
    return start(has_hints=True, edition="short")


def ask(client: Client, game: LiveGame, at: int = 0, **more: object):  # type: ignore[no-untyped-def]
    return client.post(f"{game.get_absolute_url()}hint/", {"at": at}, headers=HTMX, **more)


def test_a_hint_is_waited_for_and_then_shown(ana_client: Client, game: LiveGame) -> None:
    before = ana_client.get(game.get_absolute_url())
    assert before.context["hint"].url and before.context["poll_url"] == "" and before.context["table"].hint is None
    waiting = ask(ana_client, game)
    assert waiting.context["hint"].is_pending and waiting.context["poll_url"] == game.get_absolute_url()
    known = {"known": waiting.context["table"].tag}
    assert ana_client.get(game.get_absolute_url(), known, headers=HTMX).status_code == 304
    assert make_waiting_hint()
    shown = ana_client.get(game.get_absolute_url(), known, headers=HTMX)
    evaluator = find_evaluator("battleline", "short")
    assert shown.status_code == 200 and evaluator is not None
    found = find_hint(see(game)[0], evaluator)
    assert found is not None
    table, play = shown.context["table"], shown.context["play"]
    assert " ".join(table.hinted) == found.best.action
    assert f"{round(100 * found.best.chance)}%" in str(shown.context["bar"].caption)
    _play, card, flag = found.best.action.split()
    assert [one.face.is_better for one in play.hand].count(True) == 1
    assert [one.number for one in play.board.flags if one.sides[table.near].ghost] == [int(flag)], card
    again = ana_client.get(f"{game.get_absolute_url()}?chosen=play+{card}", headers=HTMX)
    sides = {one.number: one.sides[table.near] for one in again.context["play"].board.flags}
    assert not any(side.ghost for side in sides.values()) and not again.context["hint"].url
    assert [number for number, side in sides.items() if side.place and side.place.is_hinted] == [int(flag)]
    assert "Hint" not in str(again.context["bar"].caption), "what is to be chosen next is said instead"


def test_a_choice_in_progress_is_kept_while_a_hint_is_waited_for(ana_client: Client, game: LiveGame) -> None:
    ask(ana_client, game)
    card = see(game)[0].view(0)["hand"][0]
    page = ana_client.get(f"{game.get_absolute_url()}?chosen=play+{card}", headers=HTMX)
    assert page.context["poll_url"] == f"{game.get_absolute_url()}?chosen=play+{card}"


def test_nobody_else_sees_a_hint(client: Client, ana_client: Client, game: LiveGame, ben: User) -> None:
    ask(ana_client, game)
    make_waiting_hint()
    client.logout()
    client.force_login(ben)
    page = client.get(game.get_absolute_url())
    assert page.context["table"].hint is None and page.context["hint"] is None
    refused = ask(client, game)
    assert "have a seat in this game" in refused.context["notice"]


def test_games_without_hints_offer_none(ana_client: Client, start: Start) -> None:
    game = start()
    assert ana_client.get(game.get_absolute_url()).context["hint"] is None
    assert "without hints" in ask(ana_client, game).context["notice"]


def test_an_edition_without_a_value_function_says_so(ana_client: Client, game: LiveGame) -> None:
    LiveGame.objects.update(edition="standard")
    page = ana_client.get(game.get_absolute_url())
    assert (
        str(page.context["bar"].caption) == "Hints aren't available for this edition." and not page.context["hint"].url
    )


def test_hints_are_switched_on_in_the_form(client: Client, house_bot: BotVersion) -> None:
    form = {"edition": "short", "opponent": str(house_bot.pk), "seat": "0", "has_hints": "on"}
    client.post("/play/?game=battleline", form)
    assert LiveGame.objects.get().has_hints
    assert b"practice, with hints" in client.get("/play/").content
    refused = client.post("/play/?game=battleline", form | {"edition": "terrain"})
    assert refused.status_code == 400
    assert "has_hints" not in client.get("/play/?game=battalion").context["form"].fields
