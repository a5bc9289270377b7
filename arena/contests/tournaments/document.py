"""The document of a tournament and the form of its archive, and what checks them without a database."""

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, combinations, islice
from typing import Any

from arena.contests.tournaments.formats import find_format
from arena.contests.tournaments.formats.base import Entrant, Format, Pairing, Result, decide_walkover
from arena.contests.tournaments.phases import Phase, list_phases
from arena.contests.tournaments.settings import InvalidSettings, Settings
from arena.contests.tournaments.standings import (
    MatchResult,
    Standing,
    build_given_result,
    count_matches_needed,
    decide,
    join_legs,
    may_give,
    rank,
)
from engine.core import Json
from engine.deal import deal_hash
from engine.season import BadSeason, Season, commitment, resolve_rules

# Rebuild a tournament from the results of its matches, without a database.
#
# The same results always lead to the same state, in whatever order the matches ended.


class NotDueError(ValueError):
    """The error raised for the result of a match that isn't due."""


@dataclass(frozen=True, slots=True)
class ScheduledMatch:
    """The place of a match in a tournament: its round, its board and its number in the pairing, all from 1."""

    round: int
    board: int
    number: int

    @property
    def deal_number(self) -> int:
        """Return the number of its deal in the season."""
        return compute_deal_number(0, self.round, self.board, self.number)


def compute_deal_number(attempt: int, round: int, board: int, match: int) -> int:
    """Return the number of a match's deal, which follows from its place alone.

    `attempt` is the number of times its round had been played before.
    """
    return ((attempt * 1000 + round) * 1000 + board) * 100 + match


@dataclass(slots=True)
class PlayedPairing:
    """A pairing with the results of its matches, by number."""

    pairing: Pairing
    walkover: Result | None
    """The result if it needs no playing."""
    matches: dict[int, MatchResult] = field(default_factory=dict)

    def list_missing(self, settings: Settings) -> list[int]:
        """Return the numbers of the matches that are to be played now."""
        if self.walkover is not None:
            return []
        count = count_matches_needed(self.pairing, self._list_ended(), settings)
        numbers = range(1, len(self.matches) + count + 1)
        return [number for number in numbers if number not in self.matches][:count]

    def result(self, settings: Settings) -> Result | None:
        """Return the result of the pairing; None while it is being played."""
        return self.walkover or decide(self.pairing, self._list_ended(), settings)

    def _list_ended(self) -> list[MatchResult]:
        return [self.matches[number] for number in sorted(self.matches)]


class Course:
    """The course of a tournament.

    `rounds` are the results of finished rounds, `boards` the pairings of the current one; None after the last.
    """

    def __init__(self, format: Format, entrants: Sequence[Entrant], settings: Settings) -> None:
        self.format, self.entrants, self.settings = format, entrants, settings
        self.rounds: list[list[Result]] = []
        self.boards = self._draw_round()
        self._advance()

    @property
    def max_rounds(self) -> int:
        """Return the maximum number of rounds."""
        return self.format.count_rounds(len(self.entrants), self.settings)

    def list_due(self) -> Iterator[ScheduledMatch]:
        """Yield all matches that can be played now, in any order."""
        for board, drawn in enumerate(self.boards or (), start=1):
            for number in drawn.list_missing(self.settings):
                yield ScheduledMatch(len(self.rounds) + 1, board, number)

    def find_pairing(self, scheduled: ScheduledMatch) -> Pairing:
        """Return the pairing of a match that is due."""
        assert self.boards is not None
        return self.boards[scheduled.board - 1].pairing

    def add_result(self, scheduled: ScheduledMatch, match: MatchResult) -> None:
        """Add the result of a match. Raise NotDueError."""
        if scheduled not in self.list_due():
            place = f"match {scheduled.number} of board {scheduled.board} in round {scheduled.round}"
            raise NotDueError(f"{place} is not to be played now")
        assert self.boards is not None
        self.boards[scheduled.board - 1].matches[scheduled.number] = match
        self._advance()

    def _advance(self) -> None:
        """Finish rounds that are decided, up to the next one that needs playing."""
        while self.boards is not None:
            results = [board.result(self.settings) for board in self.boards]
            decided = [result for result in results if result is not None]
            if len(decided) < len(results):
                return
            self.rounds.append(decided)
            self.boards = self._draw_round()

    def _draw_round(self) -> list[PlayedPairing] | None:
        pairings = self.format.pair(self.entrants, self.rounds, self.settings)
        if pairings is None:
            return None
        return [
            PlayedPairing(pairing, decide_walkover(pairing, self.entrants, len(self.rounds) + 1))
            for pairing in pairings
        ]


# Check the document of a tournament: that its deals come from its secret, and that its places follow from its matches.
#
# The document is what the page of a tournament offers as JSON. Nothing here needs a database.

DOCUMENT_FORMAT = "pennant-tournament-results/2"
OLD_FORMATS = ("pennant-tournament-results/1",)
"""Forms of documents that are read for ever. The first one has no `phases`."""
DISQUALIFIED = "disqualified"
LATE_ENTRY = "entry.late"
SCORE_TOLERANCE = 1e-6
MAX_FIELDS_TRIED = 64
"""More than enough for all that ever left while a round was drawn."""
CHECKED_STANDING_FIELDS = ("place", "score", "points", "game_points", "played", "wins", "draws", "losses", "byes")


class BadTournament(ValueError):
    """This is not the document of a tournament. The message says why."""


@dataclass(frozen=True, slots=True)
class StatedMatch:
    """A match of a pairing, as the document states it. Tuples are by entrant, in the order of the pairing."""

    key: int
    number: int
    deal: int
    """The number of its deal."""
    counts: bool
    points: tuple[float, ...]
    scores: tuple[float, ...]
    rules_version: int
    deal_hashes: tuple[str, ...]
    record_hashes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StatedDecision:
    """A decision on a pairing, as the document states it."""

    after: int
    """The number of rounds that had been drawn by then, those that were replayed included."""
    given_points: tuple[float, ...] | None
    """The points that it gave; None where it was withdrawn, so that the matches decide."""
    given_before: tuple[float, ...] | None
    """The points that an organiser had given before."""


@dataclass(frozen=True, slots=True)
class StatedPairing:
    """A pairing, as the document states it."""

    board: int
    pairing: Pairing
    result: Result | None
    matches: tuple[StatedMatch, ...]
    legs_apart: int = 1
    """Number of matches that count as one, because each is a leg with its own deal: the number of seats where a remote
    bot plays, 1 elsewhere and in all documents from before there were any."""
    given_points: tuple[float, ...] | None = None
    """Points that an organiser gave it; None where its matches decide, as in all documents without the field."""
    decisions: tuple[StatedDecision, ...] = ()
    """All decisions on it, oldest first; empty in documents without the field."""

    def find_first_seating(self, match: StatedMatch) -> int:
        """Return the number of the seating with which a match begins: where legs are played apart, it has one leg."""
        return (match.number - 1) % self.legs_apart

    def find_given_points(self, order: int | None) -> tuple[float, ...] | None:
        """Return the points that were given when the `order`-th round was drawn; None stands for now."""
        since = (one for one in self.decisions if order is not None and one.after >= order)
        first = next(since, None)
        return self.given_points if first is None else first.given_before


@dataclass(frozen=True, slots=True)
class StatedRound:
    """A round, as the document states it."""

    number: int
    attempt: int
    is_latest_attempt: bool
    is_over: bool
    pairings: tuple[StatedPairing, ...]
    order: int = 0
    """Its place among all rounds that were drawn, from 1; 0 in documents without the field, which don't need it."""


@dataclass(frozen=True, slots=True)
class TournamentDocument:
    """A tournament, as its document states it."""

    season: Season | None
    """Where its deals come from; None until the secret is published."""
    commitment: str
    game: str
    edition: str
    options: Json
    settings: Settings
    field: tuple[Entrant, ...]
    rounds: tuple[StatedRound, ...]
    standings: tuple[Json, ...]
    phases: tuple[Json, ...] | None
    """The phases with their standings; None in documents of the first form."""
    unexplained: tuple[str, ...] = ()
    """The names of bots that play though they were entered late, without an organiser's decision that names them."""

    @property
    def given_count(self) -> int:
        """Return the number of pairings that count and that an organiser decided."""
        return sum(stated.given_points is not None for each in self.counted_rounds for stated in each.pairings)

    @property
    def counted_rounds(self) -> list[StatedRound]:
        """Return the rounds that count."""
        return [each for each in self.rounds if each.is_latest_attempt]

    @property
    def stale_rounds(self) -> list[int]:
        """Return the numbers of the rounds that were drawn before a decision that holds now on an earlier round."""
        format = find_format(self.settings.format)
        return [
            later.number
            for later in self.counted_rounds
            if format.is_drawn_from_results(later.number, len(self.field), self.settings)
            and any(
                stated.find_given_points(later.order) != stated.given_points
                for each in self.counted_rounds
                if each.number < later.number
                for stated in each.pairings
            )
        ]

    @property
    def matches(self) -> Iterator[tuple[StatedRound, StatedPairing, StatedMatch]]:
        """Yield all matches with their rounds and pairings, also those that don't count any more."""
        for each in self.rounds:
            for stated in each.pairings:
                for match in stated.matches:
                    yield each, stated, match


def read_document(found: Any) -> TournamentDocument:
    """Return what a document states. Raise BadTournament if it is none, or damaged."""
    if not is_document(found):
        named = found.get("format") if isinstance(found, dict) else None
        raise BadTournament(f"this is no document of a tournament: its format is {named!r}, not {DOCUMENT_FORMAT!r}")
    try:
        document = _read(found)
        _check_consistency(document)
    except (KeyError, TypeError, ValueError, AttributeError, InvalidSettings) as error:
        raise BadTournament(f"the document is damaged: {type(error).__name__}: {error}") from error
    return document


def is_document(found: Any) -> bool:
    """Return whether this claims to be the document of a tournament, in any form that can be read."""
    return isinstance(found, dict) and found.get("format") in (DOCUMENT_FORMAT, *OLD_FORMATS)


def _check_consistency(document: TournamentDocument) -> None:
    """Raise ValueError or InvalidSettings where parts of a document don't fit together."""
    find_format(document.settings.format)
    document.settings.check(len(document.field) or None)
    known = {entrant.number for entrant in document.field}
    for each in document.rounds:
        for stated in each.pairings:
            seats = len(stated.pairing.entrants)
            if not seats or not known.issuperset(stated.pairing.entrants):
                raise ValueError(f"a pairing of round {each.number} has unknown entrants")
            values = [stated.result.points, stated.result.game_points] if stated.result else []
            values += [part for match in stated.matches if match.points for part in (match.points, match.scores)]
            if any(len(part) != seats for part in values):
                raise ValueError(f"a result of round {each.number} is not one for each entrant")


def _read(found: Json) -> TournamentDocument:
    secret = found["secret"]
    seeded = sorted((one for one in found["entrants"] if one["number"] is not None), key=lambda one: one["number"])
    remote = frozenset(int(one["number"]) for one in seeded if one.get("is_remote"))
    return TournamentDocument(
        season=None if secret is None else Season(str(secret), str(found["game"]), str(found["edition"]), 1),
        commitment=str(found["commitment"]),
        game=str(found["game"]),
        edition=str(found["edition"]),
        options=dict(found["options"]),
        settings=replace(Settings.from_json(found["settings"]), seed=str(found["commitment"])),
        field=tuple(Entrant(int(one["number"]), one["left_in_round"], one["state"] == DISQUALIFIED) for one in seeded),
        rounds=tuple(_read_round(one, remote) for one in found["rounds"]),
        standings=tuple(map(dict, found["standings"])),
        phases=None if found["format"] in OLD_FORMATS else tuple(map(dict, found["phases"])),
        unexplained=tuple(one["name"] for one in seeded if one.get("entered_late") and not _is_explained(one, found)),
    )


def _is_explained(entrant: Json, found: Json) -> bool:
    """Return whether a decision with a reason says that an entrant's version was entered late."""
    decisions = [one for one in found["decisions"] if one["act"] == LATE_ENTRY and one["reason"]]
    begins = f"{entrant['name']}, version {entrant['version']}, "
    return any(str(one["text"]).startswith(begins) for one in decisions)


def _read_round(found: Json, remote: frozenset[int]) -> StatedRound:
    """Return what a document states of a round; `remote` are the seeds of the remote bots."""
    return StatedRound(
        number=int(found["number"]),
        attempt=int(found["attempt"]),
        is_latest_attempt=bool(found["is_latest_attempt"]),
        is_over=found["finished_at"] is not None,
        pairings=tuple(_read_pairing(one, remote) for one in found["pairings"]),
        order=int(found.get("order", 0)),
    )


def _read_pairing(found: Json, remote: frozenset[int]) -> StatedPairing:
    pairing = Pairing(tuple(map(int, found["entrants"])), str(found["name"]), bool(found["must_decide"]))
    result = None
    if found["is_over"]:
        points, scores = tuple(map(float, found["points"])), tuple(map(float, found["scores"]))
        result = Result(pairing, points, scores, bool(found["played"]))
    return StatedPairing(
        int(found["board"]),
        pairing,
        result,
        tuple(map(_read_match, found["matches"])),
        len(pairing.entrants) if remote.intersection(pairing.entrants) else 1,
        _read_points(found.get("given_points")),
        tuple(map(_read_decision, found.get("decisions", ()))),
    )


def _read_decision(found: Json) -> StatedDecision:
    return StatedDecision(int(found["after"]), _read_points(found["given_points"]), _read_points(found["given_before"]))


def _read_points(found: Sequence[float] | None) -> tuple[float, ...] | None:
    return None if found is None else tuple(map(float, found))


def _read_match(found: Json) -> StatedMatch:
    return StatedMatch(
        key=int(found["id"]),
        number=int(found["number"]),
        deal=int(found["deal"]),
        counts=bool(found["counts"]),
        points=tuple(map(float, found["points"] or ())),
        scores=tuple(map(float, found["scores"] or ())),
        rules_version=int(found["rules_version"]),
        deal_hashes=tuple(map(str, found["deal_hashes"])),
        record_hashes=tuple(map(str, found["record_hashes"])),
    )


def list_problems(document: TournamentDocument) -> Iterator[str]:
    """Yield a sentence for each thing that doesn't hold: numbers, deals, pairings, results and places."""
    yield from _list_number_problems(document)
    for name in document.unexplained:
        yield f"{name} was entered after entries had closed, and no decision says why"
    if document.season is not None:
        yield from _list_deal_problems(document, document.season)
    unfit = list(_list_decision_problems(document))
    yield from unfit
    over: list[StatedRound] = []
    format = find_format(document.settings.format)
    for each in document.counted_rounds:
        if not each.is_over or unfit:
            continue
        problems = list(_list_round_problems(document, format, each, over))
        yield from problems
        if problems:
            return
        over.append(each)
    if unfit:
        return
    played = _list_results(document, over)
    if document.field:
        standings = rank(format, document.field, played, document.settings)
        yield from _list_standing_problems("the standings", document.standings, standings)
        yield from _list_phase_problems(document, list_phases(format, document.field, played, document.settings))


def _list_number_problems(document: TournamentDocument) -> Iterator[str]:
    """Yield what is wrong with the numbers of deals: each follows from the place of its match."""
    for each, stated, match in document.matches:
        if match.deal != compute_deal_number(each.attempt, each.number, stated.board, match.number):
            yield f"match {match.key} has the deal {match.deal}, which is not that of its place"
    for each in document.rounds:
        for stated in each.pairings:
            counting = [match.number for match in stated.matches if match.counts]
            if len(set(counting)) < len(counting):
                yield f"round {each.number}, board {stated.board}: two matches of the same number count"


def _list_deal_problems(document: TournamentDocument, season: Season) -> Iterator[str]:
    if commitment(season.secret) != document.commitment:
        yield "the secret is not the one that was committed to"
        return
    for _, stated, match in document.matches:
        problem = _find_deal_problem(document, season, stated, match)
        if problem:
            yield f"match {match.key}: {problem}"


def _find_deal_problem(
    document: TournamentDocument, season: Season, stated: StatedPairing, match: StatedMatch
) -> str | None:
    """Return why a match was not dealt by the tournament's secret, or None where it was."""
    try:
        game, options = resolve_rules(season, document.options, match.rules_version)
    except BadSeason as error:
        return str(error)
    legs, seats = len(match.deal_hashes), len(stated.pairing.entrants)
    if document.settings.series is None:
        expected = season.deal_hashes(game, options, seats, match.deal)[: seats // stated.legs_apart]
    elif legs > document.settings.series.max_games:
        return f"it has {legs} games, more than its series can have"
    else:
        deals = season.deals(game, options, seats, match.deal, legs)
        expected = [deal_hash(deal, salt) for deal, salt in zip(deals, season.salts(legs, match.deal), strict=True)]
    return None if tuple(expected) == match.deal_hashes else "its deal did not come from the secret"


def _list_decision_problems(document: TournamentDocument) -> Iterator[str]:
    """Yield where decisions on a pairing don't follow on each other, or give what nobody could give."""
    orders = [each.order for each in document.counted_rounds]
    has_decisions = any(stated.decisions for each in document.rounds for stated in each.pairings)
    if has_decisions and sorted({each.order for each in document.rounds}) != [*range(1, len(document.rounds) + 1)]:
        yield "the order in which its rounds were drawn is not stated, and organisers decided pairings"
        return
    if has_decisions and orders != sorted(orders):
        yield "its rounds were not drawn in their order"
    for each in document.rounds:
        for stated in each.pairings:
            if stated.decisions and not _do_decisions_fit(document, each, stated):
                yield f"round {each.number}, board {stated.board}: its decisions don't lead to what is given now"


def _do_decisions_fit(document: TournamentDocument, each: StatedRound, stated: StatedPairing) -> bool:
    before, after = stated.decisions[0].given_before, each.order
    if before is not None and not may_give(stated.pairing, before):
        return False
    for one in stated.decisions:
        can_be_given = one.given_points is None or may_give(stated.pairing, one.given_points)
        if not after <= one.after <= len(document.rounds) or one.given_before != before or not can_be_given:
            return False
        before, after = one.given_points, one.after
    return before == stated.given_points


def _list_results(
    document: TournamentDocument, over: Sequence[StatedRound], at: StatedRound | None = None
) -> list[list[Result]]:
    """Return the results of these rounds when another one was drawn, or as they are now.

    What organisers decided later changes nothing for rounds that had been drawn: a bracket goes on as it was.
    """
    following = {each.number - 1: each for each in document.counted_rounds}
    return [
        [_find_result_at(document, each, stated, at, following.get(each.number)) for stated in each.pairings]
        for each in over
    ]


def _find_result_at(
    document: TournamentDocument,
    each: StatedRound,
    stated: StatedPairing,
    at: StatedRound | None,
    following: StatedRound | None,
) -> Result:
    """Return the result of a pairing when a round was drawn; `following` is the round after its own."""
    assert stated.result is not None, "the results of a round are checked before the next one"
    if not stated.decisions:
        return stated.result
    given = stated.find_given_points(at.order if at else None)
    given_then = stated.find_given_points(following.order if following else None)
    own = _find_result(document, each, stated, None)
    found, drawn = (_find_result(document, each, stated, one) or stated.result for one in (given, given_then))
    is_overruled = given is not None and own is not None and own.played
    return replace(found, drawn_points=drawn.points, is_overruled=is_overruled)


def _list_round_problems(
    document: TournamentDocument, format: Format, each: StatedRound, over: Sequence[StatedRound]
) -> Iterator[str]:
    """Yield what is wrong with a round: pairings that the format doesn't draw, and results that don't follow."""
    where = f"round {each.number}"
    if each.number != len(over) + 1:
        yield f"{where} follows on round {len(over)}"
        return
    played = _list_results(document, over, each)
    drawn = [stated.pairing for stated in each.pairings]
    fields = _list_fields_at_draw(document.field, each)
    if not any(format.pair(field, played, document.settings) == drawn for field in fields):
        yield f"{where} has other pairings than those that follow from the results before it"
        return
    for stated in each.pairings:
        found = _find_result(document, each, stated, stated.given_points)
        if found is None or stated.result is None or not _is_same(found, stated.result):
            origin = "its matches" if stated.given_points is None else "what its organiser decided"
            yield f"{where}, board {stated.board}: the result does not follow from {origin}"


def _find_result(
    document: TournamentDocument, each: StatedRound, stated: StatedPairing, given: tuple[float, ...] | None
) -> Result | None:
    """Return the result that follows from a pairing's matches, or that an organiser gave and could give."""
    if given is not None:
        return build_given_result(stated.pairing, given) if may_give(stated.pairing, given) else None
    counting = {match.number: match for match in stated.matches if match.counts and match.points}
    results = {number: MatchResult(match.points, match.scores) for number, match in counting.items()}
    walkover = decide_walkover(stated.pairing, document.field, each.number)
    return walkover or decide(stated.pairing, join_legs(results, stated.legs_apart), document.settings)


def _list_fields_at_draw(field: Sequence[Entrant], each: StatedRound) -> Iterator[list[Entrant]]:
    """Yield the entrants as they may have been when a round was drawn: who left later was still there.

    Of those that were paired in the first round that they don't play, the document doesn't say whether they left before
    the draw, which pairs them where nobody could take their place, or after it. The latter comes first.
    """
    paired = {number for stated in each.pairings for number in stated.pairing.entrants}
    there = {entrant.number for entrant in field if entrant.is_in(each.number)}
    unclear = [one.number for one in field if one.left_in_round == each.number and one.number in paired]
    for left in islice(_list_subsets(unclear), MAX_FIELDS_TRIED):
        still = there.union(unclear).difference(left)
        yield [
            replace(entrant, left_in_round=None, is_disqualified=False) if entrant.number in still else entrant
            for entrant in field
        ]


def _list_subsets(numbers: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield the subsets, smaller ones first."""
    return chain.from_iterable(combinations(numbers, size) for size in range(len(numbers) + 1))


def _is_same(found: Result, stated: Result) -> bool:
    return found.played == stated.played and all(
        abs(own - other) <= SCORE_TOLERANCE
        for own, other in zip((*found.points, *found.game_points), (*stated.points, *stated.game_points), strict=True)
    )


def _list_standing_problems(where: str, stated: Sequence[Json], standings: Sequence[Standing]) -> Iterator[str]:
    """Yield where stated standings differ from those that follow from the results."""
    rows: Mapping[Any, Json] = {row.get("number"): row for row in stated}
    for standing in standings:
        row = rows.get(standing.number, {})
        for name in CHECKED_STANDING_FIELDS:
            value = getattr(standing, name)
            said = row.get(name) or 0
            if not isinstance(said, (int, float)) or abs(value - said) > SCORE_TOLERANCE:
                yield f"seed {standing.number} has {name} {said} in {where}, and {value} by the results"


def _list_phase_problems(document: TournamentDocument, phases: Sequence[Phase]) -> Iterator[str]:
    """Yield where the stated phases differ from those that follow from the results."""
    if document.phases is None:
        return
    names = [(phase.number, phase.key, [table.name for table in phase.tables]) for phase in phases]
    if names != [(one["number"], one["key"], [table["name"] for table in one["tables"]]) for one in document.phases]:
        yield "it has other phases than those that follow from its settings and results"
        return
    for phase, one in zip(phases, document.phases, strict=True):
        for table, stated in zip(phase.tables, one["tables"], strict=True):
            where = f"the standings of phase {phase.number}{f', group {table.name}' if table.name else ''}"
            yield from _list_standing_problems(where, stated["standings"], table.standings)


def build_season_document(document: TournamentDocument) -> Json:
    """Return the matches as the document of a season, for checks of records."""
    return {
        "game": document.game,
        "edition": document.edition,
        "options": document.options,
        "matches": [
            {"match": match.key, "deal_hashes": list(match.deal_hashes), "record_hashes": list(match.record_hashes)}
            for _, _, match in document.matches
        ],
    }


def list_changes(earlier: TournamentDocument, later: TournamentDocument) -> Iterator[str]:
    """Yield what an earlier document of a tournament published and a later one doesn't."""
    if (earlier.game, earlier.edition, earlier.commitment) != (later.game, later.edition, later.commitment):
        yield "it is of another tournament"
        return
    now = {match.key: match for _, _, match in later.matches}
    for _, _, match in earlier.matches:
        found = now.get(match.key)
        if found is None:
            yield f"match {match.key} was there, and is not"
        elif (found.deal, found.deal_hashes[: len(match.deal_hashes)]) != (match.deal, match.deal_hashes):
            yield f"match {match.key} has another deal than it had"
        elif match.record_hashes and found.record_hashes != match.record_hashes:
            yield f"match {match.key} has another record than it had"


# The form of a tournament's archive: which files it has, and the manifest that lists them with their hashes.
#
# Nothing here needs a database: the site writes archives, and `pennant verify` checks them.

ARCHIVE_FORMAT = "pennant-archive/1"
MANIFEST_PATH = "manifest.json"
DOCUMENT_PATH = "tournament.json"
STANDINGS_PATH = "standings.csv"
INDEX_PATH = "index.html"
STYLE_PATH = "assets/style.css"
SCRIPT_PATH = "assets/page.js"
REPLAY_SCRIPT_PATH = "assets/replay.js"
SHA256 = re.compile(r"[0-9a-f]{64}")


class BadTournamentArchive(ValueError):
    """This is not the archive of a tournament. The message says why."""


@dataclass(slots=True)
class ArchiveManifest:
    """What an archive states of itself."""

    files: dict[str, str] = field(default_factory=dict)
    """The SHA-256 of each file by its path, without the manifest."""
    missing_records: list[str] = field(default_factory=list)
    """Paths of the records that the arena itself has lost."""
    origin: str = ""
    """Address of the tournament's page."""
    language: str = ""
    made_at: str = ""

    def add(self, path: str, content: bytes) -> None:
        """List a file."""
        self.files[path] = hash_file(content)

    def as_json(self) -> dict[str, Any]:
        """Return the manifest as it is written."""
        return {
            "format": ARCHIVE_FORMAT,
            "origin": self.origin,
            "language": self.language,
            "made_at": self.made_at,
            "missing_records": self.missing_records,
            "files": self.files,
        }


def read_manifest(found: Any) -> ArchiveManifest:
    """Return what a manifest states. Raise BadArchive if it is none, or damaged."""
    if not isinstance(found, Mapping) or found.get("format") != ARCHIVE_FORMAT:
        named = found.get("format") if isinstance(found, Mapping) else None
        raise BadTournamentArchive(
            f"this is no archive of a tournament: its format is {named!r}, not {ARCHIVE_FORMAT!r}"
        )
    files, missing = found.get("files"), found.get("missing_records")
    if not isinstance(files, Mapping) or not all(map(_is_hashed, files.items())):
        raise BadTournamentArchive(f"{MANIFEST_PATH} is damaged: its list of files is no list of hashes")
    if not isinstance(missing, list) or not all(isinstance(path, str) for path in missing):
        raise BadTournamentArchive(f"{MANIFEST_PATH} is damaged: its list of missing records is no list of paths")
    return ArchiveManifest(dict(files), list(missing), str(found.get("origin", "")), str(found.get("language", "")))


def _is_hashed(row: tuple[Any, Any]) -> bool:
    path, digest = row
    return isinstance(path, str) and isinstance(digest, str) and bool(SHA256.fullmatch(digest))


def hash_file(content: bytes) -> str:
    """Return the hash of a file as the manifest lists it."""
    return hashlib.sha256(content).hexdigest()


def build_record_path(match: int, leg: int) -> str:
    """Return the path of a leg's record."""
    return f"records/{match}-{leg}.json"


def build_replay_path(match: int, leg: int) -> str:
    """Return the path of a leg's page."""
    return f"matches/{match}-{leg}.html"


def build_round_path(number: int) -> str:
    """Return the path of a round's page."""
    return f"rounds/{number}.html"
