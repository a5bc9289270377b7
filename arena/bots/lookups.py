"""What is looked up of bots again and again."""

from collections.abc import Sequence

from django.db.models import OuterRef, QuerySet, Subquery

from arena.baked import baked
from arena.bots.models import Bot, BotVersion


@baked
def ask_bot(slug: str) -> QuerySet[Bot]:
    """With its owner."""
    return Bot.objects.filter(slug=slug).select_related("owner")


@baked
def ask_newest(bots: Sequence[int]) -> QuerySet[BotVersion]:
    """The newest version of each: number, state, language."""
    newest = BotVersion.objects.filter(bot=OuterRef("bot")).order_by("-number").values("number")[:1]
    versions = BotVersion.objects.filter(bot__in=bots, number=Subquery(newest)).order_by()
    return versions.only("bot", "number", "state", "language")
