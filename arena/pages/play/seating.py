"""Say who sits at a table, as its page shows them."""

from collections.abc import Mapping, Sequence

from django.utils.translation import gettext as _

from arena.ladders.queries.entries import fetch_ratings_of_versions
from arena.livegames.models import LiveGame, LiveSeat
from arena.pages.play.table import Player


def describe_players(game: LiveGame, seats: Sequence[LiveSeat], own_seat: int | None) -> list[Player]:
    """Return the players by seat; the reader's own name stays, so that others read the same of it."""
    versions = [seat.version_id for seat in seats if seat.version_id is not None]
    ratings = fetch_ratings_of_versions(versions, game.game, game.edition)
    return [describe_player(seat, ratings, is_own=seat.seat == own_seat) for seat in seats]


def describe_player(seat: LiveSeat, ratings: Mapping[int, float], *, is_own: bool) -> Player:
    """Return who sits at one seat."""
    version = seat.version
    if version is None:
        return Player(name=name_person(seat, is_own=is_own))
    rating = ratings.get(version.pk)
    note = _("version %(number)s") % {"number": version.number}
    return Player(
        name=version.bot.name,
        is_bot=True,
        rating=None if rating is None else round(rating),
        note=_("house bot") if version.bot.owner.is_house else note,
        bot=version.bot,
        url=version.bot.get_absolute_url(),
    )


def name_person(seat: LiveSeat, *, is_own: bool) -> str:
    """Return the name of a person at a seat, who may have none."""
    if seat.user is not None:
        return seat.user.username
    return _("You") if is_own else _("Guest")
