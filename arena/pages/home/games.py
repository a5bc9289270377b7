"""The games in sentences of the front page and the first steps."""

from collections.abc import Iterable
from typing import Any

from django.utils.translation import gettext as _

from arena.pages.formatting import join_words
from arena.pages.games import has_rules
from engine.core import Game
from engine.registry import BUILT_IN_GAMES, GAMES


def build_game_name_context() -> dict[str, Any]:
    """Return template values: the titles of this arena's games, those with sample bots, and the number of games."""
    return {
        "any_game": join_words(list_titles(GAMES.values()), _("%(first)s or %(last)s")),
        "all_games": join_words(list_titles(GAMES.values()), _("%(first)s and %(last)s")),
        "starter_games": join_words(list_titles(BUILT_IN_GAMES.values()), _("%(first)s and %(last)s")),
        "game_count": sum(map(has_rules, GAMES)),
    }


def list_titles(games: Iterable[Game]) -> list[str]:
    """Return the titles of games, which are the same in every language."""
    return [game.title for game in games]
