"""Who stands where, and why: the one order of a tournament.

How far somebody came is looked at first, then the score, then what breaks ties, in the order of `TIE_BREAKS`. The names
and ideas are those of FIDE's Tie-Break Regulations (C.07), simplified where it is said. All follows from the results
alone, in whatever order they came.
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
        "Direct encounter: the points from the pairings of those who are tied with each other, where all of them met.",
    ),
    ("buchholz", "Buchholz", "The sum of the scores of all opponents; at a larger table, their mean in each round."),
    ("buchholz_cut_1", "Cut 1", "Buchholz without the round that adds the least."),
    (
        "sonneborn_berger",
        "S-B",
        "Sonneborn-Berger: the scores of the opponents that were beaten, and half of those it drew with.",
    ),
    ("wins", "Wins", "The pairings won by playing."),
    ("lot", "Lot", "The lot, drawn from the seed of the tournament before its first round: the lowest is first."),
)
"""In this order: the name of the field in a Standing, a short title, and a sentence that explains it."""
DIGITS = 6
"""Sums are rounded to so many: thirds don't add up in the same way in every order."""


@dataclass(frozen=True, slots=True)
class Standing:
    """Where an entrant stands. Struck out, it has nothing: what it played counts for nobody."""

    number: int
    score: float
    """What counts first: `points` or `game_points`, as the settings say."""
    points: float
    game_points: float
    """The sum of the game points of all legs."""
    played: int
    """Pairings, without byes and walkovers."""
    wins: int
    """Of those played: first alone."""
    draws: int
    """Of those played: first, with somebody beside it."""
    losses: int
    """Of those played."""
    byes: int
    """Won without playing, as a bye or because the other had left."""
    buchholz: float
    buchholz_cut_1: float
    sonneborn_berger: float
    place: int = 0
    """From 1. In a knockout all who came as far share theirs; elsewhere nobody does."""
    direct: float | None = None
    """Points against those with the same score. None where there are none, or not all of them have met."""
    lot: int = 0
    """A number of its own, from 1."""
    is_out: bool = False
    reached_round: int = 0
    """How far it came, as the format has it."""


@dataclass(frozen=True, slots=True)
class Meeting:
    """Of two in one round, as one of them saw it."""

    round: int
    """From 1."""
    points: float
    """1 where it was ahead, ½ where both had as much."""
    played: bool


Crosstable = Mapping[tuple[int, int], Sequence[Meeting]]


def rank(format: Format, field: Sequence[Entrant], rounds: Sequence[Round], settings: Settings) -> list[Standing]:
    """Return the standings after these rounds, best first."""
    struck = format.struck_out(field, rounds, settings)
    counting = [[result for result in results if not struck & set(result.pairing.entrants)] for results in rounds]
    lines = _lines(field, counting)
    reached = format.reached(field, rounds, settings)
    scores = {
        number: line.game_points() if settings.scoring == GAME_POINTS else line.points()
        for number, line in lines.items()
    }
    direct = _direct({number: (reached[number], scores[number]) for number in lines if number not in struck}, lines)
    lots = draw_lots(field, settings.seed)
    found = [
        replace(
            _stand(lines[entrant.number], scores),
            direct=direct.get(entrant.number),
            lot=lots[entrant.number],
            is_out=entrant.left_in_round is not None,
            reached_round=reached[entrant.number],
        )
        for entrant in field
    ]
    found.sort(key=lambda standing: (standing.number in struck, _order(standing)))
    sharing = [number for number, line in lines.items() if reached[number] or not line.is_of_league]
    return _placed(found, sharing if format.is_bracket else ())


def crosstable(field: Sequence[Entrant], rounds: Sequence[Round]) -> Crosstable:
    """By ordered pair of numbers how the first fared against the second, round by round. Who never met isn't there."""
    known = {entrant.number for entrant in field}
    found = defaultdict(list)
    for number, results in enumerate(rounds, start=1):
        for result in results:
            for own, others in _seen_by_each(result):
                for other, points in others:
                    if {own, other} <= known:
                        found[own, other].append(Meeting(number, points, result.played))
    return dict(found)


def draw_lots(field: Sequence[Entrant], seed: str) -> dict[int, int]:
    """By entrant's number its lot, from 1. Each hangs on the seed and the numbers that take part, on nothing played."""

    def drawn(number: int) -> str:
        return hashlib.sha256(f"{seed}/lot/{number}".encode()).hexdigest()

    numbers = sorted((entrant.number for entrant in field), key=drawn)
    return {number: lot for lot, number in enumerate(numbers, start=1)}


class _Part(NamedTuple):
    """What an entrant did in one round."""

    result: Result
    points: float
    game_points: float
    others: list[tuple[int, float]]
    """Whom it met, and what it got against each. Without playing it met its own like: somebody who ended with the same
    score (C.07, 16)."""


@dataclass(frozen=True, slots=True)
class _Line:
    """What counts of one entrant."""

    number: int
    parts: list[_Part]

    @property
    def is_of_league(self) -> bool:
        """It met somebody where both went on: in a group before a knockout."""
        return any(not (part.result.pairing.is_bye or part.result.pairing.must_decide) for part in self.parts)

    def points(self) -> float:
        return _sum(part.points for part in self.parts)

    def game_points(self) -> float:
        """Return the game points; a win without playing adds the mean of the pairings that were played."""
        played = [part.game_points for part in self.played()]
        return _sum([*played, self.byes() * fsum(played) / len(played)] if played else [])

    def played(self) -> list[_Part]:
        return [part for part in self.parts if part.result.played]

    def byes(self) -> int:
        return sum(part.points > 0 for part in self.parts if not part.result.played)

    def buchholz(self, scores: Mapping[int, float]) -> list[float]:
        """Return what each round adds to Buchholz."""
        return [fsum(scores[other] for other, _ in part.others) / len(part.others) for part in self.parts]

    def sonneborn_berger(self, scores: Mapping[int, float]) -> float:
        """At a larger table each of the others counts as an equal part of a round."""
        return _sum(
            fsum(points * scores[other] for other, points in part.others) / len(part.others) for part in self.parts
        )

    def against(self, others: Collection[int]) -> float | None:
        """Return the points against these; None unless it met all of them by playing."""
        got = [one for part in self.played() for one in part.others if one[0] in others]
        return _sum(points for _, points in got) if {other for other, _ in got} == set(others) else None


def _seen_by_each(result: Result) -> list[tuple[int, list[tuple[int, float]]]]:
    """Each entrant with all others and what it got against them."""
    entries = list(zip(result.pairing.entrants, result.points, strict=True))
    return [
        (own, [(other, _share(had, points) if result.played else had) for other, points in entries if other != own])
        for own, had in entries
    ]


def _stand(line: _Line, scores: Mapping[int, float]) -> Standing:
    """Return the standing that follows from its own results and the scores of all."""
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


def _share(own: float, other: float) -> float:
    return 0.5 if own == other else float(own > other)


def _lines(field: Sequence[Entrant], rounds: Sequence[Round]) -> dict[int, _Line]:
    lines = {entrant.number: _Line(entrant.number, []) for entrant in field}
    for results in rounds:
        for result in results:
            for (number, others), points, game_points in zip(
                _seen_by_each(result), result.points, result.scores, strict=True
            ):
                met = others if result.played else [(number, points)]
                lines[number].parts.append(_Part(result, points, game_points, met))
    return lines


def _direct(ranks: Mapping[int, tuple[int, float]], lines: Mapping[int, _Line]) -> dict[int, float]:
    """By number, for those who are tied with somebody and where all of the tied have met by playing (C.07, 6).

    It is looked at once: who is tied in this, too, goes to the next tie-break, and not to an encounter of fewer.
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


def _order(standing: Standing) -> tuple[float, ...]:
    """Smaller is better."""
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


def _placed(ordered: Sequence[Standing], sharing: Collection[int]) -> list[Standing]:
    """With their places. Of those who share theirs all who came as far have the same."""
    places: dict[int, int] = {}
    return [
        replace(
            standing, place=places.setdefault(standing.reached_round, place) if standing.number in sharing else place
        )
        for place, standing in enumerate(ordered, start=1)
    ]


def _sum(values: Iterable[float]) -> float:
    return round(fsum(values), DIGITS)
