"""Find what is news in what has happened. Everything here is idempotent: a second call finds nothing new."""

from collections.abc import Iterable
from datetime import timedelta

from django.utils.timezone import localtime, now

from arena.bots.models import BotVersion
from arena.following.models import News
from arena.following.services.places import gather_news_of_ladder
from arena.ladders.models import Ladder
from arena.stories.models import Story
from arena.stories.services import FIRST_HOUR_WITH_FINAL_STORIES
from arena.tournaments.models import Entrant, Tournament
from arena.tournaments.simulation import PODIUM_PLACES

Kind = News.Kind
LOOKBACK_DAYS = 2
"""What happened earlier is no news any more, as when an arena was off."""
SAME_NEWS_PERIOD = timedelta(days=1)
"""New versions of a bot within this time are one piece of news."""
STORY_KINDS = {
    Story.Kind.MATCH_OF_THE_DAY: Kind.MATCH_OF_THE_DAY,
    Story.Kind.UPSET: Kind.UPSET,
}


def gather_news() -> int:
    """Store all that is news since the last call, and return how many pieces of news that is."""
    found = [*_find_news_of_versions(), *_find_titles(), *_find_news_of_seasons(), *_find_stories()]
    known = set(News.objects.filter(about__in=[one.about for one in found]).values_list("kind", "about"))
    fresh = [one for one in found if (one.kind, one.about) not in known]
    News.objects.bulk_create(fresh, ignore_conflicts=True)
    return len(fresh) + sum(gather_news_of_ladder(ladder) for ladder in Ladder.objects.public().open().defer("secret"))


def _find_news_of_versions() -> list[News]:
    """Return news of the newest accepted version of each bot, and of each bot that has none from before."""
    since = now() - timedelta(days=LOOKBACK_DAYS)
    accepted = BotVersion.objects.accepted()
    recent = accepted.filter(trials__match__finished_at__gte=since).order_by("number").only("bot", "number")
    newest = {version.bot_id: version for version in recent}
    if not newest:
        return []
    versions = News.objects.filter(kind=Kind.VERSION, bot__in=newest, happened_at__gt=now() - SAME_NEWS_PERIOD)
    told = set(versions.values_list("bot", flat=True))
    known = set(News.objects.filter(kind=Kind.NEW_BOT, bot__in=newest).values_list("bot", flat=True))
    earlier = accepted.filter(bot__in=newest).exclude(trials__match__finished_at__gte=since)
    known |= set(earlier.values_list("bot", flat=True))
    return [
        News(kind=kind, about=f"version {version.pk}", bot_id=bot, facts={"version": version.number})
        for kind, left_out in ((Kind.NEW_BOT, known), (Kind.VERSION, told))
        for bot, version in newest.items()
        if bot not in left_out
    ]


def _find_titles() -> list[News]:
    """Return news of the first three of each tournament that has finished, as a bot's page shows them as titles."""
    since = now() - timedelta(days=LOOKBACK_DAYS)
    finished = Tournament.objects.filter(state=Tournament.State.FINISHED, finished_at__gte=since)
    placed = Entrant.objects.filter(tournament__in=finished, place__lte=PODIUM_PLACES).order_by("place", "pk")
    return [
        News(
            kind=Kind.TITLE,
            about=f"entrant {entrant.pk}",
            bot_id=entrant.bot_id,
            tournament_id=entrant.tournament_id,
            facts={"place": entrant.place},
        )
        for entrant in placed
    ]


def _find_news_of_seasons() -> list[News]:
    """Return news of each season that has ended, with which the next has begun."""
    since = now() - timedelta(days=LOOKBACK_DAYS)
    ended = Ladder.objects.public().filter(closed_at__gte=since).values_list("pk", flat=True)
    return [News(kind=Kind.SEASON, about=f"season {pk}", ladder_id=pk) for pk in ended]


def _find_stories() -> Iterable[News]:
    """Yield news of the stories of days whose stories won't be chosen anew."""
    moment = localtime()
    last = moment.date() - timedelta(days=1 if moment.hour >= FIRST_HOUR_WITH_FINAL_STORIES else 2)
    stories = Story.objects.filter(
        kind__in=STORY_KINDS, day__lte=last, day__gte=moment.date() - timedelta(days=LOOKBACK_DAYS)
    )
    for story in stories.select_related("first__version", "second__version").order_by("day", "pk"):
        yield News(
            kind=STORY_KINDS[Story.Kind(story.kind)],
            about=f"match {story.match_id}",
            bot_id=story.first.version.bot_id,
            other_id=story.second.version.bot_id if story.second else None,
            ladder_id=story.first.ladder_id,
            match_id=story.match_id,
            facts={"leg": story.leg, "points": story.facts["points"], "chance": story.facts["chance"]},
        )
