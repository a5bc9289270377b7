"""Which versions play on which ladders."""

from django.db import transaction

from arena.bots.models import BotVersion
from arena.ladders.models import Entry, Ladder
from arena.ladders.rating.elo import FIRST
from arena.matches.models import Match


@transaction.atomic
def enter(*, ladder: Ladder, version: BotVersion) -> Entry | None:
    """Put an accepted version on a ladder, once. It takes over from the bot's older one and starts at its rating.

    None where a newer version of the bot is there already.
    """
    Ladder.objects.select_for_update().get(pk=ladder.pk)
    of_bot = Entry.objects.filter(ladder=ladder, version__bot_id=version.bot_id).order_by("-version__number")
    latest = of_bot.select_related("version").first()
    if latest is not None and latest.version.number >= version.number:
        return latest if latest.version_id == version.pk else None
    start = latest.rating if latest else FIRST
    of_bot.update(state=Entry.State.RETIRED)
    return Entry.objects.create(ladder=ladder, version=version, parent=latest, first_rating=start, rating=start)


def enter_accepted(*, match: Match) -> None:
    """Put the version whose trial this match was on the ladders of its game, if it was accepted."""
    version = BotVersion.objects.accepted().filter(trials__match=match).select_related("bot").first()
    if version is not None:
        for ladder in Ladder.objects.open().filter(game=version.bot.game):
            enter(ladder=ladder, version=version)
