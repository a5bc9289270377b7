"""The front page, and the checks of health and readiness."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.core.cache import cache
from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.timezone import localdate
from django.views.decorators.cache import never_cache

from arena.ladders.models import Entry, Ladder
from arena.ladders.queries.ladders import list_main_ladders
from arena.ladders.queries.standings import list_standings
from arena.matches.models import Match
from arena.matches.queries.recent import find_longest_leg, list_newest_matches
from arena.matches.queries.replays import find_finished_match
from arena.pages.home.games import build_game_name_context
from arena.pages.matches.replay import PUBLIC_ONLOOKER, play_back
from arena.pages.matches.results import Row, list_rows, read_row
from arena.pages.reader import reader_of
from arena.readiness import readiness
from engine.registry import GAMES

LEADERS_SHOWN_PER_LADDER = 5
FINISHED_MATCHES_SHOWN = 6
RUNNING_MATCHES_SHOWN = 4
DAILY_REPLAY_MAX_AGE = timedelta(days=1)
"""The replay of the day is of an older match only where there are no younger ones."""
REPLAY_PICTURE_STEPS_BEFORE_END = 1
"""The replay of the day is pictured this many steps before its last, while nobody has won yet."""
DAILY_REPLAY_CACHE_S = 24 * 3600


@dataclass(frozen=True, slots=True)
class LadderTop:
    """A ladder and its best entries."""

    ladder: Ladder
    entries: list[Entry]


def show_front_page(request: HttpRequest) -> HttpResponse:
    """Show the front page."""
    reader = reader_of(request)
    tops = [
        LadderTop(ladder, list(list_standings(ladder)[:LEADERS_SHOWN_PER_LADDER])) for ladder in list_main_ladders()
    ]
    context = {
        **build_game_name_context(),
        "tops": tops,
        "running": list_rows(list_newest_matches(reader, Match.State.RUNNING, RUNNING_MATCHES_SHOWN)),
        "rows": list_rows(list_newest_matches(reader, Match.State.FINISHED, FINISHED_MATCHES_SHOWN)),
        "replay": find_daily_replay(tops),
    }
    return render(request, "home/front.html", context)


@dataclass(frozen=True, slots=True)
class DailyReplay:
    """The replay of the day."""

    row: Row
    leg: int
    turn: int
    """The turn that is pictured."""
    last: int

    @property
    def url(self) -> str:
        """The address of the replay from its first turn."""
        return f"{self.row.match.get_absolute_url()}?leg={self.leg}"

    @property
    def picture_url(self) -> str:
        """The address of the picture."""
        return f"{reverse('preview_image', args=[self.row.match.pk, self.turn])}?leg={self.leg}"


def find_daily_replay(tops: Sequence[LadderTop]) -> DailyReplay | None:
    """Return the replay of the day: the longest leg of the latest rated matches of the best bots.

    It is chosen once a day, as soon as there is one.
    """
    key = f"replay-of-{localdate()}"
    chosen = cache.get(key)
    if chosen is None:
        chosen = choose_daily_replay(tops)
        if chosen is None:
            return None
        cache.set(key, chosen, DAILY_REPLAY_CACHE_S)
    pk, leg, last = chosen
    match = find_finished_match(pk)
    if match is None or match.game not in GAMES:
        return None
    return DailyReplay(read_row(match), leg, max(last - REPLAY_PICTURE_STEPS_BEFORE_END, 0), last)


def choose_daily_replay(tops: Sequence[LadderTop]) -> tuple[int, int, int] | None:
    """Return the match, the number of the leg and its last step, or None."""
    matches = [entry.last_match_id for top in tops for entry in top.entries if entry.last_match_id]
    leg = find_longest_leg(matches, DAILY_REPLAY_MAX_AGE)
    return (leg.match_id, leg.number, play_back(leg.record_data, PUBLIC_ONLOOKER).last) if leg else None


@never_cache
def report_health(request: HttpRequest) -> JsonResponse:
    """Report whether pages can be served: whether the database answers. Workers have their own check."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return JsonResponse({"status": "no database"}, status=503)
    return JsonResponse({"status": "ok"})


@never_cache
def report_readiness(request: HttpRequest) -> JsonResponse:
    """Report whether all is there that pages and matches need; which part isn't, why, and since when."""
    problems = readiness.look()
    parts = {
        part: {"ok": False, "reason": problems[part].reason, "since": problems[part].since}
        if part in problems
        else {"ok": True}
        for part in readiness.parts
    }
    status = {"status": "not ready" if problems else "ok", "parts": parts}
    return JsonResponse(status, status=503 if problems else 200)
