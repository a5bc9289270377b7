"""The list of all bots as cards, with a search."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.timezone import localdate

from arena.accounts.models import User
from arena.bots.models import Bot
from arena.bots.queries.bots import is_game_known
from arena.bots.queries.search import fetch_listed_bots, search_bots
from arena.bots.services import MAX_BOT_NAME_LENGTH
from arena.ladders.models import Entry
from arena.ladders.queries.entries import list_active_entries
from arena.ladders.queries.ladders import fetch_leaders
from arena.ladders.queries.ratings import list_ratings_by_bot_and_ladder
from arena.ladders.queries.titles import find_game_title
from arena.pages.ladders.standings import RATING_TREND_PERIOD, Trend
from arena.pages.reader import reader_of
from arena.runner.languages import LANGUAGES
from arena.tournaments.queries.tournaments import count_titles
from engine.registry import GAMES

PAGE_SIZE = 24
MAX_ENTRIES_SHOWN = 3


@dataclass(frozen=True, slots=True)
class BotCard:
    """A bot in the list of bots."""

    bot: Bot
    entries: list[Entry]
    """What plays for it on running ladders, best first."""
    leads: list[Entry]
    """Those of its entries that have the first rank."""
    titles: int
    """Number of tournaments it has won."""
    trend: Trend | None
    """Of its best entry; None if it has played on one day only."""

    @property
    def shown_entries(self) -> list[Entry]:
        """Return the best of its entries."""
        return self.entries[:MAX_ENTRIES_SHOWN]

    @property
    def further_entries(self) -> int:
        """Return the number of entries that are not shown."""
        return len(self.entries) - len(self.shown_entries)


def index(request: HttpRequest) -> HttpResponse:
    """Show a page of the bots that match a search."""
    asked = {name: request.GET.get(name, "").strip() for name in ("q", "game", "language", "mine")}
    reader = reader_of(request)
    found = search_bots(
        reader,
        words=asked["q"][:MAX_BOT_NAME_LENGTH],
        game=asked["game"] if is_game_known(asked["game"]) else "",
        language=asked["language"] if asked["language"] in LANGUAGES else "",
        own=bool(asked["mine"]),
    )
    page = Paginator(found.values_list("pk", flat=True), PAGE_SIZE).get_page(request.GET.get("page"))
    context = {
        **asked,
        "page": page,
        "cards": list_bot_cards(reader, list(page.object_list)),
        "games": list_game_titles(asked["game"]),
        "languages": list(LANGUAGES.values()),
        "is_filtered": any(asked[name] for name in ("q", "game", "language")),
    }
    return render(request, "bots/index.html", context)


def list_game_titles(asked: str) -> list[tuple[str, str]]:
    """Return keys and titles of the installed games, and of the one that is asked for if it had bots before."""
    keys = [*GAMES, asked] if asked not in GAMES and is_game_known(asked) else list(GAMES)
    return [(key, find_game_title(key)) for key in keys]


def list_bot_cards(reader: User | None, keys: Sequence[int]) -> list[BotCard]:
    """Return the cards of the bots with these keys, in this order."""
    playing: dict[int, list[Entry]] = {}
    for entry in list_active_entries(reader, keys):
        playing.setdefault(entry.version.bot_id, []).append(entry)
    leaders = fetch_leaders(list({entry.ladder_id for entries in playing.values() for entry in entries}))
    first = {entry.pk for entry in leaders.values()}
    titles, trends = count_titles(keys), find_trends(playing)
    return [
        BotCard(
            bot,
            entries := playing.get(bot.pk, []),
            [entry for entry in entries if entry.pk in first],
            titles.get(bot.pk, 0),
            trends.get(bot.pk),
        )
        for bot in fetch_listed_bots(keys)
    ]


def find_trends(playing: dict[int, list[Entry]]) -> dict[int, Trend]:
    """Return the trend of each bot's best entry, which includes former versions of the bot, by bot."""
    best = {(bot, entries[0].ladder_id): entries[0] for bot, entries in playing.items()}
    today = localdate()
    days: dict[int, dict[object, float]] = {}
    for bot, ladder, day, rating in list_ratings_by_bot_and_ladder(list(playing), today - RATING_TREND_PERIOD, today):
        if (bot, ladder) in best:
            days.setdefault(bot, {})[day] = rating
    return {bot: Trend((*ratings.values(), playing[bot][0].rating)) for bot, ratings in days.items()}
