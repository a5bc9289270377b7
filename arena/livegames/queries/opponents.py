"""Find the bots that a person may play against."""

from django.db.models import OuterRef, Q, QuerySet, Subquery

from arena.bots.models import Bot, BotVersion
from arena.livegames.players import Player


def list_opponents(player: Player, game: str) -> QuerySet[BotVersion]:
    """List the newest accepted version of each bot that this person may play: the house's, those offered, their own."""
    may_play = Q(owner__is_house=True) | Q(played_by=Bot.PlayedBy.EVERYBODY)
    if player.user is not None:
        may_play |= Q(owner=player.user, played_by=Bot.PlayedBy.OWNER)
    bots = Bot.objects.visible_to(player.user).filter(may_play, game=game, owner__suspended_at=None)
    accepted = BotVersion.objects.accepted().filter(source__isnull=False)
    newest = accepted.filter(bot=OuterRef("bot")).order_by("-number").values("number")[:1]
    chosen = accepted.filter(bot__in=bots, number=Subquery(newest))
    return chosen.select_related("bot__owner").defer("build_log").order_by("bot__name")
