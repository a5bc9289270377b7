"""The pages of ladders, public ones and those of groups: their list, standings, seasons and ratings."""

import csv
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from math import hypot
from statistics import NormalDist
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.humanize.templatetags.humanize import intcomma
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.safestring import SafeString
from django.utils.text import slugify
from django.utils.timezone import localdate
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_POST

from arena.bots.models import BotVersion
from arena.bots.queries import find_visible_bot
from arena.contests.ladders import rating
from arena.contests.ladders.models import ENTRY_INACTIVITY_PERIOD, Entry, EntryQuerySet, Ladder
from arena.contests.ladders.queries import (
    count_active_by_owner,
    count_open_matches,
    count_others,
    count_standings,
    fetch_entries_in_order,
    fetch_leaders,
    fetch_newest_results,
    fetch_pair_results,
    find_open_ladder,
    find_ranks,
    list_bots_to_enter,
    list_ladders_of_game,
    list_ladders_of_group,
    list_newest_matches,
    list_open_ladders,
    list_public_bots_on,
    list_ratings_of_bots,
    list_seasons,
    list_standings,
    number_consecutive_ranks,
    search_standings,
)
from arena.contests.ladders.rating import (
    INITIAL_RATING_ELO,
    MIN_RANKED_MATCHES,
    Z_SCORE_95,
    expected_score,
    find_max_deviation,
    find_min_opponents,
)
from arena.contests.ladders.services import seasons
from arena.contests.ladders.services.seasons import find_revealed_secret
from arena.contests.ladders.showing import find_longest_leg
from arena.matches.models import Match, Participant
from arena.matches.queries import fetch_fault_verdicts, list_participants
from arena.pages.account.settings import build_follow_button
from arena.pages.formatting import FAULT_APPEARANCES
from arena.pages.games import find_presentation
from arena.pages.groups import GroupVisit, group_page, organisers_page
from arena.pages.matches.frames import EndPicture, draw_end_of_leg
from arena.pages.matches.results import MatchFinish, finish_of, list_rows, name_direction
from arena.pages.rules import get_choice_field
from arena.pages.serving import refusal_as_message, refusal_in_form
from arena.pages.svg.charts import (
    EloAxis,
    build_elo_axis,
    draw_elo_axis_numbers,
    draw_rating_interval,
    draw_rating_trend,
)
from arena.pages.tournaments.forms import list_editions
from arena.pages.tournaments.words import format_points
from arena.people.groups.models import Group
from arena.runner.program import Verdict
from engine.registry import GAMES, find_game

# Prepare the rows of a ladder's standings: rank, rating, trend of the last month and last match of each bot.

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
class LastRatedMatch:
    """A bot's last rated match."""

    match: Match
    finish: MatchFinish | None
    cause: str
    """The fault that decided the match, in words; mostly empty."""
    others: list[BotVersion]

    @property
    def opponent(self) -> BotVersion | None:
        """Return the opponent, if there was only one."""
        return self.others[0] if len(self.others) == 1 else None


@dataclass(frozen=True, slots=True)
class StandingsPlace:
    """One row of the standings."""

    rank: int | None
    """None until the rating is certain enough."""
    entry: Entry
    interval: SafeString
    """Drawing of the rating's 95 % interval."""
    trend: RatingTrend | None
    """None if the bot has played on one day only."""
    last: LastRatedMatch | None
    is_own: bool
    opponents_needed: int
    """Number of different opponents without which it gets no rank."""
    margin_needed: float
    """Margin of 95 % above which it gets no rank, in Elo."""

    @property
    def finish(self) -> MatchFinish | None:
        """Return how the bot finished its last match."""
        return self.last.finish if self.last else None

    @property
    def cause(self) -> str:
        """Return the fault that decided the last match, or an empty string."""
        return self.last.cause if self.last else ""

    @property
    def win_rate(self) -> float | None:
        """Return the mean points of its rated matches, from 0 to 1; None before the first."""
        return self.entry.points / self.entry.matches if self.entry.matches else None

    @property
    def played(self) -> str:
        """Return the number of rated matches in words."""
        matches = self.entry.matches
        return ngettext("%(count)s match", "%(count)s matches", matches) % {"count": intcomma(matches)}

    @property
    def meter(self) -> str:
        """Return the win rate as the value of a meter, with a point in all languages."""
        return f"{self.win_rate or 0:.3f}"

    @property
    def missing(self) -> str:
        """Return what the bot needs for a rank."""
        if self.entry.matches < MIN_RANKED_MATCHES:
            return _("%(played)d of %(wanted)d matches") % {"played": self.entry.matches, "wanted": MIN_RANKED_MATCHES}
        if self.entry.opponents < self.opponents_needed:
            return _("%(met)d of %(wanted)d opponents") % {"met": self.entry.opponents, "wanted": self.opponents_needed}
        needed = {"margin": round(self.entry.margin_95), "needed": round(self.margin_needed)}
        return _("±%(margin)d, needs ±%(needed)d") % needed


def find_rating_trends(ladder: Ladder, entries: Iterable[Entry]) -> dict[int, RatingTrend]:
    """Return trends by entry, which include former versions of the bots."""
    of_bot = {entry.version.bot_id: entry for entry in entries}
    today = localdate(ladder.closed_at)
    days: dict[int, dict[object, float]] = {}
    for bot, day, elo in list_ratings_of_bots(ladder, list(of_bot), today - RATING_TREND_PERIOD, today):
        days.setdefault(bot, {})[day] = elo
    return {of_bot[bot].pk: RatingTrend((*ratings.values(), of_bot[bot].rating)) for bot, ratings in days.items()}


def find_last_matches(entries: Iterable[Entry]) -> dict[int, LastRatedMatch]:
    """Return the last match of each entry that has one, by entry."""
    matches = [entry.last_match_id for entry in entries if entry.last_match_id]
    participants = list_participants(matches)
    faults = fetch_fault_verdicts([one.pk for taken in participants.values() for one in taken])
    found = {
        entry.pk: build_last_match(entry, participants.get(entry.last_match_id or 0, []), faults) for entry in entries
    }
    return {pk: last for pk, last in found.items() if last}


def build_last_match(
    entry: Entry, participants: Sequence[Participant], faults: Mapping[int, list[Verdict]]
) -> LastRatedMatch | None:
    """Return the last match of an entry from its participants and their faults."""
    own = next((one for one in participants if one.version_id == entry.version_id), None)
    if own is None:
        return None
    finish, others = finish_of(own, participants), [one for one in participants if one is not own]
    cause = find_deciding_fault(finish, own, others, faults)
    return LastRatedMatch(Match(pk=own.match_id), finish, cause, [participant.version for participant in others])


def find_deciding_fault(
    finish: MatchFinish | None,
    own_participant: Participant,
    other_participants: list[Participant],
    faults: Mapping[int, list[Verdict]],
) -> str:
    """Return the fault that decided a match between two bots, or an empty string."""
    if finish is None or not finish.is_duel or finish.is_shared:
        return ""
    if not finish.is_first and own_participant.pk in faults:
        return str(FAULT_APPEARANCES[faults[own_participant.pk][0]].label)
    if finish.is_first and other_participants[0].pk in faults:
        return _("opponent %(fault)s") % {"fault": FAULT_APPEARANCES[faults[other_participants[0].pk][0]].label}
    return ""


def build_standings_rows(
    ladder: Ladder, entries: Sequence[Entry], ranks: dict[int, int], axis: EloAxis, reader: int | None
) -> Iterator[StandingsPlace]:
    """Yield the rows of these entries."""
    trends, lasts = find_rating_trends(ladder, entries), find_last_matches(entries)
    active = count_active_by_owner(ladder)
    for entry in entries:
        yield StandingsPlace(
            rank=ranks.get(entry.pk),
            entry=entry,
            interval=draw_rating_interval(axis, entry.rating, entry.margin_95),
            trend=trends.get(entry.pk),
            last=lasts.get(entry.pk),
            is_own=reader in entry.version.bot.author_keys,
            opponents_needed=find_min_opponents(count_others(entry, active)),
            margin_needed=Z_SCORE_95 * find_max_deviation(ladder.spread),
        )


def divide_into_groups(places: Iterable[StandingsPlace]) -> list[dict[str, Any]]:
    """Divide places into groups of bots of equal strength within the margins, and those without a rank.

    A group begins at its first bot; a bot that has moved into another group since groups were computed is shown there.
    """
    blocks: list[dict[str, Any]] = []
    for place in places:
        is_ranked = place.entry.is_ranked
        group = place.entry.group if is_ranked else None
        last = blocks[-1] if blocks else None
        if last is None or last["is_ranked"] != is_ranked or (group or 0) > (last["group"] or 0):
            last = {"group": group, "is_ranked": is_ranked, "places": []}
            blocks.append(last)
        last["places"].append(place)
    return blocks


# Pages of the ladders: standings, seasons, and how ratings and groups are computed.

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
    # Each season of the edition stands among the ladders, one perhaps twice.
    seasons = {one.season: one for one in ladders if (one.game, one.edition) == (ladder.game, ladder.edition)}
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
    axis = build_elo_axis((entry.rating, entry.margin_95) for entry in entries)
    context = {
        "ladder": ladder,
        "follow": build_follow_button(request, ladder) if ladder.group_id is None else None,
        "ladders": [one for one in ladders if one.closed_at is None],
        "seasons": sorted(seasons.values(), key=lambda one: -one.season),
        "secret": find_revealed_secret(ladder),
        "seats": find_game(ladder.game).seats,
        "pages": find_presentation(ladder.game, ladder.edition).pages,
        "page": page,
        "blocks": divide_into_groups(build_standings_rows(ladder, entries, ranks, axis, request.user.pk)),
        "scale": draw_elo_axis_numbers(axis),
        "words": words,
        "is_mine": is_mine,
        "is_filtered": is_filtered,
        "is_cut": found.is_cut,
        "max_margin": Z_SCORE_95 * rating.find_max_deviation(ladder.spread),
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
        "eligibility": rating,
        "margin": Z_SCORE_95 * rating.find_max_deviation(ladder.spread),
        "opponents": rating.find_min_opponents(sum(count_active_by_owner(ladder).values()) - 1),
        "idle_days": ENTRY_INACTIVITY_PERIOD.days,
    }
    return render(request, "ladders/how.html", context)


def find_example_pair(ladder: Ladder, names: Sequence[str]) -> tuple[ExamplePair | None, list[str]]:
    """Return the bots with these names, or the two best if none is named, and the names that no bot has."""
    everybody = list_standings(ladder)
    if not any(names):
        best = list(everybody[:2])
        return (ExamplePair(*best) if len(best) == len(names) else None), []
    slugs = [slugify(name) for name in names]
    found = {entry.version.bot.slug: entry for entry in everybody.filter(version__bot__slug__in=slugs)}
    unknown = [name for name, slug in zip(names, slugs, strict=True) if slug not in found]
    if unknown:
        return None, unknown
    return ExamplePair(*sorted((found[slug] for slug in slugs), key=lambda entry: -entry.rating)), []


# The ladders of a group: standings, the grid of who met whom, matches, and what organisers and authors do there.

MATCHES_SHOWN = 15
MAX_BOTS_IN_GRID = 16
"""The best bots, which fit on a screen side by side."""


class OpenLadderForm(forms.Form):
    """A ladder to be opened."""

    edition = forms.ChoiceField(label=gettext_lazy("Edition"))
    with_samples = forms.BooleanField(
        label=gettext_lazy("With the sample bots"), label_suffix="", required=False, initial=True
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
            messages.success(request, _("The ladder is open. Its first matches are played within a minute."))
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
        raise Http404(_("There is no such ladder."))
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
        "pause": (seasons.pause_group_ladder, _("The ladder is paused.")),
        "resume": (seasons.resume_group_ladder, _("The ladder goes on.")),
        "end": (seasons.end_group_season, _("The season is over.")),
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
        "enter": (seasons.enter_group_ladder, _("%(name)s plays on this ladder now.")),
        "leave": (seasons.leave_group_ladder, _("%(name)s plays on this ladder no more.")),
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
        raise Http404(_("There is no such ladder."))
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
        "grid": build_grid(list(list_standings(ladder)[:MAX_BOTS_IN_GRID])),
        "max_bots_in_grid": MAX_BOTS_IN_GRID,
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


def build_grid(entries: Sequence[Entry]) -> list[dict[str, Any]]:
    """Return the results of these entries against each other, in their order; nothing where none has played.

    A bot has no cell against itself.
    """
    results = fetch_pair_results([entry.pk for entry in entries])
    if not results:
        return []

    def build_cell(one: Entry, other: Entry) -> dict[str, Any] | None:
        if one.pk == other.pk:
            return None
        points, matches = results.get((one.pk, other.pk), (0.0, 0))
        return {"points": format_points(points), "matches": matches}

    return [
        {"place": place, "entry": one, "cells": [build_cell(one, other) for other in entries]}
        for place, one in enumerate(entries, start=1)
    ]
