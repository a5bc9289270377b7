"""News as messages, and the pages they lead to."""

from collections.abc import Callable

from django.urls import reverse

from arena.bots.models import Bot
from arena.following.models import BotPlace, News
from arena.ladders.models import Ladder
from arena.ladders.queries.titles import find_game_title
from arena.tournaments.services.playing import format_ordinal
from engine.message import Message, gettext_noop, join_messages, literal, message

Kind = News.Kind
Level = BotPlace.Level
LEADS = gettext_noop("%(bot)s has taken first place on the ladder %(ladder)s.")
PLACE_TEMPLATES = {
    (Level.BELOW, Level.FIRST): LEADS,
    (Level.TOP, Level.FIRST): LEADS,
    (Level.BELOW, Level.TOP): gettext_noop("%(bot)s has entered the top three of the ladder %(ladder)s."),
    (Level.FIRST, Level.TOP): gettext_noop(
        "%(bot)s has lost first place on the ladder %(ladder)s, and is still among the top three."
    ),
    (Level.FIRST, Level.BELOW): gettext_noop(
        "%(bot)s has lost first place on the ladder %(ladder)s, and left the top three."
    ),
    (Level.TOP, Level.BELOW): gettext_noop("%(bot)s has left the top three of the ladder %(ladder)s."),
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


def name_ladder(ladder: Ladder | None) -> Message:
    """Return the title of a ladder, its edition to be translated; games keep their names."""
    game, _comma, edition = ladder.title.partition(", ") if ladder else ("", "", "")
    return join_messages(literal(game), Message(edition) if edition else None, separator=", ")


def _name_bot(bot: Bot | None) -> str:
    return bot.name if bot else ""


def _describe_new_bot(news: News) -> Message:
    assert news.bot is not None
    author, game = news.bot.owner.username, find_game_title(news.bot.game)
    return message(
        gettext_noop("%(author)s has a new bot: %(bot)s (%(game)s)."), author=author, bot=news.bot.name, game=game
    )


def _describe_version(news: News) -> Message:
    template = gettext_noop("A new version of %(bot)s was accepted: version %(number)s.")
    return message(template, bot=_name_bot(news.bot), number=news.facts["version"])


def _describe_place(news: News) -> Message:
    template = PLACE_TEMPLATES[Level(news.facts["before"]), Level(news.facts["after"])]
    return message(template, bot=_name_bot(news.bot), ladder=name_ladder(news.ladder))


def _describe_leader(news: News) -> Message:
    return message(LEADS, bot=_name_bot(news.bot), ladder=name_ladder(news.ladder))


def _describe_title(news: News) -> Message:
    place, title = news.facts["place"], news.tournament.title if news.tournament else ""
    if place == 1:
        return message(gettext_noop("%(bot)s has won %(tournament)s."), bot=_name_bot(news.bot), tournament=title)
    template = gettext_noop("%(tournament)s is over: %(bot)s finished %(place)s.")
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
        "The biggest upset of the day: %(bot)s beat %(other)s, though the ratings gave it a chance of %(percent)s%%."
    )
    percent = max(1, round(100 * news.facts["chance"]))
    return message(template, bot=_name_bot(news.bot), other=_name_bot(news.other), percent=percent)


def _describe_season(news: News) -> Message:
    ended = news.ladder.season if news.ladder else 0
    template = gettext_noop("Season %(ended)s of the ladder %(ladder)s has ended, and season %(begun)s has begun.")
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
