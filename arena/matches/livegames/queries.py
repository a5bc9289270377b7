"""Find live games, their hints and opponents, and what operators watch."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

import orjson
from django.db.models import Count, Min, OuterRef, Q, QuerySet, Subquery

from arena.bots.models import Bot, BotVersion
from arena.matches.livegames.models import LiveGame, LiveHint, LiveSeat
from arena.matches.livegames.position import LivePlayer
from engine.core import Json
from engine.registry import GAMES

# Find live games, and what a person has played.


def find_live_game(slug: str) -> LiveGame | None:
    """Return the game with this address, or None."""
    return LiveGame.objects.of_people().filter(slug=slug).select_related("swapped_from", "swapped").first()


OTHER_PLAYS_OF_DEAL = """
    WITH RECURSIVE play (id, earlier) AS (
        SELECT id, swapped_from_id FROM livegames_livegame WHERE id = %s
        UNION
        SELECT game.id, game.swapped_from_id FROM livegames_livegame game
        JOIN play ON game.swapped_from_id = play.id OR game.id = play.earlier
    )
    SELECT id FROM play WHERE id <> %s
"""
"""All games with the deal of one of them: seats can be swapped again after each."""


def is_live_deal_in_play(game: LiveGame) -> bool:
    """Return whether the same deal is being played with swapped seats, so that nobody may see this game's cards."""
    others = LiveGame.objects.raw(OTHER_PLAYS_OF_DEAL, [game.pk, game.pk])
    return LiveGame.objects.open().filter(pk__in=[other.pk for other in others]).exists()


def find_seat_by_link(link: str) -> LiveSeat | None:
    """Return the free seat of a link, or None."""
    return LiveSeat.objects.filter(link=link).select_related("game").first()


def list_sample_games(player: LivePlayer) -> QuerySet[LiveGame]:
    """List the games of a person with all seats, newest first."""
    games = LiveGame.objects.filter(pk__in=LiveSeat.objects.filter(player.seats).values("game"))
    return games.defer("deal", "record").prefetch_related("seats__version__bot__owner", "seats__user")


def list_running_games(player: LivePlayer) -> list[tuple[LiveGame, LiveSeat]]:
    """List the games that a person plays now with their own seat: own turns first, last played first."""
    own = LiveSeat.objects.filter(player.seats, game__state=LiveGame.State.PLAYING).select_related("game")
    games = [(seat.game, seat) for seat in own.defer("game__deal", "draft").order_by("-game__decided_at", "-game")]
    return sorted(games, key=lambda one: one[0].seat_to_act != one[1].seat)


def list_games_in_bar(player: LivePlayer) -> list[tuple[LiveGame, LiveSeat]]:
    """List the games that a person plays, and those whose end they have not seen, the one to be told of first.

    That is one in which the turn is theirs, then one that has ended, then one in which they wait.
    """
    shown = Q(game__state=LiveGame.State.PLAYING) | Q(unseen_end=True)
    own = LiveSeat.objects.filter(player.seats, shown).select_related("game")
    own = own.defer("game__deal", "game__record", "draft").order_by("-game__decided_at", "-game")
    games = [(seat.game, seat) for seat in own]
    return sorted(games, key=lambda one: (one[0].seat_to_act != one[1].seat, not one[0].is_over))


def list_public_live_games() -> QuerySet[LiveGame]:
    """List the finished games that everybody may watch, newest first."""
    games = LiveGame.objects.of_people().filter(state=LiveGame.State.FINISHED, is_public=True)
    games = games.order_by("-finished_at")
    return games.defer("deal", "record").prefetch_related("seats__version__bot__owner", "seats__user")


def count_guest_games(player: LivePlayer) -> int:
    """Return how many games a user played as a guest and may keep."""
    if player.user is None or not player.guest:
        return 0
    return LiveSeat.objects.filter(guest=player.guest).count()


def count_results(player: LivePlayer, bots: Iterable[int]) -> dict[int, tuple[int, int, int]]:
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


# Find the hint that a person sees.


def hash_position(number: int, draft: Sequence[Json]) -> str:
    """Return the hash of a decision: how many are stored, and the steps after these."""
    return hashlib.sha256(orjson.dumps([number, [step["action"] for step in draft]])).hexdigest()


def find_hint_asked(game: LiveGame, own: LiveSeat | None) -> LiveHint | None:
    """Return the hint that a person has asked for at the decision that the seat is to make now; None without one."""
    if own is None or not game.has_hints or game.seat_to_act != own.seat:
        return None
    return game.hints.filter(position=hash_position(game.decisions, own.draft)).first()


# Figures of live games for operators.


@dataclass(frozen=True, slots=True)
class LiveFigures:
    """How many live games are played, how many of them wait for a bot, and since when the longest does."""

    playing: int
    waiting_for_bot: int
    oldest: datetime | None


def fetch_live_figures() -> LiveFigures:
    """Return the figures of this moment."""
    waits = Q(bot_to_act__isnull=False)
    found = (
        LiveGame.objects.of_people()
        .playing()
        .aggregate(
            playing=Count("pk"), waiting_for_bot=Count("pk", filter=waits), oldest=Min("decided_at", filter=waits)
        )
    )
    return LiveFigures(**found)


# Find the bots that a person may play against.


def list_playable_versions(player: LivePlayer, game: str) -> QuerySet[BotVersion]:
    """List the accepted versions of the bots that this person may play: the house's, those offered, their own."""
    may_play = Q(owner__is_house=True) | Q(played_by=Bot.PlayedBy.EVERYBODY)
    if player.user is not None:
        may_play |= Q(pk__in=Bot.objects.of_authors([player.user]), played_by=Bot.PlayedBy.OWNER)
    # Live games have addresses that are passed on: a bot for a group only plays none.
    bots = Bot.objects.visible_to(None).filter(may_play, game=game, owner__suspended_at=None, stopped_at=None)
    return BotVersion.objects.accepted().filter(source__isnull=False, bot__in=bots)


def list_opponents(player: LivePlayer, game: str) -> QuerySet[BotVersion]:
    """List the newest version of each bot that this person may play, by the names of the bots."""
    accepted = BotVersion.objects.accepted().filter(source__isnull=False)
    newest = accepted.filter(bot=OuterRef("bot")).order_by("-number").values("number")[:1]
    chosen = list_playable_versions(player, game).filter(number=Subquery(newest))
    return chosen.select_related("bot__owner").defer("build_log").order_by("bot__name")


def find_opponent(player: LivePlayer, bot: Bot) -> BotVersion | None:
    """Return the version of a bot that this person may play; None where there is none."""
    return list_opponents(player, bot.game).filter(bot=bot).first() if bot.game in GAMES else None
