"""The rounds of a tournament, as lists, brackets and crosstables."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from arena.contests.tournaments.formats import base
from arena.contests.tournaments.formats.brackets import (
    FINAL_BOUT,
    NO_ENTRANT,
    RESET_BOUT,
    THIRD_PLACE_BOUT,
    Bout,
    Bracket,
    FromBout,
    build_knockout_rounds,
    build_losers_rounds,
    build_winners_rounds,
    is_bout_name,
    read_order,
)
from arena.contests.tournaments.formats.round_robin import GroupPhase
from arena.contests.tournaments.models import Round
from arena.contests.tournaments.overview import (
    BoardMatch,
    Overview,
    PairingOverview,
    fetch_matches,
    fetch_overview,
    list_decisions_since,
)
from arena.contests.tournaments.services.access import is_round_hidden
from arena.contests.tournaments.standings import Standing
from arena.core.messages import gettext as _
from arena.core.messages import isolate, ngettext
from arena.matches.models import Match
from arena.pages.formatting import MATCH_STATES
from arena.pages.serving import NO_REAL_NAMES, RealNames, fetch_shown_names, tournament_or_404, write_authors
from arena.pages.tournaments.words import format_name, format_points, list_names, name_knockout_round, name_round
from engine.registry import GAMES

# The data of brackets: rounds of bouts with their entrants and winners.

BoutRounds = Sequence[Sequence[Bout]]
MAX_BOUTS_DRAWN_PER_ROUND = 32
"""Rounds with more bouts are left out of the drawing, which would be too large to read."""


@dataclass(frozen=True, slots=True)
class BoutSide:
    """A side of a bout."""

    number: int | None
    """Seed of the entrant; NO_ENTRANT for an empty place, None until it is known."""
    seed: int | None
    """Its seed in the bracket, which is its place in the phase before, if there was one."""
    name: str
    won: bool
    """Whether it won the bout."""
    score: str
    """Its points so far; empty before the first match."""
    author: str = ""


@dataclass(frozen=True, slots=True)
class BoutResult:
    """A bout with its result."""

    name: str
    sides: tuple[BoutSide, BoutSide]
    feeders: tuple[str | None, str | None]
    """Names of the bouts in the same drawing whose winners are its sides."""
    caption: str
    """What is played for where that isn't plain from its round; empty elsewhere."""
    match: int | None
    """Its first match; None before, and where the game is not installed, so that there is nothing to look at."""
    is_over: bool
    played: bool
    is_given: bool = False
    """Whether an organiser decided it."""
    is_stale: bool = False
    """Whether the next round was drawn from another winner."""

    @property
    def is_empty(self) -> bool:
        """Return whether both sides are empty places."""
        return all(side.number == NO_ENTRANT for side in self.sides)

    @property
    def is_bye(self) -> bool:
        """Return whether a side is an empty place."""
        return any(side.number == NO_ENTRANT for side in self.sides)

    @property
    def is_open(self) -> bool:
        """Return whether a side is not known yet."""
        return any(side.number is None for side in self.sides)

    @property
    def winner(self) -> BoutSide | None:
        """Return the side that won; None until the bout is over."""
        return next((side for side in self.sides if side.won), None)

    @property
    def loser(self) -> BoutSide:
        """Return the side that lost."""
        return self.sides[0] if self.sides[1].won else self.sides[1]

    @property
    def sentence(self) -> str:
        """Return the bout and its result as a sentence."""
        one, other = self.sides
        if self.is_bye:
            known = [side.name for side in self.sides if side.name]
            return _("%(name)s has a bye") % {"name": known[0]} if known else _("still open")
        if self.is_open:
            shown = [side.name or _("still open") for side in self.sides]
            return _("%(one)s v %(other)s") % {"one": shown[0], "other": shown[1]}
        winner = self.winner
        if winner is None:
            words = _("%(one)s v %(other)s") % {"one": one.name, "other": other.name}
            return f"{words}, {one.score}–{other.score}" if one.score else words
        names = {"winner": winner.name, "loser": self.loser.name}
        if self.is_given and self.is_stale:
            return (
                _("%(winner)s advances: the next round was paired before an organiser gave %(loser)s the win") % names
            )
        if self.is_given:
            return _("An organiser decided: %(winner)s advances, %(loser)s doesn't") % names
        if not self.played:
            return _("%(winner)s advances because %(loser)s has left") % names
        scores = {"own": winner.score, "other": self.loser.score}
        return _("%(winner)s beats %(loser)s %(own)s–%(other)s") % {**names, **scores}


@dataclass(frozen=True, slots=True)
class BracketDrawing:
    """A part of the bracket with a drawing of its own."""

    key: str
    title: str
    columns: list[tuple[str, list[BoutResult]]]
    """Its rounds: title and bouts."""
    is_cut: bool
    """Whether its first rounds are left out."""
    champion: int | None
    """Seed of the winner of its last bout; None before."""


def make_bracket(overview: Overview, names: RealNames = NO_REAL_NAMES) -> list[BracketDrawing]:
    """Return the parts of the bracket, if there is one yet. The matches of the overview must have been fetched.

    Authors are written by their real names where these are given.
    """
    if not overview.tournament.format.is_bracket:
        return []
    boards = [board for round in overview.counted_rounds for board in overview.boards.get(round.pk, [])]
    if overview.has_phases:
        boards = [board for board in boards if is_bout_name(board.name)]
        order = read_order(base.Pairing(board.numbers, board.name) for board in boards if board.name.startswith("W1."))
    else:
        order = [entrant.number for entrant in overview.field]
    if len(order) < 2:
        return []
    if overview.tournament.format.key == "double-elimination":
        return build_double_elimination(overview, boards, order, build_winners_rounds(len(order)), names)
    rounds = build_knockout_rounds(len(order), overview.settings.third_place_match)
    titles = [name_knockout_round(sum(bout.name != THIRD_PLACE_BOUT for bout in row)) for row in rounds]
    reader = BracketReader(overview, boards, order, rounds, names)
    return [reader.build_drawing("W", _("Knockout"), rounds, titles)]


def build_double_elimination(
    overview: Overview, boards: Sequence[PairingOverview], order: Sequence[int], winners: BoutRounds, names: RealNames
) -> list[BracketDrawing]:
    """Return the parts of a double elimination: winners' bracket, losers' bracket and final."""
    losers = build_losers_rounds(len(order))
    best = FromBout(winners[-1][0].name)
    second = FromBout(losers[-1][0].name) if losers else FromBout(best.bout, won=False)
    finals = [[Bout(FINAL_BOUT, (best, second))]]
    if any(board.name == RESET_BOUT for board in boards):
        finals.append([Bout(RESET_BOUT, (best, second))])
    reader = BracketReader(overview, boards, order, [*winners, *losers, *finals], names)
    titles = [_("Winners' round %(number)d") % {"number": number} for number in range(1, len(winners))]
    drawn = [reader.build_drawing("W", _("Winners' bracket"), winners, [*titles, _("Winners' final")])]
    if losers:
        titles = [_("Losers' round %(number)d") % {"number": number} for number in range(1, len(losers))]
        drawn.append(reader.build_drawing("L", _("Losers' bracket"), losers, [*titles, _("Losers' final")]))
    return [*drawn, reader.build_drawing("F", _("Final"), finals, [_("Final"), _("Second final")])]


class BracketReader:
    """The state of a bracket, from which drawings are built."""

    def __init__(
        self,
        overview: Overview,
        boards: Sequence[PairingOverview],
        order: Sequence[int],
        rounds: BoutRounds,
        names: RealNames,
    ) -> None:
        self.overview, self.order, self.names = overview, order, names
        self.boards: Mapping[tuple[str, frozenset[int]], PairingOverview] = {
            (board.name, frozenset(board.numbers)): board for board in boards
        }
        over = [board.result for board in boards if board.result is not None]
        self.bracket = Bracket(order, [over], chain(*rounds))

    def build_drawing(self, key: str, title: str, rounds: BoutRounds, titles: Sequence[str]) -> BracketDrawing:
        """Return the drawing of the rounds that aren't too large, each with its title."""
        own = {bout.name for row in rounds for bout in row}
        columns = [
            (title, [self.build_bout(bout, own) for bout in row])
            for title, row in zip(titles, rounds, strict=False)
            if len(row) <= MAX_BOUTS_DRAWN_PER_ROUND
        ]
        last = columns[-1][1][0].winner
        return BracketDrawing(key, title, columns, len(columns) < len(rounds), last.number if last else None)

    def build_bout(self, bout: Bout, own: set[str]) -> BoutResult:
        """Return a bout with its result; `own` are the names of all bouts in the drawing."""
        numbers = [self.find_number(side) for side in bout.sides]
        there = frozenset(number for number in numbers if number)
        board = self.boards.get((bout.name, there)) if None not in numbers else None
        winner = self.bracket.find_winner(bout.name)
        one, other = (self.build_side(number, board, winner) for number in numbers)
        one_from, other_from = (
            side.bout if isinstance(side, FromBout) and side.won and side.bout in own else None for side in bout.sides
        )
        return BoutResult(
            name=bout.name,
            sides=(one, other),
            feeders=(one_from, other_from),
            caption=_("Third place") if bout.name == THIRD_PLACE_BOUT else "",
            match=board.first_match if board and self.overview.tournament.game in GAMES else None,
            is_over=bool(winner),
            played=bool(board and board.played),
            is_given=bool(board and board.is_given),
            is_stale=bool(board and board.result and board.result.winner != winner),
        )

    def build_side(self, number: int | None, board: PairingOverview | None, winner: int | None) -> BoutSide:
        """Return a side of a bout with its points."""
        name = self.overview.find_bot_name(number) if number else ""
        score = ""
        if number and board and board.points_won:
            score = format_points(board.points_won[board.numbers.index(number)])
        seed = self.order.index(number) + 1 if number else None
        author = write_authors(self.overview.by_number[number].bot, self.names, is_short=True) if number else ""
        return BoutSide(number, seed, name, bool(number) and number == winner, score, author)

    def find_number(self, side: int | FromBout) -> int | None:
        """Return the seed that a side stands for; NO_ENTRANT for an empty place, None while it is open."""
        if not isinstance(side, FromBout):
            return self.order[side - 1] if side <= len(self.order) else NO_ENTRANT
        return self.bracket.find_winner(side.bout) if side.won else self.bracket.find_loser(side.bout)


# The rounds of a tournament: their list, and the page of each.


def list_rounds(overview: Overview) -> list[dict[str, Any]]:
    """Return the rounds of a tournament as lines, newest first, each with its earlier attempts and its phase."""
    lines = []
    stale = {number for boards in overview.boards.values() for board in boards for number in board.stale_rounds}
    for number in sorted({round.number for round in overview.rounds}, reverse=True):
        attempts = [round for round in overview.rounds if round.number == number]
        newest = attempts[-1]
        boards = overview.boards.get(newest.pk, []) if newest.is_latest_attempt else []
        old = [round for round in attempts if not round.is_latest_attempt]
        phase = name_round(overview.tournament.format, boards)
        over = sum(board.is_over for board in boards)
        line = {"round": newest, "boards": len(boards), "over": over, "replayed": old, "phase": phase}
        lines.append(line | {"is_stale": number in stale})
    return lines


def show_round(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Show a round with all its attempts, the newest first. Raise Http404."""
    tournament = tournament_or_404(request, slug)
    overview = fetch_overview(tournament, is_wanted=lambda round: round.number == number)
    attempts = [round for round in overview.rounds if round.number == number]
    if not attempts:
        raise Http404(_("This round doesn't exist."))
    fetch_matches(overview)
    known = {round.number for round in overview.rounds}
    since = [
        {"number": earlier, "bots": _(" v ").join(isolate(overview.find_bot_name(one)) for one in board.numbers)}
        for earlier, board in list_decisions_since(tournament, number)
    ]
    context = {
        "tournament": tournament,
        "format_name": format_name(tournament.format.key),
        "real_names": fetch_shown_names(request, tournament.group_id),
        "number": number,
        "since": since,
        "is_hidden": is_round_hidden(tournament, number),
        "attempts": [build_round_attempt(overview, round) for round in reversed(attempts)],
        "previous": number - 1 if number - 1 in known else None,
        "next": number + 1 if number + 1 in known else None,
    }
    return render(request, "tournaments/round.html", context)


def build_round_attempt(overview: Overview, round: Round) -> dict[str, Any]:
    """Return an attempt at a round with its pairings; the matches of the overview must have been fetched."""
    boards = overview.boards.get(round.pk, [])
    return {
        "round": round,
        "pairings": [build_pairing_row(overview, board) for board in boards],
        "has_names": any(board.name for board in boards),
        "phase": name_round(overview.tournament.format, boards),
    }


def build_pairing_row(overview: Overview, board: PairingOverview) -> dict[str, Any]:
    """Return a pairing as its round shows it; it has a winner where one alone has the most points."""
    best = max((value for value in board.points if value is not None), default=0.0) if board.is_over else 0.0
    is_shared = list(board.points).count(best) > 1
    return {
        "number": board.number,
        "name": _("Third place") if board.name == THIRD_PLACE_BOUT else board.name,
        "seats": [
            {"entrant": overview.by_number[number], "is_winner": value == best > 0 and not is_shared}
            for number, value in zip(board.numbers, board.points, strict=True)
        ],
        "points": [format_points(value) for value in board.points] if board.is_over else [],
        "matches": [build_match_cell(match) for match in board.matches],
        "sum": " : ".join(map(format_points, board.points_won)) if len(board.matches) > 1 else "",
        "ending": describe_ending(board),
        "stale": describe_stale_rounds(board),
        "is_given": board.is_given,
        "must_decide": board.must_decide,
    }


def build_match_cell(match: BoardMatch) -> dict[str, Any]:
    """Return a match of a pairing: its points once it is over, and its state before that."""
    counts = match.counts and match.state != Match.State.VOID
    cell: dict[str, Any] = {"number": match.match, "counts": counts}
    if counts and match.is_over:
        cell["points"] = "–".join(map(format_points, match.points))
    elif counts:
        cell["chip"] = MATCH_STATES[Match.State(match.state)]
    return cell


def describe_ending(board: PairingOverview) -> str:
    """Describe what decided a pairing besides the points of its matches; empty if nothing did."""
    if not board.is_over:
        return ""
    if board.is_given:
        return _("Decided by an organiser: %(reason)s") % {"reason": board.given_reason}
    if board.is_bye:
        return _("bye") if board.points[0] else _("has left")
    if not board.played:
        return _("walkover: the opponent has left") if any(board.points) else _("all have left")
    if board.must_decide and board.points_won and max(board.points_won) - min(board.points_won) < 1e-9:
        one, other = board.game_points
        if one != other:
            return _("tied: decided by game points, %(scores)s") % {
                "scores": "–".join(map(format_points, board.game_points))
            }
        return _("tied on game points too: the better seed advances")
    return ""


def describe_stale_rounds(board: PairingOverview) -> str:
    """Say which later rounds don't follow from what a pairing counts now; empty where all do."""
    if not board.stale_rounds:
        return ""
    rounds = list_names([str(number) for number in board.stale_rounds])
    if board.is_given:
        words = ngettext(
            "Round %(rounds)s was paired before this decision.",
            "Rounds %(rounds)s were paired before this decision.",
            len(board.stale_rounds),
        )
    else:
        words = ngettext(
            "Round %(rounds)s was paired before the decision was undone.",
            "Rounds %(rounds)s were paired before the decision was undone.",
            len(board.stale_rounds),
        )
    return words % {"rounds": rounds}


# Crosstables of round robins and of groups.

ROUND_ROBIN_FORMATS = ("round-robin", "double-round-robin")
MAX_CROSSTABLE_ENTRANTS = 32
"""Larger tables are left out, because they are too wide to read."""


PairingResults = dict[tuple[int, int], list[dict[str, Any]]]
"""Points and first match of pairings by the numbers of both entrants, as the first one sees them."""


def wants_crosstable(format: base.Format) -> bool:
    """Return whether a format has crosstables."""
    return format.key in ROUND_ROBIN_FORMATS or isinstance(format.first_phase, GroupPhase)


def make_crosstables(overview: Overview) -> list[dict[str, Any]]:
    """Return the crosstables that aren't too wide. The matches of the overview must have been fetched."""
    if not overview.field or not wants_crosstable(overview.tournament.format):
        return []
    boards = [board for round in overview.counted_rounds for board in overview.boards.get(round.pk, [])]
    return [
        {
            "key": table.name,
            "title": _("Group %(name)s") % {"name": table.name} if table.name else _("Crosstable"),
            **build_crosstable(overview, table.standings, [board for board in boards if board.name == table.name]),
        }
        for table in overview.phases[0].tables
        if len(table.standings) <= MAX_CROSSTABLE_ENTRANTS
    ]


def build_crosstable(
    overview: Overview, standings: Sequence[Standing], boards: Sequence[PairingOverview]
) -> dict[str, Any]:
    """Return the results of these pairings as rows in the order of the standings, with cells in the same order.

    A bot has no cell against itself. Byes are rounds without an opponent; a walkover stands in the opponent's cell.
    """
    results = collect_pairing_results(boards)
    numbers = [standing.number for standing in standings]
    byes = Counter(board.numbers[0] for board in boards if board.is_bye and board.is_over and board.points[0])
    rows = [
        {
            "place": place,
            "bot": overview.by_number[standing.number].bot,
            "cells": [
                None if other == standing.number else results.get((standing.number, other), []) for other in numbers
            ],
            "byes": byes[standing.number],
            "score": format_points(standing.score),
        }
        for place, standing in enumerate(standings, start=1)
    ]
    return {"rows": rows, "has_byes": any(byes.values())}


def collect_pairing_results(boards: Sequence[PairingOverview]) -> PairingResults:
    """Return the results of pairings of two, as each of the two sees them."""
    results: PairingResults = defaultdict(list)
    for board in boards:
        if len(board.numbers) == 2:
            one, other = board.numbers
            results[one, other].append({"points": format_result(board, 0), "match": board.first_match})
            results[other, one].append({"points": format_result(board, 1), "match": board.first_match})
    return results


def format_result(board: PairingOverview, seat: int) -> str:
    """Return the points of a seat; +, = or − for a pairing won, even or lost without playing, as in chess."""
    value = board.points[seat]
    if not board.is_over or value is None:
        return "·"
    if board.played:
        return format_points(value)
    return "+" if value == 1 else "=" if value else "−"
