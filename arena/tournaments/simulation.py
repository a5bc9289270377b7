"""Forecast a tournament: simulate the rest of it many times with the entrants' ratings.

A leg between two is drawn with probability 0.01, and otherwise won so that its expected points are those of Elo. At
larger tables places follow the Plackett-Luce model. The legs of a match are independent, although they share a deal.

The next round is the one that the format draws, unless the field is very large. Later rounds of a Swiss tournament are
paired more simply, because its own pairing takes too long to be repeated often.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from dataclasses import field as with_default
from math import log
from random import Random

from arena.ladders.rating.elo import INITIAL_RATING_ELO, LOGITS_PER_ELO, expected_score
from arena.tournaments.formats.base import Entrant, Format, Pairing, Result, Round, decide_walkover
from arena.tournaments.pairing_outcome import MatchResult, decide
from arena.tournaments.settings import Settings
from arena.tournaments.standings import rank
from engine.games.battleline.ending import WIN_SCORE
from engine.series import SeriesLength, series_points

DRAWN_LEG_SHARE = 0.01
"""The share of legs between two that are drawn."""
PODIUM_PLACES = 3
"""The places on the podium; see `Chance.podium`."""
MAX_EXACT_PAIRING_ENTRANTS = 64
"""With more entrants the next round of a Swiss tournament is paired simply, too: the exact pairing takes seconds."""


@dataclass(frozen=True, slots=True)
class Chance:
    """The chances of an entrant, as shares of the simulations."""

    win: float
    podium: float
    """The share in which it is third or better; in a bracket two may share third place."""
    place: float
    """Its mean place."""

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
    """Return the chances by entrant number after these rounds. The same seed gives the same result.

    Entrants without a rating get that of a newcomer.
    """
    rest = _Simulation(
        format, field, settings, {entrant.number: ratings.get(entrant.number, INITIAL_RATING_ELO) for entrant in field}
    )
    rng = Random(seed)
    is_exact = len(field) <= MAX_EXACT_PAIRING_ENTRANTS
    following = format.pair(field, rounds, settings) if is_exact else rest.pair_next(rounds)
    places: dict[int, list[int]] = {entrant.number: [] for entrant in field}
    for _ in range(runs):
        for standing in rank(format, field, rest.play_rounds(rounds, following, rng), settings):
            places[standing.number].append(standing.place)
    return {number: _summarise_places(found, runs) for number, found in places.items()}


def _summarise_places(places: Sequence[int], runs: int) -> Chance:
    return Chance(places.count(1) / runs, sum(place <= PODIUM_PLACES for place in places) / runs, sum(places) / runs)


@dataclass(frozen=True, slots=True)
class _Simulation:
    """The simulation of a tournament's rest: everything but the random numbers."""

    format: Format
    field: Sequence[Entrant]
    settings: Settings
    ratings: Mapping[int, float]
    drawn: dict[int, Sequence[Pairing] | None] = with_default(default_factory=dict)
    """The pairings that are the same in every run, by the number of rounds before them."""

    def play_rounds(self, rounds: Sequence[Round], following: Sequence[Pairing] | None, rng: Random) -> list[Round]:
        """Return all rounds of a run, those before included; `following` are the pairings of the next round."""
        played = list(rounds)
        while following is not None:
            played.append([self.decide_pairing(pairing, len(played) + 1, rng) for pairing in following])
            following = self.pair_next(played)
        return played

    def pair_next(self, rounds: Sequence[Round]) -> Sequence[Pairing] | None:
        if self.format.is_result_independent:
            if len(rounds) not in self.drawn:
                self.drawn[len(rounds)] = self.format.pair(self.field, rounds, self.settings)
            return self.drawn[len(rounds)]
        return self.format.pair_roughly(self.field, rounds, self.settings)

    def decide_pairing(self, pairing: Pairing, round_number: int, rng: Random) -> Result:
        result = decide_walkover(pairing, self.field, round_number)
        matches: list[MatchResult] = []
        while result is None:
            matches.append(self.play_match(pairing, rng))
            result = decide(pairing, matches, self.settings)
        return result

    def play_match(self, pairing: Pairing, rng: Random) -> MatchResult:
        """Play a match: a leg for every seating, or a series of games."""
        ratings = [self.ratings[number] for number in pairing.entrants]
        if self.settings.series is not None:
            return play_series(ratings, self.settings.series, rng)
        legs = [play_duel(ratings, rng) if len(ratings) == 2 else play_table(ratings, rng) for _ in ratings]
        points = tuple(sum(column) / len(legs) for column in zip(*(leg[0] for leg in legs), strict=True))
        return MatchResult(points, tuple(float(sum(column)) for column in zip(*(leg[1] for leg in legs), strict=True)))


Leg = tuple[Sequence[float], Sequence[float]]
"""The points and game points of a leg."""


def play_duel(ratings: Sequence[float], rng: Random) -> Leg:
    """Play a leg of Battle Line: all game points of the loser below the winner's are equally likely."""
    luck = rng.random() - expected_score(ratings[0] - ratings[1])
    first, second = int(rng.random() * WIN_SCORE), int(rng.random() * WIN_SCORE)
    if abs(luck) < DRAWN_LEG_SHARE / 2:
        return (0.5, 0.5), (first, second)
    return ((1, 0), (WIN_SCORE, second)) if luck < 0 else ((0, 1), (first, WIN_SCORE))


def play_series(ratings: Sequence[float], length: SeriesLength, rng: Random) -> MatchResult:
    """Play a series of games, in which who starts makes no difference."""
    scores, games = [0.0, 0.0], 0
    while not length.is_over(games, scores):
        _, scored = play_duel(ratings, rng)
        scores, games = [total + score for total, score in zip(scores, scored, strict=True)], games + 1
    return MatchResult(series_points(scores), tuple(scores))


def play_table(ratings: Sequence[float], rng: Random) -> Leg:
    """Play a leg at a larger table; game points are the number of opponents left behind, as in Battalion.

    Places follow the order of exponential waiting times whose rates are the strengths (Plackett-Luce).
    """
    times = [log(-log(1.0 - rng.random()) or 1e-300) - LOGITS_PER_ELO * rating for rating in ratings]
    behind = [sum(other > own for other in times) for own in times]
    return [count / (len(ratings) - 1) for count in behind], behind
