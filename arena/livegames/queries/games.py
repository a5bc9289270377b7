"""Find live games, and what a person has played."""

from collections.abc import Iterable

from django.db.models import Count, Q, QuerySet

from arena.livegames.models import LiveGame, LiveSeat
from arena.livegames.players import Player


def find_live_game(slug: str) -> LiveGame | None:
    """Return the game with this address, or None."""
    return LiveGame.objects.filter(slug=slug).select_related("swapped_from", "swapped").first()


def is_live_deal_in_play(game: LiveGame) -> bool:
    """Return whether the same deal is being played with other seats."""
    return LiveGame.objects.open().filter(Q(swapped_from=game) | Q(swapped=game)).exists()


def find_seat_by_link(link: str) -> LiveSeat | None:
    """Return the free seat of a link, or None."""
    return LiveSeat.objects.filter(link=link).select_related("game").first()


def list_sample_games(player: Player) -> QuerySet[LiveGame]:
    """List the games of a person with all seats, newest first."""
    games = LiveGame.objects.filter(pk__in=LiveSeat.objects.filter(player.seats).values("game"))
    return games.defer("deal", "record").prefetch_related("seats__version__bot__owner", "seats__user")


def list_public_games() -> QuerySet[LiveGame]:
    """List the finished games that everybody may watch, newest first."""
    games = LiveGame.objects.filter(state=LiveGame.State.FINISHED, is_public=True).order_by("-finished_at")
    return games.defer("deal", "record").prefetch_related("seats__version__bot__owner", "seats__user")


def count_guest_games(player: Player) -> int:
    """Return how many games a user played as a guest and may keep."""
    if player.user is None or not player.guest:
        return 0
    return LiveSeat.objects.filter(guest=player.guest).count()


def count_results(player: Player, bots: Iterable[int]) -> dict[int, tuple[int, int, int]]:
    """Return by bot how many finished games of two a person won, drew and lost.

    The first play of a deal counts; games with hints are practice.
    """
    counted = LiveSeat.objects.filter(game__swapped_from=None, game__has_hints=False)
    own = counted.filter(player.seats, game__state=LiveGame.State.FINISHED)
    against = own.filter(game__seats__version__bot__in=list(bots)).values("game__seats__version__bot")
    rows = against.annotate(
        won=Count("pk", filter=Q(place=1, game__seats__place__gt=1)),
        drawn=Count("pk", filter=Q(place=1, game__seats__place=1)),
        lost=Count("pk", filter=Q(place__gt=1)),
    )
    return {row["game__seats__version__bot"]: (row["won"], row["drawn"], row["lost"]) for row in rows}
