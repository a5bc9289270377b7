"""A game from outside the tree has an atlas without doing anything, and its own charts by their words."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from arena.contests.atlas.services import count_legs, fetch_cells
from engine.core import Count, Game
from engine.packages import load_package
from engine.registry import GAMES
from tests.arena.contests.atlas.conftest import OpenLadder
from tests.arena.contests.atlas.world import play_rated

ATLAS = "/ladders/goofspiel/short/atlas/"


@pytest.fixture
def goofspiel(monkeypatch: pytest.MonkeyPatch) -> Game:
    game = load_package("goofspiel").game
    monkeypatch.setitem(GAMES, game.key, game)  # type: ignore[arg-type]
    return game


@pytest.mark.parametrize("seats", [2, 3])
def test_seats_endings_and_lengths_are_counted_of_every_game(
    goofspiel: Game, open_ladder: OpenLadder, seats: int
) -> None:
    ladder, entries = open_ladder("goofspiel", "short", bots=seats)
    play_rated(ladder, entries, 1)
    assert count_legs(ladder=ladder) == 1
    assert {one.chart for one in fetch_cells(ladder)} == {"seats", "length", "endings"}
    page = Client().get(ATLAS)
    charts = {chart.key: chart for chart in page.context["charts"]}
    assert page.status_code == 200 and list(charts) == ["endings", "seats", "length"]
    assert [row.cells[0].text for row in charts["seats"].rows] == [str(seats)] * seats
    for chart in charts.values():
        query = next(cell.query for row in chart.rows for cell in row.cells if cell.query)
        assert Client().get(f"/ladders/goofspiel/short/seasons/1/atlas/matches/?{query}").status_code == 200
    assert Client().get(f"/bots/{entries[0].version.bot.slug}/fingerprint/").status_code == 200


def test_charts_without_words_are_shown_as_they_are_counted(
    goofspiel: Game, open_ladder: OpenLadder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def count_event(self: Game, state: Any, event: Any) -> Iterator[Count]:
        if event.get("event") == "take":
            yield Count("takes", "<b>", str(len(event["prizes"])), event["seat"])
            yield Count("any", "x")

    monkeypatch.setattr(type(goofspiel), "count_event", count_event)
    ladder, entries = open_ladder("goofspiel", "short", bots=2)
    play_rated(ladder, entries, 1)
    count_legs(ladder=ladder)
    page = Client().get(ATLAS)
    assert [chart.key for chart in page.context["charts"]] == ["endings", "seats", "length", "takes", "any"]
    assert "&lt;b&gt;" in page.content.decode() and "<b>" not in page.content.decode()


@pytest.mark.parametrize("count", [Count("x" * 41, "a"), Count("x", "a", seat=7), Count("x", 3)])  # type: ignore[arg-type]
def test_what_can_t_be_stored_leaves_the_common_charts(
    goofspiel: Game, open_ladder: OpenLadder, monkeypatch: pytest.MonkeyPatch, count: Count
) -> None:
    monkeypatch.setattr(type(goofspiel), "count_event", lambda self, state, event: [count])
    ladder, entries = open_ladder("goofspiel", "short", bots=2)
    play_rated(ladder, entries, 1)
    assert count_legs(ladder=ladder) == 1
    assert {one.chart for one in fetch_cells(ladder)} == {"seats", "length", "endings"}


def test_a_game_that_is_gone_is_named(
    goofspiel: Game, open_ladder: OpenLadder, monkeypatch: pytest.MonkeyPatch
) -> None:
    ladder, entries = open_ladder("goofspiel", "short", bots=2)
    play_rated(ladder, entries, 1)
    monkeypatch.delitem(GAMES, "goofspiel")  # type: ignore[arg-type]
    assert count_legs(ladder=ladder) == 0
    for address in (ATLAS, f"/bots/{entries[0].version.bot.slug}/fingerprint/"):
        page = Client().get(address)
        assert page.status_code == 404 and "goofspiel" in page.content.decode().lower()
