"""What is looked up of bots again and again."""

from django.db.models import QuerySet

from arena.baked import baked
from arena.bots.models import Bot


@baked
def ask_bot(slug: str) -> QuerySet[Bot]:
    """With its owner."""
    return Bot.objects.filter(slug=slug).select_related("owner")
