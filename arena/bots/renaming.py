"""Give a bot another name."""

from django.db import transaction

from arena.bots.crests import choose_crest_difference, find_crest
from arena.bots.models import Bot


@transaction.atomic
def rename_bot(*, bot: Bot, name: str, slug: str = "") -> None:
    """Give a bot another name, by which it has another address and perhaps another crest; the slug must be free.

    Without a slug the name is one.
    """
    slug = slug or name
    others = Bot.objects.filter(game=bot.game).exclude(pk=bot.pk).values_list("slug", "crest_difference")
    bot.name, bot.slug = name, slug
    bot.crest_difference = choose_crest_difference(slug, {find_crest(*other) for other in others})
    bot.save(update_fields=["name", "slug", "crest_difference"])
