"""The standings of a tournament.

Entrants are ranked by the progress that the format counts, then by score, then by the tie-breaks in `TIE_BREAKS`. These
are those of FIDE's Tie-Break Regulations (C.07), with simplifications noted where they are. Standings depend on the
results only, not on the order in which they arrived.
"""

import hashlib
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import fsum
from typing import NamedTuple

from arena.tournaments.formats.base import Entrant, Format, Result, Round
from arena.tournaments.settings import GAME_POINTS, Settings

TIE_BREAKS: tuple[tuple[str, str, str], ...] = (
    (
        "direct",
        "Direct",
        "Direct encounter: points from the pairings between tied entrants, if all of them have met.",
    ),
    ("buchholz", "Buchholz", "Sum of the scores of all opponents; at a larger table, their mean in each round."),
    ("buchholz_cut_1", "Cut 1", "Buchholz without the round that adds the least."),
    (
        "sonneborn_berger",
        "S-B",
        "Sonneborn-Berger: the scores of beaten opponents, and half the scores of those with an even result.",
    ),
    ("wins", "Wins", "Pairings won, without byes and walkovers."),
    ("lot", "Lot", "Lot, drawn before the first round; the lowest is first."),
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
