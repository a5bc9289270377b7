"""Find the bots that a person may play against."""

from django.db.models import OuterRef, Q, QuerySet, Subquery

from arena.bots.models import Bot, BotVersion
from arena.livegames.players import Player
from engine.registry import GAMES


def list_playable_versions(player: Player, game: str) -> QuerySet[BotVersion]:
    """List the accepted versions of the bots that this person may play: the house's, those offered, their own."""
    may_play = Q(owner__is_house=True) | Q(played_by=Bot.PlayedBy.EVERYBODY)
    if player.user is not None:
        may_play |= Q(pk__in=Bot.objects.of_authors([player.user]), played_by=Bot.PlayedBy.OWNER)
    # Live games have addresses that are passed on: a bot for a group only plays none.
    bots = Bot.objects.visible_to(None).filter(may_play, game=game, owner__suspended_at=None, stopped_at=None)
    return BotVersion.objects.accepted().filter(source__isnull=False, bot__in=bots)


def list_opponents(player: Player, game: str) -> QuerySet[BotVersion]:
    """List the newest version of each bot that this person may play, by the names of the bots."""
    accepted = BotVersion.objects.accepted().filter(source__isnull=False)
    newest = accepted.filter(bot=OuterRef("bot")).order_by("-number").values("number")[:1]
    chosen = list_playable_versions(player, game).filter(number=Subquery(newest))
    return chosen.select_related("bot__owner").defer("build_log").order_by("bot__name")


def find_opponent(player: Player, bot: Bot) -> BotVersion | None:
    """Return the version of a bot that this person may play; None where there is none."""
    return list_opponents(player, bot.game).filter(bot=bot).first() if bot.game in GAMES else None
