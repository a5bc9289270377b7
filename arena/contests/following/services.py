"""Follow bots, authors and ladders, gather their news, and tell followers on the site and by mail."""

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, time, timedelta, tzinfo
from smtplib import SMTPException

from django.conf import settings
from django.core.mail import EmailMessage
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.timezone import get_default_timezone, localdate, localtime, make_aware, now
from django.utils.translation import override

from arena.bots.models import REMOTE_LANGUAGE, Bot, BotVersion, TeamMember
from arena.contests.following.models import DIGEST_TIMINGS, BotPlace, Follow, LadderTop, News, NewsPreference, Timing
from arena.contests.ladders.models import TITLE_ENDINGS, Entry, Ladder
from arena.contests.ladders.queries import find_game_title
from arena.contests.stories.models import Story
from arena.contests.stories.services import FIRST_HOUR_WITH_FINAL_STORIES
from arena.contests.tournaments.models import Entrant, Tournament
from arena.contests.tournaments.queries import listed_for
from arena.contests.tournaments.services.playing import format_ordinal
from arena.contests.tournaments.simulation import PODIUM_PLACES
from arena.core.errors import ArenaError, Conflict
from arena.core.messages import render_message
from arena.matches.models import Match
from arena.people.accounts.models import User
from arena.people.accounts.names import find_confirmed_address, list_authors
from arena.people.accounts.services import find_time_zone
from arena.people.notices.models import Event
from arena.people.notices.services import notify_user
from engine.message import Message, gettext_noop, join_messages, literal, message

# News as messages, and the pages they lead to.

Kind = News.Kind
Level = BotPlace.Level
LEADS = gettext_noop("%(bot)s took first place on the %(ladder)s ladder.")
PLACE_TEMPLATES = {
    (Level.BELOW, Level.FIRST): LEADS,
    (Level.TOP, Level.FIRST): LEADS,
    (Level.BELOW, Level.TOP): gettext_noop("%(bot)s entered the top three on the %(ladder)s ladder."),
    (Level.FIRST, Level.TOP): gettext_noop(
        "%(bot)s lost first place on the %(ladder)s ladder but is still in the top three."
    ),
    (Level.FIRST, Level.BELOW): gettext_noop(
        "%(bot)s lost first place on the %(ladder)s ladder and dropped out of the top three."
    ),
    (Level.TOP, Level.BELOW): gettext_noop("%(bot)s dropped out of the top three on the %(ladder)s ladder."),
}
"""What is said of a bot's place, by its level before and after."""


def describe_news(news: News) -> Message:
    """Return the sentence of news whose related objects were read with it."""
    return DESCRIBERS[Kind(news.kind)](news)


def find_news_url(news: News) -> str:
    """Return the page that news leads to, from the root of the site."""
    if news.kind == Kind.VERSION and news.bot:
        return reverse("version", args=[news.bot.slug, news.facts["version"]])
    if news.match_id is not None:
        return f"{reverse('match', args=[news.match_id])}?leg={news.facts['leg']}"
    target = news.tournament or news.ladder or news.bot
    return target.get_absolute_url() if target else ""


OPEN_LADDER_NAMES = {"open": gettext_noop("%(edition)s, open"), "slow": gettext_noop("%(edition)s, slow open")}
"""An open ladder's edition and kind, by clock, as they stand between the game and "ladder" in sentences."""


def name_ladder(ladder: Ladder | None) -> Message:
    """Return what a ladder is called before the word "ladder", its edition to be translated; games keep their names."""
    if ladder is None:
        return literal("")
    game, _comma, title = ladder.title.removesuffix(TITLE_ENDINGS[ladder.clock]).partition(", ")
    edition = Message(title) if title else None
    if edition is not None and ladder.clock:
        edition = message(OPEN_LADDER_NAMES[ladder.clock], edition=edition)
    return join_messages(literal(game), edition, separator=", ")


def _name_bot(bot: Bot | None) -> str:
    return bot.name if bot else ""


def _describe_new_bot(news: News) -> Message:
    assert news.bot is not None
    author, game = news.bot.owner.username, find_game_title(news.bot.game)
    return message(
        gettext_noop("%(author)s has a new bot: %(bot)s (%(game)s)."), author=author, bot=news.bot.name, game=game
    )


def _describe_version(news: News) -> Message:
    template = gettext_noop("Version %(number)s of %(bot)s was accepted.")
    return message(template, bot=_name_bot(news.bot), number=news.facts["version"])


def _describe_place(news: News) -> Message:
    template = PLACE_TEMPLATES[Level(news.facts["before"]), Level(news.facts["after"])]
    return message(template, bot=_name_bot(news.bot), ladder=name_ladder(news.ladder))


def _describe_leader(news: News) -> Message:
    return message(LEADS, bot=_name_bot(news.bot), ladder=name_ladder(news.ladder))


def _describe_title(news: News) -> Message:
    place, title = news.facts["place"], news.tournament.title if news.tournament else ""
    if place == 1:
        return message(gettext_noop("%(bot)s won %(tournament)s."), bot=_name_bot(news.bot), tournament=title)
    template = gettext_noop("%(bot)s finished %(place)s in %(tournament)s.")
    return message(template, bot=_name_bot(news.bot), tournament=title, place=format_ordinal(place))


def _describe_match_of_the_day(news: News) -> Message:
    one, other = news.facts["points"]
    template = (
        gettext_noop("%(bot)s and %(other)s drew the match of the day.")
        if one == other
        else gettext_noop("%(bot)s won the match of the day against %(other)s.")
    )
    return message(template, bot=_name_bot(news.bot), other=_name_bot(news.other))


def _describe_upset(news: News) -> Message:
    template = gettext_noop(
        "Biggest upset of the day: %(bot)s beat %(other)s; the ratings gave it a %(percent)s%% chance."
    )
    percent = max(1, round(100 * news.facts["chance"]))
    return message(template, bot=_name_bot(news.bot), other=_name_bot(news.other), percent=percent)


def _describe_season(news: News) -> Message:
    ended = news.ladder.season if news.ladder else 0
    template = gettext_noop("Season %(ended)s of the %(ladder)s ladder has finished; season %(begun)s has started.")
    return message(template, ended=ended, begun=ended + 1, ladder=name_ladder(news.ladder))


DESCRIBERS: dict[News.Kind, Callable[[News], Message]] = {
    Kind.NEW_BOT: _describe_new_bot,
    Kind.VERSION: _describe_version,
    Kind.PLACE: _describe_place,
    Kind.LEADER: _describe_leader,
    Kind.TITLE: _describe_title,
    Kind.MATCH_OF_THE_DAY: _describe_match_of_the_day,
    Kind.UPSET: _describe_upset,
    Kind.SEASON: _describe_season,
}


# Find who took, lost or reached first place and the top three of a ladder.
#
# What followers were last told is compared with how things are, at most once a day for each bot and each ladder: a
# place that changes hands all day is one piece of news, and in the end everybody has been told the truth.

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
        top.leader_id = find_first(levels)
        top.save()
        BotPlace.objects.bulk_create(BotPlace(ladder=ladder, bot_id=bot, level=level) for bot, level in levels.items())
        return 0
    return _store_news_of_places(ladder, levels) + _store_news_of_leader(top, find_first(levels))


def fetch_levels(ladder: Ladder) -> dict[int, BotPlace.Level]:
    """Return the level of each of the first three bots of the list that has a place, by their keys."""
    listed = Entry.objects.by_rating(ladder.pk, ladder.idle_before)
    first = listed.values_list("version__bot", "is_ranked")[:TOP_PLACES]
    return {bot: Level.TOP if number else Level.FIRST for number, (bot, is_ranked) in enumerate(first) if is_ranked}


def find_first(levels: Mapping[int, BotPlace.Level]) -> int | None:
    """Return the key of the bot that leads, or None while the first bot of the list is provisional."""
    return next((bot for bot, level in levels.items() if level == Level.FIRST), None)


def _store_news_of_places(ladder: Ladder, levels: Mapping[int, BotPlace.Level]) -> int:
    count, recently = 0, now() - SAME_NEWS_PERIOD
    is_led = find_first(levels) is not None
    BotPlace.objects.filter(ladder=ladder, level=Level.BELOW, told_at__lt=recently).delete()
    known = {place.bot_id: place for place in BotPlace.objects.filter(ladder=ladder)}
    for bot in {**levels, **known}:
        place = known.get(bot) or BotPlace(ladder=ladder, bot_id=bot, level=Level.BELOW)
        level = levels.get(bot, Level.BELOW)
        if level == place.level or (place.told_at and place.told_at > recently) or _is_settling(ladder, bot, level):
            continue
        if not is_led and place.level == Level.FIRST:
            continue  # Whether the provisional bot above it really is better is not known yet.
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


# Find what is news in what has happened. Everything here is idempotent: a second call finds nothing new.

LOOKBACK_DAYS = 2
"""What happened earlier is no news any more, as when an arena was off."""
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
    running = Ladder.objects.followable().open().defer("secret")
    return len(fresh) + sum(gather_news_of_ladder(ladder) for ladder in running)


def _find_news_of_versions() -> list[News]:
    """Return news of the newest accepted version of each bot, and of each bot that has none from before."""
    since = now() - timedelta(days=LOOKBACK_DAYS)
    accepted = BotVersion.objects.accepted()
    lately = Q(trials__match__finished_at__gte=since) | Q(language=REMOTE_LANGUAGE, created_at__gte=since)
    recent = accepted.filter(lately).order_by("number").only("bot", "number")
    newest = {version.bot_id: version for version in recent}
    if not newest:
        return []
    versions = News.objects.filter(kind=Kind.VERSION, bot__in=newest, happened_at__gt=now() - SAME_NEWS_PERIOD)
    told = set(versions.values_list("bot", flat=True))
    known = set(News.objects.filter(kind=Kind.NEW_BOT, bot__in=newest).values_list("bot", flat=True))
    earlier = accepted.filter(bot__in=newest).exclude(lately)
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
    lately = Q(finished_at__gte=since) | Q(revealed_at__gte=since)
    finished = Tournament.objects.filter(lately, state=Tournament.State.FINISHED)
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
    ended = Ladder.objects.followable().filter(closed_at__gte=since).values_list("pk", flat=True)
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


# Find whom and what users follow.

Subject = Bot | User | Ladder
"""The kinds of things to follow. A ladder stands for all its seasons."""


def build_subject_lookup(subject: Subject) -> dict[str, object]:
    """Return the fields of a follow of a bot, an author or a ladder."""
    if isinstance(subject, Bot):
        return {"bot": subject}
    if isinstance(subject, User):
        return {"author": subject}
    return {"game": subject.game, "edition": subject.edition, "clock": subject.clock}


def find_follow(user: User, subject: Subject) -> Follow | None:
    """Return the follow of this user, or None."""
    return Follow.objects.filter(user=user, **build_subject_lookup(subject)).first()


def list_follows(user: User) -> QuerySet[Follow]:
    """List what a user follows and may see, newest first, with bots and authors."""
    seen = Q(bot=None) | Q(bot__in=Bot.objects.visible_to(user))
    seen &= Q(author=None) | Q(author__in=list_authors())
    return Follow.objects.filter(seen, user=user).select_related("bot__owner", "author")


def attach_ladders(follows: Iterable[Follow]) -> None:
    """Set `ladder` of these follows: the latest season of each ladder; None for bots and authors."""
    latest: dict[tuple[str, str, str], Ladder] = {}
    ladders = [one.ladder_key for one in follows if one.game]
    if ladders:
        seasons = Ladder.objects.followable().filter(_is_any_ladder(ladders)).defer("secret").order_by("season")
        latest = {(one.game, one.edition, one.clock): one for one in seasons}
    for follow in follows:
        follow.ladder = latest.get(follow.ladder_key)


def count_follows(user: User) -> int:
    """Count what a user follows."""
    return list_follows(user).count()


def list_followers_told_at_once(news: Sequence[News]) -> QuerySet[User]:
    """List the users who want to know at once, and follow any bot, author or ladder of these news."""
    bots = {key for one in news for key in (one.bot_id, one.other_id) if key}
    authors = {key for one in news if one.bot for key in one.bot.author_keys}
    concerned = Q(bot__in=bots) | Q(author__in=authors)
    concerned |= _is_any_ladder({(one.ladder.game, one.ladder.edition, one.ladder.clock) for one in news if one.ladder})
    followers = User.objects.filter(is_active=True, pk__in=Follow.objects.filter(concerned).values("user"))
    return followers.exclude(news_preference__timing__in=[one for one in Timing if one != Timing.AT_ONCE])


def _is_any_ladder(ladders: Iterable[tuple[str, str, str]]) -> Q:
    """Return the condition of rows with one of these games, editions and clocks; of no rows if there are none."""
    found = Q(pk__in=[])
    for game, edition, clock in ladders:
        found |= Q(game=game, edition=edition, clock=clock)
    return found


def find_preference(user: User) -> NewsPreference | None:
    """Return how a user chose to be told of news; None if it never chose."""
    return NewsPreference.objects.filter(user=user).first()


def wants_announcements_mailed(user: User) -> bool:
    """Return whether a user gets announcements by mail, too; users who never chose do."""
    preference = find_preference(user)
    return preference is None or preference.mails_announcements


def find_timing(user: User) -> Timing:
    """Return when a user is told of news."""
    preference = find_preference(user)
    return Timing(preference.timing) if preference else Timing.AT_ONCE


def find_preference_to_unsubscribe(key: str) -> NewsPreference | None:
    """Return the preference whose mails have this key in their link, or None."""
    return NewsPreference.objects.filter(unsubscribe_key=key).select_related("user").first()


# Find the news for a user: of what that user follows, and may see at this moment.

KINDS_OF_BOT = (Kind.VERSION, Kind.PLACE, Kind.TITLE, Kind.MATCH_OF_THE_DAY, Kind.UPSET)
KINDS_OF_AUTHOR = (Kind.NEW_BOT, Kind.TITLE)
KINDS_OF_LADDER = (Kind.LEADER, Kind.SEASON, Kind.MATCH_OF_THE_DAY)


def list_news_for(user: User) -> QuerySet[News]:
    """List the news since a user began to follow what they concern, with all that their sentences need.

    An author isn't told that an own version was accepted, of which there is a notice already.
    """
    followed = Follow.objects.filter(user=user, created_at__lte=OuterRef("happened_at"))
    of_bot = Exists(followed.filter(bot=OuterRef("bot"))) | Exists(followed.filter(bot=OuterRef("other")))
    of_author = Q(Exists(followed.filter(author=OuterRef("bot__owner"))))
    co_authors = TeamMember.objects.joined().filter(bot=OuterRef(OuterRef("bot")))
    of_author |= Q(Exists(followed.filter(author__in=co_authors.values("user"))))
    names = ("game", "edition", "clock")
    of_ladder = Exists(followed.filter(**{name: OuterRef(f"ladder__{name}") for name in names}))
    concerned = Q(kind__in=KINDS_OF_BOT) & Q(of_bot)
    concerned |= Q(kind__in=KINDS_OF_AUTHOR) & of_author
    concerned |= Q(kind__in=KINDS_OF_LADDER) & Q(of_ladder)
    is_own = Q(kind__in=[Kind.VERSION, Kind.NEW_BOT], bot__in=Bot.objects.of_authors([user]))
    found = News.objects.filter(concerned & ~is_own & _may_see(user))
    return found.select_related("bot__owner", "other", "ladder", "tournament").defer("ladder__secret")


def _may_see(user: User) -> Q:
    """Return the condition of news that tell of nothing that the user may not see."""
    bots = Bot.objects.visible_to(user)
    seen = Q(bot=None) | Q(bot__in=bots)
    seen &= Q(other=None) | Q(other__in=bots)
    seen &= Q(match=None) | Q(match__in=Match.objects.visible_to(user))
    return seen & (Q(tournament=None) | Q(tournament__in=listed_for(user)))


# Tell users of news on the site, as notices.

NEWS_BATCH_SIZE = 100


def tell_followers() -> int:
    """Leave notices of the news that nobody was told of yet, and return how many news these were.

    A call that ended early is made up for by the next: a notice of the same subject is not left twice.
    """
    batch = list(News.objects.filter(told_at=None).select_related("bot", "ladder")[:NEWS_BATCH_SIZE])
    if not batch:
        return 0
    keys = [one.pk for one in batch]
    for user in list_followers_told_at_once(batch).iterator():
        leave_notices(user=user, news=list_news_for(user).filter(pk__in=keys))
    return News.objects.filter(pk__in=keys).update(told_at=now())


def leave_notices(*, user: User, news: Iterable[News]) -> None:
    """Leave a notice of each subject of these news; further calls for the same subjects change nothing."""
    for one in news:
        notify_user(
            user=user, event=Event.FOLLOWED_NEWS, text=describe_news(one), url=find_news_url(one), about=one.about
        )


# Follow and unfollow, and choose how news arrive.

MAX_FOLLOWS_PER_USER = 500
DIGEST_HOUR = 7
"""Hour at which digests are due, in the time zone of who gets them."""
DAYS_OF_WEEK = 7


@transaction.atomic
def follow(*, user: User, subject: Subject) -> tuple[Follow, bool]:
    """Let a user follow a bot, an author or a ladder. Return the follow, and whether it is new.

    Raises ArenaError for oneself, Conflict if the user follows as many as anybody may.
    """
    if subject == user:
        raise ArenaError(message(gettext_noop("You can't follow yourself; follow your bots instead.")))
    User.objects.select_for_update().get(pk=user.pk)
    lookup = build_subject_lookup(subject)
    known = Follow.objects.filter(user=user, **lookup).first()
    if known is not None:
        return known, False
    if count_follows(user) >= MAX_FOLLOWS_PER_USER:
        problem = gettext_noop("You already follow %(most)s bots, authors and ladders, the maximum.")
        raise Conflict(message(problem, most=MAX_FOLLOWS_PER_USER))
    return Follow.objects.create(user=user, **lookup), True


def unfollow(*, user: User, subject: Subject) -> bool:
    """Let a user follow something no more. Return whether the user did."""
    deleted, _by_model = Follow.objects.filter(user=user, **build_subject_lookup(subject)).delete()
    return deleted > 0


@transaction.atomic
def choose_timing(*, user: User, timing: Timing, language: str, site: str) -> NewsPreference:
    """Choose when a user is told of news. `language` and `site`, the address of the front page, are for digests.

    What the earlier choice had not yet told is left among the notices, unless the user wants nothing any more.
    """
    NewsPreference.objects.get_or_create(user=user)
    preference = NewsPreference.objects.select_for_update().get(user=user)
    preference.language, preference.site = language, site
    if timing != preference.timing:
        _tell_what_waits(preference, timing)
        if preference.timing not in DIGEST_TIMINGS:
            preference.mailed_until = now()
        preference.timing = timing
        preference.next_digest_at = find_next_digest_time(timing, now(), find_time_zone(user))
    preference.save()
    return preference


def choose_announcements(*, user: User, mails: bool) -> None:
    """Choose whether a user gets announcements of groups and tournaments by mail, too."""
    NewsPreference.objects.update_or_create(user=user, defaults={"mails_announcements": mails})


def end_digests(*, preference: NewsPreference) -> None:
    """Send no digests any more: news are told on the site at once again. A second call changes nothing."""
    if preference.timing in DIGEST_TIMINGS:
        choose_timing(user=preference.user, timing=Timing.AT_ONCE, language=preference.language, site=preference.site)


def _tell_what_waits(preference: NewsPreference, timing: Timing) -> None:
    """Leave notices of the news that would be lost by the change to another timing."""
    news = list_news_for(preference.user)
    if preference.timing == Timing.AT_ONCE and timing in DIGEST_TIMINGS:
        leave_notices(user=preference.user, news=news.filter(told_at=None))
    elif preference.timing in DIGEST_TIMINGS and timing == Timing.AT_ONCE:
        leave_notices(user=preference.user, news=news.filter(happened_at__gt=preference.mailed_until))


def find_next_digest_time(timing: Timing | str, after: datetime, zone: tzinfo | None = None) -> datetime | None:
    """Return when the next digest is due: every day, or every Monday, at the hour of digests; None without them.

    The hour is that of the time zone, or of the arena's without one.
    """
    zone = zone or get_default_timezone()
    if timing not in DIGEST_TIMINGS:
        return None
    day = localtime(after, zone).date()
    if timing == Timing.WEEKLY:
        day += timedelta(days=-day.weekday() % DAYS_OF_WEEK)
    due = make_aware(datetime.combine(day, time(DIGEST_HOUR)), zone)
    if due > after:
        return due
    days = DAYS_OF_WEEK if timing == Timing.WEEKLY else 1
    return make_aware(datetime.combine(day + timedelta(days=days), time(DIGEST_HOUR)), zone)


# Send digests of news by mail.
#
# A digest is claimed for a time before it is sent, by an update that must change exactly one row. So one that a mail
# server refuses, or whose worker is killed in between, is sent later.

DIGEST_BATCH_SIZE = 500
MAX_NEWS_IN_DIGEST = 100
RETRY_DELAY = timedelta(hours=1)
"""Time for which a digest is claimed; one that wasn't sent until then is due again."""
NEWS_MIN_AGE = timedelta(minutes=5)
"""Later news wait for the next digest: a transaction that stores earlier ones may still be open."""
logger = logging.getLogger(__name__)


def send_due_digests() -> int:
    """Send the digests that are due, the longest due first, and return how many mails were sent."""
    due = NewsPreference.objects.filter(next_digest_at__lte=now(), timing__in=DIGEST_TIMINGS).order_by("next_digest_at")
    return sum(send_digest(preference=one) for one in due.select_related("user")[:DIGEST_BATCH_SIZE])


def send_digest(*, preference: NewsPreference) -> bool:
    """Send a digest that is due, once even if called twice at the same time. Return whether a mail was sent.

    None is sent without news, without a confirmed address, and to somebody who may not sign in.
    """
    until = max(now() - NEWS_MIN_AGE, preference.mailed_until)
    claimed_until = now() + RETRY_DELAY
    seen = {"pk": preference.pk, "timing": preference.timing, "next_digest_at": preference.next_digest_at}
    if NewsPreference.objects.filter(**seen).update(next_digest_at=claimed_until) != 1:
        return False  # another worker got there first, or the user has chosen otherwise
    user, address = preference.user, find_confirmed_address(preference.user)
    news = list_news_for(user).filter(happened_at__gt=preference.mailed_until, happened_at__lte=until)
    found = list_first_of_each_subject(news)
    is_wanted = bool(found) and address is not None and user.is_active
    if is_wanted and address is not None:
        try:
            build_digest(preference, found, address).send()
        except (OSError, SMTPException):
            logger.exception("The digest to the user %s could not be sent", user.pk)
            return False
    following_at = find_next_digest_time(preference.timing, now(), find_time_zone(user))
    claimed = NewsPreference.objects.filter(pk=preference.pk, next_digest_at=claimed_until)
    claimed.update(next_digest_at=following_at, mailed_until=until)
    return is_wanted


def list_first_of_each_subject(news: Iterable[News]) -> list[News]:
    """Return these news without those of a subject that others of them have."""
    found: dict[str, News] = {}
    for one in news:
        found.setdefault(one.about, one)
    return list(found.values())


def build_digest(preference: NewsPreference, news: list[News], address: str) -> EmailMessage:
    """Return the mail of these news, in the language and with the links of who gets it."""
    site = preference.site.rstrip("/")
    stop = f"{site}{reverse('stop_digests', args=[preference.unsubscribe_key])}"
    with override(preference.language or settings.LANGUAGE_CODE):
        context = {
            "user": preference.user,
            "timing": preference.timing,
            "news": [(render_message(describe_news(one)), f"{site}{find_news_url(one)}") for one in news],
            "shown": MAX_NEWS_IN_DIGEST,
            "more": max(len(news) - MAX_NEWS_IN_DIGEST, 0),
            "count": len(news),
            "following": f"{site}{reverse('following')}",
            "stop": stop,
        }
        subject = render_to_string("account/email/digest_subject.txt", context).strip()
        text = render_to_string("account/email/digest_message.txt", context).strip() + "\n"
    return EmailMessage(
        f"{settings.ACCOUNT_EMAIL_SUBJECT_PREFIX}{subject}",
        text,
        to=[address],
        headers={
            "Auto-Submitted": "auto-generated",
            "List-Unsubscribe": f"<{stop}>",
            "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
        },
    )
