"""Titles of games and editions. Those of a game that is not installed now are kept in the titles of its ladders."""

from collections.abc import Mapping
from functools import lru_cache

from arena.ladders.models import Ladder
from arena.matches.variants import HasRules, name_variant
from engine.message import Message, literal
from engine.registry import GAMES


def find_game_title(key: str) -> str:
    """Return the title of a game, or its key where it is not installed and never had a ladder."""
    if key in GAMES:
        return GAMES[key].title
    titles = [game for game, _edition in _find_kept_titles(key).values()]
    return titles[0] if titles else key


def find_variant_name(played: HasRules) -> Message:
    """Return the edition and the changed options by which something is played; of a game that is gone the edition."""
    if played.game in GAMES:
        return name_variant(played)
    _game, edition = _find_kept_titles(played.game).get(played.edition, ("", ""))
    return literal(edition or played.edition)


def _find_kept_titles(game: str) -> Mapping[str, tuple[str, str]]:
    try:
        return _read_kept_titles(game)
    except Ladder.DoesNotExist:
        return {}


@lru_cache(maxsize=256)
def _read_kept_titles(game: str) -> Mapping[str, tuple[str, str]]:
    """Return the titles of game and edition by edition. Raises Ladder.DoesNotExist, so that only titles are cached."""
    titles = dict(Ladder.objects.public().filter(game=game).order_by("season").values_list("edition", "title"))
    if not titles:
        raise Ladder.DoesNotExist
    parts = {edition: title.partition(", ") for edition, title in titles.items()}
    return {edition: (name, edition_title) for edition, (name, _comma, edition_title) in parts.items()}
