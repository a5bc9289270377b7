"""Pages name and count the games from the list."""

import pytest
from django.test import Client

from arena.pages.rules import build_game_name_context
from engine.packages import load_package
from engine.registry import BUILT_IN_GAMES, GAMES


def test_all_games_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(GAMES, "goofspiel", raising=False)
    titles = [game.title for game in GAMES.values()]
    assert build_game_name_context()["any_game"] == f"{', '.join(titles[:-1])} or {titles[-1]}"
    game = load_package("goofspiel").game
    monkeypatch.setitem(GAMES, game.key, game)
    more = build_game_name_context()
    assert more["all_games"] == f"{', '.join(game.title for game in [*GAMES.values()][:-1])} and Goofspiel"
    assert "Goofspiel" not in more["starter_games"] and more["game_count"] >= len(BUILT_IN_GAMES)


@pytest.mark.django_db
def test_a_chosen_game_offers_its_own_editions() -> None:
    form = Client().get("/matches/?game=battalion").context["form"]
    assert [key for key, _ in form.fields["edition"].widget.choices] == ["", "standard"]
    every = Client().get("/matches/").context["form"]
    assert len(list(every.fields["edition"].widget.choices)) > 7
