"""Pages of the ladders: standings, seasons, and how ratings and groups are computed."""

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import hypot
from statistics import NormalDist
from typing import Any

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.text import slugify
from django.utils.translation import gettext as _

from arena.ladders import rank_eligibility
from arena.ladders.models import ENTRY_INACTIVITY_PERIOD, Entry, EntryQuerySet, Ladder
from arena.ladders.queries.ladders import (
    fetch_leaders,
    fetch_newest_results,
    list_ladders_of_game,
    list_open_ladders,
)
from arena.ladders.queries.showable import find_longest_leg
from arena.ladders.queries.standings import (
    count_standings,
    fetch_entries_in_order,
    find_ranks,
    list_standings,
    number_consecutive_ranks,
    search_standings,
)
from arena.ladders.rating.elo import INITIAL_RATING_ELO, Z_SCORE_95, expected_score
from arena.ladders.services.seasons import find_revealed_secret
from arena.pages.account.following import build_follow_button
from arena.pages.games import find_presentation
from arena.pages.ladders.standings import build_standings_rows, divide_into_groups
from arena.pages.matches.end_picture import Picture, draw_end_of_leg
from arena.pages.svg.ratings import build_axis, draw_axis_numbers
from engine.registry import GAMES, find_game

STANDINGS_PAGE_SIZE = 20
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
}
"""The columns of the CSV file after the rank, by heading."""


@dataclass(frozen=True, slots=True)
class Pair:
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

    def draw(self) -> Picture | None:
        """Return the picture of how the newest match ended. The template keeps it until the next match."""
        return draw_end_of_leg(None, self.newest, find_longest_leg(self.newest)) if self.newest else None

    def draw_edition(self) -> Picture | None:
        """Return the small table of the edition, where there is no picture of a match; None where it has none."""
        ladder = self.ladder
        if ladder.game not in GAMES:
            return None
        presentation = find_presentation(ladder.game, ladder.edition)
        draw = presentation.build_edition_picture
        return Picture(f"games/{presentation.folder}/picture.html", draw(), "") if draw is not None else None


def show_ladders(request: HttpRequest) -> HttpResponse:
    """Show the open ladders as cards, each with its leader and how its newest match ended."""
    ladders = sorted(list_open_ladders(), key=lambda one: (sort_key_of_game(one.game), one.place))
    keys = [one.pk for one in ladders]
    leaders, newest = fetch_leaders(keys), fetch_newest_results(keys)
    cards = [LadderCard(one, leaders.get(one.pk), newest.get(one.pk)) for one in ladders]
    return render(request, "ladders/index.html", {"ladders": ladders, "cards": cards})


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
        raise Http404(_("There is no such ladder."))
    everybody = list_standings(ladder)
    if request.GET.get("format") == "csv":
        return send_standings_csv(ladder, everybody)
    words = request.GET.get("q", "").replace("\0", "").strip()[:MAX_SEARCH_LENGTH]
    is_mine = bool(request.GET.get("mine")) and request.user.is_authenticated
    found = search_standings(ladder, words, request.user.pk if is_mine else None)
    paginator = Paginator(found.pks, STANDINGS_PAGE_SIZE)
    is_filtered = bool(words) or is_mine
    if not is_filtered:
        paginator.count = count_standings(ladder)
    page = paginator.get_page(request.GET.get("page"))
    entries = fetch_entries_in_order(list(page.object_list))
    ranks = find_ranks(ladder, entries) if is_filtered else number_consecutive_ranks(entries, page.start_index())
    axis = build_axis((entry.rating, entry.margin_95) for entry in entries)
    context = {
        "ladder": ladder,
        "follow": build_follow_button(request, ladder) if ladder.group_id is None else None,
        "ladders": [one for one in ladders if one.closed_at is None],
        "seasons": list_seasons_among(ladders, ladder),
        "secret": find_revealed_secret(ladder),
        "seats": find_game(ladder.game).seats,
        "pages": find_presentation(ladder.game, ladder.edition).pages,
        "page": page,
        "blocks": divide_into_groups(build_standings_rows(ladder, entries, ranks, axis, request.user.pk)),
        "scale": draw_axis_numbers(axis),
        "words": words,
        "is_mine": is_mine,
        "is_filtered": is_filtered,
        "is_cut": found.is_cut,
        "max_margin": Z_SCORE_95 * rank_eligibility.MAX_RANKED_DEVIATION_ELO,
        **(more or {}),
    }
    return render(request, template, context)


def list_seasons_among(ladders: Sequence[Ladder], ladder: Ladder) -> list[Ladder]:
    """Return the seasons of a ladder's edition among these ladders, each once, the latest first."""
    seasons = {one.season: one for one in ladders if (one.game, one.edition) == (ladder.game, ladder.edition)}
    return [seasons[number] for number in sorted(seasons, reverse=True)]


class Echo:
    """A file for `csv.writer` that returns each line instead of storing it."""

    def write(self, line: str) -> str:
        """Return the line."""
        return line


def iterate_csv_lines(entries: EntryQuerySet) -> Iterator[str]:
    """Yield the lines of the CSV file, the heading first."""
    writer = csv.writer(Echo())
    yield writer.writerow(["rank", *CSV_COLUMNS])
    rows = entries.select_related(None).values_list(*CSV_COLUMNS.values()).iterator(CSV_BATCH_SIZE)
    is_ranked = list(CSV_COLUMNS).index("is_ranked")
    for place, row in enumerate(rows, start=1):
        yield writer.writerow([place if row[is_ranked] else "", *map(escape_spreadsheet_formula, row)])


def escape_spreadsheet_formula(value: object) -> object:
    """Return the value, quoted if a spreadsheet would take it for a formula."""
    return f"'{value}" if isinstance(value, str) and value[:1] in tuple("=+-@") else value


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
        raise Http404(_("There is no such ladder."))
    return render_explanation(request, ladder)


def render_explanation(request: HttpRequest, ladder: Ladder) -> HttpResponse:
    """Explain ratings and groups on the page of a ladder."""
    asked = [request.GET.get(name, "").replace("\0", "").strip()[:MAX_SEARCH_LENGTH] for name in ("a", "b")]
    pair, unknown = find_example_pair(ladder, asked)
    context = {
        "ladder": ladder,
        "seats": find_game(ladder.game).seats,
        "pages": find_presentation(ladder.game, ladder.edition).pages,
        "pair": pair,
        "unknown": unknown,
        "names": asked if any(asked) else [one.version.bot.name for one in (pair.one, pair.other)] if pair else asked,
        "first": INITIAL_RATING_ELO,
        "eligibility": rank_eligibility,
        "margin": Z_SCORE_95 * rank_eligibility.MAX_RANKED_DEVIATION_ELO,
        "idle_days": ENTRY_INACTIVITY_PERIOD.days,
    }
    return render(request, "ladders/how.html", context)


def find_example_pair(ladder: Ladder, names: Sequence[str]) -> tuple[Pair | None, list[str]]:
    """Return the bots with these names, or the two best if none is named, and the names that no bot has."""
    everybody = list_standings(ladder)
    if not any(names):
        best = list(everybody[:2])
        return (Pair(*best) if len(best) == len(names) else None), []
    slugs = [slugify(name) for name in names]
    found = {entry.version.bot.slug: entry for entry in everybody.filter(version__bot__slug__in=slugs)}
    unknown = [name for name, slug in zip(names, slugs, strict=True) if slug not in found]
    if unknown:
        return None, unknown
    return Pair(*sorted((found[slug] for slug in slugs), key=lambda entry: -entry.rating)), []
