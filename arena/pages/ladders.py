"""The pages of ladders, public ones and those of groups: their list, standings, seasons and ratings."""

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import combinations
from math import floor, hypot
from statistics import NormalDist
from typing import Any

from django import forms
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.safestring import SafeString
from django.utils.timezone import now
from django.views.decorators.http import require_POST

from arena.bots.models import Bot
from arena.bots.queries import fetch_bots, find_visible_bot, list_bots, pick_called
from arena.contests.ladders import rating
from arena.contests.ladders.models import ENTRY_INACTIVITY_PERIOD, Entry, EntryQuerySet, Ladder
from arena.contests.ladders.overall import OverallScore
from arena.contests.ladders.queries import (
    ActiveAuthors,
    Place,
    count_online_by_ladder,
    count_open_matches,
    count_rated_since,
    count_standings,
    fetch_active_authors,
    fetch_entries_in_order,
    fetch_leaders,
    fetch_newest_results,
    fetch_overall_scores,
    fetch_pair_results,
    fetch_places_by_day,
    find_best_entry,
    find_open_ladder,
    find_places,
    list_bots_on,
    list_bots_to_enter,
    list_bots_to_join,
    list_by_rating,
    list_ladders_of_game,
    list_ladders_of_group,
    list_ladders_of_standing,
    list_newest_matches,
    list_open_ladders,
    list_public_bots_on,
    list_remote_ladders,
    list_seasons,
    number_places,
    search_standings,
)
from arena.contests.ladders.rating import (
    INITIAL_RATING_ELO,
    MATCHES_WAIVING_OPPONENTS,
    MIN_RANKED_MATCHES,
    Z_SCORE_95,
    expected_score,
    find_max_deviation,
    find_min_opponents,
    is_certain,
)
from arena.contests.ladders.services import seasons
from arena.contests.ladders.services.seasons import find_revealed_secret
from arena.contests.ladders.showing import find_longest_leg
from arena.core.messages import gettext as _
from arena.core.messages import gettext_lazy, ngettext
from arena.matches.models import find_lesson
from arena.matches.remote.queries import fetch_online_bots
from arena.pages.account.settings import build_follow_button
from arena.pages.formatting import CSV_START, MIN_CASES_OF_BAR, escape_spreadsheet_formula, name_clock, to_percent
from arena.pages.games import find_presentation
from arena.pages.groups import GroupVisit, group_page, organisers_page
from arena.pages.matches.frames import EndPicture, draw_end_of_leg
from arena.pages.matches.results import list_rows, name_direction
from arena.pages.rules import get_choice_field
from arena.pages.serving import reader_of, refusal_as_message, refusal_in_form
from arena.pages.svg.charts import (
    EloAxis,
    build_elo_axis,
    draw_elo_axis_numbers,
    draw_rating_interval,
    draw_rating_trend,
)
from arena.pages.tournaments.forms import list_editions
from arena.people.groups.models import Group
from arena.runner.program import REMOTE_LIMITS
from engine.analysis.evaluators import has_evaluator
from engine.registry import GAMES, find_game

# Prepare the rows of a ladder's list, and the trend of a rating in the last month, which a bot's card shows.

RATING_TREND_PERIOD = timedelta(days=30)
MIN_RATING_TREND_ELO = 5


@dataclass(frozen=True, slots=True)
class RatingTrend:
    """The change of a bot's rating in a month, over all of its versions."""

    ratings: tuple[float, ...]
    """One rating for each day with matches, oldest first; the last is the current one."""

    @property
    def elo(self) -> float:
        """Return the change of the rating."""
        return self.ratings[-1] - self.ratings[0]

    @property
    def direction(self) -> str:
        """Return `up`, `down` or `even`."""
        return "even" if abs(self.elo) < MIN_RATING_TREND_ELO else name_direction(self.elo)

    @property
    def picture(self) -> SafeString:
        """Return a drawing of the ratings."""
        return draw_rating_trend(self.ratings)

    @property
    def icon(self) -> str:
        """Return the name of the icon of the direction."""
        return {"up": "up", "down": "down", "even": "dash"}[self.direction]


@dataclass(frozen=True, slots=True)
class ListRow:
    """One bot on the list of a ladder."""

    entry: Entry
    place: Place | None
    """None while the bot is provisional."""
    whisker: SafeString
    """Drawing of the rating's 95 % interval."""
    missing: tuple[str, ...]
    """What the bot lacks for a place, each with what it has and what the rule wants; empty for one that has a place."""
    is_own: bool
    band: int | None
    """0 or 1 in turns, the same for bots whose order isn't settled; None for a provisional bot."""
    begins_band: bool
    is_online: bool | None = None
    """Whether a remote bot is connected; None of a sandboxed one."""


def build_list_rows(
    ladder: Ladder, entries: Sequence[Entry], places: Mapping[int, Place], axis: EloAxis, reader: int | None
) -> Iterator[ListRow]:
    """Yield the rows of these entries, in their order.

    A band begins at its first bot; one that has moved into another group since the last fit is shown where it is now.
    """
    active = fetch_active_authors(ladder)
    remote = {entry.version.bot_id for entry in entries if entry.version.bot.is_remote}
    online = fetch_online_bots(remote) if remote else set()
    group, band = 0, 1
    for entry in entries:
        is_next = entry.is_ranked and (entry.group or 0) > group
        if is_next:
            group, band = entry.group or 0, 1 - band
        yield ListRow(
            entry=entry,
            place=places.get(entry.pk),
            whisker=draw_rating_interval(axis, entry.rating, entry.margin_95, is_provisional=not entry.is_ranked),
            missing=() if entry.is_ranked else tuple(list_missing(ladder, entry, active)),
            is_own=reader in entry.version.bot.author_keys,
            band=band if entry.is_ranked else None,
            begins_band=is_next,
            is_online=entry.version.bot_id in online if entry.version.bot_id in remote else None,
        )


def list_missing(ladder: Ladder, entry: Entry, active: ActiveAuthors) -> Iterator[str]:
    """Yield what a provisional bot lacks for a place, with the figures that the rule uses on this ladder."""
    bot = entry.version.bot
    opponents = find_min_opponents(active.count_others(entry, bot.author_keys, is_house=bot.owner.is_house))
    is_waived = entry.was_ranked or entry.matches >= MATCHES_WAIVING_OPPONENTS
    if entry.matches < MIN_RANKED_MATCHES:
        yield _("%(played)d of %(wanted)d matches") % {"played": entry.matches, "wanted": MIN_RANKED_MATCHES}
    if entry.opponents < opponents and not is_waived:
        words = ngettext("%(met)d opponent, needs %(wanted)d", "%(met)d opponents, needs %(wanted)d", entry.opponents)
        yield words % {"met": entry.opponents, "wanted": opponents}
    if not is_certain(entry.deviation, ladder.spread, has_sure_place=entry.has_sure_place):
        # The margin is rounded as next to the rating, and what it needs is less.
        margin = round(entry.margin_95)
        needed = min(floor(Z_SCORE_95 * find_max_deviation(ladder.spread)), margin - 1)
        yield _("± %(margin)d, needs ± %(needed)d") % {"margin": margin, "needed": needed}


def estimate_first_place(ladder: Ladder, entries: Sequence[Entry]) -> float | None:
    """Return in how many seconds a bot gets the first place at the pace of the last hour, or None."""
    pace = count_rated_since(ladder, now() - timedelta(hours=1)) * 2 / max(len(entries), 1)
    if not pace or ladder.paused_at or ladder.closed_at:
        return None
    most = find_max_deviation(ladder.spread)
    # The variance falls as matches come in.
    wanted = (max(MIN_RANKED_MATCHES, one.matches * (one.deviation / most) ** 2) - one.matches for one in entries)
    return 3600 * max(1.0, min(wanted)) / pace


# Who beats whom, and the places over the season.

CROSSTABLE_SIZE = 12
"""Bots that fit on a screen side by side."""
STRENGTH_STEPS = (51, 68, 82)
"""Percents from which a win is of the first, second and third strength; losses likewise from the other end."""
DAYS_OF_SEASON_SHOWN = 8


@dataclass(frozen=True, slots=True)
class CrossCell:
    """What one bot scored against another."""

    opponent: Entry
    percent: int
    """Share of the points."""
    matches: int
    address: str
    """The page of the pair."""
    label: str
    """The cell in words."""

    @property
    def is_few(self) -> bool:
        """Return whether there are too few matches to judge by."""
        return self.matches < MIN_CASES_OF_BAR

    @property
    def tone(self) -> str:
        """Return the class of its colour."""
        if self.is_few:
            return "few" if self.matches else "none"
        won, lost = (sum(share >= step for step in STRENGTH_STEPS) for share in (self.percent, 100 - self.percent))
        return f"w{won}" if won else f"l{lost}" if lost else "even"


@dataclass(frozen=True, slots=True)
class Crosstable:
    """What up to twelve bots that follow each other on a list scored against each other."""

    rows: list[tuple[Entry, list[CrossCell | None]]]
    """Each bot with its cells in the order of the rows; None against itself."""
    first: int
    """Number on the list of the first of them, from 1."""
    bots: int
    chosen: int
    """Index of the bot whose row is shown on a phone."""
    days: list[date]
    places: list[list[tuple[int, bool] | None]]
    """Of each bot and each of these days: its place and whether it was sure; None where it was not on the list."""

    @property
    def season_rows(self) -> list[tuple[Entry, list[tuple[int, bool] | None]]]:
        """Return each bot with its places."""
        return [(entry, places) for (entry, _cells), places in zip(self.rows, self.places, strict=True)]

    @property
    def last(self) -> int:
        """Return the number of the last of them."""
        return self.first + len(self.rows) - 1

    @property
    def before(self) -> int | None:
        """Return from where the twelve before begin; None where there are none."""
        return max(1, self.first - CROSSTABLE_SIZE) if self.first > 1 else None

    @property
    def after(self) -> int | None:
        """Return from where the twelve after begin; None where there are none."""
        return self.last + 1 if self.last < self.bots else None


def build_crosstable(request: HttpRequest, ladder: Ladder, bots: int, best: Sequence[Entry]) -> Crosstable | None:
    """Return the crosstable that a request asks for, by default around the reader's best bot; None without results.

    `best` are the first of the list, if they have been read already.
    """
    everybody, reader = list_by_rating(ladder), reader_of(request)
    own = find_best_entry(ladder, reader) if reader else None
    asked = request.GET.get("from", "")
    if asked.isdecimal() and len(asked) < MAX_NUMBER_LENGTH:
        first = int(asked)
    elif own is not None and bots > CROSSTABLE_SIZE:
        first = everybody.above(own).count() + 1 - CROSSTABLE_SIZE // 2
    else:
        first = 1
    first = max(1, min(first, bots - CROSSTABLE_SIZE + 1))
    shown = slice(first - 1, first - 1 + CROSSTABLE_SIZE)
    entries = list((best if len(best) >= min(shown.stop, bots) else everybody)[shown])
    keys = [entry.pk for entry in entries]
    results = fetch_pair_results(keys)
    if not results:
        return None
    percents: dict[tuple[int, int], int] = {}
    for one, other in combinations(keys, 2):
        points, matches = results.get((one, other), (0.0, 0))
        percents[one, other] = to_percent(points / matches) if matches else 0
        percents[other, one] = 100 - percents[one, other]

    def build_cell(one: Entry, other: Entry) -> CrossCell | None:
        if one.pk == other.pk:
            return None
        pair, bot, rival = (one.pk, other.pk), one.version.bot, other.version.bot
        matches = results.get(pair, (0.0, 0))[1]
        words = ngettext(
            "%(bot)s v %(other)s: %(percent)s%% of %(matches)s match",
            "%(bot)s v %(other)s: %(percent)s%% of %(matches)s matches",
            matches,
        ) % {"bot": bot.name, "other": rival.name, "percent": percents[pair], "matches": matches}
        # Reversing the address of each of 132 cells would take longer than all else.
        address = f"{bot.get_absolute_url()}against/{rival.slug}/"
        return CrossCell(other, percents[pair], matches, address, words)

    wanted = request.GET.get("bot", "") or (own.version.bot.slug if own else "")
    slugs = [entry.version.bot.slug for entry in entries]
    days, places = fetch_places_by_day(ladder, [entry.version.bot_id for entry in entries], DAYS_OF_SEASON_SHOWN)
    return Crosstable(
        rows=[(one, [build_cell(one, other) for other in entries]) for one in entries],
        first=first,
        bots=bots,
        chosen=slugs.index(wanted) if wanted in slugs else 0,
        days=days,
        places=[[places.get((entry.version.bot_id, day)) for day in days] for entry in entries],
    )


# Pages of the ladders: standings, seasons, and how ratings and groups are computed.

STANDINGS_PAGE_SIZE = 20
MAX_NUMBER_LENGTH = 9
MAX_SEARCH_LENGTH = 40
MAX_PROBABILITY_SHOWN = 0.99
CSV_BATCH_SIZE = 1000
CSV_COLUMNS = {
    "bot": "version__bot__name",
    "version": "version__number",
    "language": "version__language",
    "author": "version__bot__owner__username",
    "rating": "rating",
    "deviation": "deviation",
    "is_ranked": "is_ranked",
    "rank_low": "rank_low",
    "rank_high": "rank_high",
    "group": "group",
    "matches": "matches",
    "opponents": "opponents",
    "points": "points",
    "last_match": "last_match",
    "rated_at": "rated_at",
    "place_low": "place_low",
    "place_high": "place_high",
}
"""The columns of the CSV file between rank and place, by heading."""


@dataclass(frozen=True, slots=True)
class ExamplePair:
    """Two bots of a ladder, as their ratings tell, the better one first."""

    one: Entry
    other: Entry

    @property
    def lead(self) -> float:
        """Return the difference of the ratings in Elo."""
        return self.one.rating - self.other.rating

    @property
    def expected(self) -> float:
        """Return the expected share of the points of the first, from 0 to 1."""
        return expected_score(self.lead)

    @property
    def is_better(self) -> float:
        """Return the probability that the first is better, at most MAX_PROBABILITY_SHOWN."""
        return min(MAX_PROBABILITY_SHOWN, NormalDist().cdf(self.lead / hypot(self.one.deviation, self.other.deviation)))

    @property
    def low(self) -> float:
        """Return the lower end of the lead's 95 % interval."""
        return self.lead - Z_SCORE_95 * hypot(self.one.deviation, self.other.deviation)

    @property
    def high(self) -> float:
        """Return the upper end of the lead's 95 % interval."""
        return self.lead + Z_SCORE_95 * hypot(self.one.deviation, self.other.deviation)


@dataclass(frozen=True, slots=True)
class LadderCard:
    """A ladder in the list of ladders."""

    ladder: Ladder
    leader: Entry | None
    newest: int | None
    """The newest rated match that anybody may see."""

    @property
    def emblem(self) -> str:
        """Return the icon that stands for the edition."""
        ladder = self.ladder
        return find_presentation(ladder.game, ladder.edition).emblem if ladder.game in GAMES else "brand"

    def draw(self) -> EndPicture | None:
        """Return the picture of how the newest match ended. The template keeps it until the next match."""
        return draw_end_of_leg(None, self.newest, find_longest_leg(self.newest)) if self.newest else None

    def draw_edition(self) -> EndPicture | None:
        """Return the small table of the edition, where there is no picture of a match; None where it has none."""
        ladder = self.ladder
        if ladder.game not in GAMES:
            return None
        presentation = find_presentation(ladder.game, ladder.edition)
        draw = presentation.build_edition_picture
        return EndPicture(f"games/{presentation.folder}/picture.html", draw(), "") if draw is not None else None


def show_ladders(request: HttpRequest) -> HttpResponse:
    """Show the open ladders as cards, each with its leader and how its newest match ended."""
    ladders = sorted(list_open_ladders(), key=lambda one: (sort_key_of_game(one.game), one.place))
    keys = [one.pk for one in ladders]
    leaders, newest = fetch_leaders(keys), fetch_newest_results(keys)
    cards = [LadderCard(one, leaders.get(one.pk), newest.get(one.pk)) for one in ladders]
    context = {"ladders": ladders, "cards": cards, "overall": list_overall_cards(ladders), "lesson": find_lesson()}
    context |= {
        "open_ladders": list_open_ladder_rows(),
        "first_open": next((one for one in ladders if one.game in GAMES), None),
    }
    return render(request, "ladders/index.html", context)


OVERALL_PAGE_SIZE = 50


@dataclass(frozen=True, slots=True)
class OverallRow:
    """A bot in the standing over all editions of a game."""

    place: int | None
    """None for a bot that has a place in one edition only."""
    bot: Bot
    score: OverallScore
    whisker: SafeString
    ladders: list[Ladder]
    is_own: bool


def show_overall_standing(request: HttpRequest, game: str) -> HttpResponse:
    """Show the standing over all editions of a game; where it has one ladder, that is its standing."""
    ladders = list_ladders_of_standing(game)
    if not ladders or game not in GAMES:
        raise Http404(_("No such ladder."))
    if len(ladders) == 1:
        return redirect(ladders[0])
    scores = fetch_overall_scores(ladders)
    page = Paginator(scores, OVERALL_PAGE_SIZE).get_page(request.GET.get("page"))
    by_key, bots = {one.pk: one for one in ladders}, fetch_bots([one.bot for one in page])
    axis = build_elo_axis((one.score, one.margin_95) for one in page)
    rows = [
        OverallRow(
            place=number if score.is_ranked else None,
            bot=bots[score.bot],
            score=score,
            whisker=draw_rating_interval(axis, score.score, score.margin_95, is_provisional=not score.is_ranked),
            ladders=[by_key[one] for one in score.editions],
            is_own=request.user.pk in bots[score.bot].author_keys,
        )
        for number, score in enumerate(page, start=page.start_index())
        if score.bot in bots
    ]
    context = {
        "game": GAMES[game],
        "ladders": ladders,
        "page": page,
        "rows": rows,
        "scale": draw_elo_axis_numbers(axis),
        "ranked": sum(one.is_ranked for one in scores),
    }
    return render(request, "ladders/overall.html", context)


def list_overall_cards(ladders: Sequence[Ladder]) -> list[dict[str, Any]]:
    """Return the card of each game that has a standing over several editions, with who leads it."""
    cards = []
    for game in dict.fromkeys(one.game for one in ladders if one.game in GAMES):
        own = [one for one in ladders if one.game == game]
        ranked = [one for one in fetch_overall_scores(own) if one.is_ranked] if len(own) > 1 else []
        if ranked:
            leader = fetch_bots([ranked[0].bot]).get(ranked[0].bot)
            cards.append(
                {"game": GAMES[game], "editions": len(own), "bots": len(ranked), "leader": leader, "score": ranked[0]}
            )
    return cards


def sort_key_of_game(key: str) -> tuple[int, str]:
    """Return the place of a game among the ladders' games: installed ones in their order, then those that are gone."""
    return (list(GAMES).index(key) if key in GAMES else len(GAMES), key)


def show_current_standings(request: HttpRequest, game: str, edition: str) -> HttpResponseBase:
    """Show the standings of the current season."""
    ladders = list_ladders_of_game(game)
    return render_standings(request, find_open_ladder_of_edition(ladders, edition), ladders)


def show_season_standings(request: HttpRequest, game: str, edition: str, number: int) -> HttpResponseBase:
    """Show the final standings of a finished season."""
    ladders = list_ladders_of_game(game)
    ladder = next((one for one in ladders if one.edition == edition and one.season == number), None)
    if ladder is not None and ladder.closed_at is None:
        return redirect(ladder)
    return render_standings(request, ladder, ladders)


def find_open_ladder_of_edition(ladders: Sequence[Ladder], edition: str) -> Ladder | None:
    """Return the open ladder of an edition, or None."""
    return next((one for one in ladders if one.edition == edition and one.closed_at is None), None)


def render_standings(
    request: HttpRequest,
    ladder: Ladder | None,
    ladders: Sequence[Ladder],
    *,
    template: str = "ladders/standing.html",
    more: dict[str, Any] | None = None,
) -> HttpResponseBase:
    """Show the standings of a ladder, filtered by the query, or send them as CSV. `more` is for another template."""
    if ladder is None:
        raise Http404(_("No such ladder."))
    if request.GET.get("format") == "csv":
        return send_standings_csv(ladder, list_by_rating(ladder))
    # Each season of the edition stands among the ladders, one perhaps twice.
    seasons = {one.season: one for one in ladders if (one.game, one.edition) == (ladder.game, ladder.edition)}
    words = request.GET.get("q", "").replace("\0", "").strip()[:MAX_SEARCH_LENGTH]
    is_mine = bool(request.GET.get("mine")) and request.user.is_authenticated
    found = search_standings(ladder, words, request.user.pk if is_mine else None)
    paginator = Paginator(found.pks, STANDINGS_PAGE_SIZE)
    is_filtered, bots = bool(words) or is_mine, count_standings(ladder)
    if not is_filtered:
        paginator.count = bots
    page = paginator.get_page(request.GET.get("page"))
    entries = fetch_entries_in_order(list(page.object_list))
    places = find_places(ladder, entries) if is_filtered else number_places(entries, page.start_index(), bots)
    axis = build_elo_axis((entry.rating, entry.margin_95) for entry in entries)
    best = [] if is_filtered or page.number > 1 else entries
    nobody = not is_filtered and page.number == 1 and entries and not any(entry.is_ranked for entry in entries)
    context = {
        "ladder": ladder,
        "lesson": find_lesson() if ladder.group_id is None and ladder.closed_at is None else None,
        "follow": build_follow_button(request, ladder) if ladder.group_id is None else None,
        "kinds": list_ladder_kinds(ladder.game, ladder.edition, ladder.clock) if ladder.group_id is None else [],
        "ladders": [one for one in ladders if one.closed_at is None],
        "seasons": sorted(seasons.values(), key=lambda one: -one.season),
        "secret": find_revealed_secret(ladder),
        "seats": find_game(ladder.game).seats,
        "pages": find_presentation(ladder.game, ladder.edition).pages,
        "page": page,
        "bots": bots,
        "rows": list(build_list_rows(ladder, entries, places, axis, request.user.pk)),
        "scale": draw_elo_axis_numbers(axis),
        "is_long": bots > STANDINGS_PAGE_SIZE,
        "has_nobody_placed": nobody,
        "first_place_in": estimate_first_place(ladder, entries) if nobody else None,
        "crosstable": build_crosstable(request, ladder, bots, best) if bots > 1 else None,
        "words": words,
        "is_mine": is_mine,
        "is_filtered": is_filtered,
        "is_cut": found.is_cut,
        **(more or {}),
    }
    return render(request, template, context)


class EchoFile:
    """A file for `csv.writer` that returns each line instead of storing it."""

    def write(self, line: str) -> str:
        """Return the line."""
        return line


def iterate_csv_lines(entries: EntryQuerySet) -> Iterator[str]:
    """Yield the lines of the CSV file, the heading first."""
    writer = csv.writer(EchoFile())
    yield CSV_START
    yield writer.writerow(["rank", *CSV_COLUMNS, "place"])
    rows = entries.select_related(None).values_list(*CSV_COLUMNS.values()).iterator(CSV_BATCH_SIZE)
    is_ranked = list(CSV_COLUMNS).index("is_ranked")
    rank = 0
    for place, row in enumerate(rows, start=1):
        rank += row[is_ranked]
        first, last = (rank, place) if row[is_ranked] else ("", "")
        yield writer.writerow([first, *map(escape_spreadsheet_formula, row), last])


def send_standings_csv(ladder: Ladder, entries: EntryQuerySet) -> StreamingHttpResponse:
    """Send the complete standings as CSV, best first."""
    response = StreamingHttpResponse(iterate_csv_lines(entries), content_type="text/csv; charset=utf-8")
    name = f"{ladder.game}-{ladder.edition}-{ladder.season}.csv"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def explain_ratings(request: HttpRequest, game: str, edition: str) -> HttpResponse:
    """Explain how ratings and groups are computed, with two bots of the ladder as an example."""
    ladder = find_open_ladder_of_edition(list_ladders_of_game(game), edition)
    if ladder is None:
        raise Http404(_("No such ladder."))
    return render_explanation(request, ladder)


def render_explanation(request: HttpRequest, ladder: Ladder) -> HttpResponse:
    """Explain ratings and groups on the page of a ladder."""
    asked = [request.GET.get(name, "").replace("\0", "").strip()[:MAX_SEARCH_LENGTH] for name in ("a", "b")]
    pair, unknown = find_example_pair(request, ladder, asked)
    context = {
        "ladder": ladder,
        "seats": find_game(ladder.game).seats,
        "pages": find_presentation(ladder.game, ladder.edition).pages,
        "pair": pair,
        "unknown": unknown,
        "names": asked if any(asked) else [one.version.bot.name for one in (pair.one, pair.other)] if pair else asked,
        "first": INITIAL_RATING_ELO,
        "eligibility": rating,
        "margin": Z_SCORE_95 * rating.find_max_deviation(ladder.spread),
        "opponents": rating.find_min_opponents(fetch_active_authors(ladder).bots - 1),
        "newer": ladder.last_sequence - ladder.fitted_sequence if ladder.fitted_at else 0,
        "idle_days": ENTRY_INACTIVITY_PERIOD.days,
    }
    return render(request, "ladders/how.html", context)


def find_example_pair(
    request: HttpRequest, ladder: Ladder, names: Sequence[str]
) -> tuple[ExamplePair | None, list[str]]:
    """Return the bots with these names, or the two best if none is named, and the names that no bot has."""
    everybody = list_by_rating(ladder)
    if not any(names):
        best = list(everybody[:2])
        return (ExamplePair(*best) if len(best) == len(names) else None), []
    bots = list_bots(request.user).filter(pk__in=everybody.order_by().values("version__bot"))
    called = [pick_called(bots, name) for name in names]
    unknown = [name for name, bot in zip(names, called, strict=True) if bot is None]
    if unknown:
        return None, unknown
    found = {entry.version.bot_id: entry for entry in everybody.filter(version__bot__in=called)}
    return ExamplePair(*sorted((found[bot.pk] for bot in called if bot), key=lambda entry: -entry.rating)), []


# Open ladders, on which remote bots play: those of an edition have addresses before any bot has joined.


class ClockConverter:
    """The part of an address that names an open ladder's clock."""

    regex = "|".join(Ladder.Clock.values)

    def to_python(self, value: str) -> str:
        """Return the clock."""
        return value

    def to_url(self, value: str) -> str:
        """Return the part of the address."""
        return value


@dataclass(frozen=True, slots=True)
class LadderKind:
    """A ladder of an edition, by who plays there and by which clock."""

    title: str
    url: str
    is_here: bool


def list_ladder_kinds(game: str, edition: str, here: str) -> list[LadderKind]:
    """Return the sandboxed ladder of an edition and its open ones; `here` is the clock of the one that is shown."""
    if game not in GAMES or edition not in GAMES[game].editions:
        return []
    page = f"/ladders/{game}/{edition}/"
    titles = {"": _("Sandboxed bots"), **{clock: name_clock(clock).capitalize() for clock in Ladder.Clock.values}}
    return [LadderKind(title, f"{page}{clock}/" if clock else page, clock == here) for clock, title in titles.items()]


@dataclass(frozen=True, slots=True)
class OpenLadderRow:
    """An open ladder in the list of ladders."""

    ladder: Ladder
    online: int
    leader: Entry | None


def list_open_ladder_rows() -> list[OpenLadderRow]:
    """Return the open ladders that some bot has joined."""
    ladders = sorted(list_remote_ladders(), key=lambda one: (sort_key_of_game(one.game), one.place, one.clock))
    keys = [one.pk for one in ladders]
    online, leaders = count_online_by_ladder(keys), fetch_leaders(keys)
    return [OpenLadderRow(one, online.get(one.pk, 0), leaders.get(one.pk)) for one in ladders]


def show_open_ladder(request: HttpRequest, game: str, edition: str, clock: str) -> HttpResponseBase:
    """Show the running season of an open ladder; before any bot has joined, what it is and how to."""
    check_edition(game, edition)
    ladder = find_open_ladder(game, edition, clock=clock)
    if ladder is not None:
        return render_open_ladder(request, ladder)
    last = list_seasons(game, edition, clock=clock).order_by("season").last()
    if last is not None:
        return redirect(last)
    context = {"game": GAMES[game], "edition": edition, **describe_open_ladder(request, game, edition, clock)}
    return render(request, "ladders/open_empty.html", context)


def show_open_season(request: HttpRequest, game: str, edition: str, clock: str, number: int) -> HttpResponseBase:
    """Show the final standings of a finished season of an open ladder."""
    ladder = list_seasons(game, edition, clock=clock).filter(season=number).first()
    if ladder is None or ladder.game not in GAMES:
        raise Http404(_("No such ladder."))
    return redirect(ladder) if ladder.closed_at is None else render_open_ladder(request, ladder)


def explain_open_ratings(request: HttpRequest, game: str, edition: str, clock: str) -> HttpResponse:
    """Explain how ratings are computed, with two bots of an open ladder as an example."""
    check_edition(game, edition)
    ladder = find_open_ladder(game, edition, clock=clock)
    if ladder is None:
        raise Http404(_("No such ladder."))
    return render_explanation(request, ladder)


def check_edition(game: str, edition: str) -> None:
    """Raise Http404 where this arena has no such edition."""
    if game not in GAMES or edition not in GAMES[game].editions:
        raise Http404(_("No such ladder."))


def render_open_ladder(request: HttpRequest, ladder: Ladder) -> HttpResponseBase:
    """Show the standings of an open ladder, its newest matches and its terms."""
    context = {
        **describe_open_ladder(request, ladder.game, ladder.edition, ladder.clock),
        "match_rows": list_rows(list_newest_matches(ladder, MATCHES_SHOWN)),
        "open_matches": count_open_matches(ladder),
    }
    reader = reader_of(request)
    if reader is not None and ladder.closed_at is None:
        context["own_bots"] = list(list_bots_on(ladder, reader))
    seasons = list(list_seasons(ladder.game, ladder.edition, clock=ladder.clock))
    return render_standings(request, ladder, seasons, template="ladders/open.html", more=context)


def describe_open_ladder(request: HttpRequest, game: str, edition: str, clock: str) -> dict[str, Any]:
    """Return what the page of an open ladder says of it: clocks, editions, and who of the reader's bots could join."""
    reader, limits = reader_of(request), REMOTE_LIMITS[clock]
    return {
        "clock": clock,
        "clock_name": name_clock(clock),
        "title": f"{GAMES[game].title}, {_(GAMES[game].editions[edition])}: {name_clock(clock)}",
        "limits": limits,
        "kinds": list_ladder_kinds(game, edition, clock),
        "editions": [
            (f"/ladders/{game}/{key}/{clock}/", _(title), key == edition) for key, title in GAMES[game].editions.items()
        ],
        "has_luck": has_evaluator(game, edition),
        "bots_url": f"/ladders/{game}/{edition}/{clock}/bots/",
        "free_bots": [] if reader is None else list(list_bots_to_join(game, edition, clock, reader)),
    }


# The ladders of a group: standings, matches, and what organisers and authors do there.

MATCHES_SHOWN = 15


class OpenLadderForm(forms.Form):
    """A ladder to be opened."""

    edition = forms.ChoiceField(label=gettext_lazy("Edition"))
    with_samples = forms.BooleanField(
        label=gettext_lazy("Include the sample bots"), label_suffix="", required=False, initial=True
    )

    def __init__(self, group: Group, data: Any = None, initial: dict[str, Any] | None = None) -> None:
        super().__init__(data, initial=initial)
        running = {f"{one.game}/{one.edition}" for one in list_ladders_of_group(group) if one.closed_at is None}
        get_choice_field(self, "edition").choices = [one for one in list_editions() if one[0] not in running]


@organisers_page
def open_ladder(request: HttpRequest, visit: GroupVisit) -> HttpResponse:
    """Open a ladder of an edition, or the next season of one."""
    initial = {"edition": request.GET.get("edition", ""), "with_samples": True}
    form = OpenLadderForm(visit.group, request.POST or None, initial=initial)
    if request.method == "POST" and form.is_valid():
        game, _slash, edition = form.cleaned_data["edition"].partition("/")
        with_samples = form.cleaned_data["with_samples"]
        with refusal_in_form(form):
            ladder = seasons.open_group_ladder(
                group=visit.group, by=visit.reader, game=game, edition=edition, with_samples=with_samples
            )
            messages.success(request, _("Ladder opened. The first matches start within a minute."))
            return redirect(ladder)
    context = {"group": visit.group, "form": form}
    return render(request, "groups/open_ladder.html", context, status=400 if form.errors else 200)


@group_page
def show_ladder(request: HttpRequest, visit: GroupVisit, game: str, edition: str) -> HttpResponseBase:
    """Show the running season of a group's ladder; where none runs, the last one."""
    ladder = ladder_or_404(visit, game, edition)
    return redirect(ladder) if ladder.closed_at is not None else render_ladder(request, visit, ladder)


@group_page
def show_season(request: HttpRequest, visit: GroupVisit, game: str, edition: str, number: int) -> HttpResponseBase:
    """Show the final standings of a finished season of a group's ladder."""
    ladder = list_seasons(game, edition, visit.group).filter(season=number).first()
    if ladder is None:
        raise Http404(_("No such ladder."))
    return redirect(ladder) if ladder.closed_at is None else render_ladder(request, visit, ladder)


@group_page
def explain_group_ratings(request: HttpRequest, visit: GroupVisit, game: str, edition: str) -> HttpResponse:
    """Explain how ratings are computed, with two bots of a group's ladder as an example."""
    return render_explanation(request, ladder_or_404(visit, game, edition))


@require_POST
@organisers_page
def organise_group_ladder(request: HttpRequest, visit: GroupVisit, game: str, edition: str) -> HttpResponse:
    """Pause or resume a group's ladder, or end its season."""
    ladder = ladder_or_404(visit, game, edition)
    acts: dict[str, tuple[Callable[..., Any], str]] = {
        "pause": (seasons.pause_group_ladder, _("Ladder paused.")),
        "resume": (seasons.resume_group_ladder, _("Ladder resumed.")),
        "end": (seasons.end_group_season, _("Season ended.")),
    }
    if request.POST.get("act") not in acts:
        raise Http404
    act, done = acts[request.POST["act"]]
    with refusal_as_message(request):
        act(ladder=ladder, by=visit.reader)
        messages.success(request, done)
    return redirect(ladder.edition_url)


@require_POST
@group_page
def change_bots(request: HttpRequest, visit: GroupVisit, game: str, edition: str) -> HttpResponse:
    """Let a bot of the reader play on a group's ladder, or take it off."""
    ladder = ladder_or_404(visit, game, edition)
    bot = find_visible_bot(visit.reader, request.POST.get("bot", ""))
    if bot is None:
        raise Http404
    acts: dict[str, tuple[Callable[..., Any], str]] = {
        "enter": (seasons.enter_group_ladder, _("%(name)s now plays on this ladder.")),
        "leave": (seasons.leave_group_ladder, _("%(name)s no longer plays on this ladder.")),
    }
    if request.POST.get("act") not in acts:
        raise Http404
    act, done = acts[request.POST["act"]]
    with refusal_as_message(request):
        act(ladder=ladder, bot=bot, by=visit.reader)
        messages.success(request, done % {"name": bot.name})
    return redirect(ladder.edition_url)


def ladder_or_404(visit: GroupVisit, game: str, edition: str) -> Ladder:
    """Return the running season of a group's ladder, or the last one where none runs. Raise Http404."""
    ladder = find_open_ladder(game, edition, visit.group)
    ladder = ladder or list_seasons(game, edition, visit.group).order_by("season").last()
    if ladder is None:
        raise Http404(_("No such ladder."))
    return ladder


def render_ladder(request: HttpRequest, visit: GroupVisit, ladder: Ladder) -> HttpResponseBase:
    """Show the standings of a season with what the group sees besides."""
    latest = list_ladders_of_group(visit.group)
    is_latest = any(one.pk == ladder.pk for one in latest)
    is_running = ladder.closed_at is None
    context = {
        "group": visit.group,
        "own": visit.own,
        "is_latest": is_latest,
        "season_address": request.build_absolute_uri(f"{ladder.edition_url}seasons/{ladder.season}/"),
        "match_rows": list_rows(list_newest_matches(ladder, MATCHES_SHOWN)),
        "open_matches": count_open_matches(ladder),
        "free_bots": list(list_bots_to_enter(ladder, visit.reader)) if is_running else [],
        # An organiser may take off all public bots, others their own.
        "public_bots": list_public_bots_on(ladder, None if visit.own.is_organiser else visit.reader)
        if is_running
        else [],
    }
    seasons = list_seasons(ladder.game, ladder.edition, visit.group).exclude(pk__in=[one.pk for one in latest])
    return render_standings(request, ladder, [*latest, *seasons], template="groups/ladder.html", more=context)
