"""The standings of a tournament, from the outcomes of its pairings, and what is worth a word at its end."""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import fsum
from typing import Any, NamedTuple

from arena.contests.ladders.rating import find_upset_chance
from arena.contests.tournaments.formats.base import Entrant, Format, Pairing, Result, Round
from arena.contests.tournaments.settings import GAME_POINTS, Settings

# The standings of a tournament.
#
# Entrants are ranked by the progress that the format counts, then by score, then by the tie-breaks in `TIE_BREAKS`.
# These are those of FIDE's Tie-Break Regulations (C.07), with simplifications noted where they are. Standings depend
# on the results only, not on the order in which they arrived.

TIE_BREAKS: tuple[tuple[str, str, str], ...] = (
    (
        "direct",
        "Direct",
        "Direct encounter: points from the pairings between tied entrants, if all of them have met.",
    ),
    ("buchholz", "Buchholz", "Sum of all opponents' scores; at larger tables, their mean in each round."),
    ("buchholz_cut_1", "Cut 1", "Buchholz without the round that adds the least."),
    (
        "sonneborn_berger",
        "S-B",
        "Sonneborn-Berger: the scores of beaten opponents, plus half the scores of tied ones.",
    ),
    ("wins", "Wins", "Pairings won, without byes and walkovers."),
    ("lot", "Lot", "A random number drawn before the first round; the lowest comes first."),
)
"""The tie-breaks in the order in which they count: field of Standing, short title, explanation."""
COUNTED_OVER_PHASES = ("points", "game_points", "played", "wins", "draws", "losses", "byes", "reached_round")
"""The fields of a standing that are of all rounds in a tournament of two phases; the others are of the first one."""
SCORE_DECIMALS = 6
"""Sums are rounded to this precision, because sums of thirds depend on their order."""


@dataclass(frozen=True, slots=True)
class Standing:
    """The standing of an entrant. One that is struck out has zeros: its results count for nobody."""

    number: int
    score: float
    """Its `points` or `game_points`, as the settings say."""
    points: float
    game_points: float
    """The sum of the game points of all legs."""
    played: int
    """The number of pairings played, without byes and walkovers."""
    wins: int
    """The number of pairings played that it won alone."""
    draws: int
    """The number of pairings played in which it shared the lead."""
    losses: int
    """The number of the other pairings played."""
    byes: int
    """The number of pairings won without playing: byes, and walkovers."""
    buchholz: float
    buchholz_cut_1: float
    sonneborn_berger: float
    place: int = 0
    """Place, from 1; 0 for a disqualified entrant. In a knockout all that came equally far share one; elsewhere places
    are not shared."""
    direct: float | None = None
    """Points against those with the same score; None if there are none, or if not all of them have met."""
    lot: int = 0
    """Its lot, from 1, which is different for all."""
    is_out: bool = False
    reached_round: int = 0
    """How far it came, as the format counts it."""


@dataclass(frozen=True, slots=True)
class Meeting:
    """A meeting of two entrants in a round, as one of them sees it."""

    round: int
    """Round number, from 1."""
    points: float
    """1 if it was ahead, ½ if both were equal, 0 otherwise."""
    played: bool


Crosstable = Mapping[tuple[int, int], Sequence[Meeting]]


def rank(format: Format, field: Sequence[Entrant], rounds: Sequence[Round], settings: Settings) -> list[Standing]:
    """Return the standings after these rounds, best first.

    In a tournament of two phases those that advanced come first, by how far they came in the knockout. All others keep
    their order of the first phase, and so do those that share a place. Scores and tie-breaks are those of that phase;
    only the numbers of pairings are of both.
    """
    whole = _rank_by_all_rounds(format, field, rounds, settings)
    if format.first_phase is None or not settings.separate_phases:
        return whole
    stage, _knockout = format.split_phases(rounds)
    earlier = rank(format.first_phase, field, stage, settings)
    return _order_by_phases(earlier, {standing.number: standing for standing in whole})


def _order_by_phases(earlier: Sequence[Standing], whole: Mapping[int, Standing]) -> list[Standing]:
    """Return the standings of the first phase, in order of the progress in the knockout."""
    found = [
        replace(
            standing,
            **{name: getattr(whole[standing.number], name) for name in COUNTED_OVER_PHASES},
        )
        for standing in earlier
    ]
    found.sort(key=lambda standing: (whole[standing.number].place == 0, -standing.reached_round))
    placeless = {number for number, standing in whole.items() if standing.place == 0}
    return _assign_places(found, [standing.number for standing in found if standing.reached_round], placeless)


def _rank_by_all_rounds(
    format: Format, field: Sequence[Entrant], rounds: Sequence[Round], settings: Settings
) -> list[Standing]:
    """Return the standings in which every round counts for the score, best first."""
    struck = format.find_struck_out(field, rounds, settings)
    counting = [[result for result in results if not struck & set(result.pairing.entrants)] for results in rounds]
    lines = _collect_lines(field, counting, settings)
    reached = format.measure_progress(field, rounds, settings)
    scores = {
        number: line.game_points() if settings.scoring == GAME_POINTS else line.points()
        for number, line in lines.items()
    }
    ranks = {number: (reached[number], scores[number]) for number in lines if number not in struck}
    direct = _compute_direct_encounters(ranks, lines)
    lots = draw_lots(field, settings.seed)
    found = [
        replace(
            _build_standing(lines[entrant.number], scores),
            direct=direct.get(entrant.number),
            lot=lots[entrant.number],
            is_out=entrant.left_in_round is not None,
            reached_round=reached[entrant.number],
        )
        for entrant in field
    ]
    placeless = {entrant.number for entrant in field if entrant.is_disqualified}
    found.sort(key=lambda standing: (standing.number in placeless, standing.number in struck, _sort_key(standing)))
    sharing = [
        number for number, line in lines.items() if number not in struck and (reached[number] or not line.is_of_league)
    ]
    return _assign_places(found, sharing if format.is_bracket else (), placeless)


def build_crosstable(field: Sequence[Entrant], rounds: Sequence[Round]) -> Crosstable:
    """Return the meetings of each ordered pair of numbers that has met, as the first one sees them."""
    known = {entrant.number for entrant in field}
    found = defaultdict(list)
    for number, results in enumerate(rounds, start=1):
        for result in results:
            for own, others in _list_points_by_opponent(result):
                for other, points in others:
                    if {own, other} <= known:
                        found[own, other].append(Meeting(number, points, result.played))
    return dict(found)


def draw_lots(field: Sequence[Entrant], seed: str) -> dict[int, int]:
    """Return the lot of each entrant, from 1. Lots depend on the seed and the entrants only, not on results."""

    def hash_number(number: int) -> str:
        return hashlib.sha256(f"{seed}/lot/{number}".encode()).hexdigest()

    numbers = sorted((entrant.number for entrant in field), key=hash_number)
    return {number: lot for lot, number in enumerate(numbers, start=1)}


class _Part(NamedTuple):
    """An entrant's result in one round."""

    result: Result
    points: float
    game_points: float
    others: list[tuple[int, float]]
    """Its opponents and the points against each. A round without play counts as a meeting with an opponent that has its
    own final score (C.07, 16)."""


@dataclass(frozen=True, slots=True)
class _Line:
    """The results of an entrant that count."""

    number: int
    parts: list[_Part]
    counts_byes: bool
    """Whether rounds without an opponent count for the score; a walkover always does."""

    @property
    def is_of_league(self) -> bool:
        """Return whether it had a pairing that didn't eliminate anybody, as in a group before a knockout."""
        return any(not (part.result.pairing.is_bye or part.result.pairing.must_decide) for part in self.parts)

    def points(self) -> float:
        """Return the sum of its points."""
        return _sum(part.points for part in self.parts if self._counts(part))

    def game_points(self) -> float:
        """Return the game points; a win without play adds the mean of those played, an even result half."""
        played = [part.game_points for part in self.played()]
        won = fsum(part.points for part in self.parts if self._counts(part) and not part.result.played)
        return _sum([*played, won * fsum(played) / len(played)] if played else [])

    def played(self) -> list[_Part]:
        """Return the rounds that it played."""
        return [part for part in self.parts if part.result.played]

    def byes(self) -> int:
        """Return the number of rounds won without playing."""
        return sum(part.points == 1 for part in self.parts if not part.result.played)

    def buchholz(self, scores: Mapping[int, float]) -> list[float]:
        """Return what each round adds to Buchholz."""
        return [fsum(scores[other] for other, _ in part.others) / len(part.others) for part in self.parts]

    def sonneborn_berger(self, scores: Mapping[int, float]) -> float:
        """Return the Sonneborn-Berger score; the opponents at a larger table count as equal parts of a round."""
        return _sum(
            fsum(points * scores[other] for other, points in part.others) / len(part.others) for part in self.parts
        )

    def against(self, others: Collection[int]) -> float | None:
        """Return the points against these; None unless it met all of them by playing."""
        got = [one for part in self.played() for one in part.others if one[0] in others]
        return _sum(points for _, points in got) if {other for other, _ in got} == set(others) else None

    def _counts(self, part: _Part) -> bool:
        return self.counts_byes or not part.result.pairing.is_bye


def _list_points_by_opponent(result: Result) -> list[tuple[int, list[tuple[int, float]]]]:
    """Return each entrant with its opponents and its points against them."""
    entries = list(zip(result.pairing.entrants, result.points, strict=True))
    return [
        (
            own,
            [
                (other, _compare_points(had, points) if result.played else had)
                for other, points in entries
                if other != own
            ],
        )
        for own, had in entries
    ]


def _build_standing(line: _Line, scores: Mapping[int, float]) -> Standing:
    """Return an entrant's standing by its own results and the scores of all."""
    played = line.played()
    wins = sum(part.result.winner == line.number for part in played)
    draws = sum(part.result.winner is None and part.points == max(part.result.points) for part in played)
    adds = line.buchholz(scores)
    return Standing(
        number=line.number,
        score=scores[line.number],
        points=line.points(),
        game_points=line.game_points(),
        played=len(played),
        wins=wins,
        draws=draws,
        losses=len(played) - wins - draws,
        byes=line.byes(),
        buchholz=_sum(adds),
        buchholz_cut_1=_sum(sorted(adds)[1:]),
        sonneborn_berger=line.sonneborn_berger(scores),
    )


def _compare_points(own: float, other: float) -> float:
    return 0.5 if own == other else float(own > other)


def _collect_lines(field: Sequence[Entrant], rounds: Sequence[Round], settings: Settings) -> dict[int, _Line]:
    lines = {entrant.number: _Line(entrant.number, [], settings.count_byes) for entrant in field}
    for results in rounds:
        for result in results:
            for (number, others), points, game_points in zip(
                _list_points_by_opponent(result), result.points, result.game_points, strict=True
            ):
                met = others if result.played else [(number, points)]
                lines[number].parts.append(_Part(result, points, game_points, met))
    return lines


def _compute_direct_encounters(ranks: Mapping[int, tuple[int, float]], lines: Mapping[int, _Line]) -> dict[int, float]:
    """Return the direct encounter by number, for ties whose entrants have all played each other (C.07, 6).

    It is computed once: those that are still tied go to the next tie-break, not to an encounter among themselves.
    """
    tied = defaultdict(set)
    for number, rank in ranks.items():
        tied[rank].add(number)
    found: dict[int, float] = {}
    for group in tied.values():
        got = {number: lines[number].against(group - {number}) for number in group} if len(group) > 1 else {}
        if None not in got.values():
            found.update({number: points for number, points in got.items() if points is not None})
    return found


def _sort_key(standing: Standing) -> tuple[float, ...]:
    """Return the key that sorts the best first."""
    return (
        -standing.reached_round,
        -standing.score,
        -(standing.direct or 0),
        -standing.buchholz,
        -standing.buchholz_cut_1,
        -standing.sonneborn_berger,
        -standing.wins,
        standing.lot,
    )


def _assign_places(ordered: Sequence[Standing], sharing: Collection[int], placeless: Collection[int]) -> list[Standing]:
    """Return the standings with places; `sharing` entrants that came equally far share one, `placeless` have none."""
    places: dict[int, int] = {}
    found = []
    for place, standing in enumerate(ordered, start=1):
        if standing.number in placeless:
            found.append(replace(standing, place=0))
        elif standing.number in sharing:
            found.append(replace(standing, place=places.setdefault(standing.reached_round, place)))
        else:
            found.append(replace(standing, place=place))
    return found


def _sum(values: Iterable[float]) -> float:
    return round(fsum(values), SCORE_DECIMALS)


# Decide pairings by the matches that have been played.

POINTS_DECIMALS = 6
"""Points are compared at this precision, because sums of thirds depend on their order."""


@dataclass(frozen=True, slots=True)
class MatchResult:
    """The result of a match. All values are by entrant, in the order of the pairing."""

    points: tuple[float, ...]
    """The share of opponents left behind, as the mean of the legs."""
    game_points: tuple[float, ...]
    """The sum of the game points of the legs."""


def join_legs(results: Mapping[int, MatchResult], seats: int) -> list[MatchResult]:
    """Return the results of matches whose legs are played apart, as in a pairing with a remote bot.

    `results` are those of the legs by number, from 1: as many in a row as there are seats make a match. One of which a
    leg isn't over is left out.
    """
    found = []
    for first in range(1, max(results, default=0) + 1, seats):
        legs = [results[number] for number in range(first, first + seats) if number in results]
        if len(legs) == seats:
            points = tuple(total / seats for total in _sum_columns(leg.points for leg in legs))
            found.append(MatchResult(points, _sum_columns(leg.game_points for leg in legs)))
    return found


def count_matches_needed(pairing: Pairing, matches: Sequence[MatchResult], settings: Settings) -> int:
    """Return the number of matches to be queued now besides those that are over; 0 once the pairing is decided."""
    if pairing.must_decide:
        return (
            0
            if _find_leader(matches, settings) is not None
            or len(matches) >= settings.matches_per_pairing + settings.max_tiebreak_matches
            else 1
        )
    return max(settings.matches_per_pairing - len(matches), 0)


def decide(pairing: Pairing, matches: Sequence[MatchResult], settings: Settings) -> Result | None:
    """Return the result of a pairing; None if more matches are needed. `matches` are its matches by number."""
    if count_matches_needed(pairing, matches, settings):
        return None
    game_points = _sum_columns(match.game_points for match in matches)
    points = _sum_columns(match.points for match in matches)
    if not pairing.must_decide:
        return Result(pairing, _compute_shares(points), game_points)
    leader = _find_leader(matches, settings)
    better_seed = 0 if settings.separate_phases else pairing.entrants.index(min(pairing.entrants))
    first = better_seed if leader is None else leader
    if leader is None and game_points[0] != game_points[1]:
        first = game_points.index(max(game_points))
    return Result(pairing, tuple(float(index == first) for index in range(2)), game_points)


def _find_leader(matches: Sequence[MatchResult], settings: Settings) -> int | None:
    """Return the index of the entrant that can't be caught up with any more; None if there is none."""
    ahead = sum(match.points[0] - match.points[1] for match in matches)
    left = max(settings.matches_per_pairing - len(matches), 0)
    return (0 if ahead > 0 else 1) if abs(ahead) > left else None


def _sum_columns(rows: Iterable[Sequence[float]]) -> tuple[float, ...]:
    return tuple(sum(column) for column in zip(*rows, strict=True))


def _compute_shares(points: Sequence[float]) -> tuple[float, ...]:
    """Return, by entrant, the share of the others with fewer points; those with equal points count half."""
    points = [round(own, POINTS_DECIMALS) for own in points]
    others = len(points) - 1
    return tuple(
        (sum(own > it for it in points) + (sum(own == it for it in points) - 1) / 2) / others for own in points
    )


# Results that an organiser gives a pairing instead of its matches. Pure: no database.

EVEN_POINTS = 0.5


def build_winner_points(seats: int, winner: int) -> tuple[float, ...]:
    """Return the points by seat where one has won; at a larger table the others share the places behind it."""
    behind = (seats - 2) / 2 / (seats - 1)
    return tuple(1.0 if seat == winner else behind for seat in range(seats))


def build_even_points(seats: int) -> tuple[float, ...]:
    """Return the points by seat where all are even."""
    return (EVEN_POINTS,) * seats


def build_lost_points(seats: int) -> tuple[float, ...]:
    """Return the points by seat where all have lost."""
    return (0.0,) * seats


def may_give(pairing: Pairing, points: Sequence[float]) -> bool:
    """Return whether an organiser can give a pairing these points: where one advances, one has won."""
    seats = len(pairing.entrants)
    if seats < 2:
        return False
    allowed = [build_winner_points(seats, winner) for winner in range(seats)]
    if not pairing.must_decide:
        allowed += [build_even_points(seats), build_lost_points(seats)]
    return tuple(points) in allowed


def build_given_result(pairing: Pairing, points: Sequence[float]) -> Result:
    """Return the result with these points. It counts as one without play: a win is like a walkover."""
    return Result(pairing, tuple(points), (0.0,) * len(pairing.entrants), played=False)


# Decisions on a pairing after the fact. Each is kept with `after`, the number of rounds that had been drawn by then,
# those that were replayed included: rounds drawn before it follow from what held until then.


def find_first_since(decisions: Iterable[Mapping[str, Any]], order: int) -> Mapping[str, Any] | None:
    """Return the first decision taken once the round that was drawn as the `order`-th was there, or None."""
    return next((one for one in decisions if one["after"] >= order), None)


def mark_decisions(
    result: Result, decisions: Sequence[Mapping[str, Any]], next_order: int | None, *, is_given: bool
) -> Result:
    """Return the result of a decided pairing with what it was before.

    `next_order` is the place of the next round among all that were drawn; None where there is none.
    """
    since = None if next_order is None else find_first_since(decisions, next_order)
    before = since and since["points_before"]
    return replace(
        result,
        drawn_points=tuple(before) if before else None,
        is_overruled=is_given and bool(decisions[-1]["was_played"]),
    )


def list_stale_rounds(
    decisions: Sequence[Mapping[str, Any]], points: Sequence[float | None], later: Mapping[int, int]
) -> list[int]:
    """Return the numbers of the later rounds that were drawn from other points than the pairing has now.

    `later` are their places among all rounds that were drawn, by number.
    """
    since = {number: find_first_since(decisions, order) for number, order in later.items()}
    return [number for number, one in since.items() if one and one["points_before"] != list(points)]


# Choose what is worth a word at the end of a tournament. Pure: no database.


@dataclass(frozen=True, slots=True)
class Upset:
    """A pairing that was won against the odds. Entrants are named by their seeds."""

    round: int
    winner: int
    loser: int
    chance: float
    """The winner's chance by the ratings at the start, from 0 to 1."""


@dataclass(frozen=True, slots=True)
class FewestFaults:
    """The entrant with the fewest faults; of several the one that is placed best."""

    entrant: int
    faults: int


def find_upset(rounds: Sequence[Round], ratings: Mapping[int, float | None]) -> Upset | None:
    """Return the pairing of two whose winner had the smallest chance; None if no rated underdog has won."""
    found = []
    for number, results in enumerate(rounds, start=1):
        found += _list_upsets(number, results, ratings)
    return min(found, key=lambda upset: upset.chance, default=None)


def _list_upsets(number: int, results: Sequence[Result], ratings: Mapping[int, float | None]) -> list[Upset]:
    found = []
    for result in results:
        if not result.played or len(result.pairing.entrants) != 2 or result.winner is None:
            continue
        first, second = result.pairing.entrants
        loser = second if result.winner == first else first
        own, other = ratings.get(result.winner), ratings.get(loser)
        chance = None if own is None or other is None else find_upset_chance(own, other)
        if chance is not None:
            found.append(Upset(number, result.winner, loser, chance))
    return found


def find_fewest_faults(standings: Sequence[Standing], faults: Sequence[int]) -> FewestFaults | None:
    """Return the entrant with the fewest faults among those that played to the end; `faults` has a seed for each."""
    counts = Counter(faults)
    there = [standing for standing in standings if not standing.is_out and standing.played]
    if not there:
        return None
    best = min(there, key=lambda standing: (counts[standing.number], standing.place))
    return FewestFaults(best.number, counts[best.number])
