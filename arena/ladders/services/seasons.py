"""Seasons: how one opens, what its deals come from, and what anyone may check of them."""

from django.db import transaction

from arena.ladders.models import Ladder, new_secret
from engine.core import Json
from engine.registry import find_game
from engine.season import Season, commitment


@transaction.atomic
def open_season(*, game: str, edition: str, title: str) -> Ladder:
    """The season that runs of an edition; the next one where none does. Its secret is committed to from the start."""
    seasons = Ladder.objects.filter(game=game, edition=edition)
    if running := seasons.open().first():
        return running
    last = seasons.order_by("season").last()
    secret = new_secret()
    return Ladder.objects.create(
        game=game,
        edition=edition,
        season=last.season + 1 if last else 1,
        title=title,
        secret=secret,
        commitment=commitment(secret),
    )


def deal_for(ladder: Ladder, number: int, seats: int) -> tuple[Json, list[str]]:
    """Deal and salts, one a leg, of the match with this number."""
    season = _season(ladder)
    game = find_game(ladder.game)
    return season.deal(game, game.options(ladder.edition), seats, number), season.salts(seats, number)


def _season(ladder: Ladder) -> Season:
    return Season(ladder.secret, ladder.game, ladder.edition, ladder.season)
