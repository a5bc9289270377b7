"""What may still become of a tournament: its rest is played many times over, by what the ratings promise.

A leg between two is drawn once in a hundred, and otherwise won so often that its points are those that Elo expects. At
a larger table the first place goes to each by its strength, then the second among the others, and so on (Plackett and
Luce). Nothing links the legs of a match: that they share a deal is left out.

The next round is the one that the format draws, unless very many take part. Later rounds of a Swiss tournament are
paired more simply, as its own way of pairing takes too long to be gone many times: from the top each meets the next
that it hasn't met yet.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from dataclasses import field as with_default
from math import log
from random import Random

from arena.ladders.rating.elo import FIRST_RATING, Q, expected_score
from arena.tournaments.formats.base import Entrant, Format, Pairing, Result, Round, bye, walkover
from arena.tournaments.pairing_outcome import Game, decide
from arena.tournaments.settings import Settings
from arena.tournaments.standings import rank
from engine.games.battleline.ending import WIN_SCORE

DRAWN = 0.01
"""The share of the legs between two that nobody wins."""
PODIUM = 3
FIXED = ("round-robin", "double-round-robin", "tables")
"""Formats in which results don't matter for who meets whom."""
EXACT_MOST = 64
"""With more entrants also the next round of a Swiss tournament is paired simply: by the book it takes seconds."""


@dataclass(frozen=True, slots=True)
class Chance:
    """What an entrant may hope for, as the shares of the runs."""

    win: float
    podium: float
    """To be third or better; in a bracket two may share the third place."""
    place: float
    """The mean of its places."""

    def as_json(self) -> dict[str, float]:
        """Return the shares by name."""
        return asdict(self)


def simulate(  # noqa: PLR0913 - what a tournament is takes four
    format: Format,
    field: Sequence[Entrant],
    rounds: Sequence[Round],
    settings: Settings,
    ratings: Mapping[int, float],
    *,
    runs: int,
    seed: str,
) -> dict[int, Chance]:
    """By number, `rounds` having been played. Whoever has no rating gets that of a newcomer.

    The same seed gives the same.
    """
    rest = _Rest(
        format, field, settings, {entrant.number: ratings.get(entrant.number, FIRST_RATING) for entrant in field}
    )
    rng = Random(seed)
    following = format.pair(field, rounds, settings) if len(field) <= EXACT_MOST else rest.pair(rounds)
    places: dict[int, list[int]] = {entrant.number: [] for entrant in field}
    for _ in range(runs):
        for standing in rank(format, field, rest.play(rounds, following, rng), settings):
            places[standing.number].append(standing.place)
    return {number: _chance(found, runs) for number, found in places.items()}


def _chance(places: Sequence[int], runs: int) -> Chance:
    return Chance(places.count(1) / runs, sum(place <= PODIUM for place in places) / runs, sum(places) / runs)


@dataclass(frozen=True, slots=True)
class _Rest:
    """All that a run of what is left to play hangs on, but for luck."""

    format: Format
    field: Sequence[Entrant]
    settings: Settings
    ratings: Mapping[int, float]
    drawn: dict[int, Sequence[Pairing] | None] = with_default(default_factory=dict)
    """By how many rounds come before: what is the same in every run."""

    def play(self, rounds: Sequence[Round], following: Sequence[Pairing] | None, rng: Random) -> list[Round]:
        """All rounds of one run, those before included; `following` are the pairings of the next."""
        played = list(rounds)
        while following is not None:
            played.append([self.result(pairing, len(played) + 1, rng) for pairing in following])
            following = self.pair(played)
        return played

    def pair(self, rounds: Sequence[Round]) -> Sequence[Pairing] | None:
        if self.format.key in FIXED:
            if len(rounds) not in self.drawn:
                self.drawn[len(rounds)] = self.format.pair(self.field, rounds, self.settings)
            return self.drawn[len(rounds)]
        if self.format.key != "swiss":
            return self.format.pair(self.field, rounds, self.settings)
        there = [entrant.number for entrant in self.field if entrant.is_in(len(rounds) + 1)]
        if len(rounds) >= self.format.length(len(self.field), self.settings) or len(there) < 2:
            return None
        return neighbours(there, rounds)

    def result(self, pairing: Pairing, round_number: int, rng: Random) -> Result:
        result = walkover(pairing, self.field, round_number)
        games: list[Game] = []
        while result is None:
            games.append(self.match(pairing, rng))
            result = decide(pairing, games, self.settings)
        return result

    def match(self, pairing: Pairing, rng: Random) -> Game:
        """Play a match: a leg for every seating."""
        ratings = [self.ratings[number] for number in pairing.entrants]
        legs = [duel(ratings, rng) if len(ratings) == 2 else table(ratings, rng) for _ in ratings]
        points = tuple(sum(column) / len(legs) for column in zip(*(leg[0] for leg in legs), strict=True))
        return Game(points, tuple(float(sum(column)) for column in zip(*(leg[1] for leg in legs), strict=True)))


Leg = tuple[Sequence[float], Sequence[float]]
"""Points and scores."""


def duel(ratings: Sequence[float], rng: Random) -> Leg:
    """Play a leg of Battle Line: the loser scores anything below the winner's score, all equally likely."""
    luck = rng.random() - expected_score(ratings[0] - ratings[1])
    first, second = int(rng.random() * WIN_SCORE), int(rng.random() * WIN_SCORE)
    if abs(luck) < DRAWN / 2:
        return (0.5, 0.5), (first, second)
    return ((1, 0), (WIN_SCORE, second)) if luck < 0 else ((0, 1), (first, WIN_SCORE))


def table(ratings: Sequence[float], rng: Random) -> Leg:
    """Play a leg at a larger table; a score is the number of opponents left behind, as in Battalion.

    Each waits for an exponential time with its strength as rate, and who waits shortest is first (Plackett and Luce).
    """
    times = [log(-log(1.0 - rng.random()) or 1e-300) - Q * rating for rating in ratings]
    behind = [sum(other > own for other in times) for own in times]
    return [count / (len(ratings) - 1) for count in behind], behind


def neighbours(numbers: Sequence[int], rounds: Sequence[Round]) -> list[Pairing]:
    """Pair a Swiss round simply: from the top each meets the next one it hasn't met, or the next if it met all.

    Of an odd number the last that has won nothing without playing gets a bye.
    """
    points: dict[int, float] = defaultdict(float)
    met: dict[int, set[int]] = defaultdict(set)
    was_free = set()
    for results in rounds:
        for result in results:
            for number, got in zip(result.pairing.entrants, result.points, strict=True):
                points[number] += got
                if result.played:
                    met[number].update(result.pairing.entrants)
                elif got:
                    was_free.add(number)
    there = sorted(numbers, key=lambda number: (-points[number], number))
    rest = []
    if len(there) % 2:
        resting = next((number for number in reversed(there) if number not in was_free), there[-1])
        there.remove(resting)
        rest = [bye(resting)]
    return [*_couples(there, met), *rest]


def _couples(there: list[int], met: Mapping[int, set[int]]) -> list[Pairing]:
    pairings = []
    while there:
        one = there.pop(0)
        other = next((number for number in there if number not in met[one]), there[0])
        there.remove(other)
        pairings.append(Pairing((one, other)))
    return pairings
