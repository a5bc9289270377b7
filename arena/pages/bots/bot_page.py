"""A bot on its page: strength, versions, matches and mistakes; and one bot against another."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import chain
from statistics import NormalDist, fmean
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.timezone import localdate, now
from django.views.decorators.http import require_POST

from arena.bots import services
from arena.bots.models import Bot, BotVersion
from arena.bots.queries import list_bots_of_author, list_versions
from arena.bots.running import STRONGEST_SAMPLE
from arena.bots.teams import find_invitation
from arena.contests.analysis.models import SeatAnalysis
from arena.contests.analysis.queries import (
    MistakeExample,
    MistakeKind,
    WorstDecision,
    fetch_draw_luck,
    fetch_worst_decisions,
    is_analysis_on,
    summarize_mistakes,
)
from arena.contests.analysis.services import request_analyses_of_losses
from arena.contests.comparisons.services import find_luck_suspension
from arena.contests.ladders import queries
from arena.contests.ladders.models import Entry
from arena.contests.ladders.queries import (
    fetch_pair_results,
    fetch_presence,
    find_place,
    list_current_entries,
    list_daily_ratings,
    list_entries_of_bots,
    list_ratings_by_match,
    list_recent_rated_matches,
)
from arena.contests.ladders.rating import Z_SCORE_95, expected_score, find_max_deviation
from arena.contests.ladders.services import entering
from arena.contests.tournaments.queries import list_podium_places
from arena.core.messages import gettext as _
from arena.core.messages import gettext_lazy, ngettext, render_message
from arena.matches.livegames.queries import find_opponent
from arena.matches.models import Match, Participant, Trial
from arena.matches.queries import (
    attach_verdicts,
    count_legs,
    fetch_matches,
    fetch_series_points,
    find_queue_place_of,
    keep_visible_matches,
    list_faulty_matches,
    list_lost_matches,
    list_meeting_seats,
    list_newest_participants,
    list_participants,
    list_points,
    list_shared_matches,
    list_started_matches,
    list_trials_not_passed,
    list_unrated_matches,
)
from arena.matches.remote.queries import count_recent_refusals
from arena.pages.account.settings import build_follow_button
from arena.pages.bots.remote import describe_connecting, describe_open_ladders
from arena.pages.bots.versions import last_fault, read_health, read_thinking
from arena.pages.formatting import (
    FAULT_APPEARANCES,
    MIN_CASES_OF_BAR,
    Appearance,
    format_percent,
    format_signed,
    join_words,
    translate_ladder_title,
)
from arena.pages.games import find_presentation
from arena.pages.games.sentence import Sentence, format_sentence
from arena.pages.matches.frames import JUDGEMENT_TITLES, JUDGEMENT_TONES, to_points
from arena.pages.matches.match_page import DECISION_PREFIX
from arena.pages.matches.replay import build_rerun_command
from arena.pages.matches.results import POINTS_DIGITS, list_rows
from arena.pages.serving import (
    bot_or_404,
    own_bot_or_403,
    player_of,
    reader_of,
    refusal_as_message,
    signed_in_reader,
)
from arena.pages.svg.charts import (
    DRAWN_POINTS,
    HATCH_PATTERN_SVG,
    LOST_POINTS,
    WON_POINTS,
    ChartPoint,
    draw_fault_shares,
    draw_rating_history,
    draw_result_squares,
    draw_score_trend,
    draw_share_bar,
)
from arena.pages.tournaments.words import list_current_lines
from arena.runner.program import Verdict
from engine.analysis.evaluators import has_evaluator
from engine.registry import GAMES, find_game

# Results of a bot: how many matches it won, and its last results against each opponent.

MAX_MATCHES_COUNTED = 60
"""A tally counts this many of an entry's newest rated matches."""
MAX_RESULTS_SHOWN = 10
HALF = 0.5


@dataclass(frozen=True, slots=True)
class Tally:
    """Numbers of matches. A match is won with more than half of its points."""

    won: int
    drawn: int
    lost: int

    @property
    def matches(self) -> int:
        """Return the number of all matches."""
        return self.won + self.drawn + self.lost


def count_results(points: Iterable[float]) -> Tally:
    """Return how many matches were won, drawn and lost with these shares of the points."""
    results = [compare_points(one, HALF) for one in points]
    return Tally(results.count(WON_POINTS), results.count(DRAWN_POINTS), results.count(LOST_POINTS))


def compare_points(own: float, other: float) -> float:
    """Return WON, DRAWN or LOST for who has these points against who has those."""
    own, other = round(own, POINTS_DIGITS), round(other, POINTS_DIGITS)
    return WON_POINTS if own > other else LOST_POINTS if own < other else DRAWN_POINTS


def read_recent_form(entry: Entry) -> tuple[Tally, dict[int, list[float]]]:
    """Count the results of an entry's newest rated matches, and list the last against each version, oldest first.

    It takes two queries however much the entry has played.
    """
    matches = list_recent_rated_matches(entry, MAX_MATCHES_COUNTED)
    tables: dict[int, dict[int, float]] = {match: {} for match in matches}
    for match, version, points in list_points(matches):
        if points is not None:
            tables[match][version] = points
    played = [table for table in tables.values() if entry.version_id in table]
    own = [table.pop(entry.version_id) for table in played]
    last: dict[int, list[float]] = {}
    for points, table in zip(own, played, strict=True):
        for version, others in table.items():
            met = last.setdefault(version, [])
            if len(met) < MAX_RESULTS_SHOWN:
                met.insert(0, compare_points(points, others))
    return count_results(own), last


# Prepare a bot's strength on a ladder for its page: the history of its rating, and its most frequent opponents.

MIN_DAYS_SHOWN = 3
"""With fewer days the history is shown by match."""
MAX_POINTS_LISTED = 60


def build_rating_history(entry: Entry, unit: str) -> dict[str, Any] | None:
    """Return the rating by day over all versions, or by match of the playing one; None if there is nothing to draw.

    `unit` is `days`, `matches`, or empty for days if there are enough of them.
    """
    days = list_daily_points(entry)
    by_day = unit == "days" or (unit != "matches" and len(days) >= MIN_DAYS_SHOWN)
    points = days if by_day else list_match_points(entry)
    if not points:
        return None
    max_margin = Z_SCORE_95 * find_max_deviation(entry.ladder.spread)
    picture, newest = draw_rating_history(points, by_day, max_margin), points[: -MAX_POINTS_LISTED - 1 : -1]
    return {"picture": picture, "points": newest, "by_day": by_day}


def list_daily_points(entry: Entry) -> list[ChartPoint]:
    """Return the last rating of each day, and the current one."""
    today = localdate()
    rows = list_daily_ratings(entry.version.bot_id, entry.ladder_id)
    points = [
        ChartPoint(rating, Z_SCORE_95 * deviation, matches, day, version, rank)
        for rating, deviation, matches, day, version, rank in rows
    ]
    points = [point for point in points if point.day < today or point.version != entry.version.number]
    now = ChartPoint(entry.rating, entry.margin_95, entry.matches, today, entry.version.number)
    return [*points[::-1], now] if points else []


def list_match_points(entry: Entry) -> list[ChartPoint]:
    """Return the rating as it was shown after each of the last matches."""
    version = entry.version.number
    return [
        ChartPoint(rating, Z_SCORE_95 * deviation, entry.matches - back, localdate(finished), version)
        for back, (rating, deviation, finished) in enumerate(list_ratings_by_match(entry.pk))
    ][::-1]


def list_met_opponents(entry: Entry, last: Mapping[int, Sequence[float]]) -> list[dict[str, Any]]:
    """List whom the entry met most often in rated matches, at tables of all sizes, with the last results against each.

    `surplus` is what its share of the points is above that expected by today's ratings, in percentage points.
    """
    return [
        {
            "entry": other,
            "matches": met,
            "score": score,
            "surplus": 100 * (score - expected_score(entry.rating - other.rating)),
            "share": draw_share_bar(score, met),
            "is_few": met < MIN_CASES_OF_BAR,
            "results": draw_result_squares(last.get(other.version_id, [])),
        }
        for other, met, score in queries.list_rivals(entry)
    ]


# A bot: rating, versions, matches and faults.

MATCHES_SHOWN = 8
TITLES_SHOWN = 6
TOURNAMENTS_SHOWN = 5
MAX_VERSIONS_SHOWN = 20
MAX_MATCHES_FILTERED = 100
"""A filter looks through this many of a bot's newest matches."""
AUDIENCES = {
    Bot.PlayedBy.EVERYBODY.value: gettext_lazy("anyone"),
    Bot.PlayedBy.OWNER.value: gettext_lazy("only me"),
    Bot.PlayedBy.NOBODY.value: gettext_lazy("no one"),
}
"""Who may play live games against a bot."""
SAMPLE_WORDS = {
    "random": gettext_lazy("Plays a random legal action, in any game."),
    "brute": gettext_lazy(
        "Plays its highest troop where it already has the most cards; in Battalion, makes the strongest "
        "attack. Ignores formations and what its opponents could have."
    ),
    "greedy": gettext_lazy(
        "Takes the best immediate gain. In Battle Line it plays each card where it makes the best formation, "
        "claims flags as soon as it can, never plays tactics and looks only at its own side."
    ),
    "careful": gettext_lazy(
        "Estimates its chances at every flag and plays the card that adds most to their sum, less what the "
        "card would be worth elsewhere. Plays tactics if they add enough."
    ),
    "searcher": gettext_lazy(
        "Looks ahead: it deals the hidden cards at random, plays out the most promising actions with a quick "
        "policy, and picks the one with the best average result."
    ),
    "marshal": gettext_lazy(
        "Looks ahead with a value function learnt by self-play. At the table it also has four weaker levels, "
        "1 to 4, which look at fewer deals and choose more randomly."
    ),
    "general": gettext_lazy(
        "Covers its guard, counts cards and attacks where it expects to gain. Weighs every way to end the "
        "turn: the immediate gain, and the value of the arrangement afterwards."
    ),
}
"""What each sample bot does, true to its code in `bots/samples`."""
MATCH_FILTERS = {
    "": gettext_lazy("All"),
    "lost": gettext_lazy("Lost"),
    "faults": gettext_lazy("Faults"),
    "unrated": gettext_lazy("Unrated"),
}


def show_bot(request: HttpRequest, slug: str) -> HttpResponse:
    """Show a bot, its strength on one ladder, its versions and recent matches."""
    bot = bot_or_404(request, slug)
    versions = attach_verdicts(list_versions(bot))
    known = list_current_entries(request.user, bot, versions[:MAX_VERSIONS_SHOWN])
    entries = [one for one in known if one.state != Entry.State.RETIRED]
    asked = request.GET.get("ladder"), request.GET.get("clock", "")
    entry = next((one for one in entries if (one.ladder.edition, one.ladder.clock) == asked), None)
    entry = entry or next(iter(entries), None)
    health = read_health(versions)
    faults = [(one["kind"].colour, one["legs"]) for one in health["counts"]]
    played = list_newest_participants(versions, MAX_MATCHES_FILTERED)
    newest = list(played) if bot.group_id is None else keep_visible_matches(request.user, played)
    participants = list(chain(*played.values()))
    chosen, luck = request.GET.get("matches", ""), fetch_draw_luck(bot)
    rows = list_rows(choose_matches(newest, bot, chosen), bot)
    context = {
        "bot": bot,
        "is_owner": bot.has_author(request.user),
        "invitation": find_invitation(bot, request.user),
        "follow": build_follow_button(request, bot),
        "is_installed": bot.game in GAMES,
        "sample_words": SAMPLE_WORDS.get(bot.name, "") if bot.owner.is_house else "",
        "saves_on_ladders": bot.owner.is_house and bot.name == STRONGEST_SAMPLE,
        "opponent": find_opponent(player_of(request), bot),
        "audiences": AUDIENCES,
        "entries": entries,
        "entry": entry,
        "playing": entry.version if entry else next((one for one in versions if one.is_final), None),
        "suspended": list_suspensions(one for one in entries if not one.is_active),
        "versions": build_version_rows(versions, [one for one in known if entry and one.ladder_id == entry.ladder_id]),
        "not_passed": find_not_passed(versions),
        "next_number": versions[0].number + 1 if versions else 1,
        "older": max(len(versions) - MAX_VERSIONS_SHOWN, 0),
        "rows": rows,
        "waiting": None if rows or chosen else find_queue_place_of(newest),
        "filter": chosen,
        "filters": MATCH_FILTERS,
        "looked_back": len(newest),
        "health": health,
        "health_bar": draw_fault_shares(health["clean"], faults),
        "last_fault": last_fault(participants) if health["faults"] else None,
        "luck": luck,
        "luck_suspension": find_luck_suspension(bot) if luck else None,
        "tournaments": list_current_lines(request.user, TOURNAMENTS_SHOWN, bot=bot),
        "titles": list_podium_places(bot, TITLES_SHOWN),
        "thinking": read_thinking(participants),
        "hatched": HATCH_PATTERN_SVG,
        **(describe_remote(request, bot, participants) if bot.is_remote else {}),
        **(describe_strength(entry, versions, request.GET.get("history", "")) if entry else {}),
    }
    return render(request, "bots/detail.html", context)


def describe_remote(request: HttpRequest, bot: Bot, participants: Sequence[int]) -> dict[str, Any]:
    """Return what the page of a remote bot shows besides, and to its authors. `participants` are its newest."""
    presence, refused = fetch_presence([bot.pk]).get(bot.pk), count_recent_refusals(participants)
    context: dict[str, Any] = {"remote": presence, "refused": refused}
    if bot.has_author(request.user) and bot.stopped_at is None:
        context |= {"connect": describe_connecting(request, bot), **describe_open_ladders(bot)}
    return context


def list_suspensions(suspended: Iterable[Entry]) -> list[tuple[int, str, str]]:
    """List the version, the reason and the ladders of entries that don't play, those with one reason together."""
    found: dict[tuple[int, str], list[str]] = {}
    for one in suspended:
        reason = render_message(one.state_reason) if one.state_reason else ""
        found.setdefault((one.version.number, reason), []).append(translate_ladder_title(one.ladder.title))
    return [(number, reason, join_ladder_titles(titles)) for (number, reason), titles in found.items()]


def join_ladder_titles(titles: Sequence[str]) -> str:
    """Return the titles of ladders in a sentence; a game that they share is written once."""
    parts = [title.partition(", ") for title in titles]
    games = {game for game, _comma, _edition in parts}
    if len(titles) == 1 or len(games) > 1 or not all(edition for _game, _comma, edition in parts):
        return "; ".join(titles)
    editions = join_words([edition for _game, _comma, edition in parts], _("%(first)s and %(last)s"))
    return f"{games.pop()}: {editions}"


def find_not_passed(versions: Sequence[BotVersion]) -> list[Trial]:
    """Return the trials that keep the newest accepted version off ladders."""
    accepted = next((one for one in versions if one.state == BotVersion.State.ACCEPTED), None)
    return [] if accepted is None else list_trials_not_passed(accepted)


def describe_strength(entry: Entry, versions: Sequence[BotVersion], history: str) -> dict[str, Any]:
    """Return what the page shows of a bot on one ladder."""
    tally, last = read_recent_form(entry)
    version = next(one for one in versions if one.pk == entry.version_id)
    legs = sum(version.verdicts.values())
    return {
        "low": entry.rating - entry.margin_95,
        "high": entry.rating + entry.margin_95,
        "place": find_place(entry),
        "history": build_rating_history(entry, history),
        "rivals": list_met_opponents(entry, last),
        "tally": tally,
        "score": compute_score(entry),
        "version_legs": legs,
        "version_faults": legs - version.verdicts.get(Verdict.OK, 0),
    }


def choose_matches(newest: Sequence[int], bot: Bot, kind: str) -> QuerySet[Match]:
    """List the newest of these matches of a kind in MATCH_FILTERS."""
    if kind == "lost":
        return list_lost_matches(newest, bot.pk, MATCHES_SHOWN)
    if kind == "faults":
        return list_faulty_matches(newest, bot.pk, MATCHES_SHOWN)
    if kind == "unrated":
        return list_unrated_matches(newest, MATCHES_SHOWN)
    return list_started_matches(newest, MATCHES_SHOWN)


def compute_score(entry: Entry) -> float | None:
    """Return an entry's share of the points in rated matches, from 0 to 1; None before the first."""
    return entry.points / entry.matches if entry.matches else None


def build_version_rows(versions: Sequence[BotVersion], entries: Sequence[Entry]) -> list[dict[str, Any]]:
    """Return the newest versions, each with its entry among these, which are of one ladder."""
    own = {one.version_id: one for one in entries}
    rows = []
    for version in versions[:MAX_VERSIONS_SHOWN]:
        entry, legs = own.get(version.pk), sum(version.verdicts.values())
        faults = legs - version.verdicts.get(Verdict.OK, 0)
        score = compute_score(entry) if entry else None
        rows.append({"version": version, "entry": entry, "legs": legs, "faults": faults, "score": score})
    return rows


@require_POST
@login_required
def resume_bot(request: HttpRequest, slug: str) -> HttpResponse:
    """Let a bot play again wherever it was suspended."""
    bot = own_bot_or_403(request, slug)
    with refusal_as_message(request):
        entering.resume_bot(bot=bot, owner=signed_in_reader(request))
        messages.success(request, _("%(name)s plays again.") % {"name": bot.name})
    return redirect(bot)


@require_POST
@login_required
def pause_bot(request: HttpRequest, slug: str) -> HttpResponse:
    """Suspend a bot until its owner resumes it."""
    bot = own_bot_or_403(request, slug)
    with refusal_as_message(request):
        entering.pause_bot(bot=bot, owner=signed_in_reader(request))
        messages.success(request, _("%(name)s is paused.") % {"name": bot.name})
    return redirect(bot)


@require_POST
@login_required
def offer_bot(request: HttpRequest, slug: str) -> HttpResponse:
    """Choose who may play live games against a bot."""
    bot = own_bot_or_403(request, slug)
    with refusal_as_message(request):
        services.offer_bot(bot=bot, owner=signed_in_reader(request), played_by=request.POST.get("played_by", ""))
        messages.success(request, _("Saved the live games setting for %(name)s.") % {"name": bot.name})
    return redirect(bot)


# Two bots as rivals: the score between them, who has won lately, and how many matches were decided.


def build_rivalry(
    bot: Bot, other: Bot, rated: tuple[float, int], results: Sequence[float], tally: Tally
) -> dict[str, Any]:
    """Return the points of two bots, one a match, and what there is to say of their newest matches.

    `rated` has the points of the first in rated matches and their number, `results` its shares of the points in their
    newest matches of any kind, oldest first. The score is that of rated matches, or of the newest ones without any.
    """
    points, matches = rated if rated[1] else (sum(results), len(results))
    return {
        "points": [f"{round(one, 1):g}" for one in (points, matches - points)],
        "is_level": compare_points(points, matches - points) == DRAWN_POINTS,
        "tally": tally,
        "streak": describe_streak(bot, other, results),
        "decided": describe_decided(tally),
    }


def describe_streak(bot: Bot, other: Bot, results: Sequence[float]) -> str:
    """Return who has won the newest matches, or that they were drawn."""
    outcomes = [compare_points(share, HALF) for share in reversed(results)]
    if not outcomes:
        return ""
    count = next((number for number, one in enumerate(outcomes) if one != outcomes[0]), len(outcomes))
    if outcomes[0] == DRAWN_POINTS:
        drawn = ngettext("Their last match was drawn.", "Their last %(count)d matches were drawn.", count)
        return drawn % {"count": count}
    winner = bot if outcomes[0] == WON_POINTS else other
    won = ngettext("%(name)s won the last match.", "%(name)s won the last %(count)d matches in a row.", count)
    return won % {"name": winner.name, "count": count}


def describe_decided(tally: Tally) -> str:
    """Return how many matches had a winner."""
    if not tally.matches:
        return ""
    if not tally.drawn:
        return ngettext(
            "Their last match had a winner.", "All of their last %(count)d matches had a winner.", tally.matches
        ) % {"count": tally.matches}
    decided = ngettext(
        "Their last match had no winner.", "%(count)d of their last %(all)d matches had a winner.", tally.matches
    )
    return decided % {"all": tally.matches, "count": tally.matches - tally.drawn}


# One bot against another: who is better, their last results, and which seat wins.

MAX_MATCHES_SCANNED = 2000
"""Their matches are looked for among this many of the bot that played less."""
MAX_MEETINGS_COUNTED = 100
MATCHES_OF_PAIR_SHOWN = 15
MAX_PAIRINGS_SHOWN = 20
MIN_RESULTS_FOR_TREND = 4
LegOfPair = tuple[int, int, float, str, str]
"""A leg that both played: its match, the seat of the one the page is about, its result, and the verdicts of both."""


def show_pair(request: HttpRequest, slug: str, other: str) -> HttpResponse:
    """Show the results of a bot against another."""
    own, rival = (bot_or_404(request, one) for one in (slug, other))
    if own == rival:
        raise Http404(_("A bot can't play itself."))
    meetings, matches = list_meetings(own, rival)
    entries = list(list_entries_of_bots(request.user, [own.pk, rival.pk]))
    results = points_by_match(meetings, fetch_series_points(matches, own.pk))
    context = {
        "bot": own,
        "other": rival,
        "seats": tally_seats(own.game, meetings),
        "faults": count_faults(own_verdict for _match, _seat, _result, own_verdict, _other in meetings),
        "other_faults": count_faults(other_verdict for *_leg, other_verdict in meetings),
        "rows": list_rows(fetch_matches(matches[:MATCHES_OF_PAIR_SHOWN]), own),
        "hatched": HATCH_PATTERN_SVG,
        "tally": count_results(results),
        "last": draw_result_squares([compare_points(one, HALF) for one in results[-MAX_RESULTS_SHOWN:]]),
        **summarize_ratings(entries, own),
    }
    expected, points = context["expected"], (context["score"] or 0.0) * context["rated"]
    context["rivalry"] = build_rivalry(own, rival, (points, context["rated"]), results, context["tally"])
    if len(results) >= MIN_RESULTS_FOR_TREND:
        context["trend"] = draw_score_trend(results, HALF if expected is None else expected)
    return render(request, "bots/pair.html", context)


def summarize_ratings(entries: Sequence[Entry], own: Bot) -> dict[str, Any]:
    """Return what rated matches and today's ratings say of the two."""
    pairings = list_version_pairings(entries, own)
    rated = sum(one["matches"] for one in pairings)
    facing = find_current_entries(entries, own)
    return {
        "pairings": pairings[:MAX_PAIRINGS_SHOWN],
        "rated": rated,
        "score": sum(one["score"] * one["matches"] for one in pairings) / rated if rated else None,
        "facing": facing,
        "better": probability_better(*facing) if facing else None,
        "expected": expected_score(facing[0].rating - facing[1].rating) if facing else None,
    }


def find_current_entries(entries: Sequence[Entry], own: Bot) -> tuple[Entry, Entry] | None:
    """Return the entries of both on the first ladder, in the game's order, that has both; None without one."""
    now = [one for one in entries if one.state != Entry.State.RETIRED and one.ladder.closed_at is None]
    others = {one.ladder_id: one for one in now if one.version.bot_id != own.pk}
    mine = sorted((one for one in now if one.version.bot_id == own.pk), key=lambda one: one.ladder.place)
    return next(((one, others[one.ladder_id]) for one in mine if one.ladder_id in others), None)


def probability_better(own: Entry, other: Entry) -> float:
    """Return the probability that the first is stronger, taking the errors of both ratings as independent."""
    deviation = (own.deviation**2 + other.deviation**2) ** 0.5
    return NormalDist().cdf((own.rating - other.rating) / deviation)


def list_meetings(own: Bot, rival: Bot) -> tuple[list[LegOfPair], list[int]]:
    """Return the legs of their newest matches, oldest first, and the keys of these matches, newest first."""
    versions, others = (attach_verdicts(list_versions(bot)) for bot in (own, rival))
    by_activity = sorted((versions, others), key=lambda some: sum(count_legs(some).values()))
    matches = list_shared_matches(
        by_activity[0], [one.pk for one in by_activity[1]], scanned=MAX_MATCHES_SCANNED, limit=MAX_MEETINGS_COUNTED
    )
    legs: dict[int, dict[int, tuple[int, int, int, str]]] = {}
    for leg, match, bot, seat, place, verdict in list_meeting_seats(matches, [own.pk, rival.pk]):
        legs.setdefault(leg, {})[bot] = (match, seat, place, verdict)
    meetings = []
    for sides in legs.values():
        if len(sides) > 1:
            (match, seat, place, verdict), (_match, _seat, other_place, other_verdict) = sides[own.pk], sides[rival.pk]
            meetings.append((match, seat, compare_points(-place, -other_place), verdict, other_verdict))
    return meetings, matches


def points_by_match(meetings: Sequence[LegOfPair], series: Mapping[int, float]) -> list[float]:
    """Return the share of the points against the other in each match, oldest first; `series` has those of series."""
    matches: dict[int, list[float]] = {}
    for match, _seat, result, *_verdicts in meetings:
        matches.setdefault(match, []).append(result)
    return [series.get(match, fmean(results)) for match, results in matches.items()]


def tally_seats(game: str, meetings: Sequence[LegOfPair]) -> list[dict[str, Any]]:
    """Return the results by seat, each with a chart."""
    seats: dict[int, list[float]] = {}
    for _match, seat, result, *_verdicts in meetings:
        seats.setdefault(seat, []).append(result)
    name = find_presentation(game, next(iter(find_game(game).editions))).name_seat
    return [
        {
            "name": name(seat),
            "tally": count_results(results),
            "share": fmean(results),
            "bar": draw_share_bar(fmean(results), len(results)),
            "is_few": len(results) < MIN_CASES_OF_BAR,
        }
        for seat, results in sorted(seats.items())
    ]


def count_faults(verdicts: Iterable[str]) -> list[tuple[Appearance, int]]:
    """Return how often each kind of fault happened."""
    counts = Counter(one for one in verdicts if one != Verdict.OK)
    return [(FAULT_APPEARANCES[Verdict(one)], count) for one, count in counts.items()]


def list_version_pairings(entries: Sequence[Entry], own: Bot) -> list[dict[str, Any]]:
    """Return what the versions of both scored against each other, newest versions first.

    `surplus` is what the score is above that expected by today's ratings, in percentage points.
    """
    by_pk = {entry.pk: entry for entry in entries}
    found = []
    for (first, second), (points, matches) in fetch_pair_results(list(by_pk)).items():
        one, other = by_pk[first], by_pk[second]
        if own.pk == one.version.bot_id != other.version.bot_id:
            score = points / matches
            found.append(
                {
                    "own": one,
                    "other": other,
                    "matches": matches,
                    "is_few": matches < MIN_CASES_OF_BAR,
                    "score": score,
                    "surplus": 100 * (score - expected_score(one.rating - other.rating)),
                }
            )
    return sorted(found, key=lambda pair: (-pair["own"].version.number, -pair["other"].version.number))


# The typical mistakes of a bot, for its author.


LOSSES_ANALYSED = 20
WORST_DECISIONS_PERIOD = timedelta(days=7)
WORST_DECISIONS_SHOWN = 5


@login_required
def show_typical_mistakes(request: HttpRequest, slug: str) -> HttpResponse:
    """Show by which kinds of mistakes a bot gives away most, with examples."""
    bot = own_bot_or_403(request, slug)
    if request.method == "POST":
        with refusal_as_message(request):
            found = request_analyses_of_losses(user=signed_in_reader(request), bot=bot, count=LOSSES_ANALYSED)
            waiting = sum(one.is_pending for one in found)
            text = ngettext(
                "%(count)d leg is being analysed. Check back in a few minutes.",
                "%(count)d legs are being analysed. Check back in a few minutes.",
                waiting,
            )
            messages.success(request, text % {"count": waiting})
        return redirect("mistakes", slug)
    summary = summarize_mistakes(bot)
    context = {
        "bot": bot,
        "losses": LOSSES_ANALYSED if is_analysis_on() and is_analysable(bot.game) else 0,
        "legs": summary.legs,
        "counts": [(title, summary.judgements.get(name, 0)) for name, title in JUDGEMENT_TITLES.items()],
        "kinds": [describe_mistake_kind(kind) for kind in summary.kinds],
        "luck": fetch_draw_luck(bot),
    }
    return render(request, "bots/mistakes.html", context)


@dataclass(frozen=True, slots=True)
class WorstInWords:
    """A decision that gave away much, in words, with where to see it and the command that asks the bot again."""

    version: BotVersion
    rivals: list[BotVersion]
    match: Match
    leg: int
    title: str
    tone: str
    points: int
    sentence: Sentence
    """What was done, what was better, and the chances after both."""
    cause: str
    """Whether luck or decisions cost it more in this leg."""
    url: str
    command: str


def build_worst_decisions(request: HttpRequest) -> dict[str, Any]:
    """Return the context of `bots/_worst_decisions.html`; an empty one for readers without bots."""
    reader = reader_of(request)
    bot = None if reader is None else list_bots_of_author(reader, reader, 1).first()
    if reader is None or bot is None:
        return {}
    found = fetch_worst_decisions(reader, now() - WORST_DECISIONS_PERIOD, WORST_DECISIONS_SHOWN)
    participants = list_participants([one.leg.match_id for one in found.decisions])
    return {
        "worst": [word_worst_decision(request, one, participants[one.leg.match_id]) for one in found.decisions],
        "worst_bot": found.decisions[0].version.bot if found.decisions else bot,
        "is_any_analysed": found.is_any_analysed,
        "is_analysis_on": is_analysis_on(),
    }


def word_worst_decision(
    request: HttpRequest, found: WorstDecision, participants: Sequence[Participant]
) -> WorstInWords:
    """Return a decision in words, in those of its edition."""
    match, mistake, version = found.leg.match, found.mistake, found.version
    presentation = find_presentation(match.game, match.edition)
    sentence = format_sentence(
        _("It chose {played}, which left it a {chance} chance of winning; {better} would have kept {best}."),
        played=presentation.name_choice(mistake["action"]),
        better=presentation.name_choice(mistake["better"]),
        chance=format_percent(found.chance),
        best=format_percent(found.best_chance),
    )
    others = [one.version for one in participants if one.pk != found.seat.participant_id]
    turn = f"{DECISION_PREFIX}{mistake['number']}"
    return WorstInWords(
        version=version,
        rivals=others,
        match=match,
        leg=found.leg.number,
        title=str(JUDGEMENT_TITLES[mistake["judgement"]]),
        tone=JUDGEMENT_TONES[mistake["judgement"]],
        points=to_points(mistake["loss"]),
        sentence=sentence,
        cause=word_cause(found.seat),
        url=f"{match.get_absolute_url()}?leg={found.leg.number}&view={found.seat.seat}&turn={turn}",
        command=""
        if version.bot.is_remote
        else f"{build_rerun_command(request, found.leg, version, found.seat.seat)} {mistake['number']}",
    )


def word_cause(seat: SeatAnalysis) -> str:
    """Return how the leg of a seat ended, and of a lost one whether luck or decisions cost it more."""
    total, luck = to_points(seat.result - seat.start), to_points(seat.luck)
    skill = total - luck
    values = {"luck": format_signed(luck), "skill": format_signed(skill)}
    if seat.result == 1:
        return _("It won this leg all the same: luck %(luck)s, skill %(skill)s.") % values
    if seat.result > 0:
        return _("It drew this leg: luck %(luck)s, skill %(skill)s.") % values
    if luck >= 0:
        return _("Its decisions lost this leg, not luck: luck %(luck)s, skill %(skill)s.") % values
    if skill >= 0:
        return _("Luck lost this leg, not its decisions: luck %(luck)s, skill %(skill)s.") % values
    if luck < skill:
        return _("It lost this leg more by luck than by its decisions: luck %(luck)s, skill %(skill)s.") % values
    return _("It lost this leg more by its decisions than by luck: luck %(luck)s, skill %(skill)s.") % values


def is_analysable(key: str) -> bool:
    """Return whether any edition of a game has a value function."""
    return key in GAMES and any(has_evaluator(key, edition) for edition in GAMES[key].editions)


def describe_mistake_kind(kind: MistakeKind) -> dict[str, Any]:
    """Return a kind of mistakes in words, with the chance all of them gave away, in points."""
    presentation = find_presentation(kind.game, kind.examples[0].edition)
    return {
        "label": str(presentation.mistake_labels.get(kind.kind, kind.kind)),
        "count": kind.count,
        "points": to_points(kind.lost),
        "examples": [describe_mistake_example(kind.game, example) for example in kind.examples],
    }


def describe_mistake_example(game: str, example: MistakeExample) -> dict[str, Any]:
    """Return a mistake in words, in those of its edition, with the address of its turn."""
    presentation, mistake = find_presentation(game, example.edition), example.mistake
    turn = f"{DECISION_PREFIX}{mistake['number']}"
    return {
        "url": f"/matches/{example.match}/?leg={example.leg}&view={example.seat}&turn={turn}",
        "match": example.match,
        "leg": example.leg,
        "title": str(JUDGEMENT_TITLES[mistake["judgement"]]),
        "tone": JUDGEMENT_TONES[mistake["judgement"]],
        "points": to_points(mistake["loss"]),
        "played": presentation.name_choice(mistake["action"]),
        "better": presentation.name_choice(mistake["better"]),
    }
