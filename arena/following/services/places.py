"""Find who took, lost or reached first place and the top three of a ladder.

What followers were last told is compared with how things are, at most once a day for each bot and each ladder: a place
that changes hands all day is one piece of news, and in the end everybody has been told the truth.
"""

from collections.abc import Mapping
from datetime import timedelta

from django.db import transaction
from django.utils.timezone import localdate, now

from arena.following.models import BotPlace, LadderTop, News
from arena.ladders.models import Entry, Ladder

Level = BotPlace.Level
TOP_PLACES = 3
SAME_NEWS_PERIOD = timedelta(days=1)


@transaction.atomic
def gather_news_of_ladder(ladder: Ladder) -> int:
    """Store news of a ladder's leader and of the bots at its top, and return their number.

    The first look at a ladder is no news.
    """
    top, is_new = LadderTop.objects.get_or_create(ladder=ladder)
    top = LadderTop.objects.select_for_update().get(pk=top.pk)
    levels = fetch_levels(ladder)
    if is_new:
        top.leader_id = next(iter(levels), None)
        top.save()
        BotPlace.objects.bulk_create(BotPlace(ladder=ladder, bot_id=bot, level=level) for bot, level in levels.items())
        return 0
    return _store_news_of_places(ladder, levels) + _store_news_of_leader(top, next(iter(levels), None))


def fetch_levels(ladder: Ladder) -> dict[int, BotPlace.Level]:
    """Return the level of each of the first three bots with a rank, by their keys, the leader first."""
    ranked = Entry.objects.placed(ladder.pk, ladder.idle_before).filter(is_ranked=True)
    bots = ranked.values_list("version__bot", flat=True)[:TOP_PLACES]
    return {bot: Level.TOP if number else Level.FIRST for number, bot in enumerate(bots)}


def _store_news_of_places(ladder: Ladder, levels: Mapping[int, BotPlace.Level]) -> int:
    count, recently = 0, now() - SAME_NEWS_PERIOD
    BotPlace.objects.filter(ladder=ladder, level=Level.BELOW, told_at__lt=recently).delete()
    known = {place.bot_id: place for place in BotPlace.objects.filter(ladder=ladder)}
    for bot in {**levels, **known}:
        place = known.get(bot) or BotPlace(ladder=ladder, bot_id=bot, level=Level.BELOW)
        level = levels.get(bot, Level.BELOW)
        if level == place.level or (place.told_at and place.told_at > recently) or _is_settling(ladder, bot, level):
            continue
        News.objects.create(
            kind=News.Kind.PLACE,
            about=_build_subject(ladder, bot, "first" if level == Level.FIRST else "place"),
            bot_id=bot,
            ladder=ladder,
            facts={"before": int(place.level), "after": int(level)},
        )
        place.level, place.told_at = level, now()
        place.save()
        count += 1
    return count


def _store_news_of_leader(top: LadderTop, leader: int | None) -> int:
    if leader in (None, top.leader_id) or (top.told_at and top.told_at > now() - SAME_NEWS_PERIOD):
        return 0
    top.leader_id, top.told_at = leader, now()
    top.save()
    about = _build_subject(top.ladder, leader, "first")
    News.objects.create(kind=News.Kind.LEADER, about=about, bot_id=leader, ladder=top.ladder)
    return 1


def _is_settling(ladder: Ladder, bot: int, level: BotPlace.Level) -> bool:
    """Return whether a bot has no rank only since a new version of it plays: that is no news of its place."""
    unranked = Entry.objects.active().filter(ladder=ladder, version__bot=bot, is_ranked=False)
    return level == Level.BELOW and unranked.exists()


def _build_subject(ladder: Ladder, bot: int | None, what: str) -> str:
    """Return the subject of news of today: who follows both the bot and the ladder is told once of a new leader."""
    return f"{what} {ladder.pk} {bot} {localdate()}"
